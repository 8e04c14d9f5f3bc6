import type { Database } from '../../kernel/database/database.ts'

/** How many applications belong to rows of assets, by the row's id; a row without any is missing. */
type Counts = (db: Database, ids: readonly string[]) => Promise<ReadonlyMap<string, number>>

interface ApplicationCounts {
  ofDomains: Counts
  /** By their accounts. */
  ofSystemUsers: Counts
}

const nothing: Counts = async () => new Map()
let counts: ApplicationCounts = { ofDomains: nothing, ofSystemUsers: nothing }

/** Applications are of a later domain, which hands down how they are counted. */
export function countApplicationsBy(by: ApplicationCounts): void {
  counts = by
}

export const applicationCounts = (): ApplicationCounts => counts
