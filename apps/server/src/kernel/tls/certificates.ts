import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createSecureContext, type SecureContext } from 'node:tls'
import type { FastifyBaseLogger } from 'fastify'
import { inBackground } from '../background.ts'
import type { Config } from '../config.ts'
import { makeServerCertificate } from '../nodes/certificate.ts'
import { type CertificateFacts, factsOf, whyNotTrusted } from './describe.ts'
import { type KeyPair, modernContext, type PairSettings, readKeyPair } from './key-pair.ts'
import { CERTIFIED_NAME, OWN_FILE, ownCertificate } from './own-certificate.ts'
import { servesHttps } from './serves-https.ts'
import { watchKeyPair } from './watch-key-pair.ts'

/** Where the certificate of the site comes from: named files, an authority by ACME, or this node. */
export type CertificateSource = 'files' | 'acme' | 'own'

/** The certificate of the site, as it is served at this moment. */
export interface CertificateInUse extends CertificateFacts {
  source: CertificateSource
  /** Whether clients trust it without being told to. */
  trusted: boolean
  /** Why not, as OpenSSL calls it; empty where they do. */
  untrustedReason: string
  /** Why the last change or renewal came to nothing, for people; empty where it did not. */
  lastError: string
}

/** A certificate that a node makes for itself, by who its clients are. */
export type ClientCertificate = 'databases' | 'kubernetes'

/** In the data directory, of nodes that serve no HTTPS. */
const OWN_OF_CLIENTS = {
  databases: { file: 'database-tls.pem', name: undefined },
  kubernetes: { file: 'kubernetes-tls.pem', name: CERTIFIED_NAME },
} as const

/** How often the end of a certificate that this node made is looked at. */
const RENEW_MS = 6 * 3_600_000

/** The certificates of this node: of the site, and of what client programs connect to. */
export interface Certificates {
  /** Undefined where HTTPS is off and no certificate is named. */
  inUse(): CertificateInUse | undefined
  /** That certificate, ready for a connection of a browser. Throws where there is none. */
  context(): SecureContext
  /** Serves this pair from now on. */
  take(pair: KeyPair, source: CertificateSource): Promise<void>
  /** Records why a change or renewal came to nothing, in a sentence for people. */
  failed(words: string): void
  /** Called at every new certificate of the site. */
  onChange(listener: () => void): void
  /**
   * What client programs of databases, clusters and desktops are shown: the certificate that is named
   * for them, else the site's, else one that this node makes once and keeps. `isOwn`: nobody has
   * signed it, and it is for the name `CERTIFIED_NAME`, if for any.
   */
  forClients(of?: ClientCertificate): Promise<KeyPair & { isOwn: boolean }>
  /** The same, ready for a connection. */
  contextForClients(of?: ClientCertificate): Promise<SecureContext>
  close(): void
}

/** Files that hold a pair, with the names of the settings that name them. */
interface NamedFiles {
  files: KeyPair
  settings: PairSettings
}

const pairOf = (certificate: string | undefined, key: string | undefined, settings: PairSettings) =>
  certificate && key ? { files: { certificate, key }, settings } : undefined

const siteFiles = ({ tlsCertificate, tlsKey }: Config): NamedFiles | undefined =>
  pairOf(tlsCertificate, tlsKey, { certificate: 'SALLYPORT_TLS_CERTIFICATE', key: 'SALLYPORT_TLS_KEY' })

const databaseFiles = ({ databaseCertificate, databaseKey }: Config): NamedFiles | undefined =>
  pairOf(databaseCertificate, databaseKey, {
    certificate: 'SALLYPORT_DATABASE_CERTIFICATE',
    key: 'SALLYPORT_DATABASE_KEY',
  })

/** Throws StartRefusal where named files hold no certificate with its key. */
export async function checkNamedPairs(config: Config): Promise<void> {
  for (const named of [siteFiles(config), databaseFiles(config)])
    if (named) await readKeyPair(named.files, named.settings)
}

/**
 * The certificate that client programs of databases are shown, as it is stored now: of named files,
 * else one that this node has made for itself; undefined where it makes one at its start. Throws
 * StartRefusal where named files hold no certificate with its key.
 */
export async function storedForClients(config: Config): Promise<string | undefined> {
  const named = databaseFiles(config) ?? siteFiles(config)
  if (named) return (await readKeyPair(named.files, named.settings)).certificate
  for (const file of [OWN_OF_CLIENTS.databases.file, OWN_FILE]) {
    const pem = await readFile(join(config.dataDirectory, file), 'utf8').catch((error) => {
      if (error.code !== 'ENOENT') throw error
    })
    if (pem) return pem
  }
  return undefined
}

