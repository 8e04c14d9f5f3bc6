/** Trials of a directory, before its settings are saved or while nobody signs in. */
import type { Kernel } from '../../../kernel/kernel.ts'
import { withDirectory } from './directory.ts'
import { knownEntries } from './known-entries.ts'
import { LdapFailure } from './ldap-failure.ts'
import type { LdapPerson } from './person.ts'
import type { LdapSource } from './sources.ts'

type Tried = Pick<LdapSource, 'id' | 'settings'>

/** Everybody whom the filter finds, at least one. Throws LdapFailure. */
export async function listPeople(kernel: Kernel, { id, settings }: Tried): Promise<LdapPerson[]> {
  const isKnown = await knownEntries(kernel.db, id)
  const people = await withDirectory(settings(), (directory) => directory.list(isKnown), { long: true })
  if (!people.length) throw new LdapFailure('The filter finds nobody in the OU')
  return people
}

/** Throws LdapFailure unless the directory knows the name and takes the password. */
export async function tryPerson(
  kernel: Kernel,
  { id, settings }: Tried,
  { username, password }: { username: string; password: string },
): Promise<void> {
  const isKnown = await knownEntries(kernel.db, id, username)
  await withDirectory(settings(), async (directory) => {
    const found = await directory.find(username, isKnown)
    if (!found) throw new LdapFailure('The directory does not know {{username}}', { username })
    if (!(await directory.isPassword(found.dn, password))) throw new LdapFailure('The directory refuses this password')
  })
}
