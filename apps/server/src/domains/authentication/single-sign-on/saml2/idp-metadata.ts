import { X509Certificate } from 'node:crypto'
import type { Element } from '@xmldom/xmldom'
import { Agent, fetch } from 'undici'
import { awaitedLater } from '../../../../kernel/background.ts'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { judgedConnector } from '../../../../kernel/outbound/judged-lookup.ts'
import { attributeOf, childOf, childrenOf, everyElement, parseXml, textOf } from '../../../../kernel/xml/strict-xml.ts'
import type { ReadSettings } from '../../people-sources/sources.ts'
import { DSIG, METADATA, REDIRECT_BINDING } from './namespaces.ts'
import type { SamlSource } from './sources.ts'

/** What we need to know of an identity provider. */
export interface Idp {
  entityId: string
  /** Where sign-ins start, by redirect. */
  signIn: string
  /** Where sign-outs go, and answers to its own ones; undefined where it has none by redirect. */
  signOut?: string
  signOutAnswer?: string
  /** PEM certificates of its signing keys; several while it changes them. */
  certificates: string[]
  wantsSignedRequests: boolean
}

/** The settings name no readable identity provider (docs/rules/authentication.md#saml2). */
export class IdpUnreadable extends Error {}

/** Useless metadata, explained to an administrator. */
export class IdpMetadataFault extends Error {}

const TIMEOUT_MS = 20_000
const MAX_BYTES = 1_048_576
/** Also with a description of each attribute that it can send, and of each organization's contacts. */
const BOUNDS = { elements: 20_000, depth: 64, attributes: 64 }
/** How long metadata are cached: a withdrawn key must not be accepted much longer. */
const FRESH_MS = 10 * 60_000
/**
 * How long old metadata are used when the provider does not answer, so that nobody is locked out.
 */
const USABLE_MS = 24 * 3_600_000
/** After a failure the provider is not asked again for so long. */
const PAUSE_MS = 10_000

const agent = new Agent({ maxResponseSize: MAX_BYTES, connect: judgedConnector({ timeout: TIMEOUT_MS }) })

interface Kept {
  url: string
  idp?: Idp
  readAt: number
  failedAt: number
  running?: Promise<Idp | undefined> | undefined
}
/** By the provider's id, and '' for that of the settings. */
const kept = new WeakMap<Kernel, Map<string, Kept>>()
/** More than there are providers: those that were deleted go with the others. */
const MAX_KEPT = 100

/**
 * An identity provider: from the URL if that can be read, else from the XML
 * (docs/rules/authentication.md#saml2). Throws IdpUnreadable.
 */
export async function idpOf(kernel: Kernel, { id, settings }: Pick<SamlSource, 'id' | 'settings'>): Promise<Idp> {
  const url = settings.get('SAML2_IDP_METADATA_URL')
  const fromUrl = url ? await fetched(kernel, id ?? '', url) : undefined
  return fromUrl ?? fromXml(settings)
}

function fromXml(settings: ReadSettings): Idp {
  const xml = settings.get('SAML2_IDP_METADATA_XML').trim()
  if (!xml) throw new IdpUnreadable('there is no metadata of the identity provider that can be read')
  try {
    return parseIdpMetadata(xml)
  } catch (error) {
    throw new IdpUnreadable((error as Error).message, { cause: error })
  }
}

/** Cached until the setting changes or the cache is too old. Undefined when it can't be fetched. */
async function fetched(kernel: Kernel, id: string, url: string): Promise<Idp | undefined> {
  const all = kept.get(kernel) ?? new Map<string, Kept>()
  kept.set(kernel, all)
  let mine = all.get(id)
  if (mine?.url !== url) {
    if (all.size >= MAX_KEPT) all.clear()
    all.set(id, (mine = { url, readAt: 0, failedAt: 0 }))
  }
  const now = Date.now()
  if (mine.idp && now - mine.readAt < FRESH_MS) return mine.idp
  if (now - mine.failedAt >= PAUSE_MS) {
    mine.running ??= awaitedLater(read(kernel, mine))
    const idp = await mine.running
    if (idp) return idp
  }
  return mine.idp && now - mine.readAt < USABLE_MS ? mine.idp : undefined
}

