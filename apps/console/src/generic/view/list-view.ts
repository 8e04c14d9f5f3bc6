/** How rows are listed, searched and filtered, as data (docs/console-pages.md). */
import type { ComponentType, ReactNode } from 'react'
import type { Query, Row } from '../../lib/api.ts'
import type { Paging } from '../rows/paging.ts'
import type { Allowed, BulkAction, HeaderAction, RowAction } from './actions.ts'
import type { DetailItem } from './detail-view.ts'
import type { RemoteChoice, RemoteField } from './metadata.ts'
import type { Reference } from './references.ts'

export interface CellProps<R extends Row = Row> {
  value: unknown
  row: R
  field: RemoteField | undefined
}

export interface ColumnView<R extends Row = Row> {
  /** Field name; the column's identity too. */
  field: string
  /** Instead of the label of the metadata. Marked with `msg`. */
  title?: string
  width?: number
  align?: 'left' | 'center' | 'right'
  /** How a value is drawn; the cell registry decides by name and type otherwise. */
  cell?: (props: CellProps<R>) => ReactNode
  /** Explains the column, behind a mark beside its title. Marked with `msg`. */
  tip?: string
  /** Overrides the metadata's `order`. A text is the field to order by. */
  sorter?: boolean | string
  /** A click makes it an input for those who may update the row; saved by PATCH. */
  editable?: boolean
  /**
   * The ids that it holds are shown as names, read for the whole page at once; `true` where the
   * metadata says of what they are.
   */
  names?: true | Reference
  /** A link Show that reads names from this address when somebody wants to see them. */
  lazyNames?: (row: R) => string
  /**
   * A secret behind Show: the field's own value, or what `read` fetches; with `needsMfa` the second
   * factor is proven first.
   */
  secret?: { read?: (row: R) => Promise<string>; needsMfa?: boolean }
  /** The value opens a dialog with these facts of the row. */
  dialog?: { fields: readonly (string | DetailItem<R>)[]; title?: (row: R) => string; dimmed?: (row: R) => boolean }
}

export interface SearchOption {
  name: string
  /** Marked with `msg`. */
  label: string
  choices?: readonly RemoteChoice[]
}

/** One of the kinds that Create offers. */
export interface CreateKind {
  name: string
  /** Marked with `msg`. */
  title: string
  /** Heading that kinds of the same group are under. Marked with `msg`. */
  group?: string
  /** Given to the create page. */
  query: Query
}

export interface LeftTreeProps {
  query: Readonly<Record<string, string>>
  /** Replaces tree keys of the address; empty values are removed. */
  setQuery: (change: Readonly<Record<string, string>>) => void
  refreshList: () => Promise<void>
  /** Takes the tree away, where there is a way to have it back. */
  onHide?: () => void
}

export interface ListView<R extends Row = Row> {
  /** An explanation of the rows, for people who meet them for the first time. Marked with `msg`. */
  lead?: string
  /** All columns in order; `actions` comes last by itself. */
  columns: readonly (string | ColumnView<R>)[]
  /** Shown until a person chooses otherwise; all when absent. */
  defaultColumns?: readonly string[]
  /** Cannot be hidden; the first column when absent. */
  minColumns?: readonly string[]
  /** What gives way, in this order, where the others have no room; a person may ask for it. */
  foldFirst?: readonly string[]
  /** Said instead of "Nothing here yet" where no row is there at all. Marked with `msg`. */
  none?: string
  /** Under that: what leads to rows where nobody can make one here. Marked with `msg`. */
  whatNext?: string
  /** A page on which a person asks for rows that are not theirs yet, by its name, and its button, marked with `msg`. */
  request?: { title: string; page: string }
  /** The column that links to the detail page; `name` when absent. */
  linkColumn?: string
  /** The detail page's route name, when not `<base>Detail`. */
  detailRoute?: string
  /** Filters beside those of the metadata. */
  searchOptions?: readonly SearchOption[]
  /** Filters of the metadata that are not offered. */
  hideSearch?: readonly string[]
  /** Free-text search box; on unless false. */
  hasSearch?: boolean
  headerActions?: readonly HeaderAction[]
  rowActions?: readonly RowAction<R>[]
  bulkActions?: readonly BulkAction<R>[]
  /** Column "actions"; on unless false. */
  hasActions?: boolean
  /** Check boxes; on when there is a bulk action. */
  hasSelection?: boolean
  canCreate?: boolean | (() => boolean)
  canUpdate?: boolean | ((row: R) => Allowed)
  canDelete?: boolean | ((row: R) => Allowed)
  canClone?: boolean | ((row: R) => Allowed)
  canBulkDelete?: boolean
  /** Import, where the definition has it; on unless false. */
  hasImport?: boolean
  /**
   * Export, where the definition has it; on unless false, and off for another list address unless
   * true.
   */
  hasExport?: boolean
  /** Rows hold secrets: the second factor is proven before the export dialog opens. */
  exportNeedsMfa?: boolean
  /** Writable in the root organization too (A6.32). */
  rootOrgWritable?: boolean
  /** How the list is read; by offset when absent (generic/rows/paging.ts). */
  paging?: Paging
  /** Sent with every list call. */
  query?: Query | (() => Query)
  /** Query given to the create page, for example the selected node. */
  createQuery?: (address: URLSearchParams) => Query
  /** Kinds to choose from before the create page; a function where they depend on the license. */
  createKinds?: readonly CreateKind[] | (() => readonly CreateKind[])
  /** The create page's route name, when not `<base>Create`. */
  createRoute?: string
  /** Order until a person chooses; the server's own when absent. */
  defaultOrder?: string
  /** Filters that a list within a page begins with; a person may take them away. */
  initialFilters?: Readonly<Record<string, string>>
  /** A tree at the left that filters the table; its address keys are listed in `treeKeys`. */
  leftTree?: ComponentType<LeftTreeProps>
  treeKeys?: readonly string[]
  /** Polls the list while the page is visible. Milliseconds. */
  refetchInterval?: number
}
