import { ACTION_BITS, type ActionName, actionNames } from '@sallyport/contract/actions.ts'
import type { Target, TargetFamily } from '@sallyport/contract/target.ts'
import { type SQL, sql } from 'drizzle-orm'
import { targetLimits } from '../../kernel/access/target-limits.ts'
import type { Database } from '../../kernel/database/database.ts'
import { PREPARED } from '../../kernel/database/preparing-client.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import { type GrantFamily, grantFamily, nodesAbove, targetColumn } from './families.ts'
import { combinedForwarding, type ForwardingOfPermission, type ForwardingRight } from './forwarding/forwarding-right.ts'
import { type GrantScope, permissionsOf } from './grants.ts'

export interface ConnectQuestion {
  userId: string
  target: Target
  systemUserId: string
  /** Only permissions of this organization; undefined: any. */
  orgId?: string
}

/** A machine and an account of it. */
export interface MachineNow {
  asset: string
  address: string
  systemUser: string
}

export interface ConnectAnswer {
  /**
   * Whether a session may be opened: a valid permission grants the action `connect`, and target,
   * system user and person are usable.
   */
  allowed: boolean
  /** Bits of all matching permissions combined; 0 when none matches. */
  mask: number
  actions: ActionName[]
  /** The databases of the server that all of them together lead to; undefined: all. */
  databases?: readonly string[]
  /** Where connections may be forwarded to from there; undefined: nowhere. */
  forwarding?: ForwardingRight
  /** The target as it is called and reached now; undefined for what is no machine. */
  machine?: MachineNow
  /** Unix seconds: when the last of the matching permissions ends, or now. */
  expireAt: number
}

/**
 * Whether a permission covers a target: it names it, or a node that it is in or below. `p` holds
 * the candidates, `above` those nodes.
 */
const reaches = (family: TargetFamily, id: SQL, above: SQL) => sql`(
  EXISTS (SELECT 1 FROM perms_permission_target pt WHERE pt.permission = p.id AND ${targetColumn(family)} = ${id})
  OR EXISTS (SELECT 1 FROM perms_permission_node pn JOIN ${above} above ON above.id = pn.node WHERE pn.permission = p.id))`

/** The same for one target, where `above` is a query of its own. */
export const reachesOne = ({ family, id }: Target) => reaches(family, sql`${id}::uuid`, sql`above`)
/** Query of the ids of the permissions that name one target, or a node of `above`. */
export const coveringOne = ({ family, id }: Target) => sql`
  SELECT pt.permission FROM perms_permission_target pt WHERE ${targetColumn(family)} = ${id}::uuid
  UNION ALL
  SELECT pn.permission FROM above JOIN perms_permission_node pn ON pn.node = above.id`
export const nodesAboveOne = ({ family, id }: Target) => nodesAbove(family, sql`${id}::uuid`)

/** SQL: what must be so of a target `t`, a system user `s` and a person `u`, each by itself. */
export const fitConditions = (family: GrantFamily) => ({
  isActive: family.isActive,
  isOfSameOrg: sql`s.org_id = t.org_id`,
  fits: family.fits,
  isValidPerson: sql`u.is_valid`,
  isWithinLimit: targetLimits.value.within(family.family, sql`t.id`, sql`u.id`),
})

/**
 * Whether this person may use this system user on this target now
 * (docs/rules/perms.md#user_validate). The target must be active, the system user usable on it (for
 * an asset: by one of its protocols), the person active and not expired. To be asked again while a
 * session runs, as all of this may change.
 */
export async function mayConnect(
  db: Database,
  { userId, target, systemUserId, orgId }: ConnectQuestion,
): Promise<ConnectAnswer> {
  const family = grantFamily(target.family)
  if (!family || ![userId, target.id, systemUserId].every(isUuid)) return refusal(0)
  const asked = {
    userId: sql`${userId}::uuid`,
    target: sql`${target.id}::uuid`,
    systemUserId: sql`${systemUserId}::uuid`,
  }
  const { rows } = await db.execute<StoredAnswer>(sql`${PREPARED} ${answerTo(family, asked, orgId)}`)
  return read(rows[0])
}

/** The answer of the database to one question. */
interface StoredAnswer extends Record<string, unknown> {
  mask: number | null
  databases: string[][] | null
  forwarding: ForwardingOfPermission[] | null
  expire_at: string | null
  fit: { fits: boolean | null; machine: MachineNow | null } | null
}

