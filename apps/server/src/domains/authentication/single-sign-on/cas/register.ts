import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { hashKey, randomKey } from '../../../../kernel/access/random-secret.ts'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { singleValues } from '../../../../kernel/resource/query.ts'
import { settingsOf } from '../../../settings/index.ts'
import { groupsInList, keptGroups } from '../../group-mapping/reported-groups.ts'
import { CAS_LOGIN } from '../../login-pages.ts'
import type { CasStart } from '../../tables.ts'
import { registerOutsidePages, whileOn } from '../outside-pages.ts'
import { askProvider, endOutsideSessions, logFault } from '../outside-sign-in.ts'
import { casAddress, ownCasAddress, redeemTicket } from './cas-server.ts'
import { accountOf } from './person.ts'
import { MAX_REQUEST, sessionKey, ticketOf } from './sign-out.ts'

const CALLBACK = '/core/auth/cas/callback/'
const NAME = 'CAS'

/**
 * Sign-in by a CAS server, versions 1 to 3 of the protocol
 * (docs/rules/authentication.md#login_page). Written by hand, as no library for Node is maintained.
 */
export function registerCas(kernel: Kernel): void {
  registerOutsidePages(kernel, {
    key: 'cas',
    name: NAME,
    find: whileOn(kernel, 'AUTH_CAS', NAME),
    summaries: { login: 'To the CAS server, to sign in', callback: 'Back from the CAS server' },
    login: CAS_LOGIN,
    callback: CALLBACK,
    async begin(next) {
      const state = randomKey()
      const address = casAddress(settingsOf(kernel), 'login', { service: serviceOf(kernel, state) })
      return { address, started: { state, next } }
    },
    comeBack: (request, started) => comeBack(kernel, request, started),
  })
  kernel.app.route({
    method: 'POST',
    url: CALLBACK,
    bodyLimit: 4 * MAX_REQUEST,
    config: { access: ['anonymous'], withoutCsrf: 'same_origin', summary: 'The CAS server ends a session' },
    // Called by the CAS server itself, not by a browser. The answer is always the same, so that it
    // does not reveal which tickets exist.
    handler: async (request) => {
      const sent = (request.body as Record<string, unknown> | undefined)?.logoutRequest
      if (typeof sent !== 'string' || !settingsOf(kernel).get('AUTH_CAS')) return ''
      try {
        await endOutsideSessions(kernel, [sessionKey(settingsOf(kernel), ticketOf(sent))])
      } catch (error) {
        logFault(kernel, NAME, error)
      }
      return ''
    },
  })
}

/** The service that a ticket is for: this server, and the one sign-in that asked for it. */
const serviceOf = (kernel: Kernel, state: string) => ownCasAddress(settingsOf(kernel), `${CALLBACK}?state=${state}`)

async function comeBack(kernel: Kernel, request: FastifyRequest, started: CasStart | undefined) {
  if (!started) return 'runOut'
  const { ticket = '', state = '' } = singleValues(request.query)
  // A ticket that another browser got signs nobody in here.
  if (!timingSafeEqual(hashKey(state), hashKey(started.state))) return 'refused'
  const settings = settingsOf(kernel)
  const proof = await askProvider(kernel, NAME, () => redeemTicket(settings, ticket, serviceOf(kernel, state)))
  if (typeof proof === 'string') return proof
  const account = accountOf(settings, proof)
  const reported = groupsInList(proof.lists, settings.get('CAS_GROUPS_ATTRIBUTE'))
  const groups = keptGroups(kernel, 'cas', account.person.username, reported)
  return {
    account: { ...account, person: { ...account.person, groups } },
    session: { keys: [sessionKey(settings, ticket)] },
  }
}
