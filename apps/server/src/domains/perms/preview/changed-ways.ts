import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { keep } from './sets.ts'
import {
  keepFits,
  keepNothing,
  keepPeople,
  keepWays,
  kept,
  type Moves,
  movesOf,
  placesOf,
  type Shape,
  type State,
} from './sides.ts'

/** How much a change touches: ways from permissions that come or go, and whose and where they are. */
export interface Extent {
  /** People × targets × accounts of every permission concerned. */
  ways: number
  people: number
  targets: number
}

/** So many ways are compared one by one; of more, people and targets are counted alone. */
export const MOST_WAYS = 50_000
/**
 * With so many people × targets, accounts are not even looked at: it would take seconds. A part of these
 * targets may fit no account, or be the same before and after.
 */
const MOST_PLACES = 4 * MOST_WAYS

const STATES: readonly State[] = ['before', 'after']

/** The state before, as far as it is kept. */
export interface SideBefore {
  moves: Moves
  /** Set where that is too large to be compared. */
  tooLarge?: Extent
}

/**
 * Keeps the state before, as far as the write can change it.
 * @param known query of the ways that are touched after the write
 */
export async function keepBefore(
  db: Database,
  { orgId, known }: { orgId: string | undefined; known: SQL },
): Promise<SideBefore> {
  const moves = await movesOf(db)
  const shape = await keepWays(db, 'before', { orgId, known })
  await keepPeople(db, 'before', shape)
  if (!moves.targets) return { moves }
  const tooLarge = await keepTargets(db, 'before', shape, sql`SELECT permission FROM ${kept('person', 'before')}`)
  return tooLarge ? { moves, tooLarge } : { moves }
}

/** Keeps what the permissions of people lead to; answers how much that is if it is too much. */
async function keepTargets(db: Database, state: State, shape: Shape, among: SQL, people = kept('person', state)) {
  const places = placesOf(state, shape, among, 'way')
  const ways = await waysAtMost(db, places, people)
  if (ways > MOST_PLACES)
    return {
      ways,
      ...(await keepTouched(db, sql`SELECT person FROM ${people}`, sql`SELECT target FROM (${places}) place`)),
    }
  const hasPlaces = ways && (await keep(db, kept('place', state), placesOf(state, shape, among, 'target')))
  if (hasPlaces) await keepFits(db, state, shape)
  else await keepNothing(db, 'fit', state)
  return undefined
}

async function waysAtMost(db: Database, places: SQL, people: SQL): Promise<number> {
  const { rows } = await db.execute<{ ways: string }>(sql`
    SELECT coalesce(sum(named.n * one.n), 0)::bigint::text AS ways
    FROM (SELECT permission, count(*) AS n FROM ${people} GROUP BY 1) named
    JOIN (SELECT permission, count(*) AS n FROM (${places}) place GROUP BY 1) one USING (permission)`)
  return Number(rows[0]?.ways)
}

/** Tables of the people and the targets of a change that is too large to be compared; there for no other. */
export const touched = (part: 'person' | 'target'): SQL => sql.raw(`preview_touched_${part}`)

/** Keeps whom and what such a change touches, and answers how many they are. */
async function keepTouched(db: Database, people: SQL, targets: SQL): Promise<Omit<Extent, 'ways'>> {
  return {
    people: await keep(db, touched('person'), sql`SELECT DISTINCT person FROM (${people}) one`),
    targets: await keep(db, touched('target'), sql`SELECT DISTINCT target FROM (${targets}) one`),
  }
}

/** Tables of what one state alone has: permissions, people of permissions, targets and accounts of them. */
export type Difference = 'permission' | 'person' | 'fit'
export const only = (part: Difference, state: State): SQL => sql.raw(`preview_only_${part}_${state}`)

/** What differs between the states. */
export interface Compared {
  extent: Extent
  isExact: boolean
  /** How many rows are in each of the tables. */
  counts: Record<Difference, Record<State, number>>
}

/**
 * Keeps the state after, and what one state alone has. Only where they differ in one of the three can a
 * way be in one state alone.
 */
export async function keepAfter(
  db: Database,
  { moves, tooLarge }: SideBefore,
  orgId: string | undefined,
): Promise<Compared> {
  const counts = { permission: ZEROS(), person: ZEROS(), fit: ZEROS() }
  if (tooLarge) return { extent: tooLarge, isExact: false, counts }
  const shape = await keepWays(db, 'after', { orgId, known: sql`SELECT * FROM ${kept('box', 'before')}` })
  if (moves.people) await keepPeople(db, 'after', shape)
  else await keepSame(db, 'person', { from: 'before', as: 'after' })
  await keepDifference(db, 'permission', counts, true)
  await keepDifference(db, 'person', counts, moves.people)
  const others = STATES.flatMap((state) => [
    sql`SELECT permission FROM ${only('permission', state)}`,
    sql`SELECT permission FROM ${only('person', state)}`,
  ])
  const concerned = sql.join(others, sql` UNION `)
  const too = moves.targets
    ? await keepTargets(db, 'after', shape, sql`SELECT permission FROM ${kept('person', 'after')}`)
    : await keepTargets(db, 'after', shape, concerned, await concernedPeople(db))
  if (too) return { extent: too, isExact: false, counts }
  if (!moves.targets) await keepSame(db, 'fit', { from: 'after', as: 'before' })
  await keepDifference(db, 'fit', counts, moves.targets)
  const extent = await measure(db)
  return { extent, isExact: extent.ways <= MOST_WAYS, counts }
}

/** A part that the write does not move is kept once. */
const keepSame = (db: Database, part: 'person' | 'fit', { from, as }: { from: State; as: State }) =>
  db.execute(sql`CREATE TEMP VIEW ${kept(part, as)} AS SELECT * FROM ${kept(part, from)}`)

