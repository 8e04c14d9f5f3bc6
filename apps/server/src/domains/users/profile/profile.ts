import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import type { Fields } from '@sallyport/contract/define.ts'
import { user as userDefinition } from '@sallyport/contract/resources/users/user.ts'
import { eq, sql } from 'drizzle-orm'
import { type Call, callerOf, isRoot } from '../../../kernel/access/call.ts'
import { refuseLimited } from '../../../kernel/access/limited-key.ts'
import type { FieldChange, LoggedValue } from '../../../kernel/audit/audit.ts'
import { keepingChange, notKept } from '../../../kernel/audit/named-change.ts'
import { recordOwnChange } from '../../../kernel/audit/own-change.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { invalid } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { metadataOf } from '../../../kernel/resource/described/metadata.ts'
import type { ReadContext } from '../../../kernel/resource/mount.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { presentRows } from '../../../kernel/resource/present.ts'
import type { MountedResource } from '../../../kernel/resource/registry.ts'
import { readBody, readObject } from '../../../kernel/resource/schema.ts'
import { readPublicKey } from '../../../kernel/ssh/keys/public-key.ts'
import { CHANNELS_TABLE, channelsOf } from '../../notifications/index.ts'
import { orgSummary, orgsListedOrganization, orgsMembership } from '../../orgs/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { licenseOf } from '../../xpack/index.ts'
import { credentials } from '../credentials.ts'
import { notifyOfChange } from '../notices/change-notices.ts'
import { usersUser } from '../tables.ts'
import { isMfaDue, isMfaForced } from './otp.ts'
import { requireOwnFactor } from './own-factors.ts'

export const PROFILE_PATH = '/api/v1/users/profile/'
/**
 * What people may change about themselves (docs/rules/users.md#profile); other fields are
 * ignored.
 */
const OWN_FIELDS = ['wechat', 'phone', 'mfa_level', 'comment', 'is_first_login', 'public_key'] as const

/** Those that can be taken back: nobody gets an old key or second factor again. */
const TAKEN_BACK = ['wechat', 'phone', 'comment'] as const

const FIELDS = Object.entries(userDefinition.fields).flatMap(([name, field]) =>
  'writeOnly' in field && field.writeOnly ? [] : name === 'system_or_org_role' ? [] : [name],
)

/** Fields of the profile beyond a user's row. */
const MORE_FIELDS: Fields = {
  public_key_comment: { type: 'string', label: 'Public key comment', readOnly: true },
  public_key_hash_md5: { type: 'string', label: 'Public key fingerprint', readOnly: true },
  admin_or_audit_orgs: { type: 'list', label: 'Organizations to administer or audit', readOnly: true },
  current_org_roles: { type: 'strings', label: 'Roles in the current organization', readOnly: true },
  guide_url: { type: 'string', label: 'User guide', readOnly: true },
  user_all_orgs: { type: 'list', label: 'Organizations', readOnly: true },
  is_org_admin: { type: 'boolean', label: 'Is organization administrator', readOnly: true },
  is_superuser: { type: 'boolean', label: 'Is system administrator', readOnly: true },
  receive_backends: { type: 'strings', label: 'Message channels', readOnly: true },
  guide_dismissed_in: { type: 'strings', label: 'Organizations in which the guide was dismissed', readOnly: true },
}

const mounted = new WeakMap<Kernel, MountedResource>()

/** The profile of the caller. */
export async function profileOf(kernel: Kernel, call: Call): Promise<Record<string, unknown>> {
  const users = mounted.get(kernel)
  if (!users) throw new Error('the profile is not registered yet')
  const context: ReadContext = { kernel, db: kernel.db, call, parameters: {}, query: {} }
  const [stored] = await kernel.db
    .select()
    .from(usersUser)
    .where(eq(usersUser.id, callerOf(call).id))
  if (!stored) throw new Error('the caller has no row')
  await rememberLanguage(kernel, call, stored)
  const [row] = await presentRows(users, [stored], FIELDS, context)
  return { ...row, ...(await ownFields(kernel, call, stored)) }
}

