import type { Query, Row } from '../../lib/api.ts'
import { lazily } from '../lazily.tsx'

export interface RemoteSelectProps {
  /** List address. */
  path: string
  /** `{name}({username})`, or a function of the row. */
  display: string | ((row: Row) => string)
  query?: Query | undefined
  multiple?: boolean
  /** Ids (or names, with `valueField`). */
  value?: string | string[] | null | undefined
  onChange?: ((value: string | string[] | null) => void) | undefined
  /** Told the rows too. */
  onRows?: (rows: Row[]) => void
  id?: string | undefined
  disabled?: boolean | undefined
  clearable?: boolean
  placeholder?: string | undefined
  /** Field of a row that is the value; `id` when absent. */
  valueField?: string | undefined
  /** Values that cannot be chosen. */
  disabledValues?: readonly string[]
}

/** A select that reads pages of a list as they are wanted (spec B7.31 B9.07). */
export const RemoteSelect = lazily<RemoteSelectProps>(
  () => import('./RemoteSelectBody.tsx').then((m) => m.RemoteSelectBody),
  <span className="select-ghost" />,
)