/** A query of the answer to one question, whose ids are SQL. */
function answerTo(
  family: GrantFamily,
  { userId, target, systemUserId }: Record<'userId' | 'target' | 'systemUserId', SQL>,
  orgId: string | undefined,
): SQL {
  return sql`
    WITH above AS MATERIALIZED (${nodesAbove(family.family, target)}),
    p AS MATERIALIZED (${permissionsOf({ family: family.family, subject: { userId }, orgId, systemUserId })})
    SELECT bit_or(p.actions) AS mask, jsonb_agg(p.databases) FILTER (WHERE p.actions & ${ACTION_BITS.connect} <> 0) AS databases,
      jsonb_agg(jsonb_build_object('forwarding', p.forwarding, 'destinations', p.forwarding_destinations))
        FILTER (WHERE p.actions & ${ACTION_BITS.connect} <> 0 AND p.forwarding <> 'none') AS forwarding,
      floor(extract(epoch FROM max(p.date_expired)))::bigint::text AS expire_at,
      (SELECT jsonb_build_object('fits', ${sql.join(Object.values(fitConditions(family)), sql` AND `)}, 'machine', ${machineNow(family)})
       FROM ${family.targets} t, assets_listed_system_user s, users_account u
       WHERE t.id = ${target} AND s.id = ${systemUserId} AND u.id = ${userId}) AS fit
    FROM p WHERE ${reaches(family.family, target, sql`above`)}`
}

/** Questions of one statement. */
const AT_ONCE = 500

/**
 * `mayConnect` for many at once, in order: one statement for each family and each 500 different
 * questions, however many sessions ask them.
 */
export async function mayConnectEach(
  db: Database,
  questions: readonly Omit<ConnectQuestion, 'orgId'>[],
): Promise<ConnectAnswer[]> {
  const keyOf = ({ userId, target, systemUserId }: Omit<ConnectQuestion, 'orgId'>) =>
    `${userId} ${target.family} ${target.id} ${systemUserId}`
  const different = [...new Map(questions.map((one) => [keyOf(one), one])).values()].filter(
    ({ userId, target, systemUserId }) => [userId, target.id, systemUserId].every(isUuid),
  )
  const answers = new Map<string, ConnectAnswer>()
  for (const [name, ofFamily] of Map.groupBy(different, ({ target }) => target.family)) {
    const family = grantFamily(name)
    for (let from = 0; family && from < ofFamily.length; from += AT_ONCE) {
      const some = ofFamily.slice(from, from + AT_ONCE)
      for (const { n, ...answer } of await answersTo(db, family, some)) {
        const asked = some[Number(n) - 1]
        if (asked) answers.set(keyOf(asked), read(answer))
      }
    }
  }
  return questions.map((one) => answers.get(keyOf(one)) ?? refusal(0))
}

async function answersTo(
  db: Database,
  family: GrantFamily,
  questions: readonly Omit<ConnectQuestion, 'orgId'>[],
): Promise<(StoredAnswer & { n: string })[]> {
  const ids = (of: (one: Omit<ConnectQuestion, 'orgId'>) => string) => sql`${sql.param(questions.map(of))}::uuid[]`
  const asked = { userId: sql`q.person`, target: sql`q.target`, systemUserId: sql`q.account` }
  const { rows } = await db.execute<StoredAnswer & { n: string }>(sql`${PREPARED}
    SELECT q.n::text AS n, answer.*
    FROM unnest(${ids(({ userId }) => userId)}, ${ids(({ target }) => target.id)}, ${ids(({ systemUserId }) => systemUserId)})
      WITH ORDINALITY AS q (person, target, account, n)
    CROSS JOIN LATERAL (${answerTo(family, asked, undefined)}) answer`)
  return rows
}

function read(answer: StoredAnswer | undefined): ConnectAnswer {
  if (!answer) return refusal(0)
  const { mask, databases, forwarding, expire_at, fit } = answer
  if (mask === null || !fit?.fits) return refusal(0)
  if (!(mask & ACTION_BITS.connect)) return refusal(mask)
  return {
    ...{ allowed: true, mask, actions: actionNames(mask), expireAt: Number(expire_at) },
    ...(databases?.every((names) => names.length) ? { databases: [...new Set(databases.flat())] } : {}),
    ...(forwarding ? { forwarding: combinedForwarding(forwarding) } : {}),
    ...(fit.machine ? { machine: fit.machine } : {}),
  }
}

/** SQL: a target `t` and a system user `s` as MachineNow. */
const machineNow = ({ machine }: GrantFamily): SQL =>
  machine
    ? sql`jsonb_build_object('asset', ${machine.name} || '(' || ${machine.address} || ')', 'address', ${machine.address},
        'systemUser', s.name || '(' || s.username || ')')`
    : sql`NULL::jsonb`

/**
 * Those of these assets that the person may use this system user on now; see `mayConnect`. One
 * query, however many.
 */
export async function connectableAssets(
  db: Database,
  { userId, systemUserId, assetIds }: { userId: string; systemUserId: string; assetIds: readonly string[] },
): Promise<string[]> {
  const wanted = assetIds.map((id) => ({ target: { family: 'asset' as const, id }, systemUserId }))
  return (await connectable(db, userId, wanted)).map(({ target }) => target.id)
}

/** A system user on a target. */
export interface Connectable {
  target: Target
  systemUserId: string
}

/**
 * Those of these that the person may connect to now; see `mayConnect`. One query a family, however
 * many.
 */
