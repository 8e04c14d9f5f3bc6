/** People for the LDAP tests, as LDIF. */
import { SUFFIX } from './slapd-fixture.ts'

export interface Someone {
  uid: string
  password?: string
  name?: string
  mail?: string
  /** `userAccountControl` of Active Directory: 512 for a normal account, 514 for a disabled one. */
  control?: number
}

/** In base64, since names may have any characters. */
const attribute = (name: string, value: string) => `${name}:: ${Buffer.from(value).toString('base64')}\n`

export function ou(name: string): string {
  return `dn: ou=${name},${SUFFIX}\nobjectClass: organizationalUnit\nou: ${name}\n\n`
}

/** The entry of a person below an OU, named by an employee number. */
export function entry(place: string, number: number, { uid, password, name = uid, mail, control }: Someone): string {
  return (
    `dn: employeeNumber=${number},ou=${place},${SUFFIX}\nobjectClass: inetOrgPerson\nobjectClass: adUser\nemployeeNumber: ${number}\n` +
    attribute('uid', uid) +
    attribute('sAMAccountName', uid) +
    attribute('cn', name) +
    attribute('sn', name) +
    (mail ? attribute('mail', mail) : '') +
    (control ? `userAccountControl: ${control}\n` : '') +
    `userPassword: ${password ?? 'Directory-1'}\n\n`
  )
}

export const dnOf = (place: string, number: number) => `employeeNumber=${number},ou=${place},${SUFFIX}`

/** Settings for a directory at this URL. */
export const ldapSettings = (url: string, place = 'people') => ({
  AUTH_LDAP: true,
  AUTH_LDAP_SERVER_URI: url,
  AUTH_LDAP_BIND_DN: `cn=service,${SUFFIX}`,
  AUTH_LDAP_BIND_PASSWORD: 'Serving-1',
  AUTH_LDAP_SEARCH_OU: `ou=${place},${SUFFIX}`,
  AUTH_LDAP_SEARCH_FILTER: '(uid=%(user)s)',
  AUTH_LDAP_GROUP_SEARCH_OU: '',
  AUTH_LDAP_USER_ATTR_MAP: { username: 'uid', name: 'cn', email: 'mail' } as Record<string, string>,
  AUTH_LDAP_CONNECT_TIMEOUT: 5,
  AUTH_LDAP_SEARCH_PAGED_SIZE: 300,
})
