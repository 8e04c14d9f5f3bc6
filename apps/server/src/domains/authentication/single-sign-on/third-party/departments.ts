import { and, eq, sql } from 'drizzle-orm'
import type { Database } from '../../../../kernel/database/database.ts'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { appOf, departmentsOf, type Messenger, MessengerError } from '../../../notifications/index.ts'
import { settingsOf } from '../../../settings/index.ts'
import { usersPerson } from '../../../users/index.ts'
import { applyGroups, takeGroups } from '../../group-mapping/apply.ts'
import { keptGroups, type Reported } from '../../group-mapping/reported-groups.ts'

/**
 * Reads the departments of a person who has bound a messenger, and gives and takes what group mappings say of
 * them (docs/rules/users.md#group_mapping). Where it does not say all of them, everything stays as it is, and
 * the log says so. Answers whether they are known, refused
 * for good, or whether the messenger is away.
 */
export async function readDepartments(
  kernel: Kernel,
  messenger: Messenger,
  outsideId: string,
): Promise<'known' | 'refused' | 'away'> {
  const ofThis = eq(usersPerson[`${messenger.name}_id`], outsideId)
  const [person] = await kernel.db
    .select({ id: usersPerson.id, username: usersPerson.username })
    .from(usersPerson)
    .where(ofThis)
  if (!person) return 'known'
  const reported = await reportedBy(kernel, messenger, outsideId)
  const groups = keptGroups(kernel, messenger.name, person.username, reported)
  if (!groups) return 'isAway' in reported && reported.isAway ? 'away' : 'refused'
  await kernel.db.transaction(async (db) => {
    await oneAtATime(db, person.id)
    // It may have been unbound meanwhile.
    const [still] = await db
      .select({ id: usersPerson.id })
      .from(usersPerson)
      .where(and(eq(usersPerson.id, person.id), ofThis))
    if (still) await applyGroups(kernel, db, { source: messenger.name, directory: null }, [{ id: person.id, groups }])
  })
  return 'known'
}

/** Takes what departments have given to somebody who has just unbound the messenger. */
export async function forgetDepartments(kernel: Kernel, db: Database, messenger: Messenger, id: string): Promise<void> {
  await oneAtATime(db, id)
  await takeGroups(kernel, db, messenger.name, [id])
}

const oneAtATime = (db: Database, id: string) =>
  db.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended('authentication.departments ' || ${id}, 0))`)

async function reportedBy(
  kernel: Kernel,
  messenger: Messenger,
  outsideId: string,
): Promise<Reported | { unknown: string; isAway: boolean }> {
  try {
    return await departmentsOf(messenger, appOf(messenger, settingsOf(kernel).all()), outsideId)
  } catch (error) {
    if (!(error instanceof MessengerError)) throw error
    return { unknown: error.message, isAway: error.isTemporary }
  }
}
