import { useMetadata } from '../generic/view/metadata.ts'
import { keys, queryClient } from '../lib/query.ts'

/**
 * Lists at other addresses than their resource's have no metadata of their own; they are drawn with
 * the resource's. True once it is there.
 */
export function useBorrowedMetadata(path: string, owner: string): boolean {
  const metadata = useMetadata(owner).data
  if (metadata && !queryClient.getQueryData(keys.options(path))) queryClient.setQueryData(keys.options(path), metadata)
  return metadata !== undefined
}
