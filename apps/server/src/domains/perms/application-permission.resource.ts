import type { ActionName } from '@sallyport/contract/actions.ts'
import {
  type ApplicationCategory,
  applicationType,
} from '@sallyport/contract/resources/applications/application-types.ts'
import {
  APPLICATION_ACTIONS,
  applicationPermission,
  TYPES_WITH_DATABASES,
} from '@sallyport/contract/resources/perms/application-permission.ts'
import { applicationPermissionApplicationRelation } from '@sallyport/contract/resources/perms/application-permission-application-relation.ts'
import { applicationPermissionSystemUserRelation } from '@sallyport/contract/resources/perms/application-permission-system-user-relation.ts'
import { applicationPermissionUserGroupRelation } from '@sallyport/contract/resources/perms/application-permission-user-group-relation.ts'
import { applicationPermissionUserRelation } from '@sallyport/contract/resources/perms/application-permission-user-relation.ts'
import { inArray, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { invalid } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Mount } from '../../kernel/resource/mount.ts'
import { list } from '../../kernel/resource/query.ts'
import { makeApplicationAccounts } from '../applications/index.ts'
import { bindSystemUsers } from '../system-users/index.ts'
import { mountPermissions } from './permission.ts'
import { among, byId, named, permissionFilters } from './permission-filters.ts'
import type { PermissionKind, WritingPermission } from './permission-kind.ts'
import { applicationsOf, systemUsersOf, userGroupsOf, usersOf } from './relations.ts'
import { permsPermission } from './tables.ts'

const OWNER = 'applicationpermission'

const ofApplications = (which: SQL) =>
  among(sql`SELECT pt.permission FROM perms_permission_target pt WHERE pt.application IN (${which})`)
const ofApplicationNamed = (value: string) => ofApplications(named('applications_listed_application', 'name', value))

/** Permissions about applications (docs/rules/perms.md#application_permission). */
export const applicationPermissions: PermissionKind = {
  family: 'application',
  definition: applicationPermission,
  owner: OWNER,
  relations: [
    usersOf(OWNER, applicationPermissionUserRelation),
    userGroupsOf(OWNER, applicationPermissionUserGroupRelation),
    applicationsOf(OWNER, applicationPermissionApplicationRelation),
    systemUsersOf(OWNER, applicationPermissionSystemUserRelation),
  ],
  filters: {
    ...permissionFilters,
    type__in: (value) => inArray(permsPermission.type, list(value).slice(0, 20)),
    application_id: byId(ofApplications),
    app: byId(ofApplications),
    application: ofApplicationNamed,
    app_name: ofApplicationNamed,
  } satisfies Mount<typeof applicationPermission>['filters'],
  rules: [keepType, keepDatabases],
  metadata: offerActions,
  covered: {
    path: 'applications/all/',
    summary: 'all applications that it covers',
    wire: ['application', 'application_display'],
    rowsOf: (id) => sql`
      SELECT a.id, a.name, a.name || '(' || a.type || ')[' || a.category || ']' AS text
      FROM applications_listed_application a JOIN perms_permission_target pt ON pt.application = a.id
      WHERE pt.permission = ${id}::uuid`,
    searched: ['name'],
    order: 'name',
  },
  targetParameter: 'application_id',
  async afterAdding(db, permissionId) {
    await refuseOtherTypes(db, permissionId)
    await makeAccounts(db, permissionId)
  },
}

export default function mountApplicationPermissions(kernel: Kernel): void {
  mountPermissions(kernel, applicationPermissions)
}

/** A permission is about one type for good: its applications and accounts are of it. */
function keepType({ draft, row }: WritingPermission): void {
  const { type = row?.type, category = row?.category }: Record<string, unknown> = draft
  if (row && type !== row.type) throw invalid({ type: 'The type of a permission cannot be changed' })
  if (applicationType(type)?.category !== category) throw invalid({ category: 'The type belongs to another category' })
}

/** No database has a longer name. */
const NAME_MAX = 64

/** Databases are named where a session can be held to them. */
function keepDatabases({ draft, row }: WritingPermission): void {
  const { databases, type = row?.type }: Record<string, unknown> = draft
  if (!Array.isArray(databases)) return
  const names = [...new Set(databases.map((name) => String(name).trim()).filter(Boolean))]
  if (names.length && !TYPES_WITH_DATABASES.includes(String(type)))
    throw invalid({ databases: 'Databases are named for MySQL, MariaDB and PostgreSQL alone' })
  if (names.some((name) => name.length > NAME_MAX || name.includes('\0')))
    throw invalid({ databases: 'No database has such a name' })
  Object.assign(draft, { databases: names })
}

/** OPTIONS offers the actions that mean something for the category in the address. */
function offerActions(actions: Parameters<NonNullable<Mount['metadata']>>[0], _call: unknown, query: object): void {
  const { category } = query as { category?: ApplicationCategory }
  const offered: readonly ActionName[] | undefined = category && APPLICATION_ACTIONS[category]
  if (!offered) return
  for (const fields of Object.values(actions)) {
    const { actions: field } = fields
    if (!field?.choices) continue
    const choices = field.choices as { value: ActionName }[]
    fields.actions = { ...field, choices: choices.filter(({ value }) => offered.includes(value)) }
  }
}

/** Throws 400 naming the applications that are of another type than the permission. */
async function refuseOtherTypes(db: Database, permissionId: string): Promise<void> {
  const { rows } = await db.execute<{ name: string }>(sql`
    SELECT a.name FROM perms_permission p
    JOIN perms_permission_target pt ON pt.permission = p.id
    JOIN applications_listed_application a ON a.id = pt.application
    WHERE p.id = ${permissionId}::uuid AND a.type <> p.type ORDER BY a.name LIMIT 10`)
  if (rows.length)
    throw invalid({ applications: ['Not of the type of the permission:', rows.map(({ name }) => name).join(', ')] })
}

/**
 * An account for each application and system user of a permission. The system users of remote apps
 * are bound to the machines that these run on, and dynamic ones to the permission's people
 * (docs/rules/perms.md#application_permission). Removing never deletes accounts.
 */
async function makeAccounts(db: Database, permissionId: string): Promise<void> {
  const reached = sql`
    SELECT a.id, a.category, a.attrs, ps.systemuser FROM perms_permission_target pt
    JOIN applications_listed_application a ON a.id = pt.application
    JOIN perms_permission_system_user ps ON ps.permission = pt.permission
    WHERE pt.permission = ${permissionId}::uuid`
  await makeApplicationAccounts(db, sql`SELECT r.id, r.systemuser FROM (${reached}) r`)
  const remote = sql`(${reached} AND a.category = 'remote_app')`
  const people = (table: SQL, column: SQL) =>
    sql`SELECT DISTINCT r.systemuser, ${column} FROM ${remote} r, ${table} pair WHERE pair.permission = ${permissionId}::uuid`
  await bindSystemUsers(db, {
    nodes: sql`SELECT NULL::uuid, NULL::uuid WHERE false`,
    assets: sql`
      SELECT DISTINCT r.systemuser, m.id FROM ${remote} r JOIN assets_listed_asset m ON m.id::text = r.attrs->>'asset'`,
    users: people(sql`perms_permission_user`, sql`pair."user"`),
    groups: people(sql`perms_permission_user_group`, sql`pair.usergroup`),
  })
}
