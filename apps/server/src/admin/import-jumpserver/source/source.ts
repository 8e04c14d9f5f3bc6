/** A row of theirs; all values are texts or null, as their server writes them. */
export type SourceRow = Readonly<Record<string, string | null>>

/** Which rows of a table are read, and how. */
export interface Reading {
  /** Named as Django names models, with a dot: `users.user` is their table `users_user`. */
  table: string
  /** Those that this version does not have are left out of the rows. */
  columns: readonly string[]
  /** Column with a unique value that rows are read in the order of; `id` when not given. */
  key?: string
}

/**
 * A database of JumpServer, read in one transaction that cannot write: all tables are as they were
 * when it was opened.
 */
export interface Source {
  engine: 'mysql' | 'postgres'
  /** Its address without a password, for people. */
  address: string
  has(table: string, column?: string): boolean
  /** Rows in batches, so that a table of any size takes the same memory. */
  read(reading: Reading): AsyncGenerator<SourceRow[]>
  /** About how many rows a table has: exact up to some millions. */
  count(table: string): Promise<number>
  close(): Promise<void>
}

/** The part that differs between servers. */
export interface Driver {
  engine: Source['engine']
  quote(name: string): string
  /** Placeholder of the only parameter. */
  parameter: string
  /** The first characters of a column as text. */
  beginning(column: string, characters: number): string
  catalog(): Promise<readonly { table: string; column: string; type: string }[]>
  query(sql: string, values: readonly string[]): Promise<SourceRow[]>
  close(): Promise<void>
}

/** Rows that are held at a time. */
const ROWS_AT_ONCE = 500
/** No text that is imported is longer; a longer one is cut, so that it cannot take all memory. */
export const LONGEST_TEXT = 65_536

const LONG = /text|json|blob|binary|bytea|char|xml/i

/** The table of a model. Ours have the same names: only theirs are written with a dot. */
export const tableOf = (model: string): string => model.replace('.', '_')

/** A source on top of a driver. */
export async function sourceOn(driver: Driver, address: string): Promise<Source> {
  const catalog = new Map<string, Map<string, string>>()
  for (const { table, column, type } of await driver.catalog()) {
    const columns = catalog.get(table) ?? new Map<string, string>()
    catalog.set(table, columns.set(column, type))
  }
  const { quote } = driver
  const has = (model: string, column?: string) =>
    column === undefined ? catalog.has(tableOf(model)) : catalog.get(tableOf(model))?.has(column) === true
  // The key as it is: databases would sort by what is selected, without the index.
  const selected = (table: string, column: string, key: string) => {
    const type = column === key ? '' : (catalog.get(table)?.get(column) ?? '')
    return `${LONG.test(type) ? driver.beginning(quote(column), LONGEST_TEXT) : quote(column)} AS ${quote(column)}`
  }
  return {
    engine: driver.engine,
    address,
    has,
    async *read({ table: model, columns, key = 'id' }) {
      const table = tableOf(model)
      if (!has(table, key)) return
      const names = [...new Set([key, ...columns])].filter((column) => has(table, column))
      const list = names.map((column) => selected(table, column, key)).join(', ')
      const tail = `ORDER BY ${quote(key)} LIMIT ${ROWS_AT_ONCE}`
      for (let last: string | undefined; ; ) {
        const after = last === undefined ? '' : `WHERE ${quote(key)} > ${driver.parameter} `
        const rows = await driver.query(
          `SELECT ${list} FROM ${quote(table)} ${after}${tail}`,
          last === undefined ? [] : [last],
        )
        if (rows.length) yield rows
        const next = rows.at(-1)?.[key]
        // A key that does not grow would be read forever.
        if (rows.length < ROWS_AT_ONCE || !next || next === last) return
        last = next
      }
    },
    async count(model) {
      const table = tableOf(model)
      if (!has(table)) return 0
      const [row] = await driver.query(`SELECT count(*) AS ${quote('amount')} FROM ${quote(table)}`, [])
      return Number(row?.amount ?? 0)
    },
    close: () => driver.close(),
  }
}
