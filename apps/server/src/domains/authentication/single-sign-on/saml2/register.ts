import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sourceNetwork } from '../../../../kernel/access/source-network.ts'
import { notFound } from '../../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { singleValues } from '../../../../kernel/resource/query.ts'
import { settingsOf } from '../../../settings/index.ts'
import { groupsInList, keptGroups } from '../../group-mapping/reported-groups.ts'
import type { Saml2Start } from '../../tables.ts'
import { idOfPage, placesOfPages, registerOutsidePages, sourceOfPage } from '../outside-pages.ts'
import { askProvider, logFault } from '../outside-sign-in.ts'
import { sendPlainPage } from '../plain-page.ts'
import { IdpUnreadable } from './idp-metadata.ts'
import { accountOf } from './person.ts'
import { SAML2_NAME, SamlSettingsFault, samlProvider, serviceProvider } from './provider.ts'
import { responseInThread } from './read-in-thread.ts'
import { MAX_RESPONSE } from './response.ts'
import { samlFaults } from './setting-faults.ts'
import { outsideSessionOf } from './sign-out.ts'
import { type SamlPages, type SamlSource, saml2Sources } from './sources.ts'
import { missingForMetadata, spMetadata } from './sp-metadata.ts'
import { fetchProof, keepProof } from './taken-assertions.ts'

const MISCONFIGURED = 'Sign-in by SAML2 is not set up correctly'

/**
 * Sign-in by SAML 2: request by redirect, response by POST
 * (docs/rules/authentication.md#login_page).
 */
export function registerSaml2(kernel: Kernel): void {
  settingsOf(kernel).checks.push(samlFaults)
  registerOutsidePages(kernel, {
    key: 'saml2',
    name: SAML2_NAME,
    sources: saml2Sources,
    summaries: [
      {
        login: 'To the SAML2 provider, to sign in',
        callback: 'The browser of a SAML 2 sign-in, after the POST of the provider',
      },
      {
        login: 'To a further SAML2 provider, to sign in',
        callback: 'The browser of a SAML 2 sign-in, after the POST of a further provider',
      },
    ],
    begin: (next, source) => begin(kernel, source, next),
    explain,
    comeBack: (request, started, source) => comeBack(kernel, request, started, source),
  })
  const [first, further] = placesOfPages(saml2Sources)
  registerMessages(kernel, first, {
    callback: 'Back from the SAML2 provider',
    metadata: 'What a SAML2 provider must know of this server',
  })
  registerMessages(kernel, further, {
    callback: 'Back from a further SAML2 provider',
    metadata: 'What a further SAML2 provider must know of this server',
  })
}

/** The answer of a provider, and what it must know of us. */
function registerMessages(kernel: Kernel, pages: SamlPages, summaries: Pick<SamlPages, 'callback' | 'metadata'>): void {
  const { app } = kernel
  app.route({
    method: 'POST',
    url: pages.callback,
    bodyLimit: 2 * MAX_RESPONSE,
    config: {
      access: ['anonymous'],
      withoutCsrf: true,
      summary: summaries.callback,
      answers: 'moved',
      answerStatus: 303,
    },
    // Browsers send none of our cookies with a POST from another site, and a cookie set here would
    // replace theirs. The redirect that follows carries it.
    handler: async (request, reply) => {
      const source = await sourceOfPage(kernel, saml2Sources, request)
      const answer = source ? await receive(kernel, request, source) : 'error=refused'
      return reply.redirect(`${new URL(request.url, 'http://here.invalid').pathname}?${answer}`, 303)
    },
  })
  app.route({
    method: 'GET',
    url: pages.metadata,
    config: { access: ['anonymous'], summary: summaries.metadata, answers: 'html' },
    handler: async (request, reply) => {
      try {
        // It is needed before the provider is switched on.
        const source = await saml2Sources.anyway(kernel, idOfPage(request))
        if (!source) throw notFound()
        const sp = serviceProvider(source)
        const missing = missingForMetadata(sp)
        if (missing.length) return sendPlainPage(reply, request.call.language, 412, MISCONFIGURED, missing)
        return reply.type('application/samlmetadata+xml; charset=utf-8').send(spMetadata(source.settings, sp))
      } catch (error) {
        logFault(kernel, SAML2_NAME, error)
        return explain(request, reply, error)
      }
    },
  })
}

async function begin(
  kernel: Kernel,
  source: SamlSource,
  next: string,
): Promise<{ address: string; started: Saml2Start }> {
  const id = `_${randomBytes(20).toString('hex')}`
  const { saml } = await samlProvider(kernel, source)
  const address = await saml({ generateUniqueId: () => id }).getAuthorizeUrlAsync('', undefined, {})
  return { address, started: { request: id, next } }
}

/**
 * Checks what the provider posts and stores it for the browser; answers the query string by which
 * the browser fetches it.
 */
async function receive(kernel: Kernel, { body, ip }: FastifyRequest, source: SamlSource): Promise<string> {
  const encoded = typeof body === 'object' && body !== null ? (body as Record<string, unknown>).SAMLResponse : undefined
  if (typeof encoded !== 'string' || encoded.length > MAX_RESPONSE) return 'error=refused'
  const code = await askProvider(kernel, source.name, async () => {
    const proof = await responseInThread(await samlProvider(kernel, source), encoded, sourceNetwork(ip))
    const kept = await keepProof(kernel, source.id === null ? proof : { ...proof, provider: source.id })
    if (!kept) throw new Error('the assertion was taken before')
    return { kept }
  })
  return typeof code === 'string' ? `error=${code}` : `code=${code.kept}`
}

/** Fetches what `receive` stored for this browser, or its error. */
async function comeBack(
  kernel: Kernel,
  request: FastifyRequest,
  started: Saml2Start | undefined,
  { id, name, settings }: SamlSource,
) {
  const { code, error } = singleValues(request.query)
  if (error) return error === 'unreachable' ? 'unreachable' : 'refused'
  const proof = started && code ? await fetchProof(kernel, code) : undefined
  if (!started || !proof) return 'runOut'
  // An answer to another browser's request signs nobody in here, nor one that came to another provider's pages.
  if (proof.inResponseTo !== started.request || (proof.provider ?? null) !== id) return 'refused'
  const account = accountOf(settings, proof)
  if (account) {
    // Sign-ins that began before an upgrade have no lists.
    const reported = groupsInList(proof.lists ?? {}, settings.get('SAML2_GROUPS_ATTRIBUTE'))
    const groups = keptGroups(kernel, 'saml2', account.person.username, reported)
    return { account: { ...account, person: { ...account.person, groups } }, session: outsideSessionOf(kernel, proof) }
  }
  logFault(kernel, name, new Error(`no username among the attributes ${Object.keys(proof.attributes).join(', ')}`))
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
