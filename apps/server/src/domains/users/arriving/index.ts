import { getTableName } from 'drizzle-orm'
import type { ArrivalRun, ArrivingRow, Outcomes } from '../../../kernel/arrivals/arrival.ts'
import { arrive } from '../../../kernel/arrivals/arrive.ts'
import { arrivePairs, endPairs, type PairOutcome } from '../../../kernel/arrivals/arrive-pairs.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { looksOf } from '../look-alike/look-alike.ts'
import { usersPasswordHistory, usersUser, usersUserGroup, usersUserGroupUser } from '../tables.ts'

export {
  type ArrivingPassword,
  arrivePasswordHistory,
  PASSWORD_HISTORY_KIND,
  rememberArrivedPasswords,
} from './password-history.ts'

/** A name by which people are told apart, in any case and form of its letters. */
export const sameName = (username: string): string => username.normalize('NFKC').toLowerCase()

export { looksOf } from '../look-alike/look-alike.ts'

/** Everybody who is here, components too. */
export const everybody = (db: Database): Promise<{ id: string; username: string; email: string; looks: string[] }[]> =>
  db
    .select({ id: usersUser.id, username: usersUser.username, email: usersUser.email, looks: usersUser.looks })
    .from(usersUser)

/** Stores people of another product, without their passwords. People whose names look like others keep them. */
export const arrivePeople = (run: ArrivalRun, rows: readonly ArrivingRow[]): Promise<Outcomes> =>
  arrive(
    run,
    { kind: 'person', table: usersUser },
    rows.map((row) => ({ ...row, values: { ...row.values, looks: looksOf(String(row.values.username)) } })),
  )

/**
 * Stores hashes of passwords of people who have come. They are apart from the rest of a person, since
 * each sign-in may write them.
 */
export const arrivePasswords = (run: ArrivalRun, rows: readonly ArrivingRow[]): Promise<Outcomes> =>
  arrive(run, { kind: 'password', table: usersUser, isPart: true, changesByItself: true }, rows)

export const arriveGroups = (run: ArrivalRun, rows: readonly ArrivingRow[]): Promise<Outcomes> =>
  arrive(run, { kind: 'group', table: usersUserGroup }, rows)

const MEMBERS = { kind: 'group_member', table: usersUserGroupUser, columns: ['user', 'usergroup'] } as const

export const arriveGroupMembers = (
  run: ArrivalRun,
  members: readonly (readonly [user: string, group: string])[],
): Promise<PairOutcome> => arrivePairs(run, MEMBERS, members)

/** Removes those that came before and have ended there. */
export const endArrivedGroupMembers = (run: ArrivalRun): Promise<number> => endPairs(run, MEMBERS)

/** Rows of that table go with their people, and keep nobody here. */
export const PASSWORDS_OF_PEOPLE = getTableName(usersPasswordHistory)
