/** How a row is shown on a page of its own, as data (docs/console-pages.md). */
import type { ComponentType, ReactNode } from 'react'
import type { Row } from '../../lib/api.ts'
import type { QuickAction } from './actions.ts'

export interface DetailProps<R extends Row = Row> {
  row: R
  refresh: () => Promise<void>
}

export interface DetailItem<R extends Row = Row> {
  /** Field name, or any key with a `render`. */
  field: string
  /** Instead of the label of the metadata. Marked with `msg`. */
  title?: string
  render?: (row: R) => ReactNode
  has?: (row: R) => boolean
}

export interface DetailTab<R extends Row = Row> {
  name: string
  /** Marked with `msg`. */
  title: string
  component: ComponentType<DetailProps<R>>
  has?: (row: R) => boolean
}

export interface DetailView<R extends Row = Row> {
  /** Words for the row; the definition's display when absent. */
  title?: (row: R) => string
  /** Card of the first tab. */
  fields?: readonly (string | DetailItem<R>)[]
  /** Beside the card. */
  quickActions?: readonly QuickAction<R>[]
  /** Cards under the quick actions. */
  side?: ComponentType<DetailProps<R>>
  /** Further tabs. */
  tabs?: readonly DetailTab<R>[]
  canUpdate?: boolean | ((row: R) => boolean)
  canDelete?: boolean | ((row: R) => boolean)
}
