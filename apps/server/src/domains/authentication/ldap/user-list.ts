import { sql } from 'drizzle-orm'
import type { Kernel } from '../../../kernel/kernel.ts'
import { settingsOf } from '../../settings/index.ts'
import { withDirectory } from './directory.ts'
import { knownEntries } from './known-entries.ts'
import { asLdapFailure } from './ldap-failure.ts'
import type { LdapPerson } from './person.ts'
import { authenticationLdapList } from './tables.ts'

const LIST_WORK = 'authentication.list_ldap_users'

/** Longer than any listing takes: the node that was listing has died. */
const STALE_MINUTES = 10

export type UserList =
  | { state: 'running' }
  | { state: 'failed'; text: string; values: Record<string, unknown> }
  | { state: 'done'; people: LdapPerson[] }

/** Asks the directory for everybody now. Throws LdapFailure. */
export async function askForUsers(kernel: Kernel): Promise<LdapPerson[]> {
  const isKnown = await knownEntries(kernel.db)
  return withDirectory(settingsOf(kernel).all(), (directory) => directory.list(isKnown), { long: true })
}

/** The last list; the first call starts listing in the background. */
export async function listedUsers(kernel: Kernel): Promise<UserList> {
  const started = await kernel.db
    .insert(authenticationLdapList)
    .values({ state: 'running' })
    .onConflictDoNothing()
    .returning({ only: authenticationLdapList.only })
  if (started.length) {
    await kernel.jobs.send(LIST_WORK, {})
    return { state: 'running' }
  }
  const [list] = await kernel.db
    .select({
      state: authenticationLdapList.state,
      error: authenticationLdapList.error,
      people: authenticationLdapList.people,
      stale: sql<boolean>`${authenticationLdapList.date_started} < now() - make_interval(mins => ${STALE_MINUTES})`,
    })
    .from(authenticationLdapList)
  if (!list) return { state: 'running' }
  if (list.state === 'done') return { state: 'done', people: list.people }
  if (list.state === 'failed')
    return { state: 'failed', ...(JSON.parse(list.error) as { text: string; values: Record<string, unknown> }) }
  return list.stale
    ? { state: 'failed', text: 'Reading the list of people was interrupted, refresh it', values: {} }
    : { state: 'running' }
}

/** Deletes the last list, or the error in its place. */
export async function forgetUserList(kernel: Kernel): Promise<void> {
  await kernel.db.delete(authenticationLdapList)
}

export function registerUserListing(kernel: Kernel): void {
  kernel.jobs.work(LIST_WORK, async () => {
    const outcome = await askForUsers(kernel).then(
      (people) => ({ state: 'done' as const, people }),
      (error) => {
        const { message, values } = asLdapFailure(error)
        return { state: 'failed' as const, error: JSON.stringify({ text: message, values }) }
      },
    )
    await kernel.db.update(authenticationLdapList).set(outcome)
  })
}
