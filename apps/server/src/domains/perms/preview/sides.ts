import type { TargetFamily } from '@sallyport/contract/target.ts'
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { PLACES } from './places.ts'
import { counting, countsForPerson, fitting, keep, targetsOf } from './sets.ts'
import { covering, naming, touchedKinds, touchedWays } from './touched.ts'

/** Before the write that is looked at, or after it. */
export type State = 'before' | 'after'

/**
 * The parts of a state that are kept, of the ways that the write touches: these ways, the permissions that
 * count, permissions and people, permissions and targets, and those with accounts that fit. A way is a
 * permission that counts with a person, and a target and account of these.
 */
type Part = 'box' | 'permission' | 'person' | 'place' | 'fit'
export const kept = (part: Part, state: State): SQL => sql.raw(`preview_${part}_${state}`)

/** Which of the parts the write can change at all: the others are the same in both states. */
export interface Moves {
  people: boolean
  targets: boolean
}

const OF_PEOPLE = ['person', 'member', 'group_person', 'permission_person', 'permission_group']
const OF_TARGETS = [
  ...['target', 'node_target', 'node', 'permission_target', 'permission_node'],
  ...['account', 'permission_account'],
]

/** The parts that the write moves, by the rows that it has touched. */
export async function movesOf(db: Database): Promise<Moves> {
  const kinds = await touchedKinds(db)
  const among = (list: readonly string[]) => kinds.some((kind) => list.includes(kind))
  return { people: among(OF_PEOPLE), targets: among(OF_TARGETS) }
}

/** The ways from permissions that the write touches, as the state after it has them, as JSON. */
export async function waysMade(db: Database, orgId: string | undefined): Promise<string> {
  const kinds = await touchedKinds(db)
  const { rows } = await db.execute<{ ways: string }>(
    sql`SELECT coalesce(jsonb_agg(w), '[]')::text AS ways FROM (${touchedWays(kinds, counting(orgId))}) w`,
  )
  return rows[0]?.ways ?? '[]'
}

/** Query of ways: permission, person, target, account, node, family. */
export const waysIn = (json: string): SQL => sql`
  SELECT * FROM jsonb_to_recordset(${json}::jsonb) AS w (permission uuid, person uuid, target uuid, account uuid, node uuid, family text)`

/** Which kinds of ways there are: what is not there need not be asked for. */
export interface Shape {
  /** Ways to everything of a permission. */
  whole: boolean
  /** Ways of a person, to a target, by an account. */
  person: boolean
  target: boolean
  account: boolean
  families: TargetFamily[]
}

/**
 * Keeps the ways that are touched in either state, and their permissions.
 * @param known query of the ways that are touched in the other state
 */
export async function keepWays(
  db: Database,
  state: State,
  { orgId, known }: { orgId: string | undefined; known: SQL },
): Promise<Shape> {
  const box = kept('box', state)
  await keep(db, box, sql`${touchedWays(await touchedKinds(db), counting(orgId))} UNION ${known}`)
  await keep(
    db,
    kept('permission', state),
    sql`SELECT p.id AS permission, p.actions, ${PLACES} AS databases FROM perms_permission p
      WHERE p.id IN (SELECT permission FROM ${box}) AND ${counting(orgId)}`,
  )
  const { rows } = await db.execute<Shape & Record<string, unknown>>(sql`
    SELECT coalesce(bool_or(person IS NULL AND target IS NULL AND account IS NULL AND node IS NULL), false) AS whole,
      coalesce(bool_or(person IS NOT NULL), false) AS person, coalesce(bool_or(target IS NOT NULL OR node IS NOT NULL), false) AS target,
      coalesce(bool_or(account IS NOT NULL), false) AS account, coalesce(array_agg(DISTINCT family), '{}') AS families
    FROM ${box}`)
  return rows[0] as Shape
}

/** Keeps permissions and the people that they count for, of those that touched ways begin at. */
export function keepPeople(db: Database, state: State, { whole, person, target, account }: Shape): Promise<number> {
  const box = kept('box', state)
  const all = naming({ permissions: sql`SELECT permission FROM ${box} WHERE person IS NULL` })
  // The other state may be the one in which it names them.
  const some = sql`
    SELECT permission, person FROM (${naming({ people: sql`SELECT DISTINCT person FROM ${box} WHERE person IS NOT NULL` })}) one
    WHERE (permission, person) IN (SELECT permission, person FROM ${box} WHERE person IS NOT NULL)`
  const named = [...(whole || target || account ? [all] : []), ...(person ? [some] : [])]
  if (!named.length) named.push(some)
  return keep(
    db,
    kept('person', state),
    sql`SELECT DISTINCT named.permission, named.person FROM (${sql.join(named, sql` UNION ALL `)}) named
    JOIN perms_permission p ON p.id = named.permission
    WHERE ${countsForPerson}`,
  )
}

/**
 * Query of permissions and their targets, of those that touched ways end at.
 * @param among query of the permissions that are wanted
 * @param each a row for each way to a target, which costs less, or for each target
 */
export function placesOf(
  state: State,
  { whole, person, target, account }: Shape,
  among: SQL,
  each: 'target' | 'way',
): SQL {
  const box = sql`(SELECT * FROM ${kept('box', state)} WHERE permission IN (${among})) box`
  const all = targetsOf(sql`SELECT permission FROM ${box} WHERE target IS NULL AND node IS NULL`, each)
  const some = sql`(
    WITH ends AS MATERIALIZED (
      SELECT permission, target FROM ${box} WHERE target IS NOT NULL
      UNION ALL
      SELECT box.permission, an.asset_id FROM ${box} JOIN assets_asset_in_node an ON an.node_id = box.node)
    SELECT covered.permission, covered.target FROM (${covering(sql`SELECT target FROM ends`)}) covered
    WHERE (covered.permission, covered.target) IN (SELECT permission, target FROM ends))`
  const places = [...(whole || person || account ? [all] : []), ...(target ? [some] : [])]
  return sql.join(places.length ? places : [some], each === 'way' ? sql` UNION ALL ` : sql` UNION `)
}

/** Keeps permissions, targets and accounts that fit, of the places that are kept. */
export const keepFits = (db: Database, state: State, { families }: Shape): Promise<number> =>
  keep(db, kept('fit', state), fitting(kept('place', state), families))

/** In place of what need not be asked for. */
export const keepNothing = (db: Database, part: 'person' | 'fit', state: State): Promise<unknown> =>
  db.execute(
    part === 'person'
      ? sql`CREATE TEMP TABLE ${kept(part, state)} (permission uuid, person uuid) ON COMMIT DROP`
      : sql`CREATE TEMP TABLE ${kept(part, state)} (permission uuid, target uuid, account uuid, family text) ON COMMIT DROP`,
  )
