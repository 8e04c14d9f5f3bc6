import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { organization } from '@sallyport/contract/resources/orgs/organization.ts'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { AppError, forbidden, invalid, refused } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import type { DeleteContext, WriteContext, WrittenContext } from '../../kernel/resource/mount.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { countContents, organizationContents, organizationsHold } from './contents.ts'
import { addMemberships, setRoles } from './membership.ts'
import { orgsMember, orgsOrganization } from './tables.ts'

type Writing = WriteContext<typeof organization, typeof orgsOrganization>
type Written = WrittenContext<typeof organization, typeof orgsOrganization>
type Deleting = DeleteContext<typeof orgsOrganization>

type SavedHook = (db: Database, saved: { id: string; name: string }) => Promise<void>

const savedHooks: SavedHook[] = []

/**
 * Adds a hook that runs, in the same transaction, when an organization is created or renamed; the
 * assets domain keeps the root node of its tree by it.
 */
export function onOrganizationSaved(hook: SavedHook): void {
  if (!savedHooks.includes(hook)) savedHooks.push(hook)
}

/** Calls the hooks for an organization that was not made through the API, such as Default. */
export async function announceOrganization(db: Database, saved: { id: string; name: string }): Promise<void> {
  for (const hook of savedHooks) await hook(db, saved)
}

const MEMBER_LISTS = { users: 'User', admins: 'Admin', auditors: 'Auditor' } as const
const MEMBER_FIELDS = ['users', 'admins', 'auditors'] as const

export default function mountOrganizations(kernel: Kernel): void {
  // Components are not members of organizations.
  const members = sql`(SELECT DISTINCT ${orgsMember.org} AS org_id, ${orgsMember.user} FROM ${orgsMember}) AS members`
  organizationsHold({ field: 'users_amount', label: 'User', from: members })
  mountResource(kernel, organization, {
    table: orgsOrganization,
    refersToAllOrgs: true,
    keepOnPut: MEMBER_FIELDS,
    computed: [
      {
        fields: ['is_default', 'is_root'],
        load: async (rows) => rows.map(({ id }) => ({ is_default: id === DEFAULT_ORG_ID, is_root: false })),
      },
      {
        fields: ['resource_statistics'],
        load: async (rows, { db }) => {
          const counts = await countContents(
            db,
            rows.map(({ id }) => id),
            organizationContents().filter(({ uncounted }) => !uncounted),
          )
          return rows.map(({ id }) => ({
            resource_statistics: counts.get(id) ?? {},
          }))
        },
      },
      {
        fields: MEMBER_FIELDS,
        // For a single organization only: a list would carry the ids of everybody.
        load: async (rows, { db, parameters }) =>
          parameters.id
            ? memberLists(
                db,
                rows.map(({ id }) => id),
              )
            : rows.map(() => ({})),
      },
    ],
    rules: {
      beforeWrite: [refuseReservedName],
      afterWrite: [saveMembers, ({ db, stored }) => announceOrganization(db, { id: stored.id, name: stored.name })],
      beforeDelete: [refuseDeletion],
    },
  })
  kernel.app.route({
    method: 'DELETE',
    url: organization.path,
    config: {
      access: organization.permission.write,
      needsLicense: organization.needsLicense,
      summary: 'Organization: refuses to delete several',
    },
    handler: () => {
      throw refused('bad_request', 'Organizations are deleted one at a time.')
    },
  })
}

/**
 * Refuses names that mean something else in addresses and headers: the words for root and Default,
 * and anything in the form of an id.
 */
function refuseReservedName({ draft, row }: Writing): void {
  const word = draft.name?.trim().toLowerCase() ?? ''
  const isDefaults = word === 'default' && row?.id !== DEFAULT_ORG_ID
  if (word === 'root' || isDefaults || isUuid(word))
    throw invalid({ name: 'This name is reserved, please choose another.' })
}

async function memberLists(db: Database, ids: readonly string[]): Promise<Record<string, string[]>[]> {
  const members = ids.length
    ? await db
        .select()
        .from(orgsMember)
        .where(inArray(orgsMember.org, [...ids]))
    : []
  return ids.map((id) =>
    Object.fromEntries(
      Object.entries(MEMBER_LISTS).map(([field, role]) => [
        field,
        members.filter((one) => one.org === id && one.role === role).map((one) => one.user),
      ]),
    ),
  )
}

/** Each list in the body replaces the holders of its role; a role without a list keeps them. */
async function saveMembers({ db, body, draft, mode, stored, note }: Written): Promise<void> {
  const org = stored.id
  for (const field of MEMBER_FIELDS) {
    const wanted = draft[field]
    if (!(field in body) || !wanted) continue
    const role = MEMBER_LISTS[field]
    const removed: string[] = []
    if (mode !== 'create') {
      const holders = await db
        .select({ user: orgsMember.user })
        .from(orgsMember)
        .where(and(eq(orgsMember.org, org), eq(orgsMember.role, role)))
      for (const { user } of holders.filter((one) => !wanted.includes(one.user))) {
        const roles = await db
          .select({ role: orgsMember.role })
          .from(orgsMember)
          .where(and(eq(orgsMember.org, org), eq(orgsMember.user, user)))
        await setRoles(
          db,
          user,
          org,
          roles.map((one) => one.role as 'User' | 'Admin' | 'Auditor').filter((one) => one !== role),
        )
        removed.push(user)
      }
    }
    const added = await addMemberships(
      db,
      wanted.map((user) => ({ org, user, role })),
    )
    note({ name: field, added: added.map(({ user }) => user), removed })
  }
}

/**
 * Refuses to delete Default, the organization in use, and any that is not empty; the message lists
 * what is left, with numbers.
 */
async function refuseDeletion({ call, db, rows }: Deleting): Promise<void> {
  const [row] = rows
  if (!row) return
  const { id } = row
  if (id === call.org.id || id === DEFAULT_ORG_ID)
    throw forbidden('The current and the default organization cannot be deleted.')
  const kinds = organizationContents()
  const counts = (await countContents(db, [id], kinds)).get(id) ?? {}
  const left = kinds
    .filter(({ field }) => counts[field])
    .map(({ field, label }) => `${translate(call.language, label)} (${counts[field]})`)
  if (left.length)
    throw new AppError(
      403,
      'permission_denied',
      translate(call.language, 'The organization still has: {{kinds}}', {
        kinds: left.join(call.language === 'en' ? ', ' : '、'),
      }),
    )
}
