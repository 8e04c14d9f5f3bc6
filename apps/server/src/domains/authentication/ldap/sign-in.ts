import { settingsOf } from '../../settings/index.ts'
import type { AskSource } from '../ask-source.ts'
import { withDirectory } from './directory.ts'

/**
 * Finds the person in the directory and checks the password there (contract/settings.yaml
 * `setting_ldap` rules). Throws LdapFailure.
 */
export const proveByLdap: AskSource = (kernel, { username, password }, mayTry) =>
  withDirectory(settingsOf(kernel).all(), async (directory) => {
    const found = await directory.find(username)
    if (!found || !(await mayTry(found.person.username))) return undefined
    return (await directory.isPassword(found.dn, password)) ? { person: found.person } : undefined
  })
