import { X509Certificate } from 'node:crypto'
import {
  type Check,
  NotChecked,
  type Outcome,
  ok,
  type Place,
  type Words,
  warning,
  wrong,
} from '../../../kernel/doctor/check.ts'
import { lineOf } from '../../../kernel/doctor/line-of.ts'
import type { SettingsStore } from '../../settings/index.ts'
import { type Directory, withDirectory } from '../ldap/directory.ts'
import { asLdapFailure } from '../ldap/ldap-failure.ts'
import { furtherSources } from '../ldap/sources.ts'
import { askRadius } from '../radius/ask-radius.ts'
import { casAddress } from '../single-sign-on/cas/cas-server.ts'
import { openidProvider } from '../single-sign-on/openid/provider.ts'
import { furtherOpenids } from '../single-sign-on/openid/sources.ts'
import { parseIdpMetadata } from '../single-sign-on/saml2/idp-metadata.ts'
import { reach } from './reach.ts'

const SOON_DAYS = 30
const DAY_MS = 86_400_000

const off: Words = (say) => say('It is not set up.')
const correct: Words = (say) =>
  say('Correct it in the settings of sign-in, and test it there. Its people cannot sign in meanwhile.')

/** A question that reaches it, without a bind DN too; nobody should have this name. */
const ask = (directory: Directory) => directory.find('sallyport-doctor', () => false)

const ldap: Check = {
  name: 'ldap',
  title: 'LDAP directory',
  limitMs: 35_000,
  async run(place) {
    const settings = await place.settings()
    if (!settings.AUTH_LDAP) throw new NotChecked(off)
    const values = { server: settings.AUTH_LDAP_SERVER_URI }
    try {
      await withDirectory(settings, ask)
    } catch (error) {
      const failure = asLdapFailure(error)
      return wrong((_, language) => failure.in(language), correct)
    }
    return ok((say) => say('{{server}} answers and takes the bind DN.', values))
  },
}

const directories: Check = {
  name: 'directories',
  title: 'Further directories',
  // Each has as long as the one of the settings; they are asked at once.
  limitMs: 35_000,
  async run(place) {
    const { db } = await place.database()
    const sources = await furtherSources({ db, secrets: await place.secrets() })
    if (!sources.length) throw new NotChecked(off)
    const faults = await Promise.all(
      sources.map(async ({ name, settings }) => {
        try {
          await withDirectory(settings(), ask)
          return undefined
        } catch (error) {
          return { name, failure: asLdapFailure(error) }
        }
      }),
    )
    const [first] = faults.filter((fault) => fault !== undefined)
    if (first) return wrong((_, language) => `${first.name}: ${first.failure.in(language)}`, correct)
    const count = sources.length
    return ok((say) => say('{{count|directory answers|directories answer}}.', { count }))
  },
}

const radius: Check = {
  name: 'radius',
  title: 'RADIUS server',
  async run(place) {
    const settings = await place.settings()
    if (!settings.AUTH_RADIUS) throw new NotChecked(off)
    const { RADIUS_SERVER: host, RADIUS_PORT: port, RADIUS_SECRET: secret } = settings
    const values = { server: `${host}:${port}` }
    try {
      // Any answer about a name that nobody has will do: only a server with our secret can give one.
      await askRadius({ host, port, secret: secret ?? '' }, 'sallyport-doctor', crypto.randomUUID())
    } catch (error) {
      const reason = lineOf(error)
      return wrong((say) => say('{{server}} cannot be used: {{reason}}', { ...values, reason }), correct)
    }
    return ok((say) => say('{{server}} answers, with the same secret.', values))
  },
}

type ReadSettings = Pick<SettingsStore, 'get'>

/** A provider of single sign-on: whether it is set up, and what it answers at its address. */
const provider = (
  name: string,
  title: string,
  isOn: (settings: ReadSettings) => boolean,
  ask: (settings: ReadSettings, signal: AbortSignal) => Promise<Outcome>,
): Check => ({
  name,
  title,
  async run(place, signal) {
    const settings = await settingsIn(place)
    if (!isOn(settings)) throw new NotChecked(off)
    try {
      return await ask(settings, signal)
    } catch (error) {
      const reason = lineOf(error)
      return wrong((say) => say('The provider cannot be used: {{reason}}', { reason }), correct)
    }
  },
})

async function settingsIn(place: Place): Promise<ReadSettings> {
  const settings = await place.settings()
  return { get: (name) => settings[name] }
}

const answers = (server: string): Outcome => ok((say) => say('{{server}} answers.', { server }))

const openid = provider(
  'openid',
  'OpenID provider',
  (settings) => settings.get('AUTH_OPENID'),
  async (settings, signal) => answers(await askOpenid(settings, signal)),
)

/** The place of a provider that answers. */
async function askOpenid(settings: ReadSettings, signal: AbortSignal): Promise<string> {
  const { config } = openidProvider(settings)
  const { jwks_uri: keys, authorization_endpoint: page = '' } = config.serverMetadata()
  const address = keys || page
  const { status } = await reach(address, signal, !settings.get('AUTH_OPENID_IGNORE_SSL_VERIFICATION'))
  if (status >= 400) throw new Error(`${address}: HTTP ${status}`)
  return new URL(address).origin
}

const openids: Check = {
  name: 'openid-providers',
  title: 'Further OpenID providers',
  async run(place, signal) {
    const { db } = await place.database()
    const sources = await furtherOpenids({ db, secrets: await place.secrets() }, await settingsIn(place))
    if (!sources.length) throw new NotChecked(off)
    const faults = await Promise.all(
      sources.map(async ({ name, settings }) => {
        try {
          await askOpenid(settings, signal)
          return undefined
        } catch (error) {
          return `${name}: ${lineOf(error)}`
        }
      }),
    )
    const reason = faults.find((fault) => fault !== undefined)
    if (reason) return wrong((say) => say('The provider cannot be used: {{reason}}', { reason }), correct)
    const count = sources.length
    return ok((say) => say('{{count|provider answers|providers answer}}.', { count }))
  },
}

const cas = provider(
  'cas',
  'CAS server',
  (settings) => settings.get('AUTH_CAS'),
  async (settings, signal) => {
    const address = casAddress(settings, 'login', {})
    const { status } = await reach(address, signal)
    if (status >= 400) throw new Error(`${address}: HTTP ${status}`)
    return answers(new URL(address).origin)
  },
)

const saml2 = provider(
  'saml2',
  'SAML 2 provider',
  (settings) => settings.get('AUTH_SAML2'),
  async (settings, signal) => {
    const url = settings.get('SAML2_IDP_METADATA_URL')
    const xml = url ? (await reach(url, signal)).text : settings.get('SAML2_IDP_METADATA_XML')
    const { entityId, certificates } = parseIdpMetadata(xml)
    const ends = certificates.map((pem) => Date.parse(new X509Certificate(pem).validTo))
    const days = Math.floor((Math.max(...ends) - Date.now()) / DAY_MS)
    const values = { server: entityId, days }
    if (days < SOON_DAYS)
      return warning(
        (say) => say('The certificate of {{server}} ends in {{days|day|days}}.', values),
        (say) => say('Enter the metadata with the next certificate before that.'),
      )
    return ok((say) => say('The metadata of {{server}} can be read.', values))
  },
)

export default [ldap, directories, radius, openid, openids, cas, saml2]