/**
 * The console reads the profile with every page: the language of that call, where it is the
 * person's, is the one that they are written to in.
 */
async function rememberLanguage(
  kernel: Kernel,
  call: Call,
  { id, language }: typeof usersUser.$inferSelect,
): Promise<void> {
  if (call.via === 'session' && call.isLanguageKnown && language !== call.language)
    await kernel.db.update(usersUser).set({ language: call.language }).where(eq(usersUser.id, id))
}

async function ownFields(
  kernel: Kernel,
  call: Call,
  stored: typeof usersUser.$inferSelect,
): Promise<Record<string, unknown>> {
  const memberships = await kernel.db
    .select({ id: orgsListedOrganization.id, name: orgsListedOrganization.name, role: orgsMembership.role })
    .from(orgsMembership)
    .innerJoin(orgsListedOrganization, eq(orgsListedOrganization.id, orgsMembership.org_id))
    .where(eq(orgsMembership.user_id, stored.id))
    .orderBy(orgsListedOrganization.name)
  const distinct = (rows: typeof memberships) => [
    ...new Map(rows.map(({ id, name }) => [id, orgSummary(id, name)])).values(),
  ]
  const systemWide = stored.role === 'Admin' || stored.role === 'Auditor'
  return {
    public_key_comment: stored.public_key_comment,
    public_key_hash_md5: stored.public_key_hash_md5,
    is_superuser: stored.role === 'Admin',
    is_org_admin: stored.role === 'Admin' || memberships.some(({ role }) => role === 'Admin'),
    current_org_roles: isRoot(call)
      ? [stored.role === 'Admin' ? 'Admin' : 'User']
      : memberships.filter(({ id }) => id === call.org.id).map(({ role }) => role),
    admin_or_audit_orgs: systemWide
      ? await allOrgs(kernel)
      : distinct(memberships.filter(({ role }) => role !== 'User')),
    user_all_orgs: distinct(memberships),
    guide_url: settingsOf(kernel).get('USER_GUIDE_URL'),
    receive_backends: await channelsOf(kernel, stored.id),
    guide_dismissed_in: stored.guide_dismissed_in,
  }
}

/** Root first, if the license has it (A6.24), then by name. */
async function allOrgs(kernel: Kernel) {
  const names = [...(await kernel.orgNames())].map(([id, name]) => orgSummary(id, name))
  const listed = licenseOf(kernel).isValid() ? names : names.filter(({ id }) => id !== ROOT_ORG_ID)
  return listed.sort(
    (a, b) => Number(b.id === ROOT_ORG_ID) - Number(a.id === ROOT_ORG_ID) || a.name.localeCompare(b.name),
  )
}

/** A person's own profile, as it is answered. */
const OWN_PROFILE = plainFields({
  id: 'uuid',
  name: 'string',
  username: 'string',
  email: 'string',
  wechat: 'string',
  phone: 'string',
  mfa_level: 'integer',
  source: 'string',
  source_display: 'string',
  can_public_key_auth: 'boolean',
  need_update_password: 'boolean',
  mfa_enabled: 'boolean',
  is_valid: 'boolean',
  is_expired: 'boolean',
  is_active: 'boolean',
  date_expired: 'string',
  date_joined: 'datetime',
  last_login: 'datetime',
  created_by: 'string',
  comment: 'string',
  is_wecom_bound: 'boolean',
  is_dingtalk_bound: 'boolean',
  is_feishu_bound: 'boolean',
  is_otp_secret_key_bound: 'boolean',
  passkey_count: 'integer',
  wecom_id: 'string',
  dingtalk_id: 'string',
  feishu_id: 'string',
  total_role_display: 'string',
  org_role_display: 'string',
  mfa_level_display: 'string',
  mfa_force_enabled: 'boolean',
  is_first_login: 'boolean',
  date_password_last_updated: 'datetime',
  avatar_url: 'string',
  role: 'string',
  role_display: 'string',
  groups: 'strings',
  groups_display: 'string',
  org_roles: 'strings',
  can_update: 'boolean',
  can_delete: 'boolean',
  login_blocked: 'boolean',
  belongs_elsewhere: 'boolean',
  managed_by: 'string',
  directory: 'string',
  is_directory_off: 'boolean',
  role_given_by: 'string',
  given_org_roles: 'list',
  given_groups: 'list',
  public_key_comment: 'string',
  public_key_hash_md5: 'string',
  is_superuser: 'boolean',
  is_org_admin: 'boolean',
  current_org_roles: 'strings',
  admin_or_audit_orgs: 'list',
  user_all_orgs: 'list',
  guide_url: 'string',
  receive_backends: 'strings',
  guide_dismissed_in: 'list',
})

