import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Kernel } from '../../../kernel/kernel.ts'
import { singleValues } from '../../../kernel/resource/query.ts'
import { flash } from '../flash-message.ts'
import { LOCAL_LOGIN_PAGE } from '../login-pages.ts'
import { safeNext } from '../next-address.ts'
import { endSession, sessionState } from '../session.ts'
import { casSignOut } from '../single-sign-on/cas/sign-out.ts'
import { openidSignOut } from '../single-sign-on/openid/sign-out.ts'
import { samlSignOut } from '../single-sign-on/saml2/sign-out.ts'
import type { OutsideSession } from '../tables.ts'

/**
 * Sign-out in a browser, at the address of each way to sign in
 * (docs/rules/authentication.md#login_page). SAML 2 has its own file: the provider calls there,
 * too.
 */
export function registerSignOut(kernel: Kernel): void {
  for (const url of ['/core/auth/logout/', '/core/auth/openid/logout/', '/core/auth/cas/logout/'])
    kernel.app.route({
      method: ['GET', 'POST'],
      url,
      config: {
        access: ['anonymous'],
        withoutCsrf: 'same_origin',
        changesOnGet: 'same_site',
        summary: 'Sign out on a browser',
      },
      handler: (request, reply) => signOut(kernel, request, reply),
    })
}

/**
 * Ends the session here. One that began at a provider goes on to the sign-out there, if the
 * settings say so.
 */
export async function signOut(kernel: Kernel, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { outside } = request.call.user ? await sessionState(kernel, request) : {}
  await endSession(kernel, request, reply)
  const provider = outside && (await providerSignOut(kernel, outside))
  if (provider) return reply.redirect(provider)
  // Not back to the sign-in page: the provider would let the person in again at once.
  if (outside) return signedOutPage(kernel, reply)
  const next = singleValues(request.query).next
  return signedOutPage(
    kernel,
    reply,
    next ? `/core/auth/login/?next=${encodeURIComponent(safeNext(next))}` : '/core/auth/login/',
  )
}

/** Shows that somebody is signed out; leads on to the page for name and password by default. */
export function signedOutPage(kernel: Kernel, reply: FastifyReply, to = LOCAL_LOGIN_PAGE): Promise<FastifyReply> {
  return flash(kernel, reply, { title: 'Signed out', text: 'You are signed out. The sign-in page follows.', to })
}

/**
 * Where the provider ends its own session; undefined if the settings keep it, or the provider
 * offers no sign-out.
 */
async function providerSignOut(kernel: Kernel, outside: OutsideSession): Promise<string | undefined> {
  try {
    switch (outside.source) {
      case 'openid':
        return await openidSignOut(kernel, outside)
      case 'cas':
        return await casSignOut(kernel, outside)
      case 'saml2':
        return await samlSignOut(kernel, outside)
      default:
        return outside.source satisfies never
    }
  } catch (error) {
    kernel.app.log.warn({ reason: String((error as Error).message) }, 'the sign-out at the provider has no address')
    return undefined
  }
}
