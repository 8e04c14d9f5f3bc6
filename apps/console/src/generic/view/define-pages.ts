/**
 * How a resource is shown, as data (docs/console-pages.md). The server's metadata has the last word
 * on which fields exist, may be written and what they may hold; a page arranges them. Texts are
 * marked with `msg('…')` and translated where they are shown.
 */
import type { ResourceDefinition } from '@sallyport/contract/define.ts'
import type { Query, Row } from '../../lib/api.ts'
import type { DetailView } from './detail-view.ts'
import type { FormView } from './form-view.ts'
import type { ListView } from './list-view.ts'

export interface PagesView<R extends Row = Row> {
  list?: ListView<R>
  form?: FormView
  detail?: DetailView<R>
  /** Route to go to after a save or delete, when there is no `<base>List`. */
  home?: (row: Row | undefined, query: URLSearchParams) => string
  /** Query that reading one row needs, taken from the page's address. */
  rowQuery?: (address: URLSearchParams) => Query
  /** Words for a row in messages and titles; the definition's display when absent. */
  rowTitle?: (row: R) => string
  /**
   * Asks and deletes in a way of its own, instead of the generic question. `done` leads on once the
   * row is gone.
   */
  deletion?: (row: R, done: () => unknown) => void
}

export interface ResourcePages extends PagesView {
  definition: ResourceDefinition
}

/** The pages of a resource. `R` is the row as the API answers it. */
export function definePages<R extends Row = Row>(definition: ResourceDefinition, view: PagesView<R>): ResourcePages {
  // Views are written against their own row type and read against the general one; the server
  // answers what the definition says.
  return { definition, ...(view as unknown as PagesView) }
}
