import type { OrgRole } from '@sallyport/contract/access.ts'
import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { user } from '@sallyport/contract/resources/users/user.ts'
import { and, countDistinct, eq, exists, inArray, ne, not, sql } from 'drizzle-orm'
import { isRoot, isSuperAdmin } from '../../kernel/access/call.ts'
import { isLimited, refuseLimited } from '../../kernel/access/limited-key.ts'
import { forbidden, invalid } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { NOTHING, unreadable } from '../../kernel/resource/conditions.ts'
import { inOrganization } from '../../kernel/resource/in-organization.ts'
import type { DeleteContext, ReadContext, WriteContext, WrittenContext } from '../../kernel/resource/mount.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { readPublicKey } from '../../kernel/ssh/keys/public-key.ts'
import {
  addMemberships,
  comingsAndGoings,
  givenFromOutside,
  orgsMembership,
  refuseGiven,
  setRoles,
} from '../orgs/index.ts'
import { settingsOf } from '../settings/index.ts'
import { announceUserChange } from './changes.ts'
import { credentials } from './credentials.ts'
import { takeAllGiven } from './given.ts'
import { refuseLookAlikes } from './look-alike/refuse-look-alikes.ts'
import { keepPersonOfProvider, refuseManagedGroups } from './managed.ts'
import { BUILT_IN_ADMIN, mayDelete, mayUpdate } from './may-change.ts'
import { announceAccountEvent } from './notices/account-events.ts'
import { notifyOfAdminChange } from './notices/admin-change-notices.ts'
import { checkNewPassword } from './password/new-password.ts'
import { setPassword } from './password/password.ts'
import { isStrongEnough } from './password/password-rules.ts'
import { ownUndo } from './profile/profile.ts'
import { keepServicePerson, refuseService } from './service-person.ts'
import { guardGlobalFields, isOtherValue } from './shared-person.ts'
import { usersUser, usersUserGroup, usersUserGroupUser } from './tables.ts'
import { givenRolesIn, loadUserFields, rolesIn, USER_COMPUTED_FIELDS } from './user-fields.ts'
import { refuseUnseenCharacters } from './username.ts'

type Writing = WriteContext<typeof user, typeof usersUser>
type Written = WrittenContext<typeof user, typeof usersUser>
type Deleting = DeleteContext<typeof usersUser>

/**
 * Users: global rows, visible in an organization through membership (docs/rules/users.md#user).
 */
export default function mountUsers(kernel: Kernel): void {
  mountResource(kernel, user, {
    table: usersUser,
    scope: visible,
    keepOnPut: ['groups', 'password_strategy', 'is_first_login'],
    sealed: ['public_key'],
    computed: [{ fields: USER_COMPUTED_FIELDS, load: loadUserFields }],
    filters: { system_or_org_role: byRole, org_role: byOrgRole, all: () => undefined, is_service: byService },
    count: countMembers,
    undo: { own: ownUndo, apart: comingsAndGoings },
    metadata(actions, call) {
      // Only a super administrator may grant system roles; nobody makes a service identity here.
      for (const method of ['POST', 'PUT', 'PATCH']) {
        const { role, source } = actions[method] ?? {}
        if (source) source.choices = (source.choices as { value: string }[]).filter(({ value }) => value !== 'service')
        if (role && !isSuperAdmin(call))
          role.choices = (role.choices as { value: string }[]).filter(({ value }) => value === 'User')
      }
    },
    rules: {
      beforeWrite: [
        refuseForeignRows,
        refuseWayIn,
        refuseRoles,
        keepBuiltInAdmin,
        keepOwnState,
        keepServicePerson,
        keepPersonOfProvider,
        refuseUnseenCharacters,
        refuseLookAlikes,
        guardGlobalFields,
        checkPassword,
        checkPublicKey,
        fillDefaults,
      ],
      afterWrite: [
        letGoOfSource,
        saveMemberships,
        saveGroups,
        savePassword,
        notifyOfSecrets,
        endAfterDisabling,
        dropLinksToOldAddress,
        welcome,
      ],
      beforeDelete: [refuseDeletions, refuseService],
      afterDelete: [
        ({ rows, afterCommit, kernel: { events } }) =>
          afterCommit(() => Promise.all(rows.map((row) => announceUserChange(events, row.id))).then(() => {})),
      ],
    },
  })
}

/**
 * Members of the current organization; everybody in root, and with `all` for super administrators.
 * Components are never shown.
 */
function visible({ call, query }: Pick<ReadContext, 'call' | 'query'>) {
  const people = not(eq(usersUser.role, 'App'))
  if (isRoot(call) || (query.all && isSuperAdmin(call))) return people
  return and(
    people,
    exists(
      sql`(SELECT 1 FROM ${orgsMembership} WHERE ${orgsMembership.org_id} = ${call.org.id} AND ${orgsMembership.user_id} = ${usersUser.id})`,
    ),
  )
}

