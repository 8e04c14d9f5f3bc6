import type { FilterName, ResourceDefinition, Row } from '@sallyport/contract/define.ts'
import { Column, getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Call } from '../access/call.ts'
import type { Database } from '../database/database.ts'
import type { Kernel } from '../kernel.ts'
import type { DraftRow } from './draft-row.ts'

/**
 * A row as stored, by column name. Sealed columns are never part of it. Without a table, any row.
 */
export type StoredRow<T extends PgTable = PgTable> = PgTable extends T
  ? Record<string, unknown>
  : { [K in keyof T['$inferSelect'] as K extends `${string}_sealed` ? never : K]: T['$inferSelect'][K] }

/** Rows and how one is written; both name them `t`. */
export interface RowWords {
  from: SQL
  text: SQL
}

/** A list field kept in a table of pairs. */
export interface ManyToMany {
  table: PgTable
  /** Column that holds this resource's id. */
  owner: PgColumn
  /** Column that holds the other row's id. */
  target: PgColumn
  /**
   * How `<field>_display` writes the other rows, where that is not the display of their resource.
   */
  words?: RowWords
}

/** What a read runs with. */
export interface ReadContext {
  kernel: Kernel
  db: Database
  call: Call
  /** Route parameters, such as `filter_id`. */
  parameters: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  /** The call writes a list of rows. */
  bulk?: boolean
  /**
   * Keys that the client sent several times, with all their values, for filters that narrow each
   * other.
   */
  repeated?: Readonly<Record<string, readonly string[]>>
}

interface Writing<Draft, Stored> extends ReadContext {
  mode: 'create' | 'update' | 'patch'
  /** Values by column or relation name; rules may change it before it is stored. */
  draft: Draft
  /** What the client sent, unchecked: for values that are no fields. */
  body: Readonly<Record<string, unknown>>
  /** The row before the write; undefined on create. */
  row: Stored | undefined
  /** Runs after the transaction is committed: for jobs, news and mail, never for data. */
  afterCommit(work: () => Promise<void> | void): void
}

interface Written<Draft, Stored> extends Writing<Draft, Stored> {
  /** The row as it is now stored. */
  stored: Stored
}

interface Deleting<Stored> extends ReadContext {
  rows: readonly Stored[]
  /** How the rows were named: one by its address, or many. */
  bulk: boolean
  afterCommit(work: () => Promise<void> | void): void
}

/**
 * What a rule gets to see of one row that is being written: typed by the definition and the table
 * of the resource, or of any.
 */
export type WriteContext<D extends ResourceDefinition = ResourceDefinition, T extends PgTable = PgTable> = Writing<
  DraftRow<D, StoredRow<T>>,
  StoredRow<T>
>
/** What a rule sees once the row is stored. */
export type WrittenContext<D extends ResourceDefinition = ResourceDefinition, T extends PgTable = PgTable> = Written<
  DraftRow<D, StoredRow<T>>,
  StoredRow<T>
>
/** What a rule sees of rows that are being deleted. */
export type DeleteContext<T extends PgTable = PgTable> = Deleting<StoredRow<T>>

export interface Rules<D extends ResourceDefinition = ResourceDefinition, T extends PgTable = PgTable> {
  /** Looks at a call before rows are listed or one is read; throws to refuse it. */
  beforeRead?(context: ReadContext): void | Promise<void>
  /**
   * Refuse by throwing `invalid` or `refused`; change the draft to mend it. Run in order, in the
   * transaction.
   */
  beforeWrite?: readonly ((context: WriteContext<D, T>) => void | Promise<void>)[]
  /**
   * On create: a row that already says what is being created; it is answered in place of a second
   * one.
   */
  existing?(context: WriteContext<D, T>): StoredRow | undefined | Promise<StoredRow | undefined>
  /** Runs in the transaction once the row and its relations are stored. */
  afterWrite?: readonly ((context: WrittenContext<D, T>) => void | Promise<void>)[]
  beforeDelete?: readonly ((context: DeleteContext<T>) => void | Promise<void>)[]
  afterDelete?: readonly ((context: DeleteContext<T>) => void | Promise<void>)[]
}

/** Read-only values that are worked out for a page of rows at once: no query per row. */
interface ComputedOf<Stored, Name extends string> {
  fields: readonly Name[]
  /** Values for each row, in order. */
  load(rows: readonly Stored[], context: ReadContext): Promise<readonly { readonly [K in Name]?: unknown }[]>
}
/** The same for the fields named, of one table's rows, or of any. */
export type Computed<Name extends string = string, T extends PgTable = PgTable> = ComputedOf<StoredRow<T>, Name>

