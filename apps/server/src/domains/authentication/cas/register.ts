import { timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Kernel } from '../../../kernel/kernel.ts'
import { singleValues } from '../../../kernel/resource/query.ts'
import { settingsOf } from '../../settings/index.ts'
import { CAS_LOGIN } from '../login-methods.ts'
import { HOME, safeNext } from '../next-address.ts'
import { admit, askProvider, endOutsideSessions, logFault, OUTSIDE_TEXT, refuse, rememberStart, takeStart } from '../outside-sign-in.ts'
import { hashKey, randomKey } from '../random-secret.ts'
import type { CasStart } from '../tables.ts'
import { casAddress, ownCasAddress, redeemTicket } from './cas-server.ts'
import { accountOf } from './person.ts'
import { MAX_REQUEST, sessionKey, ticketOf } from './sign-out.ts'

const CALLBACK = '/core/auth/cas/callback/'
const NAME = 'CAS'

/** Sign-in by a CAS server, versions 1 to 3 of the protocol (contract/authentication.yaml `login_page`). By hand: its libraries for Node are no longer kept. */
export function registerCas(kernel: Kernel): void {
  const { app } = kernel
  const isOn = () => settingsOf(kernel).get('AUTH_CAS')
  app.route({
    method: 'GET',
    url: CAS_LOGIN,
    config: { access: ['anonymous'], summary: 'To the CAS server, to sign in' },
    handler: async (request, reply) => {
      const next = safeNext(singleValues(request.query).next)
      if (request.call.user) return reply.redirect(next)
      if (!isOn()) return refuse(kernel, request, reply, OUTSIDE_TEXT.off, { name: NAME })
      try {
        const state = randomKey()
        const address = casAddress(settingsOf(kernel), 'login', { service: serviceOf(kernel, state) })
        await rememberStart(kernel, request, reply, 'cas', { state, next })
        return reply.redirect(address)
      } catch (error) {
        logFault(kernel, NAME, error)
        return refuse(kernel, request, reply, OUTSIDE_TEXT.misconfigured, { name: NAME })
      }
    },
  })
  app.route({
    method: 'GET',
    url: CALLBACK,
    config: { access: ['anonymous'], summary: 'Back from the CAS server' },
    handler: async (request, reply) => {
      if (request.call.user) return reply.redirect(HOME)
      if (!isOn()) return refuse(kernel, request, reply, OUTSIDE_TEXT.off, { name: NAME })
      const { ticket = '', state = '' } = singleValues(request.query)
      const started = await takeStart(kernel, request, 'cas')
      if (!started) return refuse(kernel, request, reply, OUTSIDE_TEXT.runOut)
      // A ticket that another browser was given signs nobody in here.
      if (!timingSafeEqual(hashKey(state), hashKey(started.state))) return refuse(kernel, request, reply, OUTSIDE_TEXT.refused)
      return finish(kernel, request, reply, started, ticket)
    },
  })
  app.route({
    method: 'POST',
    url: CALLBACK,
    bodyLimit: 4 * MAX_REQUEST,
    config: { access: ['anonymous'], withoutCsrf: 'same_origin', summary: 'The CAS server ends a session' },
    // The server itself calls, and no page in a browser. Always the same answer: it does not tell which tickets there are.
    handler: async (request) => {
      const sent = (request.body as Record<string, unknown> | undefined)?.logoutRequest
      if (typeof sent !== 'string' || !isOn()) return ''
      try {
        await endOutsideSessions(kernel, [sessionKey(settingsOf(kernel), ticketOf(sent))])
      } catch (error) {
        logFault(kernel, NAME, error)
      }
      return ''
    },
  })
}

/** What a ticket is for: this server and the one sign-in that asked for it. */
const serviceOf = (kernel: Kernel, state: string) => ownCasAddress(settingsOf(kernel), `${CALLBACK}?state=${state}`)

async function finish(
  kernel: Kernel,
  request: FastifyRequest,
  reply: FastifyReply,
  { state, next }: CasStart,
  ticket: string,
): Promise<FastifyReply> {
  const settings = settingsOf(kernel)
  const proof = await askProvider(kernel, NAME, () => redeemTicket(settings, ticket, serviceOf(kernel, state)))
  if (typeof proof === 'string') return refuse(kernel, request, reply, OUTSIDE_TEXT[proof])
  return admit(kernel, request, reply, accountOf(settings, proof), { keys: [sessionKey(settings, ticket)] }, next)
}
