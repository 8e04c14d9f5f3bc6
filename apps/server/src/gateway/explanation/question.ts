import { ACTION_BITS, type ActionName } from '@sallyport/contract/actions.ts'
import type { ApplicationCategory } from '@sallyport/contract/resources/applications/application-types.ts'
import type { AccessExplanation } from '@sallyport/contract/resources/perms/explanation.ts'
import type { Target } from '@sallyport/contract/target.ts'
import { sql } from 'drizzle-orm'
import { z } from 'zod'
import { applicationsListedApplication } from '../../domains/applications/index.ts'
import { likelyAccount, ownPermissions, permsTarget } from '../../domains/perms/index.ts'
import { belongsTo, peopleElsewhere } from '../../domains/users/index.ts'
import { type Call, callerOf, isRoot } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import { invalid } from '../../kernel/errors/app-error.ts'

const ACTIONS = Object.keys(ACTION_BITS) as [ActionName, ...ActionName[]]

const wanted = z.object({
  user_id: z.guid(),
  asset_id: z.guid().optional(),
  application_id: z.guid().optional(),
  system_user_id: z.guid().optional(),
  permission_id: z.guid().optional(),
  action: z.enum(ACTIONS).default('connect'),
})

/** A question about access, whose parts exist. */
export interface AccessQuestion {
  /** `isShared`: belongs to an organization that the caller does not administer as well. */
  user: { id: string; name: string; username: string; isActive: boolean; isShared: boolean }
  target: AccessExplanation['target']
  /** The target's organization. */
  org: { id: string; name: string }
  /** Undefined where the organization has none. */
  systemUser: { id: string; name: string; protocol: string } | undefined
  action: ActionName
  /** A permission of the target's organization that is asked about. */
  permission: string | undefined
  /** In which times are said. */
  timeZone: string
  /** What kind of application it is, where the person asks about themselves. */
  application?: { category: string; type: string }
}

interface Found extends Record<string, unknown> {
  name: string | null
  username: string | null
  is_active: boolean
  target: string | null
  category: ApplicationCategory | null
  org_id: string
  org: string
}

/**
 * Reads a question from a query. Without a system user it is about the most likely one.
 * @throws AppError 400 at each field whose value is unreadable, or not in the caller's organization
 */
export async function readQuestion(db: Database, call: Call, query: unknown): Promise<AccessQuestion> {
  const { user_id, system_user_id, permission_id, action, ...targets } = wanted.parse(query)
  const { family, id } = targetIn(targets)
  const org = isRoot(call) ? null : call.org.id
  const { rows } = await db.execute<Found>(sql`
    WITH target AS (
      SELECT a.hostname AS name, NULL AS category, a.org_id FROM assets_listed_asset a WHERE ${family} = 'asset' AND a.id = ${id}::uuid
      UNION ALL
      SELECT a.name, a.category, a.org_id FROM ${applicationsListedApplication} a WHERE ${family} = 'application' AND a.id = ${id}::uuid)
    SELECT u.name, u.username, u.is_active, t.name AS target, t.category, t.org_id, o.name AS org
    FROM (SELECT) one
    LEFT JOIN target t ON ${org}::uuid IS NULL OR t.org_id = ${org}::uuid
    LEFT JOIN orgs_listed_organization o ON o.id = t.org_id
    LEFT JOIN users_account u ON u.id = ${user_id}::uuid AND u.role <> 'App' AND ${belongsTo(org)}`)
  const [found] = rows
  if (!found?.name) throw invalid({ user_id: 'Not found.' })
  if (!found.target) throw invalid({ [`${family}_id`]: 'Not found.' })
  const target = { family, id } as const
  const account = system_user_id ?? (await likelyAccount(db, { userId: user_id, target, orgId: found.org_id }))
  const systemUser = account ? await systemUserIn(db, account, found.org_id) : undefined
  if (system_user_id && !systemUser) throw invalid({ system_user_id: 'Not found.' })
  return {
    user: {
      ...{ id: user_id, name: found.name, username: found.username ?? '', isActive: found.is_active },
      isShared: (await peopleElsewhere(db, call, [user_id])).has(user_id),
    },
    target: { ...target, name: found.target, ...(found.category ? { category: found.category } : {}) },
    org: { id: found.org_id, name: found.org },
    systemUser,
    action,
    permission: permission_id,
    timeZone: call.timeZone,
  }
}

function targetIn({
  asset_id,
  application_id,
}: {
  asset_id?: string | undefined
  application_id?: string | undefined
}): Target {
  if (asset_id && application_id) throw invalid({ application_id: 'Choose an asset or an application, not both' })
  const family = application_id ? 'application' : 'asset'
  const id = application_id ?? asset_id
  if (!id) throw invalid({ asset_id: 'This field is required.' })
  return { family, id }
}

const ownWanted = wanted.omit({ user_id: true, permission_id: true })

/**
 * Reads a question of the caller about themselves, in whatever organization the target is. Without a
 * permission that names them and covers the target it is undefined, as for a target that does not exist.
 * `systemUser` is one that such a permission has, the most likely one where none is named.
 * @throws AppError 400 for what cannot be read
 */
export async function readOwnQuestion(db: Database, call: Call, query: unknown): Promise<AccessQuestion | undefined> {
  const { system_user_id, action, ...targets } = ownWanted.parse(query)
  const target = targetIn(targets)
  const { id: userId, name, username } = callerOf(call)
  const own = await ownPermissions(db, { userId, target })
  const { rows } = await db.execute<{
    name: string
    category: ApplicationCategory | null
    type: string | null
    org_id: string
    org: string
  }>(sql`
    SELECT t.name, t.category, t.type, t.org_id, o.name AS org FROM ${permsTarget} t JOIN orgs_listed_organization o ON o.id = t.org_id
    WHERE t.family = ${target.family} AND t.id = ${target.id}::uuid`)
  const [found] = rows
  if (!own || !found) return undefined
  const wantedOne = system_user_id ?? (await likelyAccount(db, { userId, target, orgId: found.org_id }))
  const { rows: accounts } = await db.execute<NonNullable<AccessQuestion['systemUser']>>(sql`
    SELECT s.id, s.name, s.protocol FROM assets_listed_system_user s
    WHERE s.id = ANY(${sql.param(own.accounts)}::uuid[]) ORDER BY s.id = ${wantedOne ?? null}::uuid DESC, s.priority, s.name`)
  const [account] = accounts
  return {
    user: { id: userId, name, username, isActive: true, isShared: false },
    target: { ...target, name: found.name, ...(found.category ? { category: found.category } : {}) },
    org: { id: found.org_id, name: found.org },
    systemUser: system_user_id && account?.id !== system_user_id ? undefined : account,
    action,
    permission: undefined,
    timeZone: call.timeZone,
    ...(found.category ? { application: { category: found.category, type: found.type ?? '' } } : {}),
  }
}

async function systemUserIn(db: Database, id: string, orgId: string): Promise<AccessQuestion['systemUser']> {
  const { rows } = await db.execute<{ id: string; name: string; protocol: string }>(sql`
    SELECT s.id, s.name, s.protocol FROM assets_listed_system_user s WHERE s.id = ${id}::uuid AND s.org_id = ${orgId}::uuid`)
  return rows[0]
}
