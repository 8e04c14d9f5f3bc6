import { useInfiniteQuery } from '@tanstack/react-query'
import { XIcon } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { Link } from 'react-router'
import { Button } from '../../design/Button.tsx'
import { showError } from '../../design/dialogs/feedback.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { Named } from '../../design/Named.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import { ApiError, api, type ListPage, type Query, type Row } from '../../lib/api.ts'
import { atOnce, without } from '../../lib/at-once.ts'
import { t } from '../../lib/i18n.ts'
import { forget, keys } from '../../lib/query.ts'
import { inRootOrg } from '../../session/session.ts'
import { RemoteSelect } from '../widgets/remote-select/RemoteSelect.tsx'

/** Shown at first, and how many more at once when somebody wants to see them all. */
const FIRST = 10
const MORE = 100

interface RelationCardProps {
  /** Already translated. */
  title: string
  /** The list of what is related now. */
  related: {
    path: string
    query?: Query
    words: (row: Row) => string
    id?: (row: Row) => string
    /** Where the name leads, when the person may go there. */
    address?: (row: Row) => string | undefined
    /** More about it, behind the name. */
    note?: (row: Row) => string
    /** Why this one can't be taken away; undefined where it can. */
    kept?: (row: Row) => string | undefined
  }
  /** The list to choose from; with `add` and `remove`, or the card is only read. */
  choose?: { path: string; display: string | ((row: Row) => string); query?: Query }
  add?: (ids: string[]) => Promise<unknown>
  remove?: (row: Row) => Promise<unknown>
  disabled?: boolean
  /** The last one can't be taken away (B8.19). */
  keepsLast?: boolean
  onChanged?: () => void
}

/**
 * Names of what is related, the first ten and then all; where they can be changed each with a button
 * that takes it away, under a select and Add (docs/rules/lists-and-forms.md#relation).
 */
export function RelationCard(props: RelationCardProps) {
  const { title, related, choose, add, remove, disabled = inRootOrg(), keepsLast, onChanged } = props
  const [chosen, setChosen] = useState<string[]>([])
  const [busy, setBusy] = useState(false)
  const box = useRef<HTMLElement>(null)
  const list = useRelated(related)
  const rows = list.data?.pages.flatMap(({ results }) => results) ?? []
  const count = list.data?.pages.at(-1)?.count
  const idOf = related.id ?? ((row: Row) => row.id)
  const change = async (work: Promise<unknown>) => {
    setBusy(true)
    try {
      await work
      setChosen([])
      await forget(related.path)
      onChanged?.()
    } finally {
      setBusy(false)
    }
  }
  const field = useId()
  // A read-only card beside others is left out where it is empty, and for people who may not see it.
  const isRefused = list.error instanceof ApiError && list.error.status === 403
  if (!remove && !rows.length && (!list.isLoadingError || isRefused)) return null
  // The call itself has told the person about a failure.
  const start = (work: () => Promise<unknown>) => change(work()).catch(() => {})
  const take = async (row: Row, at: number) => {
    if (keepsLast && rows.length === 1) return showError(t("The last one can't be delete"))
    await start(() =>
      atOnce(
        related.path,
        without((other) => other === row),
        async () => remove?.(row),
      ),
    )
    // The button that had the focus may have gone with its row: the next one gets it.
    const buttons = box.current?.querySelectorAll<HTMLElement>('.relation-list button') ?? []
    if (document.activeElement === document.body) buttons[Math.min(at, buttons.length - 1)]?.focus()
  }
  return (
    <section className="panel" ref={box}>
      <h2>
        {title} {count ? <span className="amount">{count}</span> : null}
      </h2>
      <div className="inside">
        {!disabled && choose && add && (
          <div className="relation-add">
            <label className="visually-hidden" htmlFor={field}>
              {title}
            </label>
            <RemoteSelect
              id={field}
              path={choose.path}
              display={choose.display}
              query={choose.query}
              multiple
              value={chosen}
              onChange={(value) => setChosen(Array.isArray(value) ? value : [])}
              disabledValues={rows.map(idOf)}
            />
            <Button disabled={chosen.length === 0} loading={busy} onClick={() => void start(() => add(chosen))}>
              {t('Add')}
            </Button>
          </div>
        )}
        {list.isPending && <Skeleton lines={2} />}
        {list.isLoadingError && <LoadFailed error={list.error} onRetry={() => void list.refetch()} />}
        {count === 0 && <p className="relation-none">{t('None yet')}</p>}
        <ul className="relation-list">
          {rows.map((row, at) => (
            <RelatedItem
              key={row.id}
              name={related.words(row)}
              address={related.address?.(row)}
              note={related.note?.(row)}
              kept={related.kept?.(row)}
              disabled={disabled || busy}
              {...(remove ? { onRemove: () => void take(row, at) } : {})}
            />
          ))}
        </ul>
        {list.hasNextPage && (
          <button type="button" className="link" onClick={() => void list.fetchNextPage()}>
            {(count ?? 0) - rows.length <= MORE ? t('All {{count}}', { count: count ?? 0 }) : t('More')}
          </button>
        )}
      </div>
    </section>
  )
}

/** The list of what is related now: few at first, then by the hundred. */
function useRelated({ path, query }: RelationCardProps['related']) {
  return useInfiniteQuery({
    queryKey: keys.list(path, { ...query, relation: true }),
    queryFn: ({ pageParam: offset, signal }) =>
      api.get<ListPage>(path, { query: { ...query, offset, limit: offset === 0 ? FIRST : MORE }, signal, quiet: true }),
    initialPageParam: 0,
    getNextPageParam: (last, pages) =>
      last.next ? pages.reduce((sum, { results }) => sum + results.length, 0) : undefined,
  })
}

interface RelatedItemProps {
  name: string
  address: string | undefined
  note: string | undefined
  kept: string | undefined
  disabled: boolean
  onRemove?: () => void
}

function RelatedItem({ name, address, note, kept, disabled, onRemove }: RelatedItemProps) {
  return (
    <li>
      {address ? (
        <Link to={address} title={name}>
          <Named text={name} />
        </Link>
      ) : (
        <span title={name}>
          <Named text={name} />
        </span>
      )}
      {note && <span className="quiet">{note}</span>}
      {onRemove && (
        <button
          type="button"
          className="icon-button"
          title={kept ?? t('Remove')}
          aria-label={[t('Remove {{name}}', { name }), kept].filter(Boolean).join(': ')}
          // One that does nothing can be reached all the same, to hear why.
          aria-disabled={kept !== undefined}
          disabled={disabled}
          onClick={kept === undefined ? onRemove : undefined}
        >
          <XIcon />
        </button>
      )}
    </li>
  )
}
