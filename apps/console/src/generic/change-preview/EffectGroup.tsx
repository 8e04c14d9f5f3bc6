import type { ReactNode } from 'react'
import { t } from '../../lib/i18n.ts'

/** Names that are read before a decision; of more than these the number is enough. */
const MOST_NAMES = 8

interface EffectGroupProps {
  title: ReactNode
  count: number
  /** The first of them. */
  rows: readonly string[]
}

/** Effects of one kind, by name; nothing where there are none. */
export function EffectGroup({ title, count, rows }: EffectGroupProps) {
  if (!count) return null
  // Those who may not know the names read the number.
  if (rows.length === 0) return <p>{title}</p>
  const shown = rows.slice(0, MOST_NAMES)
  return (
    <details open={count <= MOST_NAMES}>
      <summary>{title}</summary>
      <ul>
        {shown.map((row) => (
          <li key={row}>{row}</li>
        ))}
        {count > shown.length && <li>{t('and {{count}} more', { count: count - shown.length })}</li>}
      </ul>
    </details>
  )
}
