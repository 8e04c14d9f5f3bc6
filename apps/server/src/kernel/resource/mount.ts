import { Column, getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Call } from '../access/call.ts'
import type { Database } from '../database/database.ts'
import type { Kernel } from '../kernel.ts'

/** A row as stored, by column name. Sealed columns are never part of it. */
export type StoredRow = Record<string, unknown>

/** A list field kept in a table of pairs. */
export interface ManyToMany {
  table: PgTable
  /** Column that holds this resource's id. */
  owner: PgColumn
  /** Column that holds the other row's id. */
  target: PgColumn
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
  /** Keys that the client sent several times, with all their values, for filters that narrow each other. */
  repeated?: Readonly<Record<string, readonly string[]>>
}

/** What a rule gets to see of one row that is being written. */
export interface WriteContext extends ReadContext {
  mode: 'create' | 'update' | 'patch'
  /** Values by column or relation name; rules may change it before it is stored. */
  draft: Record<string, unknown>
  /** What the client sent, unchecked: for values that are no fields. */
  body: Readonly<Record<string, unknown>>
  /** The row before the write; undefined on create. */
  row: StoredRow | undefined
  /** Runs after the transaction is committed: for jobs, news and mail, never for data. */
  afterCommit(work: () => Promise<void> | void): void
}

export interface WrittenContext extends WriteContext {
  /** The row as it is now stored. */
  stored: StoredRow
}

export interface DeleteContext extends ReadContext {
  rows: readonly StoredRow[]
  /** How the rows were named: one by its address, or many. */
  bulk: boolean
  afterCommit(work: () => Promise<void> | void): void
}

export interface Rules {
  /** Looks at a call before rows are listed or one is read; throws to refuse it. */
  beforeRead?(context: ReadContext): void | Promise<void>
  /** Refuse by throwing `invalid` or `refused`; change the draft to mend it. Run in order, in the transaction. */
  beforeWrite?: readonly ((context: WriteContext) => void | Promise<void>)[]
  /** On create: a row that already says what is being created; it is answered in place of a second one. */
  existing?(context: WriteContext): StoredRow | undefined | Promise<StoredRow | undefined>
  /** Runs in the transaction once the row and its relations are stored. */
  afterWrite?: readonly ((context: WrittenContext) => void | Promise<void>)[]
  beforeDelete?: readonly ((context: DeleteContext) => void | Promise<void>)[]
  afterDelete?: readonly ((context: DeleteContext) => void | Promise<void>)[]
}

/** Read-only values that are worked out for a page of rows at once: no query per row. */
export interface Computed {
  fields: readonly string[]
  /** Values for each row, in order. */
  load(rows: readonly StoredRow[], context: ReadContext): Promise<readonly Record<string, unknown>[]>
}

/** How a definition stands on the database. */
export interface Mount {
  table: PgTable
  relations?: Readonly<Record<string, ManyToMany>>
  /** Column of the owner, for resources of scope `self`. */
  owner?: PgColumn
  /** Rows that exist for this call at all, besides the organisation's. Also limits what may be referred to. */
  scope?(context: Pick<ReadContext, 'kernel' | 'call' | 'parameters' | 'query'>): SQL | undefined
  /** Conditions of the filters declared `custom`; undefined means no condition. */
  filters?: Readonly<Record<string, (value: string, context: ReadContext) => SQL | undefined | Promise<SQL | undefined>>>
  /** Searched besides the definition's fields. `pattern` is ready for ILIKE. */
  search?(pattern: string): SQL
  computed?: readonly Computed[]
  /** Fields kept sealed in column `<field>_sealed`. Empty values leave the stored secret as it is. */
  sealed?: readonly string[]
  /** Fields with a default that a PUT without them leaves alone. */
  keepOnPut?: readonly string[]
  /** Rows of the root organisation stand in every other too, as far as `scope` lets them. */
  sharesRootRows?: boolean
  /** References may name rows of every organisation: for resources that stand above them, whose callers see all. */
  refersToAllOrgs?: boolean
  /** Route parameters that are columns: limit every call and are stored on create. */
  parameters?: Readonly<Record<string, PgColumn>>
  rules?: Rules
  /** Takes the place of the generic handler of an operation. */
  present?(row: Record<string, unknown>, stored: StoredRow, context: ReadContext): Record<string, unknown>
  /** Changes OPTIONS metadata for the caller, e.g. fewer choices. */
  metadata?(actions: Record<string, Record<string, Record<string, unknown>>>, call: Call, query: ReadContext['query']): void
  /** Writes leave no operate log of the engine's: rows that are records themselves, or whose rules write a better line. */
  unaudited?: boolean
  /** A cheaper exact count for a list without search and filters; undefined counts the rows. */
  count?(context: ReadContext): Promise<number | undefined>
}

const columnsOf = new WeakMap<PgTable, Record<string, PgColumn>>()

/** Columns by the names that they have in code, without sealed ones. */
export function readableColumns(table: PgTable): Record<string, PgColumn> {
  let columns = columnsOf.get(table)
  if (!columns) {
    columns = Object.fromEntries(
      Object.entries(getTableColumns(table) as Record<string, PgColumn>).filter(([name]) => !name.endsWith('_sealed')),
    )
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

/** Put together once: the query builder takes longer to list and map the columns of a wide table than PostgreSQL to read a page of it. */
export function selectionOf(table: PgTable): Selection {
  let selection = selections.get(table)
  if (!selection) {
    const columns = Object.entries(readableColumns(table))
    const mapped = columns.filter(([, column]) => column.mapFromDriverValue !== Column.prototype.mapFromDriverValue)
    selection = {
      columns: sql.raw(columns.map(([name, column]) => `"${getTableName(table)}"."${column.name}" AS "${name}"`).join(', ')),
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
  const column = (getTableColumns(table) as Record<string, PgColumn>)[name]
  if (!column) throw new Error(`table has no column ${name}`)
  return column
}
