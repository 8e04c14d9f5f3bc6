import type { Settings } from '@sallyport/contract/settings/index.ts'
import type { Entry } from 'ldapts'
import type { OutsidePerson } from '../outside-people.ts'
import { LdapFailure } from './ldap-failure.ts'

/** Somebody of the directory, with our attributes. */
export interface LdapPerson extends OutsidePerson {
  /** The name of their entry. */
  dn: string
}

/** Our attributes that the map can fill. */
const OURS = ['username', 'name', 'email', 'phone', 'wechat', 'comment', 'is_active'] as const
const NEEDED = ['username', 'name', 'email'] as const
export type AttributeMap = Partial<Record<(typeof OURS)[number], string>>

const ATTRIBUTE_NAME = /^[A-Za-z][\w.;-]{0,127}$/
const ACCOUNT_DISABLED = 2

/**
 * The attribute map of the settings, without entries that it may not have. Throws LdapFailure when
 * name, username or email is missing.
 */
export function readAttributeMap(stored: Settings['AUTH_LDAP_USER_ATTR_MAP']): AttributeMap {
  const map: AttributeMap = {}
  for (const name of OURS) {
    const attribute = (stored as Record<string, unknown>)[name]
    if (typeof attribute === 'string' && ATTRIBUTE_NAME.test(attribute.trim())) map[name] = attribute.trim()
  }
  const missing = NEEDED.filter((name) => !map[name])
  if (missing.length) throw new LdapFailure('The user attribute map lacks {{names}}', { names: missing.join(', ') })
  return map
}

/** The person that an entry describes; undefined for an entry without a user name. */
export function readPerson(entry: Entry, map: AttributeMap): LdapPerson | undefined {
  // Servers answer attribute names in their own case.
  const values = new Map(Object.entries(entry).map(([name, value]) => [name.toLowerCase(), firstText(value)]))
  const textOf = (name: keyof AttributeMap) => values.get(map[name]?.toLowerCase() ?? '') ?? ''
  const username = nameInPlace(entry.dn, map.username ?? '') ?? textOf('username')
  if (!username) return undefined
  const active = isActive(map.is_active ?? '', textOf('is_active'))
  return {
    dn: entry.dn,
    username,
    name: textOf('name'),
    email: textOf('email'),
    ...(map.phone ? { phone: textOf('phone') } : {}),
    ...(map.wechat ? { wechat: textOf('wechat') } : {}),
    ...(map.comment ? { comment: textOf('comment') } : {}),
    ...(active === undefined ? {} : { is_active: active }),
  }
}

/**
 * The value of an attribute that an entry is named by (`uid=ann,ou=people`), undefined where it is
 * named by another. People may often write further values into their own entry, and other attributes;
 * its name is the directory's.
 */
export function nameInPlace(dn: string, attribute: string): string | undefined {
  const [, type, value] = /^\s*([^=+,]+?)\s*=\s*((?:\\.|[^\\,+])*)/s.exec(dn) ?? []
  if (!value || type?.toLowerCase() !== attribute.toLowerCase()) return undefined
  // RFC 4514 §2.4: bytes as two digits, other characters behind a backslash.
  const bytes = value
    .trim()
    .replace(/(?:\\[\da-f]{2})+/gi, (pairs) => Buffer.from(pairs.replaceAll('\\', ''), 'hex').toString())
  return bytes.replace(/\\(.)/gs, '$1')
}

/**
 * Whether the directory has the person enabled; undefined when it does not say. Active Directory
 * has a bit for it, others a word.
 */
function isActive(attribute: string, value: string): boolean | undefined {
  if (!value) return undefined
  if (attribute.toLowerCase() === 'useraccountcontrol') return (Number(value) & ACCOUNT_DISABLED) === 0
  return !/^(false|no|0|inactive|disabled)$/i.test(value)
}

function firstText(value: Entry[string] | undefined): string {
  const first = Array.isArray(value) ? value[0] : value
  return (Buffer.isBuffer(first) ? first.toString('utf8') : (first ?? '')).trim()
}
