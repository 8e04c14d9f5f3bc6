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
import { type Directory, withDirectory } from '../ldap/directory.ts'
import { asLdapFailure } from '../ldap/ldap-failure.ts'
import { furtherSources } from '../ldap/sources.ts'
import type { FurtherTable } from '../people-sources/columns.ts'
import type { PeopleSources, ReadSettings } from '../people-sources/sources.ts'
import { askRadius, type RadiusServer } from '../radius/ask-radius.ts'
import { furtherRadius } from '../radius/sources.ts'
import { casAddress } from '../single-sign-on/cas/cas-server.ts'
import { casSources } from '../single-sign-on/cas/sources.ts'
import { openidProvider } from '../single-sign-on/openid/provider.ts'
import { openidSources } from '../single-sign-on/openid/sources.ts'
import { type Idp, parseIdpMetadata } from '../single-sign-on/saml2/idp-metadata.ts'
import { type SamlSource, saml2Sources } from '../single-sign-on/saml2/sources.ts'
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

/**
 * Further ones of a kind. They are asked at once, and the first that is at fault is named.
 * @param fault what is wrong with one; undefined for nothing
 */
function further<S extends { name: string }>(
  name: string,
  title: string,
  {
    limitMs,
    sources,
    fault,
    fine,
  }: {
    limitMs?: number
    sources(place: Place): Promise<S[]>
    fault(source: S, signal: AbortSignal): Promise<Words | undefined>
    fine(count: number): Words
  },
): Check {
  return {
    name,
    title,
    ...(limitMs === undefined ? {} : { limitMs }),
    async run(place, signal) {
      const all = await sources(place)
      if (!all.length) throw new NotChecked(off)
      const faults = await Promise.all(all.map(async (source) => ({ source, words: await fault(source, signal) })))
      const first = faults.find(({ words }) => words !== undefined)
      const words = first?.words
      if (first && words) return wrong((say, language) => `${first.source.name}: ${words(say, language)}`, correct)
      return ok(fine(all.length))
    },
  }
}

const directories = further('directories', 'Further directories', {
  // Each has as long as the one of the settings.
  limitMs: 35_000,
  sources: async (place) => furtherSources(await storeOf(place)),
  async fault({ settings }) {
    try {
      await withDirectory(settings(), ask)
      return undefined
    } catch (error) {
      const failure = asLdapFailure(error)
      return (_, language) => failure.in(language)
    }
  },
  fine: (count) => (say) => say('{{count|directory answers|directories answer}}.', { count }),
})

/** Further providers of a kind; `askOne` throws where one can't be used. */
const furtherProviders = <S extends { name: string }>(
  name: string,
  title: string,
  sources: (place: Place) => Promise<S[]>,
  askOne: (source: S, signal: AbortSignal) => Promise<unknown>,
): Check =>
  further(name, title, {
    sources,
    async fault(source, signal) {
      try {
        await askOne(source, signal)
        return undefined
      } catch (error) {
        const reason = lineOf(error)
        return (say) => say('The provider cannot be used: {{reason}}', { reason })
      }
    },
    fine: (count) => (say) => say('{{count|provider answers|providers answer}}.', { count }),
  })

const storeOf = async (place: Place) => ({ db: (await place.database()).db, secrets: await place.secrets() })

const radius: Check = {
  name: 'radius',
  title: 'RADIUS server',
  async run(place) {
    const settings = await place.settings()
    if (!settings.AUTH_RADIUS) throw new NotChecked(off)
    const { RADIUS_SERVER: host, RADIUS_PORT: port, RADIUS_SECRET: secret } = settings
    const values = { server: `${host}:${port}` }
    try {
      await askNobody({ host, port, secret: secret ?? '' })
    } catch (error) {
      const reason = lineOf(error)
      return wrong((say) => say('{{server}} cannot be used: {{reason}}', { ...values, reason }), correct)
    }
    return ok((say) => say('{{server}} answers, with the same secret.', values))
  },
}

/** Any answer about a name that nobody has will do: only a server with our secret can give one. */
const askNobody = (server: RadiusServer) => askRadius(server, 'sallyport-doctor', crypto.randomUUID())

const radiusServers = furtherProviders(
  'radius-servers',
  'Further RADIUS servers',
  async (place) => furtherRadius(await storeOf(place)),
  ({ server }) => askNobody(server()),
)

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

/** Further ones of a kind with pages. */
const furtherOf =
  <P>(sources: PeopleSources<FurtherTable, P>) =>
  async (place: Place) =>
    sources.further(await storeOf(place), await settingsIn(place))

const openids = furtherProviders(
  'openid-providers',
  'Further OpenID providers',
  furtherOf(openidSources),
  ({ settings }, signal) => askOpenid(settings, signal),
)

const cas = provider(
  'cas',
  'CAS server',
  (settings) => settings.get('AUTH_CAS'),
  async (settings, signal) => answers(await askCas(settings, signal)),
)

/** The place of a server that answers. */
async function askCas(settings: ReadSettings, signal: AbortSignal): Promise<string> {
  const address = casAddress(settings, 'login', {})
  const { status } = await reach(address, signal)
  if (status >= 400) throw new Error(`${address}: HTTP ${status}`)
  return new URL(address).origin
}

const casServers = furtherProviders(
  'cas-servers',
  'Further CAS servers',
  furtherOf(casSources),
  ({ settings }, signal) => askCas(settings, signal),
)

const saml2 = provider(
  'saml2',
  'SAML2 provider',
  (settings) => settings.get('AUTH_SAML2'),
  async (settings, signal) => {
    const { entityId, certificates } = await readIdp(settings, signal)
    const days = daysOf(certificates)
    const values = { server: entityId, days }
    if (days < SOON_DAYS)
      return warning(
        (say) => say('The certificate of {{server}} ends in {{days|day|days}}.', values),
        (say) => say('Enter the metadata with the next certificate before that.'),
      )
    return ok((say) => say('The metadata of {{server}} can be read.', values))
  },
)

async function readIdp(settings: ReadSettings, signal: AbortSignal): Promise<Idp> {
  const url = settings.get('SAML2_IDP_METADATA_URL')
  return parseIdpMetadata(url ? (await reach(url, signal)).text : settings.get('SAML2_IDP_METADATA_XML'))
}

/** Days until the last of them ends. */
const daysOf = (certificates: readonly string[]) =>
  Math.floor(
    (Math.max(...certificates.map((pem) => Date.parse(new X509Certificate(pem).validTo))) - Date.now()) / DAY_MS,
  )

const saml2Providers = further<SamlSource>('saml2-providers', 'Further SAML2 providers', {
  sources: furtherOf(saml2Sources),
  async fault({ settings }, signal) {
    try {
      const { entityId: server, certificates } = await readIdp(settings, signal)
      const days = daysOf(certificates)
      if (days >= SOON_DAYS) return undefined
      return (say) => say('The certificate of {{server}} ends in {{days|day|days}}.', { server, days })
    } catch (error) {
      const reason = lineOf(error)
      return (say) => say('The provider cannot be used: {{reason}}', { reason })
    }
  },
  fine: (count) => (say) => say('{{count|provider answers|providers answer}}.', { count }),
})

export default [ldap, directories, radius, radiusServers, openid, openids, cas, casServers, saml2, saml2Providers]
