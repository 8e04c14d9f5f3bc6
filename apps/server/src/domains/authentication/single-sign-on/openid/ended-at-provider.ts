import { sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { hashKey } from '../../../../kernel/access/random-secret.ts'
import { AppError } from '../../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { authenticationUsedSignature } from '../../tables.ts'
import { placesOfPages, sourceOfPage } from '../outside-pages.ts'
import { endOutsideSessions, logFault } from '../outside-sign-in.ts'
import { keyOf, readLogoutToken } from './logout-token.ts'
import { openidProvider } from './provider.ts'
import { type OpenidPages, openidSources } from './sources.ts'

const MAX_TOKEN = 16 * 1024
const MAX_SESSION = 255
/** For so long a token is known again; it is too old after that. */
const KNOWN_SECONDS = 600

/**
 * Sessions that people end at a provider end here: it says so itself (OpenID Connect Back-Channel
 * Logout 1.0), or by a page of ours that its own loads (Front-Channel Logout 1.0). Each provider ends
 * its own.
 */
export function registerEndedAtProvider(kernel: Kernel): void {
  const [first, further] = placesOfPages(openidSources)
  registerEnding(kernel, first, '')
  registerEnding(kernel, further, 'further ')
}

function registerEnding(kernel: Kernel, pages: OpenidPages, which: string): void {
  kernel.app.route({
    method: 'POST',
    url: pages.backchannelLogout,
    config: {
      access: ['anonymous'],
      withoutCaller: true,
      withoutCsrf: true,
      summary: `The ${which}OpenID provider has ended sessions`,
    },
    handler: async (request, reply) => {
      await endByToken(kernel, request)
      return reply.status(200).send()
    },
  })
  kernel.app.route({
    method: 'GET',
    url: pages.frontchannelLogout,
    config: {
      access: ['anonymous'],
      withoutCaller: true,
      summary: `A page of the ${which}OpenID provider ends a session`,
    },
    handler: async (request, reply) => {
      const { iss, sid } = request.query as Record<string, unknown>
      // The name of a session is known to provider and browser alone: it is all that is needed, and ends no other.
      const isNamed = typeof sid === 'string' && sid !== '' && sid.length <= MAX_SESSION
      const source = isNamed && (await sourceOfPage(kernel, openidSources, request))
      if (source) {
        const provider = openidProvider(source.settings, source.id)
        if (iss === provider.issuer) await endOutsideSessions(kernel, [keyOf(provider, 'sid', sid)])
      }
      return reply.status(200).type('text/plain; charset=utf-8').send('')
    },
  })
}

/** Throws 400 in the shape of §2.8 for a token that does not count. */
async function endByToken(kernel: Kernel, request: FastifyRequest): Promise<void> {
  const token = (request.body as Record<string, unknown> | undefined)?.logout_token
  try {
    const source = await sourceOfPage(kernel, openidSources, request)
    if (!source) throw new Error('OpenID is switched off')
    if (typeof token !== 'string' || token.length > MAX_TOKEN)
      throw new Error('there is no logout token, or it is too long')
    const provider = openidProvider(source.settings, source.id)
    const { keys, id } = await readLogoutToken(source.settings, provider, token)
    if (!(await isNew(kernel, `openid logout\n${source.id ?? ''}${provider.issuer}\n${id}`)))
      throw new Error('the logout token came twice')
    await endOutsideSessions(kernel, keys)
  } catch (error) {
    logFault(kernel, 'OpenID', error)
    throw new AppError(400, 'invalid_request', 'The logout token was not accepted', {
      body: { error: 'invalid_request', error_description: 'The logout token was not accepted' },
    })
  }
}

/** A token that is sent again would end sessions that have begun since. */
async function isNew({ db }: Kernel, id: string): Promise<boolean> {
  const made = await db
    .insert(authenticationUsedSignature)
    .values({
      signature_hash: hashKey(id),
      remote_addr: '',
      date_expired: sql`now() + make_interval(secs => ${KNOWN_SECONDS})`,
    })
    .onConflictDoNothing()
    .returning({ hash: authenticationUsedSignature.signature_hash })
  return made.length > 0
}