/** Throws StartRefusal where named files hold no certificate with its key. */
export async function openCertificates(config: Config, log: FastifyBaseLogger): Promise<Certificates> {
  let site: { pair: KeyPair; context: SecureContext; facts: Omit<CertificateInUse, 'lastError'> } | undefined
  let named: KeyPair | undefined
  let lastError = ''
  const listeners: (() => void)[] = []
  const closing: (() => void)[] = []
  const ofClients = new Map<ClientCertificate, Promise<KeyPair | undefined>>()
  const contexts = new Map<ClientCertificate, { certificate: string; context: SecureContext }>()

  const take = async (pair: KeyPair, source: CertificateSource) => {
    const reason = source === 'own' ? 'SELF_SIGNED' : await whyNotTrusted(pair)
    const facts = factsOf(pair)
    site = {
      pair,
      context: modernContext(pair),
      facts: { ...facts, source, trusted: reason === undefined, untrustedReason: reason ?? '' },
    }
    lastError = facts.notAfter.getTime() < Date.now() ? expired(source, facts.notAfter) : ''
    if (lastError) log.error(lastError)
    log.info({ source, names: facts.names, fingerprint: facts.fingerprint, until: facts.notAfter }, 'certificate')
    for (const listener of listeners) listener()
  }
  const failed = (words: string) => {
    lastError = words
    log.error(words)
  }
  const keptBefore = (words: string) => `${words}. The certificate from before is still served`

  const ofDatabases = databaseFiles(config)
  if (ofDatabases) {
    const watched = await watchKeyPair(ofDatabases.files, ofDatabases.settings, {
      onPair: (pair) => {
        named = pair
        log.info({ file: ofDatabases.files.certificate }, 'certificate for clients of databases')
      },
      onFault: (words) => log.error(keptBefore(words)),
    })
    closing.push(watched.close)
    named = watched.pair
  }
  const ofSite = siteFiles(config)
  if (ofSite) {
    const watched = await watchKeyPair(ofSite.files, ofSite.settings, {
      onPair: (pair) => take(pair, 'files'),
      onFault: (words) => failed(keptBefore(words)),
    })
    closing.push(watched.close)
    await take(watched.pair, 'files')
  } else if (servesHttps(config)) {
    await take(await ownCertificate(config), 'own')
    const timer = setInterval(() => inBackground(renewOwn()), RENEW_MS).unref()
    closing.push(() => clearInterval(timer))
  }

  async function renewOwn() {
    if (site?.facts.source !== 'own') return
    const pair = await ownCertificate(config)
    if (pair.certificate !== site.pair.certificate) await take(pair, 'own')
  }

  async function forClients(of: ClientCertificate = 'databases'): Promise<KeyPair & { isOwn: boolean }> {
    if (named) return { ...named, isOwn: false }
    if (site && site.facts.source !== 'own') return { ...site.pair, isOwn: false }
    return { ...(await ownOfClients(of)), isOwn: true }
  }

  /** One from before goes on: clients may have kept it. */
  async function ownOfClients(of: ClientCertificate): Promise<KeyPair> {
    const { file, name } = OWN_OF_CLIENTS[of]
    const path = join(config.dataDirectory, file)
    const kept =
      ofClients.get(of) ??
      readFile(path, 'utf8').then(
        (pem) => ({ certificate: pem, key: pem }),
        () => (site ? undefined : make(path, name)),
      )
    // Two that ask at once must not make two.
    ofClients.set(of, kept)
    const pair = (await kept) ?? site?.pair
    if (!pair) throw new Error(`no certificate for clients of ${of}`)
    return pair
  }

  return {
    inUse: () => site && { ...site.facts, lastError },
    context() {
      if (!site) throw new Error('there is no certificate of the site')
      return site.context
    },
    take,
    failed,
    onChange: (listener) => void listeners.push(listener),
    forClients,
    async contextForClients(of = 'databases') {
      const { certificate, key } = await forClients(of)
      const last = contexts.get(of)
      if (last?.certificate === certificate) return last.context
      const context = createSecureContext({ cert: certificate, key })
      contexts.set(of, { certificate, context })
      return context
    },
    close: () => {
      for (const end of closing.splice(0)) end()
    },
  }
}

async function make(path: string, name: string | undefined): Promise<KeyPair> {
  const { certificate, privateKey } = makeServerCertificate(name)
  const pem = `${certificate}${privateKey}`
  await writeFile(path, pem, { mode: 0o600 })
  return { certificate: pem, key: pem }
}

function expired(source: CertificateSource, end: Date): string {
  const day = end.toISOString().slice(0, 10)
  return source === 'files'
    ? `SALLYPORT_TLS_CERTIFICATE names a certificate that ended on ${day}: put a newer one into its files, which are watched`
    : `The certificate of the site ended on ${day}`
}
