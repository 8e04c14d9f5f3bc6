import { createContext, useContext, useState } from 'react'
import { api, type Row } from '../../lib/api.ts'
import { listed } from '../../lib/bidi.ts'
import { t } from '../../lib/i18n.ts'
import { namesOf } from '../../lib/name-of.ts'
import { nameOfRow, useStoredRows } from '../rows/stored-rows.ts'
import type { Reference } from '../view/references.ts'

/** The rows that the table shows, for cells that read something for all of them at once. */
export const PageRows = createContext<readonly Row[]>([])

interface NamesProps {
  value: unknown
  /** Field of the column. */
  name: string
  from: Reference
}

/** Names of the ids that a cell holds; those of the whole page are read in one go. */
export function Names({ value, name, from }: NamesProps) {
  const rows = useContext(PageRows)
  const { named, waiting } = useStoredRows(from.path, [...new Set(rows.flatMap((row) => idsOf(row[name])))])
  const words = idsOf(value).map((id) => {
    const row = named.get(id)
    return row ? nameOfRow(from.display, row) : waiting ? '…' : id
  })
  return <span title={words.join(', ')}>{listed(namesOf(words))}</span>
}

function idsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(idsOf)
  if (typeof value === 'object' && value !== null && 'id' in value) return [String(value.id)]
  return value === null || value === undefined || value === '' ? [] : [String(value)]
}

interface LazyNamesProps {
  /** Address that answers the named rows. */
  path: string
  /** The object that has these names, for screen readers. */
  of: string
}

/**
 * A link Show that reads names when somebody wants to see them (B7.40,
 * docs/rules/lists-and-forms.md#lazy_names).
 */
export function LazyNames({ path, of }: LazyNamesProps) {
  const [names, setNames] = useState<string>()
  const [busy, setBusy] = useState(false)
  if (names !== undefined)
    return (
      <span title={names} aria-live="polite">
        {names || t('None')}
      </span>
    )
  const read = async () => {
    setBusy(true)
    try {
      const answer = await api.get<{ name: string }[] | { results: { name: string }[] }>(path)
      setNames((Array.isArray(answer) ? answer : answer.results).map(({ name }) => name).join(', '))
    } catch {
      // The call has shown why; the link stays for another try.
    } finally {
      setBusy(false)
    }
  }
  return (
    <button type="button" className="link" disabled={busy} aria-description={of} onClick={() => void read()}>
      {t('Show')}
    </button>
  )
}
