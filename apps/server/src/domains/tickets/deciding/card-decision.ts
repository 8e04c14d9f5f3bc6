import type { FastifyRequest } from 'fastify'
import { callerOf } from '../../../kernel/access/call.ts'
import { notFound, refused } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { Provided } from '../../../kernel/provided.ts'
import type { ReadContext } from '../../../kernel/resource/mount.ts'
import { getStored, presentOne } from '../../../kernel/resource/read.ts'
import type { MountedResource } from '../../../kernel/resource/registry.ts'
import { contextOf } from '../../../kernel/resource/routes.ts'
import { type DecisionLink, decisionLink, useDecisionLink } from '../cards/decision-link.ts'
import type { ticketsTicket } from '../tables.ts'
import { decideTicket } from './decision.ts'

const PATH = '/api/v1/tickets/card-decisions/:code/'

/** Has a person prove once more who they are; known by the domain that signs people in. */
interface FreshProof {
  /** The proof that is due: none, the second factor, the password, or a new sign-in. */
  due(kernel: Kernel, request: FastifyRequest): Promise<'none' | 'mfa' | 'password' | 'sign_in'>
  /** Throws 400 where it is not given. */
  require(kernel: Kernel, request: FastifyRequest, password: string): Promise<void>
}
export const freshProof = new Provided<FreshProof>('the fresh proof of a person')

/**
 * Decisions by the buttons of cards in messengers (docs/rules/tickets.md#card_decision): the address
 * is one person's, for one decision, and wants their fresh proof in a browser.
 */
export function registerCardDecisions(kernel: Kernel, tickets: MountedResource<typeof ticketsTicket>): void {
  kernel.app.route({
    method: 'GET',
    url: PATH,
    config: {
      access: ['authenticated'],
      summary: 'A decision of mine that a card in a messenger leads to',
      answers: 'row',
      rows: tickets.definition,
    },
    handler: async (request, reply) => {
      reply.header('Cache-Control', 'no-store')
      const link = await ownLink(kernel, request)
      const context = contextOf(kernel, request)
      const stored = await getStored(tickets, link.ticket, context)
      return {
        decision: link.decision,
        place: link.place,
        is_open: !link.is_used && stored.status === 'open' && stored.approval_step === link.level,
        proof: await freshProof.value.due(kernel, request),
        ticket: await presentOne(tickets, stored, context),
      }
    },
  })
  kernel.app.route({
    method: 'POST',
    url: PATH,
    config: { access: ['authenticated'], summary: 'Decide as a card in a messenger leads to' },
    handler: async (request) => {
      const link = await ownLink(kernel, request)
      await requireFreshProof(kernel, request)
      return decideByLink(kernel, tickets, contextOf(kernel, request), link, codeOf(request))
    },
  })
}

/** Throws 400 unless the caller has just proven who they are: by the second factor, else by the password in the body. */
export async function requireFreshProof(kernel: Kernel, request: FastifyRequest): Promise<void> {
  const { password = '' } = (request.body ?? {}) as { password?: unknown }
  if ((await freshProof.value.due(kernel, request)) === 'sign_in')
    throw refused('sign_in_again', 'Sign out and in again, then decide within a few minutes')
  await freshProof.value.require(kernel, request, String(password))
}

/** Decides as a button leads to, in the name of the caller, who is its person; the button is used up. */
export function decideByLink(
  kernel: Kernel,
  tickets: MountedResource<typeof ticketsTicket>,
  context: ReadContext,
  { ticket, decision, level, place }: DecisionLink,
  code: string,
): Promise<Record<string, unknown>> {
  return decideTicket(kernel, tickets, context, {
    id: ticket,
    verdict: decision,
    level,
    place,
    async first(db) {
      const link = await decisionLink(db, code, callerOf(context.call).id, true)
      if (!link || link.is_used) throw refused('decision_used', 'This button was used before')
      await useDecisionLink(db, link.id)
    },
  })
}

const codeOf = (request: FastifyRequest) => (request.params as { code: string }).code

/** The decision of the address' code, if it is the caller's, in a browser. Throws 400 or 404 otherwise. */
async function ownLink(kernel: Kernel, request: FastifyRequest): Promise<DecisionLink> {
  if (request.call.via !== 'session') throw refused('browser_only', 'Open this in a browser in which you are signed in')
  const link = await decisionLink(kernel.db, codeOf(request), callerOf(request.call).id)
  if (!link) throw notFound()
  return link
}
