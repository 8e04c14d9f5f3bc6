import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Kernel } from '../../../kernel/kernel.ts'
import { singleValues } from '../../../kernel/resource/query.ts'
import { settingsOf } from '../../settings/index.ts'
import { SAML2_LOGIN } from '../login-methods.ts'
import { HOME, safeNext } from '../next-address.ts'
import { admit, askProvider, logFault, OUTSIDE_TEXT, refuse, rememberStart, takeStart } from '../outside-sign-in.ts'
import { sendPlainPage } from '../plain-page.ts'
import { IdpUnreadable } from './idp-metadata.ts'
import { accountOf } from './person.ts'
import { SAML2_NAME, SamlSettingsFault, samlProvider, serviceProvider } from './provider.ts'
import { MAX_RESPONSE, readResponse, type SamlProof } from './response.ts'
import { outsideSessionOf } from './sign-out.ts'
import { registerSamlSignOut } from './sign-out-page.ts'
import { missingForMetadata, spMetadata } from './sp-metadata.ts'
import { fetchProof, keepProof } from './taken-assertions.ts'

const CALLBACK = '/core/auth/saml2/callback/'
const MISCONFIGURED = 'Sign-in by SAML2 is not set up correctly'
const NO_USERNAME = 'The sign-in provider does not tell your username. Tell an administrator.'

/** Sign-in by SAML 2: request by redirect, response by POST (contract/authentication.yaml `login_page`). */
export function registerSaml2(kernel: Kernel): void {
  const { app } = kernel
  const isOn = () => settingsOf(kernel).get('AUTH_SAML2')
  app.route({
    method: 'GET',
    url: SAML2_LOGIN,
    config: { access: ['anonymous'], summary: 'To the SAML 2 provider, to sign in' },
    handler: async (request, reply) => {
      const next = safeNext(singleValues(request.query).next)
      if (request.call.user) return reply.redirect(next)
      if (!isOn()) return refuse(kernel, request, reply, OUTSIDE_TEXT.off, { name: SAML2_NAME })
      try {
        return reply.redirect(await start(kernel, request, reply, next))
      } catch (error) {
        return sendFault(kernel, request, reply, error)
      }
    },
  })
  app.route({
    method: 'POST',
    url: CALLBACK,
    bodyLimit: 2 * MAX_RESPONSE,
    config: { access: ['anonymous'], withoutCsrf: true, summary: 'Back from the SAML 2 provider' },
    // Browsers send no cookie of ours with the POST of another site, and what is set here would replace the one they have. The visit that follows has it.
    handler: async (request, reply) => reply.redirect(`${CALLBACK}?${await receive(kernel, request)}`, 303),
  })
  app.route({
    method: 'GET',
    url: CALLBACK,
    config: { access: ['anonymous'], summary: 'The browser of a SAML 2 sign-in, after the POST of the provider' },
    handler: async (request, reply) => {
      if (request.call.user) return reply.redirect(HOME)
      if (!isOn()) return refuse(kernel, request, reply, OUTSIDE_TEXT.off, { name: SAML2_NAME })
      const { code, error } = singleValues(request.query)
      const started = await takeStart(kernel, request, 'saml2')
      if (error) return refuse(kernel, request, reply, error === 'unreachable' ? OUTSIDE_TEXT.unreachable : OUTSIDE_TEXT.refused)
      const proof = started && code ? await fetchProof(kernel, code) : undefined
      if (!started || !proof) return refuse(kernel, request, reply, OUTSIDE_TEXT.runOut)
      // An answer to what another browser asked signs nobody in here.
      if (proof.inResponseTo !== started.request) return refuse(kernel, request, reply, OUTSIDE_TEXT.refused)
      return finish(kernel, request, reply, proof, started.next)
    },
  })
  app.route({
    method: 'GET',
    url: '/core/auth/saml2/metadata/',
    config: { access: ['anonymous'], summary: 'What a SAML 2 provider must know of this server' },
    handler: async (request, reply) => {
      try {
        const settings = settingsOf(kernel)
        const sp = serviceProvider(settings)
        const missing = missingForMetadata(sp)
        if (missing.length) return sendPlainPage(reply, request.call.language, 412, MISCONFIGURED, missing)
        return reply.type('application/samlmetadata+xml; charset=utf-8').send(spMetadata(settings, sp))
      } catch (error) {
        return sendFault(kernel, request, reply, error)
      }
    },
  })
  registerSamlSignOut(kernel)
}

/** Remembers the request, and tells where the provider answers it. */
async function start(kernel: Kernel, request: FastifyRequest, reply: FastifyReply, next: string): Promise<string> {
  const id = `_${randomBytes(20).toString('hex')}`
  const { saml } = await samlProvider(kernel)
  const address = await saml({ generateUniqueId: () => id }).getAuthorizeUrlAsync('', undefined, {})
  await rememberStart(kernel, request, reply, 'saml2', { request: id, next })
  return address
}

/** Looks at what the provider posts and keeps it for the browser; answers the query that it fetches it with. */
async function receive(kernel: Kernel, { body }: FastifyRequest): Promise<string> {
  const encoded = typeof body === 'object' && body !== null ? (body as Record<string, unknown>).SAMLResponse : undefined
  if (typeof encoded !== 'string' || !settingsOf(kernel).get('AUTH_SAML2')) return 'error=refused'
  const code = await askProvider(kernel, SAML2_NAME, async () => {
    const kept = await keepProof(kernel, await readResponse(await samlProvider(kernel), encoded))
    if (!kept) throw new Error('the assertion was taken before')
    return { kept }
  })
  return typeof code === 'string' ? `error=${code}` : `code=${code.kept}`
}

async function finish(kernel: Kernel, request: FastifyRequest, reply: FastifyReply, proof: SamlProof, next: string): Promise<FastifyReply> {
  const account = accountOf(settingsOf(kernel), proof)
  if (account) return admit(kernel, request, reply, account, outsideSessionOf(kernel, proof), next)
  logFault(kernel, SAML2_NAME, new Error(`no username among the attributes ${Object.keys(proof.attributes).join(', ')}`))
  return refuse(kernel, request, reply, NO_USERNAME)
}

/** Says what an administrator must mend. Of a provider's answer only whether it could be read: the rest is in the log. */
function sendFault(kernel: Kernel, request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  logFault(kernel, SAML2_NAME, error)
  const { language } = request.call
  const words = (line: string) => sendPlainPage(reply, language, 412, MISCONFIGURED, [line])
  if (error instanceof IdpUnreadable) return words('The metadata of the identity provider cannot be read. Tell an administrator.')
  if (error instanceof SamlSettingsFault) return words(error.message)
  throw error
}
