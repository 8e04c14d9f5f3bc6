import type { Database } from '../../kernel/database/database.ts'

/** How many applications belong to networks, by the row's id; a row without any is missing. */
type Counts = (db: Database, ids: readonly string[]) => Promise<ReadonlyMap<string, number>>

let counts: Counts = async () => new Map()

/** Applications are of a later domain, which hands down how they are counted. */
export function countApplicationsOfDomainsBy(by: Counts): void {
  counts = by
}

export const applicationCounts: Counts = (db, ids) => counts(db, ids)
