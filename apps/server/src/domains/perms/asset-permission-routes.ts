import { actionNames } from '@sallyport/contract/actions.ts'
import { isRoot } from '../../kernel/access/call.ts'
import { forbidden } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import { plainFields } from '../../kernel/resource/plain-fields.ts'
import { assetPermissions } from './asset-permission.resource.ts'
import { mayConnect } from './may-connect.ts'

const BASE = assetPermissions.definition.path

/**
 * Calls of asset permissions alone: which actions are granted, and calls for old clients
 * (docs/rules/perms.md#asset_permission).
 */
export function registerAssetPermissionRoutes({ app, db }: Kernel): void {
  app.route<{ Querystring: Record<string, string | undefined> }>({
    method: 'GET',
    url: `${BASE}user/actions/`,
    config: { access: ['org_admin', 'component'], summary: 'Asset permission: what this person may do' },
    handler: async ({ call, query }) => {
      const { user_id, asset_id, system_user_id } = query
      if (![user_id, asset_id, system_user_id].every(isUuid)) throw forbidden()
      const { mask } = await mayConnect(db, {
        userId: String(user_id),
        target: { family: 'asset', id: String(asset_id) },
        systemUserId: String(system_user_id),
        ...(isRoot(call) ? {} : { orgId: call.org.id }),
      })
      return { actions: mask ? actionNames(mask) : null }
    },
  })
  for (const [method, url] of [
    ['GET', `${BASE}cache/refresh/`],
    ['DELETE', '/api/v1/perms/users/:user_id/asset-permissions/cache/'],
    ['DELETE', '/api/v1/perms/users/asset-permissions/cache/'],
  ] as const) {
    app.route({
      method,
      url,
      config: {
        access: ['org_admin'],
        summary: 'Asset permission: nothing is cached, so nothing is refreshed',
        answers: method === 'GET' ? { fields: plainFields({ msg: 'boolean' }) } : 'nothing',
      },
      handler: async (_request, reply) => (method === 'GET' ? { msg: true } : reply.status(204).send()),
    })
  }
}
