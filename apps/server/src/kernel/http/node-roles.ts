import type { FastifyInstance } from 'fastify'
import type { Role } from '../config.ts'
import { AppError } from '../errors/app-error.ts'
import { isPassedOn } from '../nodes/link-listener.ts'

/** What every node answers, whatever it does: whether it lives, and its figures. */
const ALWAYS = /^\/(api\/(v1\/)?health|metrics)(\/|\?|$)/
const GATEWAY = /^\/koko\//

/** A node without the role `api` answers only what its own roles need (`SALLYPORT_ROLES`). */
export function answerForRoles(app: FastifyInstance, roles: readonly Role[]): void {
  if (roles.includes('api')) return
  app.addHook('onRequest', async ({ url, raw }) => {
    // A node answers itself what another node passed on to it.
    if (isPassedOn(raw)) return
    if (ALWAYS.test(url) || (roles.includes('gateway') && GATEWAY.test(url))) return
    throw new AppError(404, 'not_found', 'Not found.')
  })
}
