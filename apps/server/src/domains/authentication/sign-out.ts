import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Kernel } from '../../kernel/kernel.ts'
import { singleValues } from '../../kernel/resource/query.ts'
import { flash } from './flash-message.ts'
import { LOCAL_LOGIN_PAGE } from './login-methods.ts'
import { safeNext } from './next-address.ts'
import { openidSignOut } from './openid/sign-out.ts'
import { endSession, sessionState } from './session.ts'
import type { OutsideSession } from './tables.ts'

/** Sign-out on a browser, under the name of each way to sign in (contract/authentication.yaml `login_page`). */
export function registerSignOut(kernel: Kernel): void {
  for (const url of ['/core/auth/logout/', '/core/auth/openid/logout/'])
    kernel.app.route({
      method: ['GET', 'POST'],
      url,
      config: { access: ['anonymous'], withoutCsrf: 'same_origin', summary: 'Sign out on a browser' },
      handler: (request, reply) => signOut(kernel, request, reply),
    })
}

/** Ends the session here. One that began at a provider goes on to the sign-out there, where the settings say so. */
export async function signOut(kernel: Kernel, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { outside } = request.call.user ? await sessionState(kernel, request) : {}
  const provider = outside && (await providerSignOut(kernel, outside))
  await endSession(kernel, request, reply)
  if (provider) return reply.redirect(provider)
  const next = singleValues(request.query).next
  const login = next ? `/core/auth/login/?next=${encodeURIComponent(safeNext(next))}` : '/core/auth/login/'
  return flash(kernel, reply, {
    title: 'Signed out',
    text: 'You are signed out. The sign-in page follows.',
    // A provider would let the person in again at once.
    to: outside ? LOCAL_LOGIN_PAGE : login,
  })
}

/** Where the provider ends its own session; undefined when the settings keep that, or it has no address: the session ends here in any case. */
async function providerSignOut(kernel: Kernel, outside: OutsideSession): Promise<string | undefined> {
  try {
    return openidSignOut(kernel, outside)
  } catch (error) {
    kernel.app.log.warn({ reason: String((error as Error).message) }, 'the sign-out at the provider has no address')
    return undefined
  }
}
