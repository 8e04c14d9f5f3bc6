/**
 * How a resource is shown, as data (docs/console-pages.md). The server's metadata has the last word
 * on which fields exist, may be written and what they may hold; a page arranges them. Texts are
 * marked with `msg('…')` and translated where they are shown.
 */
import type { ResourceDefinition } from '@sallyport/contract/define.ts'
import type { ComponentType, ReactNode } from 'react'
import type { Query, Row } from '../../lib/api.ts'
import type { Paging } from '../rows/paging.ts'
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

/** What an action can do to the page around it. */
export interface ActionContext {
  /** Reads the list or the row again. */
  refresh: () => Promise<void>
  /** Goes to a page of the console. */
  go: (address: string) => void
}

export interface RowAction<R extends Row = Row> {
  name: string
  /** Marked with `msg`. */
  title: string
  /** Built in are Update 10, Delete 20, Clone 30; 100 when not said (spec A2.84). */
  order?: number
  danger?: boolean
  /** False takes the action away. */
  has?: (row: R) => boolean
  /** False, or a reason that is shown as tooltip, greys it out. */
  can?: (row: R) => boolean | string
  run: (row: R, context: ActionContext) => unknown
}

export interface BulkAction<R extends Row = Row> {
  name: string
  /** Marked with `msg`. */
  title: string
  danger?: boolean
  /** Offered without a selection too. */
  always?: boolean
  /** False takes the action away. */
  has?: () => boolean
  can?: (rows: readonly R[]) => boolean | string
  /**
   * The rows leave the list, so that they are selected no more when it is read again; any other
   * action keeps the selection for the next one.
   */
  takesAway?: boolean
  /** `ids` may hold rows of other pages; `rows` are those that were seen. */
  run: (ids: readonly string[], rows: readonly R[], context: ActionContext) => unknown
}

export interface HeaderAction {
  name: string
  /** Marked with `msg`. */
  title: string
  has?: () => boolean
  can?: () => boolean | string
  /** Not called where there are `items`. */
  run?: (context: ActionContext) => unknown
  /** Makes the button a menu of these. Titles are marked with `msg`. */
  items?: readonly { name: string; title: string; run: (context: ActionContext) => unknown }[]
  /** The main thing to do on the page. */
  primary?: boolean
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
  /** Heading that kinds of the same group stand under. Marked with `msg`. */
  group?: string
  /** Given to the create page. */
  query: Query
}

export interface LeftTreeProps {
  query: Readonly<Record<string, string>>
  /** Replaces tree keys of the address; empty values are removed. */
  setQuery: (change: Readonly<Record<string, string>>) => void
  refreshList: () => Promise<void>
}

