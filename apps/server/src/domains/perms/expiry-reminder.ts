import { sql } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import { notify } from '../notifications/index.ts'

/** People hear of permissions that end within so many days (contract/perms.yaml). */
const REMINDER_DAYS = 3
/** More names than these are only counted. */
const MAX_NAMED = 20

/** Daily at ten: those who are granted something, by name or in a group, and those who administer it are told that it ends soon. */
export function schedulePermissionReminders(kernel: Kernel): void {
  kernel.jobs.schedule('perms.remind_of_expiry', '0 10 * * *', () => remindOfPermissions(kernel))
}

interface Ending extends Record<string, unknown> {
  user_id: string
  org_name: string
  names: string[]
}

export async function remindOfPermissions(kernel: Kernel): Promise<void> {
  const ending = sql`SELECT p.id, p.name, p.org_id, p.date_expired FROM perms_asset_permission p
    WHERE p.is_active AND p.date_start < now() AND p.date_expired BETWEEN now() AND now() + make_interval(days => ${REMINDER_DAYS})`
  const byPerson = (people: ReturnType<typeof sql>) => sql`
    WITH ending AS (${ending}), told AS (${people})
    SELECT t.user_id, o.name AS org_name, array_agg(DISTINCT e.name ORDER BY e.name) AS names
    FROM told t JOIN ending e ON e.id = t.permission JOIN orgs_organization o ON o.id = e.org_id
    GROUP BY t.user_id, o.id, o.name`

  const granted = await kernel.db.execute<Ending>(
    byPerson(sql`
      SELECT d."user" AS user_id, d.assetpermission AS permission FROM perms_asset_permission_user d
      UNION SELECT m."user", g.assetpermission FROM perms_asset_permission_user_group g JOIN users_user_group_user m ON m.usergroup = g.usergroup`),
  )
  for (const { user_id, org_name, names } of granted.rows)
    await notify(kernel, [user_id], (say) => ({
      subject: say('Your access to assets ends soon'),
      paragraphs: [
        say('In the organization {{org}}, access by these permissions ends within {{count|day|days}}:', {
          org: org_name,
          count: REMINDER_DAYS,
        }),
        listed(names),
        say('Ask an administrator if you need it longer.'),
      ],
      link: { text: say('My assets'), path: '/ui/' },
    }))

  const administered = await kernel.db.execute<Ending>(
    byPerson(
      sql`SELECT m."user" AS user_id, e.id AS permission FROM orgs_member m JOIN ending e ON e.org_id = m.org WHERE m.role = 'Admin'`,
    ),
  )
  for (const { user_id, org_name, names } of administered.rows)
    await notify(kernel, [user_id], (say) => ({
      subject: say('Asset permissions end soon'),
      paragraphs: [
        say('In the organization {{org}}, these permissions end within {{count|day|days}}:', { org: org_name, count: REMINDER_DAYS }),
        listed(names),
      ],
      link: { text: say('Asset permissions'), path: '/ui/perms/asset-permissions' },
    }))
}

const listed = (names: readonly string[]) =>
  names.slice(0, MAX_NAMED).join('\n') + (names.length > MAX_NAMED ? `\n… (${names.length})` : '')