/** Counts members of an organization without reading each person's row. */
async function countMembers({ call, db, query }: ReadContext, isNarrowed: boolean): Promise<number | undefined> {
  if (isNarrowed || isRoot(call) || query.all) return undefined
  const [row] = await db
    .select({ count: countDistinct(orgsMembership.user_id) })
    .from(orgsMembership)
    .where(eq(orgsMembership.org_id, call.org.id))
  return row?.count
}

const inOrgAs = (org: string, role: string) =>
  sql`EXISTS (SELECT 1 FROM ${orgsMembership} WHERE ${orgsMembership.org_id} = ${org} AND ${orgsMembership.user_id} = ${usersUser.id} AND ${orgsMembership.role} = ${role})`

function byRole(value: string, { call }: ReadContext) {
  switch (value) {
    case 'system_admin':
      return eq(usersUser.role, 'Admin')
    case 'system_auditor':
      return eq(usersUser.role, 'Auditor')
    case 'org_admin':
      return inOrgAs(call.org.id, 'Admin')
    case 'org_auditor':
      return inOrgAs(call.org.id, 'Auditor')
    case 'user':
      return sql`(${eq(usersUser.role, 'User')} OR ${inOrgAs(call.org.id, 'User')})`
    default:
      return NOTHING
  }
}

/** `false` leaves service identities out; `true` lists them alone. */
function byService(value: string) {
  if (value === 'true') return eq(usersUser.source, 'service')
  if (value === 'false') return ne(usersUser.source, 'service')
  throw unreadable('is_service')
}

const NAMED_ROLES: ReadonlyMap<string, string> = new Map([
  ['admins', 'Admin'],
  ['auditors', 'Auditor'],
  ['users', 'User'],
])

function byOrgRole(value: string, { call }: ReadContext) {
  if (value === 'members')
    return sql`EXISTS (SELECT 1 FROM ${orgsMembership} WHERE ${orgsMembership.org_id} = ${call.org.id} AND ${orgsMembership.user_id} = ${usersUser.id})`
  const role = NAMED_ROLES.get(value)
  if (!role) return NOTHING
  return role === 'Admin'
    ? sql`(${inOrgAs(call.org.id, role)} OR ${eq(usersUser.role, 'Admin')})`
    : inOrgAs(call.org.id, role)
}

function refuseForeignRows({ call, row }: Writing): void {
  if (row && !mayUpdate(call, row)) throw forbidden()
}

/**
 * A key that is limited to addresses makes nobody, and lets nobody in who could not come in before. It
 * may still shut people out.
 */
async function refuseWayIn({ call, db, draft, row }: Writing): Promise<void> {
  if (!isLimited(call)) return
  if (!row || draft.password || draft.public_key) return refuseLimited(call)
  const changed = SIGN_IN_FIELDS.some((name) => name in draft && isOtherValue(draft[name], row[name]))
  if (changed || (draft.is_active && !row.is_active)) return refuseLimited(call)
  if (!draft.org_roles?.includes('Admin')) return
  const roles = await rolesIn(db, call, [row.id])
  if (!roles.get(row.id)?.includes('Admin')) refuseLimited(call)
}

/** How somebody signs in, where links and codes are sent to them, and who makes ways in for others. */
const SIGN_IN_FIELDS = ['username', 'email', 'phone', 'source', 'mfa_level', 'date_expired', 'role'] as const

function refuseRoles({ call, draft, row }: Writing): void {
  if (draft.role === undefined || draft.role === (row?.role ?? 'User')) return
  if (!isSuperAdmin(call)) throw invalid({ role: 'Only a system administrator may set this role.' })
  if (row?.role_given_by) throw givenFromOutside(row.role_given_by)
}

function keepBuiltInAdmin({ draft, row }: Writing): void {
  if ((row?.username ?? draft.username) !== BUILT_IN_ADMIN) return
  draft.role = 'Admin'
  draft.is_active = true
  if (row) delete draft.username
}

/** Nobody can lock themselves out. */
function keepOwnState({ call, draft, row }: Writing): void {
  if (row && row.id === call.user?.id) delete draft.is_active
}

/**
 * Checks a password that is sent on update, or on create with the strategy custom; only local
 * people have one here.
 */
async function checkPassword({ kernel, db, draft, row }: Writing): Promise<void> {
  const source = draft.source ?? row?.source ?? 'local'
  const { password } = draft
  if (!password || source !== 'local' || !(row || draft.password_strategy === 'custom')) {
    delete draft.password
    return
  }
  const role = draft.role ?? row?.role ?? 'User'
  const becomesAdmin = role === 'Admin' || draft.org_roles?.includes('Admin') === true
  if (!isStrongEnough(password, settingsOf(kernel), becomesAdmin))
    throw invalid({ password: 'Password does not match security rules' })
  if (row) await checkNewPassword(kernel, db, { id: row.id, role }, password, 'password')
}

function checkPublicKey({ draft }: Writing): void {
  if (!draft.public_key) return
  const key = readPublicKey(draft.public_key)
  Object.assign(draft, { public_key: key.text, public_key_comment: key.comment, public_key_hash_md5: key.md5 })
}

