import { ResultCodeError } from 'ldapts'
import type { AskSource } from '../ask-source.ts'
import { withDirectory } from './directory.ts'
import { keepEntry, knownEntries } from './known-entries.ts'
import { LdapFailure, SeveralFound } from './ldap-failure.ts'
import type { LdapSource } from './sources.ts'

/** How long nobody else waits for a directory that could not be reached. */
const AWAY_MS = 15_000
/** When directories were found to be away, by id. */
const away = new Map<string | null, number>()

/** Whether the directory could not be reached a moment ago, and nobody has reached it since. */
export const isAway = (id: string | null): boolean =>
  (away.get(id) ?? Number.NEGATIVE_INFINITY) > performance.now() - AWAY_MS

/** As `withDirectory`, and notes whether the directory is there. */
async function noting<T>({ id, settings }: LdapSource, work: Parameters<typeof withDirectory<T>>[1]): Promise<T> {
  let isReached = false
  try {
    return await withDirectory(settings(), (directory) =>
      work({
        ...directory,
        // Without a bind DN, this is the first that it is asked.
        async find(...wanted) {
          try {
            const person = await directory.find(...wanted)
            isReached = true
            return person
          } catch (error) {
            isReached = error instanceof LdapFailure || error instanceof ResultCodeError
            throw error
          } finally {
            if (isReached) away.delete(id)
          }
        },
      }),
    )
  } catch (error) {
    if (!isReached) away.set(id, performance.now())
    throw error
  }
}

/**
 * Finds the person in a directory and checks the password there
 * (docs/rules/settings.md#setting_ldap). Throws LdapFailure.
 */
export const proveByLdap =
  (source: LdapSource): AskSource =>
  async (kernel, { username, password }, mayTry) => {
    const isKnown = await knownEntries(kernel.db, source.id, username)
    return noting(source, async (directory) => {
      const person = await directory.find(username, isKnown).catch(async (error: unknown) => {
        // The name belongs to this directory, and it is not known to whom there.
        if (error instanceof SeveralFound) await mayTry(username)
        throw error
      })
      if (!person || !(await mayTry(person.username))) return undefined
      const { dn } = person
      if (!(await directory.isPassword(dn, password))) return undefined
      const groups = await directory.groupsOf(person).catch((error: unknown) => {
        // The password was right: the person comes in, with the gifts of their groups so far.
        kernel.app.log.warn({ err: error, username }, 'the groups of a person could not be read from the directory')
        return undefined
      })
      return { person: { ...person, groups }, keep: (userId) => keepEntry(kernel.db, source.id, userId, dn) }
    })
  }

/** Asks a directory for a name as a sign-in does, and for nothing else. Throws LdapFailure. */
export async function askInVain(source: LdapSource, username: string): Promise<void> {
  await noting(source, (directory) => directory.find(username, () => false))
}
