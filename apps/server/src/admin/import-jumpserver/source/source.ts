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

/** Rows of a table in the order of their time and id. */
export interface HistoryReading extends Omit<Reading, 'key'> {
  /** Column of a time, or of Unix seconds; never empty. */
  time: string
  /** The first time that is read, as their server writes it. */
  from: string
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
  /** Rows from a time on, in batches: a run can go on where another has come to. */
  readHistory(reading: HistoryReading): AsyncGenerator<SourceRow[]>
  /** How many rows a table has; `before`: of those whose column is less. */
  count(table: string, before?: { column: string; value: string }): Promise<number>
  close(): Promise<void>
}

/** The part that differs between servers. */
export interface Driver {
  engine: Source['engine']
  quote(name: string): string
  /** Placeholder of a parameter, by its number from 1. */
  parameter(number: number): string
  /** The first characters of a column as text. */
  beginning(column: string, characters: number): string
  catalog(): Promise<readonly { table: string; column: string; type: string }[]>
  query(sql: string, values: readonly string[]): Promise<SourceRow[]>
  close(): Promise<void>
}

/** Rows that are held at a time, and characters in them if all their texts were as long as can be. */
const ROWS_AT_ONCE = 500
const MOST_CHARACTERS = 128 * 1024 ** 2
/** The same of history, whose texts are short. */
const HISTORY_AT_ONCE = 1000
/** No text of history that is imported is longer, also where it was encoded twice. */
const LONGEST_HISTORY_TEXT = 4096
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
  const selected = (table: string, column: string, key: string, longest = LONGEST_TEXT) => {
    const type = column === key ? '' : (catalog.get(table)?.get(column) ?? '')
    return `${LONG.test(type) ? driver.beginning(quote(column), longest) : quote(column)} AS ${quote(column)}`
  }
  const rowsAtOnce = (table: string, columns: readonly string[]) => {
    const texts = columns.filter((column) => LONG.test(catalog.get(table)?.get(column) ?? '')).length
    return Math.max(1, Math.min(ROWS_AT_ONCE, Math.floor(MOST_CHARACTERS / LONGEST_TEXT / Math.max(1, texts))))
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
      const atOnce = rowsAtOnce(table, names)
      const tail = `ORDER BY ${quote(key)} LIMIT ${atOnce}`
      for (let last: string | undefined; ; ) {
        const after = last === undefined ? '' : `WHERE ${quote(key)} > ${driver.parameter(1)} `
        const rows = await driver.query(
          `SELECT ${list} FROM ${quote(table)} ${after}${tail}`,
          last === undefined ? [] : [last],
        )
        if (rows.length) yield rows
        const next = rows.at(-1)?.[key]
        // A key that does not grow would be read forever.
        if (rows.length < atOnce || !next || next === last) return
        last = next
      }
    },
    async *readHistory({ table: model, columns, time, from }) {
      const table = tableOf(model)
      if (!has(table, time) || !has(table, 'id')) return
      const names = [...new Set(['id', time, ...columns])].filter((column) => has(table, column))
      const list = names.map((column) => selected(table, column, 'id', LONGEST_HISTORY_TEXT)).join(', ')
      const tail = `ORDER BY ${quote(time)}, ${quote('id')} LIMIT ${HISTORY_AT_ONCE}`
      const [first, second, third] = [1, 2, 3].map((number) => driver.parameter(number))
      for (let last: { at: string; id: string } | undefined; ; ) {
        // The first condition is for the index, which no OR can use.
        const more = last ? `AND (${quote(time)} > ${second} OR ${quote('id')} > ${third}) ` : ''
        const rows = await driver.query(
          `SELECT ${list} FROM ${quote(table)} WHERE ${quote(time)} >= ${first} ${more}${tail}`,
          last ? [last.at, last.at, last.id] : [from],
        )
        if (rows.length) yield rows
        const { [time]: at, id } = rows.at(-1) ?? {}
        if (rows.length < HISTORY_AT_ONCE || !at || !id || (at === last?.at && id === last.id)) return
        last = { at, id }
      }
    },
    async count(model, before) {
      const table = tableOf(model)
      if (!has(table) || (before && !has(table, before.column))) return 0
      const condition = before ? ` WHERE ${quote(before.column)} < ${driver.parameter(1)}` : ''
      const [row] = await driver.query(
        `SELECT count(*) AS ${quote('amount')} FROM ${quote(table)}${condition}`,
        before ? [before.value] : [],
      )
      return Number(row?.amount ?? 0)
    },
    close: () => driver.close(),
  }
}
