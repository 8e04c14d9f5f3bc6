import { eq, sql } from 'drizzle-orm'
import type { Kernel } from '../../../kernel/kernel.ts'
import { withDirectory } from './directory.ts'
import { knownEntries } from './known-entries.ts'
import { asLdapFailure } from './ldap-failure.ts'
import type { LdapPerson } from './person.ts'
import { type LdapSource, sourceInForce } from './sources.ts'
import { authenticationLdapList } from './tables.ts'

const LIST_WORK = 'authentication.list_ldap_users'

/** Longer than any listing takes: the node that was listing has died. */
const STALE_MINUTES = 10

export type UserList =
  | { state: 'running' }
  | { state: 'failed'; text: string; values: Record<string, unknown> }
  | { state: 'done'; people: LdapPerson[] }

/** Asks a directory for everybody now. Throws LdapFailure. */
export async function askForUsers(kernel: Kernel, { id, settings }: LdapSource): Promise<LdapPerson[]> {
  const isKnown = await knownEntries(kernel.db, id)
  return withDirectory(settings(), (directory) => directory.list(isKnown), { long: true })
}

/** The last list of a directory; the first call starts listing in the background. */
export async function listedUsers(kernel: Kernel, { id }: LdapSource): Promise<UserList> {
  const directory = id ?? ''
  const started = await kernel.db
    .insert(authenticationLdapList)
    .values({ directory, state: 'running' })
    .onConflictDoNothing()
    .returning({ directory: authenticationLdapList.directory })
  if (started.length) {
    await kernel.jobs.send(LIST_WORK, { directory })
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
    .where(eq(authenticationLdapList.directory, directory))
  if (!list) return { state: 'running' }
  if (list.state === 'done') return { state: 'done', people: list.people }
  if (list.state === 'failed')
    return { state: 'failed', ...(JSON.parse(list.error) as { text: string; values: Record<string, unknown> }) }
  return list.stale
    ? { state: 'failed', text: 'Reading the list of people was interrupted, refresh it', values: {} }
    : { state: 'running' }
}

/** Deletes the last list of a directory, or the error in its place. */
export async function forgetUserList(kernel: Kernel, id: string | null): Promise<void> {
  await kernel.db.delete(authenticationLdapList).where(eq(authenticationLdapList.directory, id ?? ''))
}

export function registerUserListing(kernel: Kernel): void {
  kernel.jobs.work<{ directory?: string }>(LIST_WORK, async ({ directory = '' }) => {
    const source = await sourceInForce(kernel, directory || null)
    if (!source) return forgetUserList(kernel, directory)
    const outcome = await askForUsers(kernel, source).then(
      (people) => ({ state: 'done' as const, people }),
      (error) => {
        const { message, values } = asLdapFailure(error)
        return { state: 'failed' as const, error: JSON.stringify({ text: message, values }) }
      },
    )
    await kernel.db.update(authenticationLdapList).set(outcome).where(eq(authenticationLdapList.directory, directory))
  })
}
