import { actionNames } from '@sallyport/contract/actions.ts'
import { systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import { assetPermission } from '@sallyport/contract/resources/perms/asset-permission.ts'
import { sql } from 'drizzle-orm'
import { callerOf } from '../../../kernel/access/call.ts'
import { notFound } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { formatDateTime } from '../../../kernel/resource/datetime.ts'
import { contextOf } from '../../../kernel/resource/routes.ts'
import { permissionsOf } from '../grants.ts'
import { usableSystemUsers } from '../may-connect.ts'
import { AUDIENCES } from './granted-assets.ts'

const GRANTED = { label: systemUser.label, fields: { ...systemUser.fields, actions: assetPermission.fields.actions } }

/** The system users that somebody may use on an asset, and all that the caller may use anywhere. */
export function registerGrantedSystemUsers(kernel: Kernel): void {
  for (const { prefix, access, of, question } of AUDIENCES) {
    kernel.app.route<{ Params: { asset_id: string } }>({
      method: 'GET',
      url: `${prefix}assets/:asset_id/system-users/`,
      config: { access, summary: `Granted system users: ${of}, on an asset`, rows: GRANTED, answers: 'rows' },
      handler: async (request) => {
        const asked = await question(contextOf(kernel, request))
        const { asset_id } = request.params
        const usable = await usableSystemUsers(kernel.db, asked, { family: 'asset', id: asset_id })
        if (!usable) throw notFound()
        return usable.map(({ mask, ...row }) => ({ ...row, actions: actionNames(mask) }))
      },
    })
  }
  registerMySystemUsers(kernel)
}

interface GrantedSystemUser extends Record<string, unknown> {
  login_mode: 'auto' | 'manual'
  date_created: string
}

/** GET system-users-permission/: for the batch command page. */
function registerMySystemUsers({ app, db }: Kernel): void {
  app.route({
    method: 'GET',
    url: '/api/v1/perms/system-users-permission/',
    config: {
      access: ['authenticated'],
      summary: 'Granted system users: mine, on any asset',
      rows: systemUser,
      answers: 'rows',
    },
    handler: async ({ call }) => {
      const permissions = permissionsOf({ family: 'asset', subject: { userId: callerOf(call).id }, orgId: undefined })
      const { rows } = await db.execute<GrantedSystemUser>(sql`
        WITH p AS MATERIALIZED (${permissions})
        SELECT s.id, s.name, s.username, s.protocol, s.login_mode, s.priority, s.username_same_with_user, s.auto_push, s.sudo, s.shell, s.comment, s.sftp_root,
          s.date_created, s.created_by, s.cmd_filters
        FROM assets_listed_system_user s
        WHERE s.id IN (SELECT ps.systemuser FROM perms_permission_system_user ps JOIN p ON p.id = ps.permission)
        ORDER BY s.name, s.id`)
      return rows.map((row) => ({
        ...row,
        login_mode_display: translate(call.language, row.login_mode === 'manual' ? 'Ask each time' : 'Stored password'),
        date_created: formatDateTime(new Date(row.date_created), call.timeZone),
      }))
    },
  })
}
