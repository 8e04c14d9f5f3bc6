import type { FilterName, ResourceDefinition, Row } from '@sallyport/contract/define.ts'
import { Column, getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Call } from '../access/call.ts'
import type { LinkDifference } from '../audit/audit.ts'
import type { NamedChange } from '../audit/named-change.ts'
import type { Database } from '../database/database.ts'
import { asText } from '../database/statements/written-once.ts'
import type { Kernel } from '../kernel.ts'
import type { DraftRow } from './draft-row.ts'
import type { Page } from './query.ts'

/** A stored row by column name, without sealed columns. Without a table, any row. */
export type StoredRow<T extends PgTable = PgTable> = PgTable extends T
  ? Record<string, unknown>
  : { [K in keyof T['$inferSelect'] as K extends `${string}_sealed` ? never : K]: T['$inferSelect'][K] }

/** Rows of a view or table, and how one is written; both use the alias `t`. */
export interface RowWords {
  from: SQL
  text: SQL
}

/** A list field that is stored in a table of pairs. */
export interface ManyToMany {
  table: PgTable
  /** Column that holds this resource's id. */
  owner: PgColumn
  /** Column that holds the other row's id. */
  target: PgColumn
  /** How `<field>_display` writes the other rows, if not by the display of their resource. */
  words?: RowWords
}

/** Input of a read. */
export interface ReadContext {
  kernel: Kernel
  db: Database
  call: Call
  /** Route parameters, such as `filter_id`. */
  parameters: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  /** Whether the call writes a list of rows. */
  bulk?: boolean
  /**
   * Keys that the client sent several times, with all values, for filters that narrow each other.
   */
  repeated?: Readonly<Record<string, readonly string[]>>
  /** The change that the call makes; left out where each transaction is one of its own. */
  change?: NamedChange
  /** Work that waits for the commit of the transaction that the call is part of; see `inTransaction`. */
  outer?: (() => Promise<void> | void)[]
}

interface Writing<Draft, Stored> extends ReadContext {
  mode: 'create' | 'update' | 'patch'
  /** Values by column or relation name; rules may change them before they are stored. */
  draft: Draft
  /** Body of the client, unchecked: for values that are not fields. */
  body: Readonly<Record<string, unknown>>
  /** The row before the write; undefined on create. */
  row: Stored | undefined
  /** Runs once the transaction has committed: for jobs, events and mail, never for data. */
  afterCommit(work: () => Promise<void> | void): void
  /**
   * Tells the operate log of links that a rule changes by itself: ids, or codes of a field's choices.
   */
  note(change: LinkDifference): void
}

interface Written<Draft, Stored> extends Writing<Draft, Stored> {
  /** The row as it is stored now. */
  stored: Stored
}

interface Deleting<Stored> extends ReadContext {
  rows: readonly Stored[]
  /** Whether the call names rows by filters or a list, rather than one by its address. */
  bulk: boolean
  afterCommit(work: () => Promise<void> | void): void
}

/**
 * Input of a rule for a row that is being written, typed by the definition and table of its
 * resource, or of any.
 */
export type WriteContext<D extends ResourceDefinition = ResourceDefinition, T extends PgTable = PgTable> = Writing<
  DraftRow<D, StoredRow<T>>,
  StoredRow<T>
>
/** Input of a rule once the row is stored. */
export type WrittenContext<D extends ResourceDefinition = ResourceDefinition, T extends PgTable = PgTable> = Written<
  DraftRow<D, StoredRow<T>>,
  StoredRow<T>
>
/** Input of a rule for rows that are being deleted. */
export type DeleteContext<T extends PgTable = PgTable> = Deleting<StoredRow<T>>

export interface Rules<D extends ResourceDefinition = ResourceDefinition, T extends PgTable = PgTable> {
  /** Runs before rows are listed or one is read; throws to refuse the call. */
  beforeRead?(context: ReadContext): void | Promise<void>
  /**
   * Run in order within the transaction. They refuse by throwing `invalid` or `refused`, and may
   * change the draft.
   */
  beforeWrite?: readonly ((context: WriteContext<D, T>) => void | Promise<void>)[]
  /**
   * On create: an existing row that is the one to be created, which is answered instead of making a
   * second one.
   */
  existing?(context: WriteContext<D, T>): StoredRow | undefined | Promise<StoredRow | undefined>
  /** Runs in the transaction once the row and its relations are stored. */
  afterWrite?: readonly ((context: WrittenContext<D, T>) => void | Promise<void>)[]
  beforeDelete?: readonly ((context: DeleteContext<T>) => void | Promise<void>)[]
  afterDelete?: readonly ((context: DeleteContext<T>) => void | Promise<void>)[]
}