const ZEROS = (): Record<State, number> => ({ before: 0, after: 0 })

const COLUMNS: Readonly<Record<Difference, SQL>> = {
  permission: sql`permission, actions, databases`,
  person: sql`permission, person`,
  fit: sql`permission, target, account, family`,
}

async function keepDifference(db: Database, part: Difference, counts: Compared['counts'], isMoved: boolean) {
  for (const state of STATES) {
    const [own, other] = state === 'before' ? STATES : STATES.toReversed()
    const rows = (of: State) => sql`SELECT ${COLUMNS[part]} FROM ${kept(part, of)}`
    counts[part][state] = await keep(
      db,
      only(part, state),
      isMoved ? sql`${rows(own as State)} EXCEPT ${rows(other as State)}` : sql`${rows('after')} LIMIT 0`,
    )
  }
}

/** People whose ways come or go, where targets stay. */
async function concernedPeople(db: Database): Promise<SQL> {
  const table = sql.raw('preview_concerned')
  await keep(
    db,
    table,
    sql.join(
      STATES.flatMap((state) => [
        sql`SELECT permission, person FROM ${only('person', state)}`,
        sql`SELECT permission, person FROM ${kept('person', state)} WHERE permission IN (SELECT permission FROM ${only('permission', state)})`,
      ]),
      sql` UNION `,
    ),
  )
  return table
}

async function measure(db: Database): Promise<Extent> {
  let [ways, most] = [0, 0]
  for (const state of STATES) {
    const [people, fits] = [kept('person', state), kept('fit', state)]
    const { rows } = await db.execute<{ whole: string; some: string }>(sql`
      WITH whole AS MATERIALIZED (SELECT permission FROM ${only('permission', state)}),
      persons AS (SELECT permission, count(*) AS n FROM ${people} GROUP BY 1),
      places AS (SELECT permission, count(*) AS n FROM ${fits} GROUP BY 1),
      some_persons AS (SELECT permission, count(*) AS n FROM ${only('person', state)} GROUP BY 1),
      some_places AS (SELECT permission, count(*) AS n FROM ${only('fit', state)} GROUP BY 1)
      SELECT coalesce(sum(persons.n * places.n) FILTER (WHERE permission IN (SELECT permission FROM whole)), 0)::bigint::text AS whole,
        coalesce(sum(coalesce(some_persons.n, 0) * places.n + coalesce(some_places.n, 0) * persons.n)
          FILTER (WHERE permission NOT IN (SELECT permission FROM whole)), 0)::bigint::text AS some
      FROM persons JOIN places USING (permission) LEFT JOIN some_persons USING (permission) LEFT JOIN some_places USING (permission)
      WHERE permission IN (SELECT permission FROM ${kept('permission', state)})`)
    const { whole = '0', some = '0' } = rows[0] ?? {}
    // A permission that changes has the same ways before and after.
    most = Math.max(most, Number(whole))
    ways += Number(some)
  }
  ways += most
  return { ways, ...(await (ways > MOST_WAYS ? keepTouched : count)(db, whoIsTouched(), whatIsTouched())) }
}

async function count(db: Database, people: SQL, targets: SQL): Promise<Omit<Extent, 'ways'>> {
  const { rows } = await db.execute<Omit<Extent, 'ways'> & Record<string, unknown>>(sql`
    SELECT (SELECT count(DISTINCT person) FROM (${people}) one)::int AS people,
      (SELECT count(DISTINCT target) FROM (${targets}) one)::int AS targets`)
  return rows[0] ?? { people: 0, targets: 0 }
}

/** Query of the people whose ways one of the states alone has. */
const whoIsTouched = (): SQL =>
  inEither(
    (state) => sql`
      SELECT person FROM ${kept('person', state)} WHERE permission IN (SELECT permission FROM ${kept('fit', state)}) AND (
        permission IN (SELECT permission FROM ${only('permission', state)} UNION ALL SELECT permission FROM ${only('fit', state)})
        OR (permission, person) IN (SELECT permission, person FROM ${only('person', state)}))`,
  )

/** Query of the targets that they lead to. */
const whatIsTouched = (): SQL =>
  inEither(
    (state) => sql`
      SELECT target FROM ${kept('fit', state)} WHERE permission IN (SELECT permission FROM ${kept('person', state)}) AND (
        permission IN (SELECT permission FROM ${only('permission', state)} UNION ALL SELECT permission FROM ${only('person', state)})
        OR (permission, target) IN (SELECT permission, target FROM ${only('fit', state)}))`,
  )

const inEither = (query: (state: State) => SQL): SQL => sql.join(STATES.map(query), sql` UNION ALL `)

/** Query of the ways that one state alone has: person, family, target, account, actions, databases. */
export function changedWays(state: State, { counts }: Compared): SQL {
  const by = (part: Difference) => {
    const table = (of: Difference) => (of === part ? only(of, state) : kept(of, state))
    // A permission that comes or goes does so with all of its people and targets.
    const others =
      part === 'permission' ? sql`true` : sql`p.permission NOT IN (SELECT permission FROM ${only('permission', state)})`
    return sql`
      SELECT named.person, f.family, f.target, f.account, p.actions, p.databases
      FROM ${table('permission')} p JOIN ${table('person')} named USING (permission) JOIN ${table('fit')} f USING (permission)
      WHERE ${others}`
  }
  const parts = (['permission', 'person', 'fit'] as const).filter((part) => counts[part][state] > 0)
  const nothing = sql`SELECT NULL::uuid AS person, NULL::text AS family, NULL::uuid AS target, NULL::uuid AS account,
    0 AS actions, NULL::text[] AS databases WHERE false`
  return sql.join([nothing, ...parts.map(by)], sql` UNION ALL `)
}
