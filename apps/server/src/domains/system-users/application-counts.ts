import type { Database } from '../../kernel/database/database.ts'

/** How many applications have accounts of system users, by the row's id; a row without any is missing. */
type Counts = (db: Database, ids: readonly string[]) => Promise<ReadonlyMap<string, number>>

let counts: Counts = async () => new Map()

/** Applications are of a later domain, which hands down how they are counted. */
export function countApplicationsOfSystemUsersBy(by: Counts): void {
  counts = by
}

export const applicationCounts: Counts = (db, ids) => counts(db, ids)