/** Read-only values that are loaded for a page of rows at once: no query for each row. */
interface ComputedOf<Stored, Name extends string> {
  fields: readonly Name[]
  /** Values for each row, in order. */
  load(rows: readonly Stored[], context: ReadContext): Promise<readonly { readonly [K in Name]?: unknown }[]>
}
/** The same for these fields, with rows of one table or of any. */
export type Computed<Name extends string = string, T extends PgTable = PgTable> = ComputedOf<StoredRow<T>, Name>

/** A row as it is answered, with the fields that were asked for. */
type WireRow<D extends ResourceDefinition> = ResourceDefinition extends D ? Record<string, unknown> : Partial<Row<D>>
type FieldName<D extends ResourceDefinition> = keyof D['fields'] & string

/** Rows of a list in the order that was asked for, wherever they are. */
export interface RowSource {
  rows(page: Page): Promise<StoredRow[]>
  count(): Promise<number>
  /** All up to `limit`, `size` at a time, in a transaction; where it is not given, pages are read. */
  batches?(size: number, limit: number): AsyncIterable<StoredRow[]>
}

/** A row that a change wrote; `before` and `after` have its columns, or those that differ. */
export interface ChangedRow {
  table: string
  key: Readonly<Record<string, unknown>>
  before: Readonly<Record<string, unknown>> | undefined
  after: Readonly<Record<string, unknown>> | undefined
}

export interface Undo<T extends PgTable = PgTable> {
  /**
   * Puts a row back that its columns alone do not tell of, such as a place in a tree; false where the
   * change was none of these. `before` has the columns as they were.
   */
  putBack?(context: ReadContext, row: StoredRow<T>, before: Readonly<Record<string, unknown>>): Promise<boolean>
  /** Runs in the transaction once rows are as they were, with those that the change had written. */
  afterwards?(context: ReadContext, rows: readonly ChangedRow[]): Promise<void>
  /** The part of their own row that people put back without the right to change rows. */
  own?: {
    columns: readonly string[]
    /** Tables with further rows of theirs. */
    tables: readonly string[]
    save(context: ReadContext, body: Readonly<Record<string, unknown>>): Promise<void>
  }
  /**
   * Takes the rows out that only say where an object belongs, and by which it is out of sight before or
   * after: their links come and go as rows. Throws where the caller may not do that.
   * @returns the ids of these objects, and what is to be done once their links are as they were
   */
  apart?(
    context: ReadContext,
    objects: readonly { id: string; orgId: string; isOwn: boolean; rows: readonly ChangedRow[] }[],
  ): Promise<{ ids: ReadonlySet<string>; afterwards(): Promise<void> }>
}

/** How a definition is stored and served. */
export interface Mount<D extends ResourceDefinition = ResourceDefinition, T extends PgTable = PgTable> {
  /** The type of rows in all that follows comes from it. */
  table: T
  /**
   * The columns that rows of this resource have, by their names in code; undefined for all but sealed
   * ones. For a further resource of a table whose other columns are long, or not for its readers.
   */
  columns?: readonly (string & keyof T['_']['columns'])[]
  relations?: { readonly [K in FieldName<D>]?: ManyToMany }
  /** Column of the owner, for resources of scope `self`. */
  owner?: PgColumn
  /**
   * Rows that exist for this call, besides the restriction to the organization. Limits what may be
   * referred to as well.
   */
  scope?(context: Pick<ReadContext, 'kernel' | 'call' | 'parameters' | 'query'>): SQL | undefined
  /** Conditions of `custom` filters, which are given their own name; undefined for no condition. */
  filters?: {
    readonly [K in FilterName<D>]?: (
      value: string,
      context: ReadContext,
      name: string,
    ) => SQL | undefined | Promise<SQL | undefined>
  }
  /** Searched besides the definition's fields. `pattern` is for ILIKE. */
  search?(pattern: string): SQL
  computed?: readonly Computed<FieldName<D>, NoInfer<T>>[]
  /**
   * How rows are called in the operate log, in order, where the definition's display has too little:
   * it knows columns of the row alone.
   */
  inWords?(rows: readonly StoredRow<NoInfer<T>>[], db: Database): Promise<readonly string[]>
  /**
   * Fields that are sealed in a column `<field>_sealed`. Empty values leave the stored secret as it
   * is.
   */
  sealed?: readonly FieldName<D>[]
  /** Fields with a default that a PUT without them does not reset. */
  keepOnPut?: readonly FieldName<D>[]
  /**
   * Whether rows of the root organization appear in all others too, as far as `scope` admits them.
   */
  sharesRootRows?: boolean
  /**
   * Whether references may name rows of any organization: for resources across organizations, whose
   * callers see all.
   */
  refersToAllOrgs?: boolean
  /**
   * References that a rule checks by itself, for callers who must not learn from the answer which
   * rows there are: what they may not see is refused as what does not exist. The draft has them as
   * they were sent.
   */
  checksItself?: readonly FieldName<D>[]
  /** Route parameters that are columns: they restrict every call, and are stored on create. */
  parameters?: Readonly<Record<string, PgColumn>>
  rules?: Rules<D, NoInfer<T>>
  /**
   * Whether a list of new rows is stored some hundred at a time: rules that run before a row is stored
   * ask for nothing that another row of the same call has stored.
   */
  storedInBatches?: boolean
  /** Changes the row before it is answered. */
  present?(row: WireRow<D>, stored: StoredRow<NoInfer<T>>, context: ReadContext): Record<string, unknown>
  /** Changes OPTIONS metadata for the caller, e.g. fewer choices. */
  metadata?(
    actions: Record<string, Record<string, Record<string, unknown>>>,
    call: Call,
    query: ReadContext['query'],
  ): void
  /**
   * Whether the engine leaves no operate log for writes: for rows that are records themselves, or
   * whose rules log better; of a call, where its writers differ.
   */
  unaudited?: boolean | ((call: Call) => boolean)
  /** Steps that taking a change back needs besides columns and links. */
  undo?: Undo<NoInfer<T>>
  /**
   * The rows of a list, where the table does not have all of them; undefined where it does. What it
   * answers keeps to the scope and the filters of the call by itself.
   */
  source?(context: ReadContext): RowSource | undefined | Promise<RowSource | undefined>
  /**
   * A cheaper exact count of a list, which search or filters narrow or not (`isNarrowed`); if it
   * answers undefined, rows are counted.
   */
  count?(context: ReadContext, isNarrowed: boolean): Promise<number | undefined>
  /**
   * Whether an organization's list is read by an index (org_id, id). Left to itself, PostgreSQL walks the ids of all
   * organizations where one has nearly all rows: it takes them for mixed, but ids go by time, and so do organizations.
   */
  readByOrg?: boolean
}

