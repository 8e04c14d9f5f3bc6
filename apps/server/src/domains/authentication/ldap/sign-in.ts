import { settingsOf } from '../../settings/index.ts'
import type { AskSource } from '../ask-source.ts'
import { withDirectory } from './directory.ts'
import { keepEntry, knownEntries } from './known-entries.ts'

/**
 * Finds the person in the directory and checks the password there
 * (docs/rules/settings.md#setting_ldap). Throws LdapFailure.
 */
export const proveByLdap: AskSource = async (kernel, { username, password }, mayTry) => {
  const isKnown = await knownEntries(kernel.db, username)
  return withDirectory(settingsOf(kernel).all(), async (directory) => {
    const person = await directory.find(username, isKnown)
    if (!person || !(await mayTry(person.username))) return undefined
    const { dn } = person
    if (!(await directory.isPassword(dn, password))) return undefined
    return { person, keep: (userId) => keepEntry(kernel.db, userId, dn) }
  })
}
