import { UNDO_PATH } from '@sallyport/contract/resources/audits/undo.ts'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { changeOf } from '../../../kernel/audit/named-change.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { contextOf } from '../../../kernel/resource/routes.ts'
import { eraseForGood, undo, whatUndoDoes } from './undo.ts'

const asked = z.object({ force: z.boolean().default(false), keep: z.array(z.string().max(64)).max(100).default([]) })

/**
 * Changes are taken back by the id of a row of the operate log, of a change or of an import
 * (docs/design/undo.md). Who may make the same change by hand may do so; what a caller may not read
 * is answered with 404.
 */
export function registerUndo(kernel: Kernel): void {
  const idOf = (request: FastifyRequest) => (request.params as { id: string }).id
  kernel.app.route({
    method: 'GET',
    url: `${UNDO_PATH}:id/`,
    config: { access: ['org_member'], summary: 'Say what taking a change back would do' },
    handler: (request) => whatUndoDoes(idOf(request), contextOf(kernel, request)),
  })
  kernel.app.route({
    method: 'POST',
    url: `${UNDO_PATH}:id/`,
    config: { access: ['org_member'], summary: 'Take a change back', takes: asked },
    handler: (request, reply) => {
      const change = { ...changeOf(reply), undoes: idOf(request) }
      return undo(idOf(request), asked.parse(request.body ?? {}), { ...contextOf(kernel, request), change })
    },
  })
  kernel.app.route({
    method: 'DELETE',
    url: `${UNDO_PATH}:id/`,
    config: {
      access: ['org_admin'],
      summary: 'Erase for good what is kept of a changed object, so that nothing brings it back',
    },
    handler: async (request, reply) => {
      await eraseForGood(idOf(request), contextOf(kernel, request))
      return reply.status(204).send()
    },
  })
}
