import { z } from 'zod'
import { callerOf } from '../../../kernel/access/call.ts'
import { notFound } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { formatDateTime } from '../../../kernel/resource/datetime.ts'
import type { Gateway } from '../../gateway.ts'

const parameters = z.object({ id: z.guid() })

/** {tg}/sessions/: the caller's own running sessions that can be gone on with, on this node. */
export function registerOwnSessions({ app }: Kernel, gateway: Gateway): void {
  app.route({
    method: 'GET',
    url: '/koko/sessions/',
    config: { access: ['authenticated'], summary: 'Own sessions that can be gone on with' },
    handler: async ({ call }) =>
      gateway.reattachments.of(callerOf(call).id).map(({ session, live }) => ({
        ...session,
        date_start: formatDateTime(new Date(session.date_start), call.timeZone),
        /** Nobody is at it now. */
        is_waiting: live.waitingSince !== undefined,
      })),
  })
  app.route({
    method: 'DELETE',
    url: '/koko/sessions/:id/',
    config: { access: ['authenticated'], summary: 'End an own session that waits' },
    handler: async ({ call, params }, reply) => {
      const { id } = parameters.parse(params)
      const mine = gateway.reattachments.of(callerOf(call).id).find(({ session }) => session.id === id)
      if (!mine) throw notFound()
      void mine.live.end('left')
      return reply.status(204).send()
    },
  })
}
