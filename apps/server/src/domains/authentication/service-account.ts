import { z } from 'zod'
import type { Kernel } from '../../kernel/kernel.ts'
import { createServiceAccount, serviceAccountName } from '../users/index.ts'
import { createAccessKey } from './access-key.ts'

/** POST /api/v1/users/service-account-registrations/: a component gets its account and access key for the bootstrap token (contract/users.yaml). */
export function registerServiceAccounts(kernel: Kernel): void {
  kernel.app.route({
    method: 'POST',
    url: '/api/v1/users/service-account-registrations/',
    config: { access: ['bootstrap_token'], summary: 'Register a component' },
    handler: async (request, reply) => {
      const { name } = z.object({ name: serviceAccountName }).parse(request.body ?? {})
      const answer = await kernel.db.transaction(async (db) => {
        const account = await createServiceAccount(db, name)
        return { ...account, access_key: { ...(await createAccessKey(db, kernel.secrets, account.id)), is_active: true } }
      })
      return reply.status(201).send(answer)
    },
  })
}