function fillDefaults({ call, draft, row }: Writing): void {
  if (draft.wechat === null) draft.wechat = ''
  if (row) return
  draft.created_by = call.user?.name.slice(0, 30) ?? ''
  // People have the language of their creator until they choose their own.
  draft.language = call.isLanguageKnown ? call.language : null
}

/** With the source goes what it gave. */
async function letGoOfSource({ db, row, stored }: Written): Promise<void> {
  if (row && row.source !== stored.source) await takeAllGiven(db, [stored.id])
}

/**
 * In an organization, stores the roles there; people made in root without any membership join
 * Default (docs/rules/users.md#user).
 */
async function saveMemberships({ call, db, body, draft, mode, row, stored, note }: Written): Promise<void> {
  const id = stored.id
  if (isRoot(call)) {
    if (!row) await addMemberships(db, [{ org: DEFAULT_ORG_ID, user: id, role: 'User' }])
    return
  }
  if (mode === 'patch' && !('org_roles' in body)) return
  const roles = draft.org_roles ?? []
  // A form without them means those alone that somebody here gave.
  const given = row && !('org_roles' in body) ? await givenRolesIn(db, call, id) : []
  const wanted: readonly OrgRole[] = roles.length || given.length ? [...new Set([...roles, ...given])] : ['User']
  if (row) return note({ name: 'org_roles', ...(await setRoles(db, id, call.org.id, wanted)) })
  const added = await addMemberships(
    db,
    wanted.map((role) => ({ org: call.org.id, user: id, role })),
  )
  note({ name: 'org_roles', added: added.map(({ role }) => role), removed: [] })
}

/** Replaces the groups of the current organization; those of others stay. */
async function saveGroups({ call, db, body, draft, stored, note }: Written): Promise<void> {
  if (!('groups' in body) || !draft.groups) return
  const here = db
    .select({ id: usersUserGroup.id })
    .from(usersUserGroup)
    .where(inOrganization(call, usersUserGroup.org_id))
  const id = stored.id
  const wanted = draft.groups
  const added = wanted.length
    ? await db
        .insert(usersUserGroupUser)
        .values(wanted.map((usergroup) => ({ user: id, usergroup })))
        .onConflictDoNothing()
        .returning({ group: usersUserGroupUser.usergroup })
    : []
  const dropped = and(
    eq(usersUserGroupUser.user, id),
    inArray(usersUserGroupUser.usergroup, here),
    wanted.length ? not(inArray(usersUserGroupUser.usergroup, wanted)) : undefined,
  )
  const removed = await db
    .delete(usersUserGroupUser)
    .where(dropped)
    .returning({ group: usersUserGroupUser.usergroup, given_by: usersUserGroupUser.given_by })
  refuseGiven(removed)
  await refuseManagedGroups(
    db,
    call,
    [...added, ...removed].map(({ group }) => group),
  )
  note({ name: 'groups', added: added.map(({ group }) => group), removed: removed.map(({ group }) => group) })
}

async function savePassword({ call, db, draft, stored }: Written): Promise<void> {
  if (!draft.password) return
  const person = { id: stored.id, name: stored.name, username: stored.username }
  // Shown in the answer.
  stored.date_password_last_updated = await setPassword(db, call, person, draft.password, {
    mustChange: stored.need_update_password,
  })
}

/** Tells people whose password or key was set by somebody else. */
function notifyOfSecrets({ kernel, call, draft, row, afterCommit }: Written): void {
  if (!row || row.id === call.user?.id) return
  if (draft.password) afterCommit(() => notifyOfAdminChange(kernel, row.id, 'password'))
  if (draft.public_key) afterCommit(() => notifyOfAdminChange(kernel, row.id, 'key'))
}

/**
 * A password reset link was sent to an address: with another address it must not count any more.
 */
async function dropLinksToOldAddress({ db, row, stored }: Written): Promise<void> {
  if (row && row.email !== stored.email) await credentials.value.dropResetLinks(db, stored.id)
}

function welcome({ kernel, call, draft, row, stored, afterCommit }: Written): void {
  if (row || stored.source !== 'local') return
  const kind = draft.password ? 'created_with_password' : 'created'
  afterCommit(() => announceAccountEvent(kernel, kind, stored, call.language))
}

/** Ends the sign-ins of a person who is disabled or expired, and tells the gateways. */
async function endAfterDisabling({ db, kernel, row, stored, afterCommit }: Written): Promise<void> {
  if (!row) return
  if (!stored.is_active) await credentials.value.endSignIns(db, stored.id)
  afterCommit(() => announceUserChange(kernel.events, stored.id))
}

async function refuseDeletions({ call, db, rows }: Deleting): Promise<void> {
  const roles = await rolesIn(
    db,
    call,
    rows.map(({ id }) => id),
  )
  if (!rows.every((row) => mayDelete(call, row, roles.get(row.id) ?? []))) throw forbidden()
}
