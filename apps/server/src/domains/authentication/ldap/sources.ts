/** The directories whose people sign in here: first that of the settings, then the further ones in their order. */
import type { Kernel } from '../../../kernel/kernel.ts'
import { settingsOf } from '../../settings/index.ts'
import { rowInForce, rowsInOrder } from '../people-sources/rows.ts'
import type { LdapSettings } from './directory.ts'
import { planOf } from './plan.ts'
import { authenticationDirectory as directory } from './tables.ts'

export interface LdapSource {
  /** The id of the directory; null for that of the settings. */
  id: string | null
  /** Whether only people who are here may sign in by it. */
  existingOnly: boolean
  /** When it is imported (`planOf`). */
  plan: string
  /** How it is asked; opens the password of the bind DN. */
  settings(): LdapSettings
}

type Place = Pick<Kernel, 'db' | 'secrets'>
type Stored = typeof directory.$inferSelect

/** The directory of the settings, whether it is on or not. */
export function firstSource(kernel: Kernel): LdapSource {
  const settings = settingsOf(kernel)
  return {
    id: null,
    existingOnly: settings.get('AUTH_LDAP_USER_LOGIN_ONLY_IN_USERS'),
    plan: planOf(settings.all()),
    settings: () => settings.all(),
  }
}

/** Those that are on, in the order in which they are asked. */
export async function sourcesInForce(kernel: Kernel): Promise<LdapSource[]> {
  return [...(settingsOf(kernel).get('AUTH_LDAP') ? [firstSource(kernel)] : []), ...(await furtherSources(kernel))]
}

/** Those besides the directory of the settings that are on, in their order. */
export const furtherSources = async (kernel: Place): Promise<(LdapSource & { name: string })[]> =>
  (await rowsInOrder(kernel.db, directory)).map((row) => ({ ...sourceOf(kernel, row), name: row.name }))

/** A directory by its id, null for that of the settings; undefined for one that is off or gone. */
export async function sourceInForce(kernel: Kernel, id: string | null): Promise<LdapSource | undefined> {
  if (id === null) return firstSource(kernel)
  const row = await rowInForce(kernel.db, directory, id)
  return row && sourceOf(kernel, row)
}

const sourceOf = (kernel: Place, row: Stored): LdapSource => ({
  id: row.id,
  existingOnly: row.existing_only,
  plan: planOf(timesOf(row)),
  settings: () => askingBy(row, row.bind_password_sealed && openPassword(kernel, row.id, row.bind_password_sealed)),
})

/** The password of the bind DN of a directory. */
export const openPassword = (kernel: Pick<Kernel, 'secrets'>, id: string, sealed: Buffer): string =>
  kernel.secrets.open('sign_in', `bind password of directory ${id}`)(sealed)

const timesOf = ({ is_active, sync_is_periodic, sync_crontab, sync_interval }: Stored) => ({
  AUTH_LDAP: is_active,
  AUTH_LDAP_SYNC_IS_PERIODIC: sync_is_periodic,
  AUTH_LDAP_SYNC_CRONTAB: sync_crontab,
  AUTH_LDAP_SYNC_INTERVAL: sync_interval,
})

type Asking =
  | 'server_uri'
  | 'start_tls'
  | 'ca_certificates'
  | 'bind_dn'
  | 'search_ou'
  | 'search_filter'
  | 'user_attr_map'
  | 'group_search_ou'
  | 'connect_timeout'
  | 'search_paged_size'

/** A directory as the code that asks one knows it. */
export const askingBy = (row: Pick<Stored, Asking>, password: string | null): LdapSettings => ({
  AUTH_LDAP_SERVER_URI: row.server_uri,
  AUTH_LDAP_BIND_DN: row.bind_dn,
  AUTH_LDAP_BIND_PASSWORD: password ?? '',
  AUTH_LDAP_SEARCH_OU: row.search_ou,
  AUTH_LDAP_SEARCH_FILTER: row.search_filter,
  AUTH_LDAP_GROUP_SEARCH_OU: row.group_search_ou,
  AUTH_LDAP_USER_ATTR_MAP: row.user_attr_map,
  AUTH_LDAP_CONNECT_TIMEOUT: row.connect_timeout,
  AUTH_LDAP_SEARCH_PAGED_SIZE: row.search_paged_size,
  AUTH_LDAP_START_TLS: row.start_tls,
  AUTH_LDAP_TLS_CA_FILE: '',
  ca: row.ca_certificates,
})
