import type { OrgRole } from '@sallyport/contract/access.ts'
import { displayOf } from '@sallyport/contract/define.ts'
import { user as userDefinition } from '@sallyport/contract/resources/users/user.ts'
import { and, eq, inArray, isNotNull, ne, sql } from 'drizzle-orm'
import { type Call, isRoot } from '../../kernel/access/call.ts'
import { askAll } from '../../kernel/database/ask-all.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { inOrganization } from '../../kernel/resource/in-organization.ts'
import type { ReadContext, StoredRow } from '../../kernel/resource/mount.ts'
import { orgsMembership } from '../orgs/index.ts'
import { avatarOf, settingsOf } from '../settings/index.ts'
import { credentials } from './credentials.ts'
import { directoriesOf } from './directories/directories.ts'
import { mayDelete, mayUpdate } from './may-change.ts'
import { peopleElsewhere } from './shared-person.ts'
import { usersUser, usersUserGroup, usersUserGroupUser } from './tables.ts'

export type StoredUser = StoredRow<typeof usersUser>

const { role: roleField, org_roles: orgRolesField } = userDefinition.fields
const ROLE_LABELS: Readonly<Record<string, string>> = roleField.choices
const ORG_ROLE_LABELS: Readonly<Record<string, string>> = orgRolesField.choices

/**
 * Read-only values of users, loaded for a whole page: two queries for groups and roles in the
 * current organization, one each for passkeys, one-time codes, locks, directories and other organizations.
 */
export const USER_COMPUTED_FIELDS = [
  'can_public_key_auth',
  'mfa_enabled',
  'is_valid',
  'is_expired',
  'is_wecom_bound',
  'is_dingtalk_bound',
  'is_feishu_bound',
  'is_otp_secret_key_bound',
  'passkey_count',
  'total_role_display',
  'org_role_display',
  'mfa_force_enabled',
  'avatar_url',
  'groups',
  'groups_display',
  'org_roles',
  'given_org_roles',
  'given_groups',
  'can_update',
  'can_delete',
  'login_blocked',
  'belongs_elsewhere',
  'directory',
  'is_directory_off',
  'last_login',
  'date_password_last_updated',
] as const

export async function loadUserFields(
  rows: readonly StoredUser[],
  { db, kernel, call }: ReadContext,
): Promise<Record<string, unknown>[]> {
  const ids = rows.map(({ id }) => id)
  const settings = settingsOf(kernel)
  const [roles, givenRoles, groups, passkeys, otpBound, blocked, admins, elsewhere, directories] = await askAll(db, [
    () => rolesIn(db, call, ids),
    () => rolesIn(db, call, ids, { given: true }),
    () => groupsIn(db, call, ids),
    () => credentials.value.passkeyCounts(db, ids),
    () => otpBoundIn(db, ids),
    () =>
      credentials.value.lockedNames(
        db,
        rows.map(({ username }) => username),
        settings.get('SECURITY_LOGIN_LIMIT_COUNT'),
      ),
    async () => (settings.get('SECURITY_MFA_AUTH') === 2 ? adminsAnywhere(db, ids) : new Set<string>()),
    () => peopleElsewhere(db, call, ids),
    () => directoriesOf(db, rows),
  ])
  return rows.map((row) => {
    const { id } = row
    const directory = row.directory_id === null ? undefined : directories.get(row.directory_id)
    const isOff = row.directory_id !== null && !directory?.is_open
    const orgRoles = isRoot(call) ? [rootRole(row)] : (roles.get(id) ?? [])
    const own = groups.get(id) ?? []
    const expired = row.date_expired !== null && row.date_expired <= new Date()
    const forced = mustProveTwice(row, settings.get('SECURITY_MFA_AUTH'), admins)
    const say = (label: string | undefined) => translate(call.language, label ?? '')
    const orgRoleNames = isRoot(call) ? [] : orgRoles.map((role) => say(ORG_ROLE_LABELS[role]))
    return {
      can_public_key_auth: settings.get('TERMINAL_PUBLIC_KEY_AUTH'),
      mfa_enabled: forced || row.mfa_level > 0,
      mfa_force_enabled: forced,
      is_expired: expired,
      is_valid: row.is_active && !expired && !isOff,
      is_wecom_bound: Boolean(row.wecom_id),
      is_dingtalk_bound: Boolean(row.dingtalk_id),
      is_feishu_bound: Boolean(row.feishu_id),
      is_otp_secret_key_bound: otpBound.has(id),
      passkey_count: passkeys.get(id) ?? 0,
      total_role_display: [...new Set([say(ROLE_LABELS[row.role]), ...orgRoleNames])].sort().join(' | '),
      org_role_display: orgRoleNames.join(' | '),
      avatar_url: avatarOf(row.role),
      groups: own.map((group) => group.id),
      groups_display: own.map((group) => group.name).join(' '),
      org_roles: orgRoles,
      given_org_roles: givenRoles.get(id) ?? [],
      given_groups: own.filter((group) => group.isGiven).map((group) => group.id),
      can_update: mayUpdate(call, row),
      can_delete: mayDelete(call, row, orgRoles),
      login_blocked: blocked.has(row.username),
      belongs_elsewhere: elsewhere.has(id),
      directory: directory?.name ?? '',
      is_directory_off: isOff,
      // When they signed in concerns the other organizations as well (`audits/readable-people.ts`).
      last_login: elsewhere.has(id) ? null : row.last_login,
      date_password_last_updated: elsewhere.has(id) ? null : row.date_password_last_updated,
    }
  })
}

