import { type SQL, sql } from 'drizzle-orm'
import { notFound } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import { listRows } from '../../kernel/resource/lists/list.ts'
import { columnOf } from '../../kernel/resource/mount.ts'
import { getStored } from '../../kernel/resource/read.ts'
import { type MountedResource, resourcesOf } from '../../kernel/resource/registry.ts'
import { contextOf } from '../../kernel/resource/routes.ts'
import { nodesAbove } from './families.ts'

const BASE = '/api/v1/assets/assets/:id/'

/** Permissions that apply to an asset, valid or not (docs/rules/assets.md#perm-users). */
const reaching = (assetId: string) => sql`
  SELECT pt.permission FROM perms_permission_target pt WHERE pt.asset = ${assetId}::uuid
  UNION ALL SELECT pn.permission FROM perms_permission_node pn WHERE pn.node IN (${nodesAbove('asset', sql`${assetId}::uuid`)})`

const usersOf = (assetId: string) => sql`
  SELECT pu."user" FROM perms_permission_user pu WHERE pu.permission IN (${reaching(assetId)})
  UNION ALL SELECT m.user_id FROM perms_permission_user_group pg JOIN users_group_member m ON m.group_id = pg.usergroup
  WHERE pg.permission IN (${reaching(assetId)})`

const groupsOf = (assetId: string) => sql`
  SELECT pg.usergroup FROM perms_permission_user_group pg WHERE pg.permission IN (${reaching(assetId)})`

const ofUser = (userId: string) => sql`
  SELECT pu.permission FROM perms_permission_user pu WHERE pu."user" = ${userId}::uuid
  UNION ALL SELECT pg.permission FROM users_group_member m JOIN perms_permission_user_group pg ON pg.usergroup = m.group_id
  WHERE m.user_id = ${userId}::uuid`

const ofGroup = (groupId: string) => sql`
  SELECT pg.permission FROM perms_permission_user_group pg WHERE pg.usergroup = ${groupId}::uuid`

/**
 * The people who may use an asset and their permissions, for the asset page's tab of authorized
 * users.
 */
export function registerAssetPermUsers(kernel: Kernel): void {
  const add = (
    path: string,
    summary: string,
    listed: 'user' | 'user_group' | 'asset_permission',
    idsOf: (assetId: string, otherId: string) => SQL,
  ) =>
    kernel.app.route<{ Params: { id: string; other_id?: string } }>({
      method: 'GET',
      url: `${BASE}${path}`,
      config: {
        access: ['org_admin'],
        summary: `Asset: ${summary}`,
        rows: mounted(kernel, listed).definition,
        answers: 'rows or page',
      },
      handler: async (request, reply) => {
        const context = contextOf(kernel, request)
        const asset = await getStored(mounted(kernel, 'asset'), request.params.id, context)
        const { other_id = '' } = request.params
        if (path.includes(':other_id') && !isUuid(other_id)) throw notFound()
        const { definition, mount } = mounted(kernel, listed)
        const among = sql`${columnOf(mount.table, 'id')} IN (${idsOf(String(asset.id), other_id)})`
        const scope: typeof mount.scope = (scoped) => {
          const own = mount.scope?.(scoped)
          return own ? sql`(${own}) AND ${among}` : among
        }
        return listRows({ definition, mount: { ...mount, scope } }, { ...context, parameters: {} }, request, reply)
      },
    })
  const both = (permissions: (id: string) => SQL) => (assetId: string, otherId: string) =>
    sql`
    SELECT p.id FROM perms_permission p WHERE p.id IN (${reaching(assetId)}) AND p.id IN (${permissions(otherId)})`
  add('perm-users/', 'users it was granted to', 'user', usersOf)
  add('perm-user-groups/', 'groups it was granted to', 'user_group', groupsOf)
  add('perm-users/:other_id/permissions/', 'permissions that grant it to a user', 'asset_permission', both(ofUser))
  add(
    'perm-user-groups/:other_id/permissions/',
    'permissions that grant it to a group',
    'asset_permission',
    both(ofGroup),
  )
}

function mounted(kernel: Kernel, name: string): MountedResource {
  const resource = resourcesOf(kernel).find(name)
  if (!resource) throw new Error(`${name} is not mounted`)
  return resource
}