export function registerProfile(kernel: Kernel, users: MountedResource): void {
  mounted.set(kernel, users)
  const { app } = kernel
  const access = ['authenticated'] as const
  app.route({
    method: 'GET',
    url: PROFILE_PATH,
    config: {
      access,
      summary: 'Who am I',
      answers: {
        fields: OWN_PROFILE,
      },
    },
    handler: ({ call }) => profileOf(kernel, call),
  })
  app.route({
    method: 'OPTIONS',
    url: PROFILE_PATH,
    config: { access, summary: 'Profile: metadata' },
    handler: async ({ call }) => {
      // OPTIONS describes the fields that people may change, whatever their role.
      const { actions, ...rest } = metadataOf(
        {
          ...users,
          definition: {
            ...users.definition,
            fields: { ...users.definition.fields, ...MORE_FIELDS },
            permission: { list: ['authenticated'], write: ['authenticated'] },
          },
        },
        call,
      )
      const { GET, PUT } = actions as Record<string, Record<string, Record<string, unknown>>>
      const own: Record<string, Record<string, unknown>> = Object.fromEntries(
        Object.entries(PUT ?? {}).map(([name, field]) => [
          name,
          { ...field, required: false, read_only: !OWN_FIELDS.includes(name as never) },
        ]),
      )
      if (own.mfa_level)
        own.mfa_level.choices = (own.mfa_level.choices as { value: unknown }[]).filter(
          ({ value }) => String(value) !== '2',
        )
      return { ...rest, actions: { GET, PUT: own, PATCH: own } }
    },
  })
  for (const method of ['PUT', 'PATCH'] as const) {
    app.route({
      method,
      url: PROFILE_PATH,
      config: {
        access,
        summary: 'Change my profile',
        answers: {
          fields: OWN_PROFILE,
        },
      },
      handler: async (request, reply) => {
        const sent = Object.fromEntries(
          Object.entries(readObject(request.body)).filter(([name]) => OWN_FIELDS.includes(name as never)),
        )
        await saveProfile(kernel, request.call, sent, {
          inTransaction: (work) => keepingChange(kernel.db, request, reply, work),
        })
        return profileOf(kernel, request.call)
      },
    })
  }
}

interface Saving {
  inTransaction?(work: (db: Database) => Promise<void>): Promise<void>
  /** Does what waits for the commit. */
  afterCommit?(work: () => Promise<void>): Promise<void> | void
}

/**
 * Stores what a person changed about themselves; ignores fields that are not theirs to change.
 * Throws 400 by field.
 */
