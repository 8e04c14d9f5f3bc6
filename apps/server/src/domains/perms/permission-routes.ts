import { ACTION_BITS, type ActionName } from '@sallyport/contract/actions.ts'
import { type SQL, sql } from 'drizzle-orm'
import { isRoot } from '../../kernel/access/call.ts'
import { AppError } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { escapeLike } from '../../kernel/resource/conditions.ts'
import { sendRows } from '../../kernel/resource/lists/rows.ts'
import type { ReadContext } from '../../kernel/resource/mount.ts'
import { plainFields } from '../../kernel/resource/plain-fields.ts'
import { getStored } from '../../kernel/resource/read.ts'
import type { MountedResource } from '../../kernel/resource/registry.ts'
import { contextOf } from '../../kernel/resource/routes.ts'
import { mayConnect } from './may-connect.ts'
import type { PermissionKind } from './permission-kind.ts'

/** Calls about whom and what a permission covers, and about whether somebody may connect. */
export function registerPermissionRoutes(kernel: Kernel, kind: PermissionKind, permissions: MountedResource): void {
  const { covered } = kind
  registerCovered(kernel, permissions, covered)
  registerCovered(kernel, permissions, coveredUsers)
  registerQuestion(kernel, kind)
}

const coveredUsers: PermissionKind['covered'] = {
  path: 'users/all/',
  summary: 'all users that it covers',
  wire: ['user', 'user_display'],
  rowsOf: (id) => sql`
    SELECT u.id, u.username, u.name, u.name || '(' || u.username || ')' AS text FROM users_account u WHERE u.id IN (
      SELECT pu."user" FROM perms_permission_user pu WHERE pu.permission = ${id}::uuid
      UNION ALL
      SELECT m.user_id FROM perms_permission_user_group pg JOIN users_group_member m ON m.group_id = pg.usergroup WHERE pg.permission = ${id}::uuid)`,
  searched: ['username', 'name'],
  order: 'name',
}

/** `assets/all/`, `users/all/` and the like, including those covered through nodes and groups. */
function registerCovered(
  kernel: Kernel,
  permissions: MountedResource,
  { path, summary, wire, rowsOf, searched, order }: PermissionKind['covered'],
): void {
  const { definition } = permissions
  kernel.app.route({
    method: 'GET',
    url: `${definition.path}:id/${path}`,
    config: {
      access: ['org_admin'],
      summary: `${definition.label}: ${summary}`,
      answers: 'rows or page',
      rows: { fields: plainFields({ [wire[0]]: 'uuid', [wire[1]]: 'string' }) },
    },
    handler: async (request, reply) => {
      const context = contextOf(kernel, request)
      const permission = await getStored(permissions, context.parameters.id ?? '', context)
      return sendRows<{ id: string; text: string }>(context, request, reply, {
        columns: sql`id, text`,
        from: sql`(${rowsOf(String(permission.id))}) t WHERE ${narrowed(context, searched)}`,
        order: sql`${sql.raw(order)}, id`,
        item: ({ id, text }) => ({ [wire[0]]: id, [wire[1]]: text }),
      })
    },
  })
}

/** Exact filters by name, and search words that must all be found. */
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

/** `user/validate/`: whether this person may use this system user on this target. */
function registerQuestion({ app, db }: Kernel, { family, definition, targetParameter }: PermissionKind): void {
  app.route<{ Querystring: Record<string, string | undefined> }>({
    method: 'GET',
    url: `${definition.path}user/validate/`,
    config: {
      access: ['org_admin', 'component'],
      summary: `${definition.label}: may this person connect`,
      answers: { fields: plainFields({ has_permission: 'boolean', actions: 'list', expire_at: 'integer' }) },
    },
    handler: async ({ call, query }) => {
      const { user_id, system_user_id, action_name, [targetParameter]: id } = query
      if (!user_id || !id || !system_user_id)
        return { has_permission: false, actions: [], expire_at: Math.floor(Date.now() / 1000) }
      const orgId = isRoot(call) ? {} : { orgId: call.org.id }
      const answer = await mayConnect(db, {
        userId: user_id,
        target: { family, id },
        systemUserId: system_user_id,
        ...orgId,
      })
      const bits = action_name ? ACTION_BITS[action_name as ActionName] : ACTION_BITS.connect
      const has_permission = bits !== undefined && (answer.mask & bits) === bits
      const body = { has_permission, actions: answer.actions, expire_at: answer.expireAt }
      if (!has_permission)
        throw new AppError(403, 'permission_denied', 'You do not have permission to perform this action.', { body })
      return body
    },
  })
}
