import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type StoredSession, sessionCarrier, sessionsElsewhere } from '../../../domains/terminal/index.ts'
import { callerOf } from '../../../kernel/access/call.ts'
import { inBackground } from '../../../kernel/background.ts'
import { notFound } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { isPassedOn } from '../../../kernel/nodes/link-listener.ts'
import { formatDateTime } from '../../../kernel/resource/datetime.ts'
import type { Reattachable } from '../../session/reattachments.ts'
import type { SessionSummary } from '../../session/session-summary.ts'

const parameters = z.object({ id: z.guid() })

/** A node that carries no sessions has none to show. */
export interface OwnSessions {
  reattachments: { of(userId: string): readonly Reattachable[] }
}

/** {tg}/sessions/: the caller's own running sessions that can be gone on with. */
export function registerOwnSessions(kernel: Kernel, { reattachments }: OwnSessions): void {
  const { app } = kernel
  app.route({
    method: 'GET',
    url: '/koko/sessions/',
    config: { access: ['authenticated'], summary: 'Own sessions that can be gone on with' },
    handler: async (request) => {
      const { call } = request
      const here = reattachments.of(callerOf(call).id).map(({ session, live, view }) => ({
        ...shown(session, live.waitingSince !== undefined, call.timeZone),
        ...(view ? { view } : {}),
      }))
      return isPassedOn(request.raw) ? here : [...here, ...(await elsewhere(kernel, request))]
    },
  })
  app.route({
    method: 'DELETE',
    url: '/koko/sessions/:id/',
    config: {
      access: ['authenticated'],
      summary: 'End an own session that waits',
      carriedBy: async ({ params }) => {
        const node = await sessionCarrier(kernel, (params as { id: string }).id)
        return node && { nodes: [node], unreachable: 'refuse' }
      },
    },
    handler: async ({ call, params }, reply) => {
      const { id } = parameters.parse(params)
      const mine = reattachments.of(callerOf(call).id).find(({ session }) => session.id === id)
      if (!mine) throw notFound()
      inBackground(mine.live.end('left'))
      return reply.status(204).send()
    },
  })
}

/** `is_waiting`: nobody is at it now. */
function shown(session: SessionSummary, is_waiting: boolean, timeZone: string) {
  return { ...session, date_start: formatDateTime(new Date(session.date_start), timeZone), is_waiting }
}

/**
 * Sessions on the other nodes. For a node that can't be reached all of the caller's web terminals,
 * as waiting: a person who tries to go on sees why they can't.
 */
async function elsewhere(kernel: Kernel, request: FastifyRequest): Promise<unknown[]> {
  const { call, log } = request
  const nodes = await sessionsElsewhere(kernel, callerOf(call).id)
  const answers = nodes.map(({ node, sessions }) =>
    kernel.link.ask(node, request).then(
      (answer) => answer as unknown[],
      (error) => {
        log.warn({ err: error, node: node.name }, 'node could not be asked for sessions')
        return sessions.map((session) => shown(summaryOf(session), true, call.timeZone))
      },
    ),
  )
  return (await Promise.all(answers)).flat()
}

/** As the node that carries it says it. */
function summaryOf(session: StoredSession): SessionSummary {
  const { id, user, asset, system_user, user_id, asset_id, target_family, system_user_id, protocol } = session
  return {
    ...{ id, user, asset, system_user, user_id, asset_id, target_family, system_user_id, protocol },
    login_from: session.login_from,
    org_id: session.org_id,
    remote_addr: session.remote_addr ?? '',
    date_start: session.date_start.toISOString(),
  }
}
