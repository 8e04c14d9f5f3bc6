import { X509Certificate } from 'node:crypto'
import type { directory as definition } from '@sallyport/contract/resources/authentication/directory.ts'
import { invalid } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { WriteContext } from '../../../kernel/resource/mount.ts'
import { ldapFaults, type Settings } from '../../settings/index.ts'
import type { authenticationDirectory } from '../ldap/tables.ts'

type Writing = WriteContext<typeof definition, typeof authenticationDirectory>

/** The settings whose rules hold for the fields. */
const RULED = {
  AUTH_LDAP_SERVER_URI: 'server_uri',
  AUTH_LDAP_SEARCH_FILTER: 'search_filter',
  AUTH_LDAP_USER_ATTR_MAP: 'user_attr_map',
  AUTH_LDAP_SYNC_CRONTAB: 'sync_crontab',
} as const satisfies Partial<Record<keyof Settings, keyof Writing['draft']>>
type Ruled = keyof typeof RULED

/** Throws 400 by field for what the settings of the first directory would be refused for as well. */
export function checkDirectory({ call, draft, row }: Writing): void {
  const faults: Record<string, string> = {}
  const say = (text: string, values?: Record<string, unknown>) => translate(call.language, text, values)
  const changes = Object.fromEntries(
    Object.entries(RULED).flatMap(([name, field]) => (draft[field] === undefined ? [] : [[name, draft[field]]])),
  )
  ldapFaults(changes, (name, text, values) => {
    faults[RULED[name as Ruled]] = say(text, values)
  })
  if (draft.search_ou !== undefined && !draft.search_ou.replaceAll('|', '').trim())
    faults.search_ou = say('Enter the OU of the users')
  if (draft.ca_certificates && !isCertificate(draft.ca_certificates))
    faults.ca_certificates = say('This is no certificate in PEM form')
  const { bind_dn = row?.bind_dn ?? '' } = draft
  if (!draft.bind_password && bind_dn && (!row || leadsElsewhere(draft, row)))
    faults.bind_password = say('Enter the password of the bind DN')
  if (Object.keys(faults).length) throw invalid(faults)
}

/** There may be several; the first one is looked at. */
function isCertificate(pem: string): boolean {
  try {
    return Boolean(new X509Certificate(pem))
  } catch {
    return false
  }
}

/** What says where the password goes, and how well the way there is protected. */
type Recipient = Pick<
  typeof authenticationDirectory.$inferSelect,
  'server_uri' | 'start_tls' | 'bind_dn' | 'ca_certificates'
>

/**
 * Whether the stored password would go to another server or account than it was entered for, or less
 * protected: otherwise a person who changes the address would have it sent there.
 */
export function leadsElsewhere(after: Partial<Recipient>, before: Recipient): boolean {
  const { server_uri, start_tls, bind_dn, ca_certificates } = { ...before, ...after }
  return (
    server_uri !== before.server_uri ||
    bind_dn !== before.bind_dn ||
    ca_certificates !== before.ca_certificates ||
    (before.start_tls && !start_tls)
  )
}