async function read(kernel: Kernel, mine: Kept): Promise<Idp | undefined> {
  try {
    mine.idp = await readIdpAt(mine.url)
    mine.readAt = Date.now()
    return mine.idp
  } catch (error) {
    mine.failedAt = Date.now()
    const { message, cause } = error as Error
    kernel.app.log.warn(
      { reason: cause instanceof Error ? `${message}: ${cause.message}` : message },
      'metadata of the SAML2 provider',
    )
    return undefined
  } finally {
    mine.running = undefined
  }
}

/** Reads the metadata at an address. Throws as `parseIdpMetadata`, and where there are none. */
export async function readIdpAt(url: string): Promise<Idp> {
  // No redirects: the address that an administrator entered is the one that is trusted.
  const answer = await fetch(url, { dispatcher: agent, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!answer.ok) throw new Error(`the answer is ${answer.status}`)
  return parseIdpMetadata(await answer.text())
}

/**
 * Reads the metadata of one identity provider. Throws for anything else, for several providers, for
 * expired metadata, and where something is missing that sign-in needs: IdpMetadataFault, or an
 * error of the parser.
 */
export function parseIdpMetadata(xml: string): Idp {
  if (xml.length > MAX_BYTES) throw new IdpMetadataFault('The metadata is too large')
  const root = parseXml(xml, { comments: true, bounds: BOUNDS })
  const descriptors = everyElement(root).filter(
    (one) => one.namespaceURI === METADATA && one.localName === 'IDPSSODescriptor',
  )
  const [descriptor] = descriptors
  if (!descriptor) throw new IdpMetadataFault('The metadata describes no identity provider')
  if (descriptors.length > 1) throw new IdpMetadataFault('The metadata describes several identity providers')
  const entity = descriptor.parentNode as Element
  const entityId = attributeOf(entity, 'entityID')
  if (!entityId || entityId.length > 1024)
    throw new IdpMetadataFault('The metadata does not name the identity provider')
  for (const one of [root, entity, descriptor]) {
    const until = Date.parse(attributeOf(one, 'validUntil') ?? '')
    if (until < Date.now()) throw new IdpMetadataFault('The metadata is no longer valid')
  }
  const service = (name: string) =>
    childrenOf(descriptor, METADATA, name).find((one) => attributeOf(one, 'Binding') === REDIRECT_BINDING)
  const signIn = addressOf(service('SingleSignOnService'), 'Location')
  if (!signIn) throw new IdpMetadataFault('The identity provider offers no sign-in by redirect')
  const signOut = addressOf(service('SingleLogoutService'), 'Location')
  const signOutAnswer = addressOf(service('SingleLogoutService'), 'ResponseLocation') ?? signOut
  const certificates = certificatesOf(descriptor)
  if (!certificates.length)
    throw new IdpMetadataFault('The metadata holds no certificate that signatures can be verified with')
  return {
    entityId,
    signIn,
    ...(signOut && signOutAnswer ? { signOut, signOutAnswer } : {}),
    certificates,
    wantsSignedRequests: /^(true|1)$/.test(attributeOf(descriptor, 'WantAuthnRequestsSigned') ?? ''),
  }
}

function addressOf(service: Element | undefined, name: string): string | undefined {
  const address = service && attributeOf(service, name)
  return address && /^https?:\/\//i.test(address) ? URL.parse(address)?.href : undefined
}

function certificatesOf(descriptor: Element): string[] {
  const keys = childrenOf(descriptor, METADATA, 'KeyDescriptor').filter(
    (one) => (attributeOf(one, 'use') ?? 'signing') === 'signing',
  )
  return keys.flatMap((key) => {
    const info = childOf(key, DSIG, 'KeyInfo')
    const data = info ? childrenOf(info, DSIG, 'X509Data') : []
    return data.flatMap((one) => childrenOf(one, DSIG, 'X509Certificate').map((found) => certificateOf(textOf(found))))
  })
}

function certificateOf(base64: string): string {
  try {
    return new X509Certificate(Buffer.from(base64, 'base64')).toString()
  } catch (error) {
    throw new IdpMetadataFault('The metadata holds a certificate that cannot be read', { cause: error })
  }
}
