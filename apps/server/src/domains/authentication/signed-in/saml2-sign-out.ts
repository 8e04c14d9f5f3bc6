import type { FastifyReply, FastifyRequest } from 'fastify'
import { isLedThere } from '../../../kernel/access/guard.ts'
import { requireSameOrigin } from '../../../kernel/access/same-origin.ts'
import { sourceNetwork } from '../../../kernel/access/source-network.ts'
import { forbidden } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { placesOfPages, sourceOfPage } from '../single-sign-on/outside-pages.ts'
import { endOutsideSessions, logFault } from '../single-sign-on/outside-sign-in.ts'
import { sendPlainPage } from '../single-sign-on/plain-page.ts'
import { samlProvider } from '../single-sign-on/saml2/provider.ts'
import { signOutInThread } from '../single-sign-on/saml2/read-in-thread.ts'
import type { SamlProvider } from '../single-sign-on/saml2/saml-library.ts'
import { keyOf, signOutSaml } from '../single-sign-on/saml2/sign-out.ts'
import { MAX_SIGN_OUT, readRedirectedSignOut, type SignOutRequest } from '../single-sign-on/saml2/sign-out-request.ts'
import { type SamlSource, saml2Sources } from '../single-sign-on/saml2/sources.ts'
import { signedOutPage, signOut } from './sign-out.ts'

/**
 * Sign-out here, the provider's answer to it, and the provider's own request to end its sessions.
 */
export function registerSamlSignOut(kernel: Kernel): void {
  const [first, further] = placesOfPages(saml2Sources)
  registerPage(kernel, first.signOut, 'Sign out of SAML 2: of a browser, or of the provider')
  registerPage(kernel, further.signOut, 'Sign out of a further SAML2 provider: of a browser, or of the provider')
}

function registerPage(kernel: Kernel, url: string, summary: string): void {
  kernel.app.route({
    method: ['GET', 'POST'],
    url,
    bodyLimit: 4 * MAX_SIGN_OUT,
    config: { access: ['anonymous'], withoutCsrf: true, summary },
    handler: async (request, reply) => {
      const sent = (request.method === 'POST' ? request.body : request.query) as Record<string, unknown> | undefined
      const source = sent?.SAMLRequest === undefined ? undefined : await sourceOfPage(kernel, saml2Sources, request)
      if (source && sent) return endByProvider(kernel, request, reply, sent, source)
      // Our session ended before we asked: the answer changes nothing.
      if (sent?.SAMLResponse !== undefined) return signedOutPage(kernel, reply)
      if (request.method === 'POST') requireSameOrigin(request)
      else if (isLedThere(request, 'same_site')) throw forbidden('CSRF Failed: Origin checking failed.')
      return signOut(kernel, request, reply)
    },
  })
}

async function endByProvider(
  kernel: Kernel,
  request: FastifyRequest,
  reply: FastifyReply,
  sent: Record<string, unknown>,
  source: SamlSource,
): Promise<FastifyReply> {
  try {
    const provider = await samlProvider(kernel, source)
    const message = await readSignOutRequest(provider, request, sent)
    await endOutsideSessions(kernel, keysOf(source, provider, message))
    const { signOutAnswer } = provider.idp
    if (!signOutAnswer) return signedOutPage(kernel, reply)
    const answered = { ID: message.id, issuer: provider.sp.entityId, nameID: '', nameIDFormat: '' }
    const relay = typeof sent.RelayState === 'string' ? sent.RelayState.slice(0, 80) : ''
    return reply.redirect(
      await signOutSaml(provider, signOutAnswer).getLogoutResponseUrlAsync(answered, relay, {}, true),
      303,
    )
  } catch (error) {
    logFault(kernel, source.name, error)
    return sendPlainPage(reply, request.call.language, 400, 'The sign-out was not accepted', [
      'The request of the sign-in provider is not valid. Sign out here yourself.',
    ])
  }
}

/** Throws unless the request is signed by the provider, addressed to us, and recent. */
async function readSignOutRequest(
  provider: SamlProvider,
  { method, ip, raw }: FastifyRequest,
  { SAMLRequest: encoded }: Record<string, unknown>,
): Promise<SignOutRequest> {
  if (typeof encoded !== 'string' || encoded.length > MAX_SIGN_OUT)
    throw new Error('the sign-out request is no text, or too large')
  return method === 'POST'
    ? signOutInThread(provider, encoded, sourceNetwork(ip))
    : readRedirectedSignOut(provider, raw.url?.split('?').slice(1).join('?') ?? '')
}

const keysOf = ({ id }: SamlSource, { idp }: SamlProvider, { name, indexes }: SignOutRequest) =>
  (indexes.length ? indexes : ['']).map((index) => keyOf({ provider: id, issuer: idp.entityId }, name.value, index))
