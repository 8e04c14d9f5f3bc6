import type { Settings } from '@sallyport/contract/settings/index.ts'
import { FilterParser } from 'ldapts'
import { cronFault } from '../../kernel/jobs/cron.ts'

const NEEDED = ['username', 'name', 'email'] as const
const ATTRIBUTE_NAME = /^[A-Za-z][\w.;-]{0,127}$/
const USER = '%(user)s'

/** Checks new LDAP settings; `fault` gets each field with an English message. */
export function ldapFaults(
  changes: Partial<Settings>,
  fault: (name: keyof Settings, text: string, values?: Record<string, unknown>) => void,
): void {
  const {
    AUTH_LDAP_SERVER_URI: server,
    AUTH_LDAP_SEARCH_FILTER: filter,
    AUTH_LDAP_USER_ATTR_MAP: map,
    AUTH_LDAP_SYNC_CRONTAB: times,
  } = changes
  if (server !== undefined && !isServerAddress(server))
    fault('AUTH_LDAP_SERVER_URI', 'The address begins with ldap:// or ldaps://')
  if (filter !== undefined && !isUserFilter(filter))
    fault(
      'AUTH_LDAP_SEARCH_FILTER',
      'Write an LDAP filter with %(user)s where the username stands, such as (uid=%(user)s)',
    )
  if (map !== undefined) {
    const names = map as Record<string, unknown>
    const missing = NEEDED.filter((name) => typeof names[name] !== 'string' || names[name] === '')
    const bad = Object.values(names).find(
      (attribute) => attribute !== '' && !(typeof attribute === 'string' && ATTRIBUTE_NAME.test(attribute)),
    )
    if (missing.length) fault('AUTH_LDAP_USER_ATTR_MAP', 'The map lacks {{names}}', { names: missing.join(', ') })
    else if (bad !== undefined)
      fault('AUTH_LDAP_USER_ATTR_MAP', '"{{value}}" is not the name of an LDAP attribute', {
        value: String(bad).slice(0, 100),
      })
  }
  const wrong = times && cronFault(times)
  if (wrong) fault('AUTH_LDAP_SYNC_CRONTAB', wrong)
}

function isServerAddress(text: string): boolean {
  const url = URL.parse(text.trim())
  return url !== null && /^ldaps?:$/.test(url.protocol) && url.hostname !== ''
}

function isUserFilter(filter: string): boolean {
  if (!filter.includes(USER)) return false
  try {
    FilterParser.parseString(filter.trim().replaceAll(USER, 'name'))
    return true
  } catch {
    return false
  }
}