/** A row as it goes out, with the fields that were asked for. */
type WireRow<D extends ResourceDefinition> = ResourceDefinition extends D ? Record<string, unknown> : Partial<Row<D>>
type FieldName<D extends ResourceDefinition> = keyof D['fields'] & string

/** How a definition stands on the database. */
export interface Mount<D extends ResourceDefinition = ResourceDefinition, T extends PgTable = PgTable> {
  /** What says which rows the rest is about. */
  table: T
  relations?: { readonly [K in FieldName<D>]?: ManyToMany }
  /** Column of the owner, for resources of scope `self`. */
  owner?: PgColumn
  /**
   * Rows that exist for this call at all, besides the organisation's. Also limits what may be
   * referred to.
   */
  scope?(context: Pick<ReadContext, 'kernel' | 'call' | 'parameters' | 'query'>): SQL | undefined
  /** Conditions of the filters declared `custom`; undefined means no condition. */
  filters?: {
    readonly [K in FilterName<D>]?: (value: string, context: ReadContext) => SQL | undefined | Promise<SQL | undefined>
  }
  /** Searched besides the definition's fields. `pattern` is ready for ILIKE. */
  search?(pattern: string): SQL
  computed?: readonly Computed<FieldName<D>, NoInfer<T>>[]
  /**
   * Fields kept sealed in column `<field>_sealed`. Empty values leave the stored secret as it is.
   */
  sealed?: readonly FieldName<D>[]
  /** Fields with a default that a PUT without them leaves alone. */
  keepOnPut?: readonly FieldName<D>[]
  /** Rows of the root organisation stand in every other too, as far as `scope` lets them. */
  sharesRootRows?: boolean
  /**
   * References may name rows of every organisation: for resources that stand above them, whose
   * callers see all.
   */
  refersToAllOrgs?: boolean
  /** Route parameters that are columns: limit every call and are stored on create. */
  parameters?: Readonly<Record<string, PgColumn>>
  rules?: Rules<D, NoInfer<T>>
  /** Takes the place of the generic handler of an operation. */
  present?(row: WireRow<D>, stored: StoredRow<NoInfer<T>>, context: ReadContext): Record<string, unknown>
  /** Changes OPTIONS metadata for the caller, e.g. fewer choices. */
  metadata?(
    actions: Record<string, Record<string, Record<string, unknown>>>,
    call: Call,
    query: ReadContext['query'],
  ): void
  /**
   * Writes leave no operate log of the engine's: rows that are records themselves, or whose rules
   * write a better line.
   */
  unaudited?: boolean
  /** A cheaper exact count for a list without search and filters; undefined counts the rows. */
  count?(context: ReadContext): Promise<number | undefined>
}

const columnsOf = new WeakMap<PgTable, Record<string, PgColumn>>()

/** Columns by the names that they have in code, without sealed ones. */
export function readableColumns(table: PgTable): Record<string, PgColumn> {
  let columns = columnsOf.get(table)
  if (!columns) {
    columns = Object.fromEntries(Object.entries(getTableColumns(table)).filter(([name]) => !name.endsWith('_sealed')))
    columnsOf.set(table, columns)
  }
  return columns
}

/** The readable columns of a table, ready to be read again and again. */
export interface Selection {
  columns: SQL
  /** Turns what the driver answers into what the columns hold; changes the row itself. */
  decode(row: Record<string, unknown>): StoredRow
}

const selections = new WeakMap<PgTable, Selection>()

/**
 * Put together once: the query builder takes longer to list and map the columns of a wide table
 * than PostgreSQL to read a page of it.
 */
export function selectionOf(table: PgTable): Selection {
  let selection = selections.get(table)
  if (!selection) {
    const columns = Object.entries(readableColumns(table))
    const mapped = columns.filter(([, column]) => column.mapFromDriverValue !== Column.prototype.mapFromDriverValue)
    selection = {
      columns: sql.raw(
        columns.map(([name, column]) => `"${getTableName(table)}"."${column.name}" AS "${name}"`).join(', '),
      ),
      decode(row) {
        for (const [name, column] of mapped) if (row[name] !== null) row[name] = column.mapFromDriverValue(row[name])
        return row
      },
    }
    selections.set(table, selection)
  }
  return selection
}

/** The column, or an error that names the mistake at start rather than at the first request. */
export function columnOf(table: PgTable, name: string): PgColumn {
  const column = getTableColumns(table)[name]
  if (!column) throw new Error(`table has no column ${name}`)
  return column
}