/** Where rows are, and which of its columns they have. */
type Columns = Pick<Mount, 'table' | 'columns'>
/** One object for each set of columns, by which those are known that were prepared. */
const keyOf = ({ table, columns }: Columns): object => columns ?? table

const columnsOf = new WeakMap<object, Record<string, PgColumn>>()

/** Columns of a resource by their names in code, without sealed ones. */
export function readableColumns(source: Columns): Record<string, PgColumn> {
  const { table, columns: some } = source
  let columns = columnsOf.get(keyOf(source))
  if (!columns) {
    const isRead = (name: string) => (some ? some.includes(name) : !name.endsWith('_sealed'))
    columns = Object.fromEntries(Object.entries(getTableColumns(table)).filter(([name]) => isRead(name)))
    columnsOf.set(keyOf(source), columns)
  }
  return columns
}

/** The readable columns of a resource, prepared for reading many times. */
export interface Selection {
  columns: SQL
  /** The beginning of a statement that reads them. */
  select: SQL
  /** Turns the driver's values into those of the columns, in place. */
  decode(row: Record<string, unknown>): StoredRow
}

const selections = new WeakMap<object, Selection>()

/**
 * Made once: the query builder takes longer to list and map the columns of a wide table than
 * PostgreSQL to read a page of it.
 */
export function selectionOf(source: Columns): Selection {
  let selection = selections.get(keyOf(source))
  if (!selection) {
    const columns = Object.entries(readableColumns(source))
    const mapped = columns.filter(([, column]) => column.mapFromDriverValue !== Column.prototype.mapFromDriverValue)
    const table = `"${getTableName(source.table)}"`
    const listed = columns.map(([name, column]) => `${table}."${column.name}" AS "${name}"`).join(', ')
    selection = {
      columns: sql.raw(listed),
      select: asText(sql`select ${sql.raw(listed)} from ${source.table}`),
      decode(row) {
        for (const [name, column] of mapped) if (row[name] !== null) row[name] = column.mapFromDriverValue(row[name])
        return row
      },
    }
    selections.set(keyOf(source), selection)
  }
  return selection
}

/** The column. Throws for a name without one, at start rather than at the first request. */
export function columnOf(table: PgTable, name: string): PgColumn {
  const column = getTableColumns(table)[name]
  if (!column) throw new Error(`table has no column ${name}`)
  return column
}

/** The name of a column in code, where tables may have names that differ from those of the database. */
export function nameInCode({ table, name }: PgColumn): string {
  const [found] = Object.entries(getTableColumns(table as PgTable)).find(([, column]) => column.name === name) ?? []
  if (!found) throw new Error(`table has no column ${name}`)
  return found
}

/** Whether the engine leaves the operate log of this write to others. */
export const isUnaudited = ({ unaudited = false }: Pick<Mount, 'unaudited'>, call: Call): boolean =>
  typeof unaudited === 'function' ? unaudited(call) : unaudited
