import type { ReactNode } from 'react'
import { LoadFailed } from '../design/LoadFailed.tsx'
import { useMetadata } from '../generic/view/metadata.ts'
import { keys, queryClient } from '../lib/query.ts'

interface BorrowedMetadataProps {
  /** Where the list is. */
  path: string
  /** The address of the resource whose metadata it takes. */
  owner: string
  waiting?: ReactNode
  children: ReactNode
}

/**
 * Lists at other addresses than their resource's have no metadata of their own; they are drawn with
 * the resource's, once it is there.
 */
export function BorrowedMetadata({ path, owner, waiting = null, children }: BorrowedMetadataProps) {
  const { data, error, refetch } = useMetadata(owner)
  if (error) return <LoadFailed error={error} onRetry={() => void refetch()} />
  if (!data) return waiting
  if (!queryClient.getQueryData(keys.options(path))) queryClient.setQueryData(keys.options(path), data)
  return children
}
