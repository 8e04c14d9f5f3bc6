import type { ActionName } from '@sallyport/contract/actions.ts'
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { type GrantFamily, grantFamily, targetColumn } from '../families.ts'
import { allows, grantConditions, inFamily, naming } from '../grants.ts'
import { type ConnectQuestion, coveringOne, fitConditions, nodesAboveOne, reachesOne } from '../may-connect.ts'

/** Conditions that a permission fails, in the order in which they are said. */
export type Lack = 'person' | 'target' | 'account' | 'off' | 'future' | 'ended' | 'membership' | 'connect' | 'action'

/** A way by which a permission names somebody or something. */
export interface Way {
  kind: 'user' | 'user_group' | 'target' | 'node'
  id: string
  name: string
}

/** A permission that grants what was asked, or that comes near to it. */
export interface NearPermission {
  id: string
  name: string
  /** Empty: it grants it. */
  lacks: Lack[]
  /** Bits of its actions. */
  mask: number
  dateStart: Date
  dateExpired: Date
  people: Way[]
  targets: Way[]
}

/** The conditions of `mayConnect` on person, target and system user, each by itself. */
export interface GrantFacts {
  isActiveTarget: boolean
  isOfSameOrg: boolean
  fits: boolean
  isValidPerson: boolean
  isMember: boolean
  /** A service identity may be limited to other targets. */
  isWithinLimit: boolean
}

/** So many permissions are looked at closely. */
const NEAREST = 20

/**
 * The parts of the answer of `mayConnect`, from the same conditions: undefined when person, target or
 * system user is gone.
 */
export async function grantFacts(
  db: Database,
  { userId, target, systemUserId }: ConnectQuestion,
): Promise<GrantFacts | undefined> {
  const family = grantFamily(target.family)
  if (!family) return undefined
  const { isActive, isOfSameOrg, fits, isValidPerson, isWithinLimit } = fitConditions(family)
  const { rows } = await db.execute<{ [K in keyof GrantFacts]: boolean }>(sql`
    SELECT ${isActive} AS "isActiveTarget", ${isOfSameOrg} AS "isOfSameOrg", ${fits} AS fits, ${isValidPerson} AS "isValidPerson",
      ${isWithinLimit} AS "isWithinLimit",
      EXISTS (SELECT 1 FROM orgs_membership m WHERE m.user_id = u.id AND m.org_id = t.org_id) AS "isMember"
    FROM ${family.targets} t, assets_listed_system_user s, users_account u
    WHERE t.id = ${target.id}::uuid AND s.id = ${systemUserId}::uuid AND u.id = ${userId}::uuid`)
  return rows[0]
}

export interface NearQuestion {
  /** A permission that is looked at in any case, first. */
  wanted?: string | undefined
  /** Only permissions that both name the person and cover the target. */
  isOwn?: boolean
}

/**
 * The permissions of the target's organization that name the person or cover the target, those that
 * lack least first, with what each lacks: the conditions are those by which `mayConnect` decides.
 * @param action to be done there
 */
export async function nearPermissions(
  db: Database,
  { userId, target, systemUserId, orgId }: ConnectQuestion,
  action: ActionName,
  { wanted, isOwn = false }: NearQuestion = {},
): Promise<NearPermission[]> {
  const family = grantFamily(target.family)
  if (!family) return []
  const { names, isActive, hasBegun, hasNotEnded, isOfOwnOrg, hasAccount } = grantConditions({
    subject: { userId },
    systemUserId,
  })
  const lacks: Record<Lack, SQL | undefined> = {
    person: names,
    target: reachesOne(target),
    account: hasAccount,
    off: isActive,
    future: hasBegun,
    ended: hasNotEnded,
    membership: isOfOwnOrg,
    connect: allows('connect'),
    action: allows(action),
  }
  const lacking = Object.entries(lacks).map(
    ([lack, holds]) => sql`CASE WHEN ${holds ?? sql`true`} THEN NULL ELSE ${lack} END`,
  )
  const isWanted = sql`id IS DISTINCT FROM ${wanted ?? null}::uuid`
  const { rows } = await db.execute<{
    id: string
    name: string
    lacks: Lack[]
    mask: number
    date_start: string
    date_expired: string
    people: Way[] | null
    targets: Way[] | null
  }>(sql`
    WITH above AS MATERIALIZED (${nodesAboveOne(target)}),
    near AS MATERIALIZED (
      SELECT p.id, p.name, p.actions, p.date_start, p.date_expired, array_remove(ARRAY[${sql.join(lacking, sql`, `)}], NULL) AS lacks
      FROM perms_permission p
      WHERE ${inFamily({ family: target.family, orgId })} AND ${
        isOwn
          ? sql`p.id IN (${naming({ userId })}) AND p.id IN (${coveringOne(target)})`
          : sql`p.id IN (${naming({ userId })} UNION ALL ${coveringOne(target)} UNION ALL SELECT ${wanted ?? null}::uuid)`
      }),
    nearest AS (SELECT * FROM near ORDER BY ${isWanted}, cardinality(lacks), name, id LIMIT ${NEAREST})
    SELECT p.id, p.name, p.lacks, p.actions AS mask, p.date_start, p.date_expired,
      (${waysOfPerson(userId)}) AS people, (${waysToTarget(family, target)}) AS targets
    FROM nearest p ORDER BY ${isWanted}, cardinality(lacks), name, id`)
  return rows.map(({ date_start, date_expired, people, targets, ...row }) => ({
    ...row,
    dateStart: new Date(date_start),
    dateExpired: new Date(date_expired),
    people: people ?? [],
    targets: targets ?? [],
  }))
}

const waysOfPerson = (userId: string) =>
  asWays(sql`
    SELECT 'user' AS kind, u.id, u.name FROM perms_permission_user pu JOIN users_account u ON u.id = pu."user"
    WHERE pu.permission = p.id AND pu."user" = ${userId}::uuid
    UNION ALL
    SELECT 'user_group', g.id, g.name FROM users_group_member m JOIN perms_permission_user_group pg ON pg.usergroup = m.group_id
    JOIN users_listed_group g ON g.id = m.group_id WHERE pg.permission = p.id AND m.user_id = ${userId}::uuid`)

const waysToTarget = (family: GrantFamily, { family: name, id }: ConnectQuestion['target']) =>
  asWays(sql`
    SELECT 'target' AS kind, t.id, '' AS name FROM perms_permission_target pt JOIN ${family.targets} t ON t.id = ${targetColumn(name)}
    WHERE pt.permission = p.id AND t.id = ${id}::uuid
    UNION ALL
    SELECT 'node', n.id, n.full_value FROM above JOIN perms_permission_node pn ON pn.node = above.id
    JOIN assets_listed_node n ON n.id = above.id WHERE pn.permission = p.id`)

/** Rows of kind, id and name as a list, those by which it names them itself first. */
const asWays = (ways: SQL) => sql`
  SELECT jsonb_agg(to_jsonb(way) ORDER BY way.kind IN ('user_group', 'node'), way.name) FROM (${ways}) way`
