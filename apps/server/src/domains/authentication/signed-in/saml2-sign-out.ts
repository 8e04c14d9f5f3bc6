import { createVerify } from 'node:crypto'
import { promisify } from 'node:util'
import { inflateRaw } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isLedThere, isSameOrigin } from '../../../kernel/access/guard.ts'
import { forbidden } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { settingsOf } from '../../settings/index.ts'
import { endOutsideSessions, logFault } from '../single-sign-on/outside-sign-in.ts'
import { sendPlainPage } from '../single-sign-on/plain-page.ts'
import { checkSignatures } from '../single-sign-on/saml2/message-shape.ts'
import { DSIG, SAML, SAMLP } from '../single-sign-on/saml2/namespaces.ts'
import {
  MAX_AGE_MS,
  SAML2_NAME,
  type SamlProvider,
  samlProvider,
  TOLERANCE_MS,
} from '../single-sign-on/saml2/provider.ts'
import { nameOf } from '../single-sign-on/saml2/response.ts'
import { keyOf, signOutSaml } from '../single-sign-on/saml2/sign-out.ts'
import { attributeOf, childOf, childrenOf, parseXml, textOf, textOfBase64 } from '../single-sign-on/strict-xml.ts'
import { signedOutPage, signOut } from './sign-out.ts'

const MAX_REQUEST = 65_536
const inflate = promisify(inflateRaw)

/**
 * Sign-out here, the provider's answer to it, and the provider's own request to end its sessions.
 */
export function registerSamlSignOut(kernel: Kernel): void {
  kernel.app.route({
    method: ['GET', 'POST'],
    url: '/core/auth/saml2/logout/',
    bodyLimit: 4 * MAX_REQUEST,
    config: {
      access: ['anonymous'],
      withoutCsrf: true,
      summary: 'Sign out of SAML 2: of a browser, or of the provider',
    },
    handler: async (request, reply) => {
      const sent = (request.method === 'POST' ? request.body : request.query) as Record<string, unknown> | undefined
      if (sent?.SAMLRequest !== undefined && settingsOf(kernel).get('AUTH_SAML2'))
        return endByProvider(kernel, request, reply, sent)
      // Our session ended before we asked: the answer changes nothing.
      if (sent?.SAMLResponse !== undefined) return signedOutPage(kernel, reply)
      const isFromElsewhere = request.method === 'POST' ? !isSameOrigin(request) : isLedThere(request, 'same_site')
      if (isFromElsewhere) throw forbidden('CSRF Failed: Origin checking failed.')
      return signOut(kernel, request, reply)
    },
  })
}

async function endByProvider(
  kernel: Kernel,
  request: FastifyRequest,
  reply: FastifyReply,
  sent: Record<string, unknown>,
): Promise<FastifyReply> {
  try {
    const provider = await samlProvider(kernel)
    const message = await readSignOutRequest(provider, request, sent)
    await endOutsideSessions(kernel, message.keys)
    const { signOutAnswer } = provider.idp
    if (!signOutAnswer) return signedOutPage(kernel, reply)
    const answered = { ID: message.id, issuer: provider.sp.entityId, nameID: '', nameIDFormat: '' }
    const relay = typeof sent.RelayState === 'string' ? sent.RelayState.slice(0, 80) : ''
    return reply.redirect(
      await signOutSaml(provider, signOutAnswer).getLogoutResponseUrlAsync(answered, relay, {}, true),
      303,
    )
  } catch (error) {
    logFault(kernel, SAML2_NAME, error)
    return sendPlainPage(reply, request.call.language, 400, 'The sign-out was not accepted', [
      'The request of the sign-in provider is not valid. Sign out here yourself.',
    ])
  }
}

/** Throws unless the request is signed by the provider, addressed to us, and recent. */
async function readSignOutRequest(
  provider: SamlProvider,
  request: FastifyRequest,
  { SAMLRequest: encoded }: Record<string, unknown>,
): Promise<{ id: string; keys: string[] }> {
  if (typeof encoded !== 'string' || encoded.length > MAX_REQUEST)
    throw new Error('the sign-out request is no text, or too large')
  const root =
    request.method === 'POST' ? await postedRequest(provider, encoded) : await redirectedRequest(provider, request)
  if (root.namespaceURI !== SAMLP || root.localName !== 'LogoutRequest') throw new Error('this is no sign-out request')
  const { idp, sp } = provider
  const issuer = textOf(childOf(root, SAML, 'Issuer'))
  if (issuer !== idp.entityId) throw new Error(`the sign-out request is of ${issuer}`)
  const destination = attributeOf(root, 'Destination')
  if (destination && destination !== sp.signOut) throw new Error(`the sign-out request is for ${destination}`)
  const age = Date.now() - Date.parse(attributeOf(root, 'IssueInstant') ?? '')
  if (!(age > -TOLERANCE_MS && age < MAX_AGE_MS)) throw new Error('the sign-out request is not of now')
  const id = attributeOf(root, 'ID')
  const name = nameOf(childOf(root, SAML, 'NameID'))
  if (!id || !name) throw new Error('the sign-out request names nobody')
  const indexes = childrenOf(root, SAMLP, 'SessionIndex').map(textOf).filter(Boolean)
  return {
    id,
    keys: indexes.length ? indexes.map((index) => keyOf(issuer, name.value, index)) : [keyOf(issuer, name.value)],
  }
}

/** The signature is in the document. */
async function postedRequest({ saml }: SamlProvider, encoded: string): Promise<Element> {
  const root = parseXml(textOfBase64(encoded))
  checkSignatures(root, [root])
  if (childrenOf(root, DSIG, 'Signature').length !== 1) throw new Error('the sign-out request is not signed')
  await saml().validatePostRequestAsync({ SAMLRequest: encoded.replace(/\s+/g, '') })
  return root
}

const HASHES: Readonly<Record<string, string>> = {
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256': 'sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512': 'sha512',
}

/**
 * The signature is a parameter of the query, over the parameters as they were sent (SAML 2.0
 * Bindings §3.4.4.1). Not left to the library, which accepts a query without a signature, and takes
 * the first of two parameters with the same name where others take the last.
 */
async function redirectedRequest({ idp }: SamlProvider, request: FastifyRequest): Promise<Element> {
  const parts = (request.raw.url?.split('?').slice(1).join('?') ?? '').split('&')
  const part = (name: string, isNeeded = true) => {
    const found = parts.filter((one) => decodeURIComponent(one.split('=')[0] ?? '') === name)
    if (found.length > 1 || (isNeeded && !found[0])) throw new Error(`there is not one ${name}`)
    return found[0]
  }
  const decoded = (one = '') => decodeURIComponent(one.slice(one.indexOf('=') + 1).replaceAll('+', '%20'))
  const [message, relay, algorithm] = [part('SAMLRequest'), part('RelayState', false), part('SigAlg')]
  const signature = Buffer.from(decoded(part('Signature')), 'base64')
  const named = decoded(algorithm)
  const hash = Object.hasOwn(HASHES, named) && HASHES[named]
  if (!hash) throw new Error('the signature algorithm is refused')
  const signed = [message, relay, algorithm].filter((one) => one !== undefined).join('&')
  const isRight = idp.certificates.some((certificate) =>
    createVerify(hash).update(signed).verify(certificate, signature),
  )
  if (!isRight) throw new Error('the signature of the sign-out request is wrong')
  const packed = Buffer.from(decoded(message).replaceAll(' ', '+'), 'base64')
  return parseXml((await inflate(packed, { maxOutputLength: MAX_REQUEST })).toString('utf8'))
}