/** Whether a second factor is demanded of somebody: of them by themselves, of everybody (1), or of administrators (2). */
const mustProveTwice = (
  { id, role, mfa_level }: Pick<StoredUser, 'id' | 'role' | 'mfa_level'>,
  policy: number,
  admins: ReadonlySet<string>,
) => mfa_level === 2 || policy === 1 || (policy === 2 && (role === 'Admin' || admins.has(id)))

export interface SignInState {
  /** Locked after failed attempts. */
  isBlocked: boolean
  /** `missing`: it is asked for, and there is none yet. */
  secondFactor: 'off' | 'ready' | 'missing'
}

/** The conditions of a sign-in besides password and rules; undefined when the person is gone. */
export async function signInStateOf(kernel: Kernel, userId: string): Promise<SignInState | undefined> {
  const { db } = kernel
  const settings = settingsOf(kernel)
  const [[row], admins, otp, passkeys] = await askAll(db, [
    () => db.select().from(usersUser).where(eq(usersUser.id, userId)),
    () => adminsAnywhere(db, [userId]),
    () => otpBoundIn(db, [userId]),
    () => credentials.value.passkeyCounts(db, [userId]),
  ])
  if (!row) return undefined
  const blocked = await credentials.value.lockedNames(db, [row.username], settings.get('SECURITY_LOGIN_LIMIT_COUNT'))
  const isAsked = row.mfa_level > 0 || mustProveTwice(row, settings.get('SECURITY_MFA_AUTH'), admins)
  const hasOne = otp.has(userId) || (passkeys.get(userId) ?? 0) > 0
  return {
    isBlocked: blocked.has(row.username),
    secondFactor: !isAsked ? 'off' : hasOne ? 'ready' : 'missing',
  }
}

const rootRole = (row: StoredUser) => (row.role === 'Admin' || row.role === 'Auditor' ? row.role : 'User')

const ROLE_ORDER = ['Admin', 'Auditor', 'User']

/** Roles in the current organization, by user; with `given` those alone that come from outside. */
export async function rolesIn(
  db: ReadContext['db'],
  call: Call,
  ids: readonly string[],
  { given = false } = {},
): Promise<Map<string, string[]>> {
  if (!ids.length || isRoot(call)) return new Map()
  const rows = await db
    .select({ user: orgsMembership.user_id, roles: sql<string[]>`array_agg(${orgsMembership.role})` })
    .from(orgsMembership)
    .where(
      and(
        eq(orgsMembership.org_id, call.org.id),
        inArray(orgsMembership.user_id, [...ids]),
        given ? ne(orgsMembership.given_by, '') : undefined,
      ),
    )
    .groupBy(orgsMembership.user_id)
  return new Map(rows.map(({ user, roles }) => [user, ROLE_ORDER.filter((role) => roles.includes(role))]))
}

/** The roles of a person in the current organization that come from outside. */
export const givenRolesIn = async (db: ReadContext['db'], call: Call, id: string): Promise<OrgRole[]> =>
  ((await rolesIn(db, call, [id], { given: true })).get(id) ?? []) as OrgRole[]

/** Groups of the current organization (in root: of all), by user. */
async function groupsIn(
  db: ReadContext['db'],
  call: Call,
  ids: readonly string[],
): Promise<Map<string, { id: string; name: string; isGiven: boolean }[]>> {
  if (!ids.length) return new Map()
  const rows = await db
    .select({
      user: usersUserGroupUser.user,
      id: usersUserGroup.id,
      name: usersUserGroup.name,
      given_by: usersUserGroupUser.given_by,
    })
    .from(usersUserGroupUser)
    .innerJoin(usersUserGroup, eq(usersUserGroup.id, usersUserGroupUser.usergroup))
    .where(and(inArray(usersUserGroupUser.user, [...ids]), inOrganization(call, usersUserGroup.org_id)))
    .orderBy(usersUserGroup.name)
  const groups = new Map<string, { id: string; name: string; isGiven: boolean }[]>()
  for (const { user, id, name, given_by } of rows)
    groups.set(user, [...(groups.get(user) ?? []), { id, name, isGiven: given_by !== '' }])
  return groups
}

/**
 * People who have set up one-time codes. Rows can't tell, as they are read without sealed columns.
 */
async function otpBoundIn(db: ReadContext['db'], ids: readonly string[]): Promise<Set<string>> {
  if (!ids.length) return new Set()
  const rows = await db
    .select({ id: usersUser.id })
    .from(usersUser)
    .where(and(inArray(usersUser.id, [...ids]), isNotNull(usersUser.otp_secret_sealed)))
  return new Set(rows.map(({ id }) => id))
}

async function adminsAnywhere(db: ReadContext['db'], ids: readonly string[]): Promise<Set<string>> {
  if (!ids.length) return new Set()
  const rows = await db
    .select({ user: orgsMembership.user_id })
    .from(orgsMembership)
    .where(and(eq(orgsMembership.role, 'Admin'), inArray(orgsMembership.user_id, [...ids])))
  return new Set(rows.map(({ user }) => user))
}

/** A user in words. */
export const userDisplay = (row: Pick<StoredUser, 'name' | 'username'>) => displayOf(userDefinition, row)
