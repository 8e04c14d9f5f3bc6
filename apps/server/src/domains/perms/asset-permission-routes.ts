import { ACTION_BITS, type ActionName, actionNames } from '@sallyport/contract/actions.ts'
import { type SQL, sql } from 'drizzle-orm'
import { isRoot } from '../../kernel/access/call.ts'
import { AppError, forbidden } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { escapeLike, isUuid } from '../../kernel/resource/conditions.ts'
import type { ReadContext } from '../../kernel/resource/mount.ts'
import { pageOf } from '../../kernel/resource/query.ts'
import { getStored } from '../../kernel/resource/read.ts'
import type { MountedResource } from '../../kernel/resource/registry.ts'
import { contextOf } from '../../kernel/resource/routes.ts'
import { mayConnect } from './may-connect.ts'

const BASE = '/api/v1/perms/asset-permissions/'

/** Who and what a permission covers in all, the gateways' questions, and calls kept for old clients. */
export function registerAssetPermissionRoutes(kernel: Kernel, permissions: MountedResource): void {
  registerCovered(kernel, permissions)
  registerQuestions(kernel)
  for (const [method, url, access] of [
    ['GET', `${BASE}cache/refresh/`, 'org_admin'],
    ['DELETE', '/api/v1/perms/users/:user_id/asset-permissions/cache/', 'org_admin'],
    ['DELETE', '/api/v1/perms/users/asset-permissions/cache/', 'org_admin'],
  ] as const) {
    kernel.app.route({
      method,
      url,
      config: { access: [access], summary: 'Asset permission: nothing is cached, so nothing is refreshed' },
      handler: async (_request, reply) => (method === 'GET' ? { msg: true } : reply.status(204).send()),
    })
  }
}

/** `assets/all/` and `users/all/`: through nodes and groups included. */
function registerCovered(kernel: Kernel, permissions: MountedResource): void {
  const add = (
    path: string,
    summary: string,
    wire: readonly [string, string],
    rowsOf: (id: string) => SQL,
    searched: readonly string[],
    order: string,
  ) =>
    kernel.app.route({
      method: 'GET',
      url: `${BASE}:id/${path}`,
      config: { access: ['org_admin'], summary: `Asset permission: ${summary}` },
      handler: async (request) => {
        const context = contextOf(kernel, request)
        const permission = await getStored(permissions, context.parameters.id ?? '', context)
        const from = sql`(${rowsOf(String(permission.id))}) t WHERE ${narrowed(context, searched)}`
        const page = pageOf(context.query)
        const limit = page ? sql` LIMIT ${page.limit} OFFSET ${page.offset}` : sql``
        const { rows } = await kernel.db.execute<{ id: string; text: string }>(
          sql`SELECT id, text FROM ${from} ORDER BY ${sql.raw(order)}, id${limit}`,
        )
        const results = rows.map(({ id, text }) => ({ [wire[0]]: id, [wire[1]]: text }))
        if (!page) return results
        const { rows: counted } = await kernel.db.execute<{ count: number }>(sql`SELECT count(*)::int AS count FROM ${from}`)
        return { count: counted[0]?.count ?? 0, next: null, previous: null, results }
      },
    })
  add('assets/all/', 'all assets that it covers', ['asset', 'asset_display'], coveredAssets, ['hostname', 'ip'], 'hostname')
  add('users/all/', 'all users that it covers', ['user', 'user_display'], coveredUsers, ['username', 'name'], 'name')
}

const coveredAssets = (id: string) => sql`
  SELECT a.id, a.hostname, a.ip, a.hostname || '(' || a.ip || ')' AS text FROM assets_asset a WHERE a.id IN (
    SELECT pa.asset FROM perms_asset_permission_asset pa WHERE pa.assetpermission = ${id}::uuid
    UNION ALL
    SELECT an.asset_id FROM perms_asset_permission_node pn JOIN assets_node n ON n.id = pn.node JOIN assets_node below ON below.path <@ n.path
      JOIN assets_asset_node an ON an.node_id = below.id WHERE pn.assetpermission = ${id}::uuid)`

const coveredUsers = (id: string) => sql`
  SELECT u.id, u.username, u.name, u.name || '(' || u.username || ')' AS text FROM users_user u WHERE u.id IN (
    SELECT pu."user" FROM perms_asset_permission_user pu WHERE pu.assetpermission = ${id}::uuid
    UNION ALL
    SELECT m."user" FROM perms_asset_permission_user_group pg JOIN users_user_group_user m ON m.usergroup = pg.usergroup WHERE pg.assetpermission = ${id}::uuid)`

/** Exact filters by name, and words that must all be found. */
function narrowed({ query }: ReadContext, columns: readonly string[]): SQL {
  const conditions = [sql`true`]
  for (const column of columns) if (query[column]) conditions.push(sql`t.${sql.raw(column)} = ${query[column]}`)
  for (const word of (query.search ?? '')
    .replaceAll('\0', '')
    .split(/[\s,]+/)
    .filter(Boolean)
    .slice(0, 20)) {
    const found = columns.map((column) => sql`t.${sql.raw(column)} ILIKE ${`%${escapeLike(word)}%`}`)
    conditions.push(sql`(${sql.join(found, sql` OR `)})`)
  }
  return sql.join(conditions, sql` AND `)
}

/** `user/validate/` and `user/actions/`: may this person use this system user on this asset, and for what. */
function registerQuestions({ app, db }: Kernel): void {
  app.route<{ Querystring: Record<string, string | undefined> }>({
    method: 'GET',
    url: `${BASE}user/validate/`,
    config: { access: ['org_admin', 'component'], summary: 'Asset permission: may this person connect' },
    handler: async ({ call, query }) => {
      const { user_id, asset_id, system_user_id, action_name } = query
      if (!user_id || !asset_id || !system_user_id) return { has_permission: false, actions: [], expire_at: Math.floor(Date.now() / 1000) }
      const orgId = isRoot(call) ? undefined : call.org.id
      const answer = await mayConnect(db, { userId: user_id, assetId: asset_id, systemUserId: system_user_id, ...(orgId ? { orgId } : {}) })
      const bits = action_name ? ACTION_BITS[action_name as ActionName] : ACTION_BITS.connect
      const has_permission = answer.mask > 0 && bits !== undefined && (answer.mask & bits) === bits
      const body = { has_permission, actions: answer.actions, expire_at: answer.expireAt }
      if (!has_permission) throw new AppError(403, 'permission_denied', 'You do not have permission to perform this action.', { body })
      return body
    },
  })
  app.route<{ Querystring: Record<string, string | undefined> }>({
    method: 'GET',
    url: `${BASE}user/actions/`,
    config: { access: ['org_admin', 'component'], summary: 'Asset permission: what this person may do' },
    handler: async ({ call, query }) => {
      const { user_id, asset_id, system_user_id } = query
      if (![user_id, asset_id, system_user_id].every(isUuid)) throw forbidden()
      const orgId = isRoot(call) ? undefined : call.org.id
      const { mask } = await mayConnect(db, {
        userId: String(user_id),
        assetId: String(asset_id),
        systemUserId: String(system_user_id),
        ...(orgId ? { orgId } : {}),
      })
      return { actions: mask ? actionNames(mask) : null }
    },
  })
}
