import type { Database } from '../../kernel/database/database.ts'
import { Provided } from '../../kernel/provided.ts'

/** How many applications have accounts of system users, by the row's id; a row without any is missing. */
type Counts = (db: Database, ids: readonly string[]) => Promise<ReadonlyMap<string, number>>

/** Provided by the domain of applications, a later one. */
export const systemUserApplications = new Provided<Counts>('counts of applications', async () => new Map())

export const applicationCounts: Counts = (db, ids) => systemUserApplications.value(db, ids)
