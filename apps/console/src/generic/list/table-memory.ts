/**
 * Columns and page size that a person chose, in local storage (A2.80 B9.10), apart for every
 * user and table.
 */
import { PAGE_SIZES } from '@sallyport/contract/constants.ts'
import { storedObject } from '../../lib/stored-object.ts'

interface TableConfig {
  paginationSize?: number
  [table: string]: { showColumns?: string[] } | number | undefined
}

const key = (username: string) => `tableConfig_${username}`

const read = (username: string) => storedObject<TableConfig>(key(username))

/** The columns chosen for a table, if any. */
export function chosenColumns(username: string, table: string): readonly string[] | undefined {
  const entry = read(username)[table]
  return typeof entry === 'object' && Array.isArray(entry.showColumns) ? entry.showColumns : undefined
}

/** Remembers the columns of a table; undefined goes back to the page's own. */
export function chooseColumns(username: string, table: string, columns: readonly string[] | undefined): void {
  const config = read(username)
  if (columns) config[table] = { showColumns: [...columns] }
  else delete config[table]
  localStorage.setItem(key(username), JSON.stringify(config))
}

/** The page size chosen last, for all tables. */
export function chosenSize(username: string): number {
  const { paginationSize } = read(username)
  return paginationSize && (PAGE_SIZES as readonly number[]).includes(paginationSize) ? paginationSize : PAGE_SIZES[0]
}

/** Remembers the page size. */
export function chooseSize(username: string, size: number): void {
  localStorage.setItem(key(username), JSON.stringify({ ...read(username), paginationSize: size }))
}
