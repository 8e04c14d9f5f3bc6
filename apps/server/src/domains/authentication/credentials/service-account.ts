import { z } from 'zod'
import type { Kernel } from '../../../kernel/kernel.ts'
import { formatDateTime } from '../../../kernel/resource/datetime.ts'
import { createServiceAccount, serviceAccountName } from '../../users/index.ts'

/**
 * POST /api/v1/users/service-account-registrations/: gives a component its account and access key
 * in exchange for the bootstrap token (docs/rules/users.md#service_account).
 */
export function registerServiceAccounts(kernel: Kernel): void {
  kernel.app.route({
    method: 'POST',
    url: '/api/v1/users/service-account-registrations/',
    config: { access: ['bootstrap_token'], summary: 'Register a component', answerStatus: 201 },
    handler: async (request, reply) => {
      const { name } = z.object({ name: serviceAccountName }).parse(request.body ?? {})
      const answer = await kernel.db.transaction(async (db) => {
        const { language } = request.call
        const { access_key, ...account } = await createServiceAccount(kernel, db, { name, language })
        const { id, secret, date_created } = access_key
        return {
          ...account,
          access_key: {
            id,
            secret,
            is_active: true,
            date_created: formatDateTime(date_created, request.call.timeZone),
          },
        }
      })
      return reply.status(201).send(answer)
    },
  })
}
