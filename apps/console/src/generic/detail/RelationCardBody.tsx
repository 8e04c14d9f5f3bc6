import { useInfiniteQuery } from '@tanstack/react-query'
import { MinusIcon } from 'lucide-react'
import { useId, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { showError } from '../../design/feedback.tsx'
import { api, type ListPage, type Query, type Row } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { forget, keys } from '../../lib/query.ts'
import { inRootOrg } from '../../session/session.ts'
import { RemoteSelect } from '../widgets/remote-select/RemoteSelect.tsx'

const PAGE = 10

interface RelationCardProps {
  /** Already translated. */
  title: string
  /** The list of what is related now. */
  related: { path: string; query?: Query; words: (row: Row) => string; id?: (row: Row) => string }
  /** The list to choose from. */
  choose: { path: string; display: string | ((row: Row) => string); query?: Query }
  add: (ids: string[]) => Promise<unknown>
  remove: (row: Row) => Promise<unknown>
  disabled?: boolean
  /** The last one can't be taken away (spec B8.19). */
  keepsLast?: boolean
  onChanged?: () => void
}

/**
 * Select and Add above a list with a minus button per row, ten at a time
 * (contract/console-shell.yaml, detail_page).
 */
export function RelationCardBody(props: RelationCardProps) {
  const { title, related, choose, add, remove, disabled = inRootOrg(), keepsLast, onChanged } = props
  const [chosen, setChosen] = useState<string[]>([])
  const [busy, setBusy] = useState(false)
  const list = useRelated(related)
  const rows = list.data?.pages.flatMap(({ results }) => results) ?? []
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
  // The call itself has told the person about a failure.
  const start = (work: () => Promise<unknown>) => void change(work()).catch(() => {})
  return (
    <section className="panel">
      <h2>{title}</h2>
      <div className="inside">
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
          disabled={disabled}
          disabledValues={rows.map(idOf)}
        />
        <Button
          style={{ marginTop: 8 }}
          type="primary"
          disabled={disabled || chosen.length === 0}
          loading={busy}
          onClick={() => start(() => add(chosen))}
        >
          {t('Add')}
        </Button>
        <ul className="relation-list">
          {rows.map((row) => (
            <RelatedItem
              key={row.id}
              name={related.words(row)}
              disabled={disabled || busy}
              onRemove={() => {
                if (keepsLast && rows.length === 1) showError(t("The last one can't be delete"))
                else start(() => remove(row))
              }}
            />
          ))}
        </ul>
        {list.hasNextPage && (
          <button type="button" className="link" onClick={() => void list.fetchNextPage()}>
            {t('More')}
          </button>
        )}
      </div>
    </section>
  )
}

/** The list of what is related now, ten rows at a time. */
function useRelated({ path, query }: RelationCardProps['related']) {
  return useInfiniteQuery({
    queryKey: keys.list(path, { ...query, relation: true }),
    queryFn: ({ pageParam, signal }) =>
      api.get<ListPage>(path, { query: { ...query, offset: pageParam, limit: PAGE }, signal, quiet: true }),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.next ? pages.length * PAGE : undefined),
  })
}

function RelatedItem({ name, disabled, onRemove }: { name: string; disabled: boolean; onRemove: () => void }) {
  return (
    <li>
      <span title={name}>{name}</span>
      <Button
        size="small"
        danger
        icon={<MinusIcon />}
        aria-label={t('Remove {{name}}', { name })}
        disabled={disabled}
        onClick={onRemove}
      />
    </li>
  )
}
