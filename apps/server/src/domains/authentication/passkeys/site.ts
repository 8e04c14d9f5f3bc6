import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { refused } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { SettingsStore } from '../../settings/index.ts'

/**
 * Where passkeys are valid: a browser uses one only on pages of the host that it was made for, and
 * signs the address of the page.
 */
export interface Site {
  /** The host name: WebAuthn's "RP ID". */
  rp_id: string
  origin: string
}

const isLocal = (name: string) => name === 'localhost' || name.endsWith('.localhost')

/**
 * The site as this browser sees it; undefined where passkeys can't work. SITE_URL says which host
 * and port it is; until somebody sets it, the address that the browser asked for counts. A foreign
 * page that names its own gains nothing, since no passkey here was made for that host. Browsers
 * support passkeys on named hosts over HTTPS, and on localhost.
 */
function siteOf(
  settings: SettingsStore,
  { host, hostname }: Pick<FastifyRequest, 'host' | 'hostname'>,
): Site | undefined {
  if (isLocal(hostname)) return at(`http://${host}`)
  const set = URL.parse(settings.get('SITE_URL'))
  if (set && !isLocal(set.hostname) && !isIP(set.hostname))
    return set.hostname === hostname && set.protocol === 'https:' ? at(set.href) : undefined
  return isIP(hostname) ? undefined : at(`https://${host}`)
}

function at(address: string): Site | undefined {
  const url = URL.parse(address)
  // An address in brackets (IPv6) is no host name.
  return url && !url.hostname.startsWith('[') ? { rp_id: url.hostname, origin: url.origin } : undefined
}

/** The same; throws 400 `passkey_site` with the address to use instead. */
export function requireSite(settings: SettingsStore, request: FastifyRequest): Site {
  const site = siteOf(settings, request)
  if (site) return site
  const msg = translate(
    request.call.language,
    'Passkeys do not work at {{host}}, under which the request reached this server. Open this site by its name and HTTPS, as the setting Site URL has it: {{address}}. If you did, a proxy on the way changes the Host header.',
    { host: request.host, address: settings.get('SITE_URL') },
  )
  throw refused('passkey_site', msg)
}