export interface ListView<R extends Row = Row> {
  /** All columns in order; `actions` comes last by itself. */
  columns: readonly (string | ColumnView<R>)[]
  /** Shown until a person chooses otherwise; all when absent. */
  defaultColumns?: readonly string[]
  /** Cannot be hidden; the first column when absent. */
  minColumns?: readonly string[]
  /** The column that links to the detail page; `name` when absent. */
  linkColumn?: string
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
  canUpdate?: boolean | ((row: R) => boolean)
  canDelete?: boolean | ((row: R) => boolean)
  canClone?: boolean | ((row: R) => boolean)
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
  /** Writable in the root organisation too (spec notes 1.13). */
  rootOrgWritable?: boolean
  /** How the list is read; by offset when absent (generic/rows/paging.ts). */
  paging?: Paging
  /** Sent with every list call. */
  query?: Query | (() => Query)
  /** Query given to the create page, for example the selected node. */
  createQuery?: (address: URLSearchParams) => Query
  /** Kinds to choose from before the create page. */
  createKinds?: readonly CreateKind[]
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

export type FormValues = Record<string, unknown>

export interface FormContext {
  mode: 'create' | 'update'
  /** The row being updated or cloned. */
  row: Row | undefined
  /** Query of the address. */
  query: URLSearchParams
}

export interface WidgetProps<V = unknown> {
  value?: V
  onChange?: (value: V) => void
  id?: string
  disabled?: boolean
  field: FormFieldView & RemoteField
  context: FormContext
}

/** One step of a choice in steps. */
export interface CascadeChoice {
  value: string
  /** Marked with `msg`. */
  label: string
  children?: readonly CascadeChoice[]
}

export interface FormFieldView {
  name: string
  /** A registered widget (docs/console-pages.md) or a component of the page. */
  // biome-ignore lint/suspicious/noExplicitAny: each widget narrows its own value
  widget?: string | ComponentType<WidgetProps<any>>
  /** Instead of the label of the metadata. Marked with `msg`. */
  label?: string
  /** Marked with `msg`; instead of the metadata's. */
  help?: string
  /** False hides the field; it is not sent then, unless `keepHidden`. */
  visibleWhen?: (values: FormValues, context: FormContext) => boolean
  disabledWhen?: (values: FormValues, context: FormContext) => boolean
  keepHidden?: boolean
  /** Instead of the metadata's default, on create. */
  initial?: unknown | ((context: FormContext) => unknown)
  /** Overrides the metadata. */
  required?: boolean | ((values: FormValues, context: FormContext) => boolean)
  /**
   * A text that says what is wrong with the value, already translated; undefined when it is right.
   */
  check?: (value: unknown, values: FormValues) => string | undefined
  /**
   * Fields of the same form whose values `check` looks at as well: with them it is looked at again.
   */
  checkedWith?: readonly string[]
  /** Replaces choices of the metadata. */
  choices?: readonly RemoteChoice[]
  /**
   * What of the field follows from other values. A value that new choices do not have, or of
   * another list, is taken back.
   */
  depends?: (
    values: FormValues,
    context: FormContext,
  ) => Partial<Pick<FormFieldView, 'choices' | 'from' | 'label' | 'help' | 'placeholder'>>
  /** After the person changed it: values to set on other fields. */
  onChange?: (value: unknown, values: FormValues) => FormValues | undefined
  /** For reference widgets: the list to choose from and how a row is named. */
  from?: { path: string; display: string | ((row: Row) => string); query?: Query }
  placeholder?: string
  /**
   * Shown when the pointer or the keyboard rests on the mark beside the label. Marked with `msg`.
   */
  tip?: string
  /** After the value of a text or number, `hours`. Marked with `msg`. */
  unit?: string
  /** Steps of a cascader. */
  tree?: readonly CascadeChoice[]
  /** Days from now that a date offers; negative ones lie in the past. */
  suggest?: readonly number[]
  /**
   * Media types that an image upload takes, with commas between, its greatest size in bytes, and
   * the width and height it should have.
   */
  accept?: string
  maxBytes?: number
  pixels?: readonly [width: number, height: number]
  /** Where a link leads. */
  href?: string
  /** A field that the metadata does not have: it is shown all the same and belongs to `toBody`. */
  local?: Partial<RemoteField> & { type: string }
}

export interface FormGroup {
  /** Marked with `msg`. */
  title: string
  fields: readonly (string | FormFieldView)[]
}

export interface FormView {
  groups: readonly FormGroup[]
  /** Values → body, after hidden and read-only fields were left out. */
  toBody?: (values: FormValues, context: FormContext) => unknown
  /** Row → values, before the form is filled. */
  fromRow?: (row: Row, context: FormContext) => FormValues
  /** Of the update; PUT when absent. */
  method?: 'PUT' | 'PATCH'
  /** Where to go after saving; the list when absent. */
  next?: (saved: Row, context: FormContext) => string
  /** On create; on unless false. */
  saveAndContinue?: boolean
  /** Query sent with create and update, for example the type that decides the body. */
  query?: (context: FormContext) => Query
}

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

export interface QuickAction<R extends Row = Row> {
  name: string
  /** Marked with `msg`. */
  title: string
  has?: (row: R) => boolean
  can?: (row: R) => boolean | string
  /** A switch when given, else a button. */
  checked?: (row: R) => boolean
  /** Text of the button. Marked with `msg`. */
  button?: string
  run: (row: R, context: ActionContext & { checked: boolean }) => unknown
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
