import { type ReactNode, useEffect, useState } from 'react'
import { api, withQuery } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { ChangePreview } from '../change-preview/ChangePreview.tsx'
import type { ChangeCall } from '../change-preview/change.ts'
import { selectionReference } from './selection-reference.ts'

const PATH = '/api/v1/common/resources/deletion/'

/** What goes with rows, by kind. */
interface End {
  label: string
  /** The others are deleted too, or stay and no longer name the rows. */
  how: 'deleted' | 'unlinked'
  amount: number
}

/** Shown below the question whether these rows are to be deleted. */
export const deletionContent = (asked: DeletionEndsProps): ReactNode => <DeletionEnds {...asked} />

interface DeletionEndsProps {
  /** Name of the definition. */
  resource: string
  ids: readonly string[]
  /** The known ones of several rows. */
  names?: readonly string[]
  /** Address of their list, where they decide who may do what. */
  rights?: string | undefined
}

/** Names that are read before a decision; of more than these the number is enough. */
const MAX_NAMES = 8
/** Ids in an address; more of them go by a reference. */
const MAX_IN_ADDRESS = 50

/**
 * Which rows, and what goes with them, counted by the server. Without its answer the question stands
 * alone: people who may delete must not have to wait for it.
 */
function DeletionEnds({ resource, ids, names = [], rights }: DeletionEndsProps) {
  const [ends, setEnds] = useState<readonly End[]>([])
  useEffect(() => {
    const control = new AbortController()
    const { signal } = control
    const ask = async () => {
      const rows = ids.length <= MAX_IN_ADDRESS ? { ids: ids.join(',') } : { spm: await selectionReference(ids) }
      const answer = await api.get<{ ends?: readonly End[] }>(PATH, {
        query: { resource, ...rows },
        quiet: true,
        signal,
      })
      if (!signal.aborted) setEnds(answer.ends ?? [])
    }
    ask().catch(() => {})
    return () => control.abort()
  }, [resource, ids])
  const shown = names.slice(0, MAX_NAMES)
  const change = useDeletion(rights, ids)
  return (
    <>
      {shown.length > 0 && (
        <ul className="deleted-rows">
          {shown.map((name) => (
            <li key={name}>{name}</li>
          ))}
          {ids.length > shown.length && <li>{t('and {{count}} more', { count: ids.length - shown.length })}</li>}
        </ul>
      )}
      <p>{t('Please confirm.')}</p>
      <Ends title={t('Deleted too:')} ends={ends.filter(({ how }) => how === 'deleted')} />
      <Ends title={t('Kept, but without it from then on:')} ends={ends.filter(({ how }) => how === 'unlinked')} />
      {change && <ChangePreview call={change} />}
    </>
  )
}

/** The call that deletes these rows, once it is known; undefined where it changes no rights. */
function useDeletion(path: string | undefined, ids: readonly string[]): ChangeCall | undefined {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    if (path === undefined) return
    if (ids.length === 1) return setAddress(`${path}${encodeURIComponent(ids[0] ?? '')}/`)
    let isHere = true
    selectionReference(ids).then(
      (spm) => isHere && setAddress(withQuery(path, { spm })),
      () => {},
    )
    return () => {
      isHere = false
    }
  }, [path, ids])
  return address === undefined ? undefined : { method: 'DELETE', address }
}

function Ends({ title, ends }: { title: string; ends: readonly End[] }) {
  if (ends.length === 0) return null
  return (
    <p className="deletion-ends">
      {title} {ends.map(({ label, amount }) => `${label} (${amount})`).join(', ')}
    </p>
  )
}
