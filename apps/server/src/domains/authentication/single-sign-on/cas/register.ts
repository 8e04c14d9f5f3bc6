import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { hashKey, randomKey } from '../../../../kernel/access/random-secret.ts'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { singleValues } from '../../../../kernel/resource/query.ts'
import { groupsInList, keptGroups } from '../../group-mapping/reported-groups.ts'
import type { CasStart } from '../../tables.ts'
import { placesOfPages, registerOutsidePages, sourceOfPage } from '../outside-pages.ts'
import { askProvider, endOutsideSessions, logFault } from '../outside-sign-in.ts'
import { casAddress, ownCasAddress, redeemTicket } from './cas-server.ts'
import { accountOf } from './person.ts'
import { MAX_REQUEST, sessionKey, ticketOf } from './sign-out.ts'
import { type CasSource, casSources } from './sources.ts'

const NAME = 'CAS'

/**
 * Sign-in by a CAS server, versions 1 to 3 of the protocol
 * (docs/rules/authentication.md#login_page). Written by hand, as no library for Node is maintained.
 */
export function registerCas(kernel: Kernel): void {
  registerOutsidePages(kernel, {
    key: 'cas',
    name: NAME,
    sources: casSources,
    summaries: [
      { login: 'To the CAS server, to sign in', callback: 'Back from the CAS server' },
      { login: 'To a further CAS server, to sign in', callback: 'Back from a further CAS server' },
    ],
    async begin(next, source) {
      const state = randomKey()
      return {
        address: casAddress(source.settings, 'login', { service: serviceOf(source, state) }),
        started: { state, next },
      }
    },
    comeBack: (request, started, source) => comeBack(kernel, request, started, source),
  })
  const [first, further] = placesOfPages(casSources)
  registerSignOut(kernel, first.callback, 'The CAS server ends a session')
  registerSignOut(kernel, further.callback, 'A further CAS server ends a session')
}

function registerSignOut(kernel: Kernel, url: string, summary: string): void {
  kernel.app.route({
    method: 'POST',
    url,
    bodyLimit: 4 * MAX_REQUEST,
    config: { access: ['anonymous'], withoutCsrf: 'same_origin', summary, answers: 'text' },
    // Called by the CAS server itself, not by a browser. The answer is always the same, so that it
    // does not reveal which tickets exist.
    handler: async (request) => {
      const sent = (request.body as Record<string, unknown> | undefined)?.logoutRequest
      const source = typeof sent === 'string' ? await sourceOfPage(kernel, casSources, request) : undefined
      if (typeof sent !== 'string' || !source) return ''
      try {
        await endOutsideSessions(kernel, [sessionKey(source, ticketOf(sent))])
      } catch (error) {
        logFault(kernel, source.name, error)
      }
      return ''
    },
  })
}

/** The service that a ticket is for: this server, one CAS server, and the one sign-in that asked for it. */
const serviceOf = ({ settings, pages }: CasSource, state: string) =>
  ownCasAddress(settings, `${pages.callback}?state=${state}`)

async function comeBack(kernel: Kernel, request: FastifyRequest, started: CasStart | undefined, source: CasSource) {
  if (!started) return 'runOut'
  const { ticket = '', state = '' } = singleValues(request.query)
  // A ticket that another browser got signs nobody in here.
  if (!timingSafeEqual(hashKey(state), hashKey(started.state))) return 'refused'
  const { name, settings } = source
  const proof = await askProvider(kernel, name, () => redeemTicket(settings, ticket, serviceOf(source, state)))
  if (typeof proof === 'string') return proof
  const account = accountOf(settings, proof)
  const reported = groupsInList(proof.lists, settings.get('CAS_GROUPS_ATTRIBUTE'))
  const groups = keptGroups(kernel, 'cas', account.person.username, reported)
  return {
    account: { ...account, person: { ...account.person, groups } },
    session: { keys: [sessionKey(source, ticket)] },
  }
}