export async function saveProfile(
  kernel: Kernel,
  call: Call,
  sent: Readonly<Record<string, unknown>>,
  { inTransaction = (work) => kernel.db.transaction(work), afterCommit = (work) => work() }: Saving = {},
): Promise<void> {
  // Read-only for administrators, but the wizard of the first sign-in sends it.
  const { is_first_login, ...rest } = sent
  const { values, errors } = readBody(userDefinition, 'patch', call.language, rest)
  if (Object.keys(errors).length) throw invalid(errors)
  const { public_key, ...changes } = values
  if (public_key) refuseLimited(call)
  if (typeof is_first_login === 'boolean') changes.is_first_login = is_first_login
  if (changes.mfa_level !== undefined) changes.mfa_level = await ownMfaLevel(kernel, call, Number(changes.mfa_level))
  const isNewPhone = changes.phone !== undefined && (await guardPhone(kernel, call, changes.phone))
  if (isNewPhone) refuseLimited(call)
  if (changes.wechat === null) changes.wechat = ''
  if (typeof public_key === 'string' && public_key !== '' && settingsOf(kernel).get('TERMINAL_PUBLIC_KEY_AUTH')) {
    const key = readPublicKey(public_key)
    Object.assign(changes, {
      public_key_sealed: kernel.secrets.seal(key.text),
      public_key_comment: key.comment,
      public_key_hash_md5: key.md5,
    })
  }
  if (!Object.keys(changes).length) return
  const plain = Object.entries(changes).filter(([name]) => TAKEN_BACK.includes(name as never))
  const others = Object.entries(changes).filter(([name]) => !TAKEN_BACK.includes(name as never))
  await inTransaction(async (db) => {
    const user = callerOf(call)
    const { phone, wechat, mfa_level, comment } = usersUser
    const [before = {}] = await db
      .select({ phone, wechat, mfa_level, comment })
      .from(usersUser)
      .where(eq(usersUser.id, user.id))
      .for('update')
    const save = (some: [string, unknown][]) =>
      db.update(usersUser).set(Object.fromEntries(some)).where(eq(usersUser.id, user.id))
    if (others.length) await notKept(db, () => save(others))
    if (plain.length) await save(plain)
    await recordOwnChange(kernel, db, call, ownChanges(before, changes))
  })
  await afterCommit(async () => {
    if (isNewPhone) await notifyOfChange(kernel, callerOf(call).id, 'phone', call.remoteAddress)
    if (changes.public_key_sealed) await notifyOfChange(kernel, callerOf(call).id, 'key', call.remoteAddress)
  })
}

/** What people put back of their own row, as they change it: under the same rules. */
export const ownUndo = {
  columns: [...TAKEN_BACK, 'date_updated'],
  tables: [CHANNELS_TABLE],
  save: ({ kernel, db, call, outer }: ReadContext, body: Readonly<Record<string, unknown>>) =>
    saveProfile(kernel, call, body, {
      inTransaction: (work) => db.transaction(work),
      afterCommit: (work) => (outer ? void outer.push(work) : work()),
    }),
}

/** What of it the operate log keeps. */
function ownChanges(before: Readonly<Record<string, unknown>>, now: Readonly<Record<string, unknown>>): FieldChange[] {
  const plain = Object.entries(before).flatMap(([field, value]) =>
    field in now && now[field] !== value
      ? [{ field, before: value as LoggedValue, after: now[field] as LoggedValue }]
      : [],
  )
  return now.public_key_sealed ? [...plain, { field: 'public_key', is_secret: true }] : plain
}

/** A second factor that is forced stays forced, whatever is sent; nobody can force themselves. */
async function ownMfaLevel(kernel: Kernel, call: Call, wanted: number): Promise<number> {
  const { db } = kernel
  const [user] = await db
    .select({
      id: usersUser.id,
      role: usersUser.role,
      mfa_level: usersUser.mfa_level,
      bound: sql<boolean>`${usersUser.otp_secret_sealed} IS NOT NULL OR ${credentials.value.hasPasskey(usersUser.id)}`,
    })
    .from(usersUser)
    .where(eq(usersUser.id, callerOf(call).id))
  if (user && (await isMfaForced(kernel, db, user))) return 2
  if (wanted === 2)
    throw invalid({ mfa_level: translate(call.language, '"{{value}}" is not a valid choice.', { value: wanted }) })
  if (user && user.mfa_level > wanted) await requireOwnFactor(kernel, user, call.sessionId)
  return wanted
}

/**
 * A second factor must be proven before the phone changes, since its codes go to the new one.
 * Answers whether it is another phone.
 */
async function guardPhone(kernel: Kernel, call: Call, phone: unknown): Promise<boolean> {
  const [user] = await kernel.db
    .select()
    .from(usersUser)
    .where(eq(usersUser.id, callerOf(call).id))
  if (!user || (user.phone ?? '') === (phone ?? '')) return false
  if (settingsOf(kernel).get('SMS_ENABLED') && (await isMfaDue(kernel, user)))
    await requireOwnFactor(kernel, user, call.sessionId)
  return true
}
