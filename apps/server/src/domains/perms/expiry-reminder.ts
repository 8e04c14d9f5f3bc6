import type { TargetFamily } from '@sallyport/contract/target.ts'
import { type SQL, sql } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import { notify } from '../notifications/index.ts'
import { type GrantFamily, grantFamilies } from './families.ts'

/**
 * People get a reminder of permissions that end within so many days
 * (docs/rules/perms.md#asset_permission).
 */
const REMINDER_DAYS = 3
/** Beyond so many names, the rest is counted. */
const MAX_NAMED = 20

/**
 * Every day at 10:00, tells people with grants, of their own or by a group, and the administrators
 * of these that they end soon.
 */
export function schedulePermissionReminders(kernel: Kernel): void {
  kernel.jobs.schedule(
    { name: 'perms.remind_of_expiry', cron: '0 10 * * *', title: 'Remind of permissions that expire' },
    () => remindOfPermissions(kernel),
  )
}

interface Ending extends Record<string, unknown> {
  user_id: string
  org_name: string
  names: string[]
}

export async function remindOfPermissions(kernel: Kernel): Promise<void> {
  for (const family of grantFamilies()) {
    await remindGranted(kernel, family)
    await remindAdministrators(kernel, family)
  }
}

/**
 * Permissions of a family that end soon, one row for each person and organization. `people` is a
 * query of `user_id` and `permission`, and may use `ending`.
 */
function endingByPerson(family: TargetFamily, people: SQL): SQL {
  return sql`
    WITH ending AS (
      SELECT p.id, p.name, p.org_id FROM perms_permission p
      WHERE p.family = ${family} AND p.is_active AND p.date_start < now()
        AND p.date_expired BETWEEN now() AND now() + make_interval(days => ${REMINDER_DAYS})
    ), recipients AS (${people})
    SELECT t.user_id, o.name AS org_name, array_agg(DISTINCT e.name ORDER BY e.name) AS names
    FROM recipients t JOIN ending e ON e.id = t.permission JOIN orgs_listed_organization o ON o.id = e.org_id
    GROUP BY t.user_id, o.id, o.name`
}

async function remindGranted(kernel: Kernel, { family, reminder: { granted } }: GrantFamily): Promise<void> {
  const { rows } = await kernel.db.execute<Ending>(
    endingByPerson(
      family,
      sql`
        SELECT d."user" AS user_id, d.permission FROM perms_permission_user d
        UNION SELECT m.user_id, g.permission FROM perms_permission_user_group g JOIN users_group_member m ON m.group_id = g.usergroup`,
    ),
  )
  for (const { user_id, org_name, names } of rows)
    await notify(kernel, [user_id], (say) => ({
      subject: say(granted.subject),
      paragraphs: [
        say('In the organization {{org}}, access by these permissions ends within {{count|day|days}}:', {
          org: org_name,
          count: REMINDER_DAYS,
        }),
        listed(names),
        say('Ask an administrator if you need it longer.'),
      ],
      link: { ...granted.link, text: say(granted.link.text) },
    }))
}

async function remindAdministrators(
  kernel: Kernel,
  { family, reminder: { administered } }: GrantFamily,
): Promise<void> {
  const { rows } = await kernel.db.execute<Ending>(
    endingByPerson(
      family,
      sql`SELECT m.user_id, e.id AS permission FROM orgs_membership m JOIN ending e ON e.org_id = m.org_id WHERE m.role = 'Admin'`,
    ),
  )
  for (const { user_id, org_name, names } of rows)
    await notify(kernel, [user_id], (say) => ({
      subject: say(administered.subject),
      paragraphs: [
        say('In the organization {{org}}, these permissions end within {{count|day|days}}:', {
          org: org_name,
          count: REMINDER_DAYS,
        }),
        listed(names),
      ],
      link: { ...administered.link, text: say(administered.link.text) },
    }))
}

const listed = (names: readonly string[]) =>
  names.slice(0, MAX_NAMED).join('\n') + (names.length > MAX_NAMED ? `\n… (${names.length})` : '')
