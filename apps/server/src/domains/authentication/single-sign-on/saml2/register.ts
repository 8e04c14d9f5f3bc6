import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sourceNetwork } from '../../../../kernel/access/source-network.ts'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { singleValues } from '../../../../kernel/resource/query.ts'
import { settingsOf } from '../../../settings/index.ts'
import { groupsInList, keptGroups } from '../../group-mapping/reported-groups.ts'
import { SAML2_LOGIN } from '../../login-pages.ts'
import type { Saml2Start } from '../../tables.ts'
import { registerOutsidePages, whileOn } from '../outside-pages.ts'
import { askProvider, logFault } from '../outside-sign-in.ts'
import { sendPlainPage } from '../plain-page.ts'
import { IdpUnreadable } from './idp-metadata.ts'
import { accountOf } from './person.ts'
import { SAML2_NAME, SamlSettingsFault, samlProvider, serviceProvider } from './provider.ts'
import { responseInThread } from './read-in-thread.ts'
import { MAX_RESPONSE } from './response.ts'
import { samlFaults } from './setting-faults.ts'
import { outsideSessionOf } from './sign-out.ts'
import { missingForMetadata, spMetadata } from './sp-metadata.ts'
import { fetchProof, keepProof } from './taken-assertions.ts'

const CALLBACK = '/core/auth/saml2/callback/'
const MISCONFIGURED = 'Sign-in by SAML2 is not set up correctly'

/**
 * Sign-in by SAML 2: request by redirect, response by POST
 * (docs/rules/authentication.md#login_page).
 */
export function registerSaml2(kernel: Kernel): void {
  const { app } = kernel
  settingsOf(kernel).checks.push(samlFaults)
  registerOutsidePages(kernel, {
    key: 'saml2',
    name: SAML2_NAME,
    find: whileOn(kernel, 'AUTH_SAML2', SAML2_NAME),
    summaries: {
      login: 'To the SAML 2 provider, to sign in',
      callback: 'The browser of a SAML 2 sign-in, after the POST of the provider',
    },
    login: SAML2_LOGIN,
    callback: CALLBACK,
    begin: (next) => begin(kernel, next),
    explain,
    comeBack: (request, started) => comeBack(kernel, request, started),
  })
  app.route({
    method: 'POST',
    url: CALLBACK,
    bodyLimit: 2 * MAX_RESPONSE,
    config: { access: ['anonymous'], withoutCsrf: true, summary: 'Back from the SAML 2 provider' },
    // Browsers send none of our cookies with a POST from another site, and a cookie set here would
    // replace theirs. The redirect that follows carries it.
    handler: async (request, reply) => reply.redirect(`${CALLBACK}?${await receive(kernel, request)}`, 303),
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
        logFault(kernel, SAML2_NAME, error)
        return explain(request, reply, error)
      }
    },
  })
}

async function begin(kernel: Kernel, next: string): Promise<{ address: string; started: Saml2Start }> {
  const id = `_${randomBytes(20).toString('hex')}`
  const { saml } = await samlProvider(kernel)
  const address = await saml({ generateUniqueId: () => id }).getAuthorizeUrlAsync('', undefined, {})
  return { address, started: { request: id, next } }
}

/**
 * Checks what the provider posts and stores it for the browser; answers the query string by which
 * the browser fetches it.
 */
async function receive(kernel: Kernel, { body, ip }: FastifyRequest): Promise<string> {
  const encoded = typeof body === 'object' && body !== null ? (body as Record<string, unknown>).SAMLResponse : undefined
  if (typeof encoded !== 'string' || encoded.length > MAX_RESPONSE || !settingsOf(kernel).get('AUTH_SAML2'))
    return 'error=refused'
  const code = await askProvider(kernel, SAML2_NAME, async () => {
    const kept = await keepProof(kernel, await responseInThread(await samlProvider(kernel), encoded, sourceNetwork(ip)))
    if (!kept) throw new Error('the assertion was taken before')
    return { kept }
  })
  return typeof code === 'string' ? `error=${code}` : `code=${code.kept}`
}

/** Fetches what `receive` stored for this browser, or its error. */
async function comeBack(kernel: Kernel, request: FastifyRequest, started: Saml2Start | undefined) {
  const { code, error } = singleValues(request.query)
  if (error) return error === 'unreachable' ? 'unreachable' : 'refused'
  const proof = started && code ? await fetchProof(kernel, code) : undefined
  if (!started || !proof) return 'runOut'
  // An answer to another browser's request signs nobody in here.
  if (proof.inResponseTo !== started.request) return 'refused'
  const settings = settingsOf(kernel)
  const account = accountOf(settings, proof)
  if (account) {
    // Sign-ins that began before an upgrade have no lists.
    const reported = groupsInList(proof.lists ?? {}, settings.get('SAML2_GROUPS_ATTRIBUTE'))
    const groups = keptGroups(kernel, 'saml2', account.person.username, reported)
    return { account: { ...account, person: { ...account.person, groups } }, session: outsideSessionOf(kernel, proof) }
  }
  logFault(
    kernel,
    SAML2_NAME,
    new Error(`no username among the attributes ${Object.keys(proof.attributes).join(', ')}`),
  )
  return 'noUsername'
}

/**
 * Tells an administrator what to mend. About a provider's answer it says only that it can't be
 * read; details are logged.
 */
function explain(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  const { language } = request.call
  const words = (line: string) => sendPlainPage(reply, language, 412, MISCONFIGURED, [line])
  if (error instanceof IdpUnreadable)
    return words('The metadata of the identity provider cannot be read. Tell an administrator.')
  if (error instanceof SamlSettingsFault) return words(error.message)
  throw error
}
