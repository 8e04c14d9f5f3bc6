import { asset } from '@sallyport/contract/resources/assets/asset.ts'
import { eq, type SQL, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import type { Kernel } from '../../kernel/kernel.ts'
import { listRows } from '../../kernel/resource/lists/list.ts'
import { columnOf } from '../../kernel/resource/mount.ts'
import { plainFields } from '../../kernel/resource/plain-fields.ts'
import type { MountedResource } from '../../kernel/resource/registry.ts'
import { contextOf } from '../../kernel/resource/routes.ts'
import { findSystemUser, SYSTEM_USERS } from './find-system-user.ts'
import { registerSystemUserSecrets } from './system-user-secrets.ts'
import { assetsAccount, assetsSystemUser } from './tables.ts'
import { registerTypedLogin } from './typed-login.ts'

const LINKED_ASSET = {
  label: asset.label,
  fields: plainFields({
    id: 'uuid',
    hostname: 'string',
    ip: 'string',
    port: 'integer',
    connectivity: 'string',
    date_verified: 'datetime',
  }),
}

/** Calls beside the generic ones (docs/rules/assets.md#system_user). */
export function registerSystemUserRoutes(kernel: Kernel, systemUsers: MountedResource, assets: MountedResource): void {
  const { app } = kernel
  const find = (request: FastifyRequest) => findSystemUser(kernel, request, (request.params as { id: string }).id)
  const within = (resource: MountedResource, scope: SQL): MountedResource => ({
    ...resource,
    mount: { ...resource.mount, scope: () => scope },
  })

  app.route({
    method: 'GET',
    url: `${SYSTEM_USERS}/su-from/`,
    config: {
      access: ['org_admin', 'component'],
      summary: 'Identities that can be switched from',
      rows: systemUsers.definition,
      answers: 'rows or page',
    },
    handler: (request, reply) =>
      listRows(
        within(systemUsers, sql`${assetsSystemUser.protocol} = 'ssh' AND ${assetsSystemUser.login_mode} = 'auto'`),
        contextOf(kernel, request),
        request,
        reply,
      ),
  })
  app.route({
    method: 'GET',
    url: `${SYSTEM_USERS}/:id/su-to/`,
    config: {
      access: ['org_admin', 'component'],
      summary: 'Identities that switch from this one',
      rows: systemUsers.definition,
      answers: 'rows or page',
    },
    handler: async (request, reply) =>
      listRows(
        within(systemUsers, eq(assetsSystemUser.su_from, (await find(request)).id)),
        contextOf(kernel, request),
        request,
        reply,
      ),
  })
  app.route({
    method: 'GET',
    url: `${SYSTEM_USERS}/:id/assets/`,
    config: {
      access: ['org_admin'],
      summary: 'Assets linked to a system user',
      rows: LINKED_ASSET,
      answers: 'rows or page',
    },
    handler: async (request, reply) => {
      const { id } = await find(request)
      const linked = sql`EXISTS (SELECT 1 FROM ${assetsAccount} WHERE ${assetsAccount.asset} = ${columnOf(assets.mount.table, 'id')} AND ${assetsAccount.systemuser} = ${id})`
      const short: MountedResource = {
        ...assets,
        mount: {
          ...assets.mount,
          scope: () => linked,
          count: async () => undefined,
          present: (row, stored) => ({
            id: row.id,
            hostname: row.hostname,
            ip: row.ip,
            port: stored.port,
            connectivity: row.connectivity,
            date_verified: row.date_verified,
          }),
        },
      }
      return listRows(short, contextOf(kernel, request), request, reply)
    },
  })
  registerSystemUserSecrets(kernel, systemUsers)
  registerTypedLogin(kernel)
}