export async function connectable<Wanted extends Connectable>(
  db: Database,
  userId: string,
  wanted: readonly Wanted[],
): Promise<Wanted[]> {
  const families = [...new Set(wanted.map(({ target }) => target.family))]
  const allowed = await Promise.all(families.map((family) => connectableIn(db, userId, family, wanted)))
  const keys = new Set(allowed.flat())
  return wanted.filter((one) => keys.has(keyOf(one)))
}

const keyOf = ({ target, systemUserId }: Connectable) => `${target.family} ${target.id} ${systemUserId}`.toLowerCase()

async function connectableIn(
  db: Database,
  userId: string,
  name: TargetFamily,
  wanted: readonly Connectable[],
): Promise<string[]> {
  const family = grantFamily(name)
  const named = wanted.filter(
    ({ target, systemUserId }) => target.family === name && [target.id, systemUserId].every(isUuid),
  )
  if (!family || !named.length || !isUuid(userId)) return []
  const targets = named.map(({ target }) => target.id)
  const systemUsers = named.map(({ systemUserId }) => systemUserId)
  const { rows } = await db.execute<{ target: string; account: string }>(sql`
    WITH p AS MATERIALIZED (${permissionsOf({ family: name, subject: { userId }, orgId: undefined, systemUserId: [...new Set(systemUsers)] })})
    SELECT t.id AS target, s.id AS account
    FROM (SELECT DISTINCT * FROM unnest(${sql.param(targets)}::uuid[], ${sql.param(systemUsers)}::uuid[]) w(target, account)) w
    JOIN ${family.targets} t ON t.id = w.target
    JOIN assets_listed_system_user s ON s.id = w.account AND s.org_id = t.org_id
    JOIN users_account u ON u.id = ${userId}::uuid AND u.is_valid
    WHERE ${family.isActive} AND ${family.fits} AND ${targetLimits.value.within(name, sql`t.id`, sql`u.id`)}
      AND EXISTS (SELECT 1 FROM p WHERE p.actions & ${ACTION_BITS.connect} <> 0
        AND EXISTS (SELECT 1 FROM perms_permission_system_user ps WHERE ps.permission = p.id AND ps.systemuser = s.id)
        AND ${reaches(name, sql`t.id`, sql`(${nodesAbove(name, sql`t.id`)})`)})`)
  return rows.map((row) => keyOf({ target: { family: name, id: row.target }, systemUserId: row.account }))
}

function refusal(mask: number): ConnectAnswer {
  return { allowed: false, mask, actions: actionNames(mask), expireAt: Math.floor(Date.now() / 1000) }
}

export interface UsableSystemUser extends Record<string, unknown> {
  id: string
  name: string
  username: string
  priority: number
  protocol: string
  login_mode: string
  sftp_root: string
  username_same_with_user: boolean
  su_enabled: boolean
  su_from: string | null
  mask: number
}

const isWithin = ({ subject }: GrantScope, family: TargetFamily): SQL =>
  'userId' in subject ? targetLimits.value.within(family, sql`t.id`, sql`${subject.userId}::uuid`) : sql`true`

/**
 * System users that a subject may use on an active target, by name, with the actions of all
 * matching permissions combined. Undefined both when the target is inactive and when no valid
 * permission covers it, so that the two can't be told apart.
 */
export async function usableSystemUsers(
  db: Database,
  whose: GrantScope,
  target: Target,
): Promise<UsableSystemUser[] | undefined> {
  const family = grantFamily(target.family)
  if (!family || !isUuid(target.id)) return undefined
  const { rows } = await db.execute<UsableSystemUser & { reached: boolean }>(sql`${PREPARED}
    WITH above AS MATERIALIZED (${nodesAboveOne(target)}),
    candidate AS MATERIALIZED (${permissionsOf({ family: target.family, ...whose })}),
    matching AS MATERIALIZED (
      SELECT p.* FROM candidate p
      WHERE ${reachesOne(target)} AND EXISTS (SELECT 1 FROM ${family.targets} t WHERE t.id = ${target.id}::uuid AND ${family.isActive} AND ${isWithin(whose, target.family)})
    )
    SELECT s.id, s.name, s.username, s.priority, s.protocol, s.login_mode, s.sftp_root, s.username_same_with_user, s.su_enabled, s.su_from, used.mask
    FROM (
      SELECT ps.systemuser, bit_or(m.actions) AS mask
      FROM matching m JOIN perms_permission_system_user ps ON ps.permission = m.id GROUP BY ps.systemuser
    ) used
    JOIN assets_listed_system_user s ON s.id = used.systemuser
    JOIN ${family.targets} t ON t.id = ${target.id}::uuid
    WHERE ${family.fits}
    UNION ALL
    SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM (SELECT 1 FROM matching LIMIT 1) any_match
    ORDER BY name, id`)
  // A row without an id only says that some permission covers the target.
  if (!rows.length) return undefined
  return rows.filter((row) => row.id !== null)
}
