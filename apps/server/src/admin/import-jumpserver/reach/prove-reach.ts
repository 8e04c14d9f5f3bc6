import { type SQL, sql } from 'drizzle-orm'
import { permissionsByPerson } from '../../../domains/perms/reach/index.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { type Cause, DIFFERENCE_COLUMNS, DIFFERENCES, keepDifferences } from './differences.ts'
import { readTheirs } from './read-theirs.ts'
import { makeTheirTables, type Proving, settleTheirTables } from './their-tables.ts'

/** A right that differs: of everybody in a group of people who have the same permissions. */
export interface Difference {
  target: string
  account: string
  /** Bits of actions. */
  lost: number
  gained: number
  cause: Cause
  permission: string | null
  node: string | null
}

type Everything = 'absent' | 'switched off' | 'switched off there'

/** People who have the same permissions on both sides, and in what these differ. */
export interface DifferingPeople {
  usernames: readonly string[]
  /** All of it is lost: they have not come, or may not sign in here. Or gained, as they may not there. */
  everything?: Everything
  /** Rights of each of them that differ. */
  count: number
  /** Those that are listed. */
  differences: readonly Difference[]
}

/** The result of a proof. Rights are triples of a person, a target and an account. */
export interface ReachProof {
  people: number
  rights: number
  /** Rights that are lost, or have lost actions; and the other way round. */
  lost: number
  gained: number
  causes: ReadonlyMap<Cause | Everything, number>
  /** Rights that differ and are in no list, for there are too many. */
  unlisted: number
}

/** Lines of differences in all. A row is one for all people with the same permissions. */
const MOST_LISTED = 100_000
const AT_ONCE = 200
/**
 * Most groups of people reach little: by its usual costs the database would read all accounts for each.
 * Nor is a statement worth being compiled.
 */
const SETTINGS = `SET LOCAL work_mem = '64MB'; SET LOCAL random_page_cost = 1.1; SET LOCAL jit = off`

/**
 * Compares what each person reaches there and here now: targets, accounts and actions, theirs by their
 * rules and from their tables, ours as a session is asked for. People with the same permissions are
 * compared once. `list` gets the differences as they are found.
 */
export async function proveReach(
  proving: Proving,
  list: (people: DifferingPeople) => Promise<void> | void,
): Promise<ReachProof> {
  return proving.db.transaction(async (db) => {
    const within = { ...proving, db }
    await db.execute(sql.raw(SETTINGS))
    await makeTheirTables(db)
    await readTheirs(within)
    await settleTheirTables(db)
    await groupPeople(db)
    await db.execute(sql.raw(`CREATE TEMP TABLE proof_difference (${DIFFERENCE_COLUMNS}) ON COMMIT DROP`))
    const proof = { people: 0, rights: 0, lost: 0, gained: 0, causes: new Map(), unlisted: 0 }
    let room = MOST_LISTED
    for await (const group of groupsOfPeople(db)) room -= await compare(within, { group, proof, room, list })
    return proof
  })
}

interface PeopleGroup extends Record<string, unknown> {
  key: string
  theirs: string
  ours: string | null
  usernames: string[]
  is_here: boolean
  is_valid_here: boolean
  is_valid_there: boolean
}

/** Keeps who has the same permissions as whom, on both sides. Those who have none anywhere are left out. */
async function groupPeople(db: Database): Promise<void> {
  const theirs = sql`
    SELECT named.person, array_agg(named.permission ORDER BY named.permission) AS permissions
    FROM (SELECT n.person, n.permission FROM their_naming n
      UNION SELECT m.person, g.permission FROM their_member m JOIN their_naming_group g ON g.grp = m.grp) named
    JOIN their_permission p ON p.id = named.permission GROUP BY 1`
  const ours: SQL = permissionsByPerson(sql`SELECT ours FROM their_person WHERE ours IS NOT NULL`)
  await db.execute(sql`
    CREATE TEMP TABLE proof_group ON COMMIT DROP AS
    SELECT md5(concat_ws(' ', there.permissions, '|', here.permissions, t.is_valid, u.id IS NOT NULL, u.is_valid)) AS key,
      (array_agg(t.id ORDER BY t.username, t.id))[1] AS theirs, (array_agg(t.ours ORDER BY t.username, t.id))[1] AS ours,
      array_agg(t.username ORDER BY t.username, t.id) AS usernames, bool_or(u.id IS NOT NULL) AS is_here,
      bool_or(coalesce(u.is_valid, false)) AS is_valid_here, bool_or(t.is_valid) AS is_valid_there
    FROM their_person t LEFT JOIN users_account u ON u.id = t.ours
    LEFT JOIN (${theirs}) there ON there.person = t.id AND t.is_valid
    LEFT JOIN (${ours}) here ON here.person = t.ours
    WHERE there.permissions IS NOT NULL OR here.permissions IS NOT NULL
    GROUP BY 1`)
}

async function* groupsOfPeople(db: Database): AsyncGenerator<PeopleGroup> {
  for (let last = ''; ; ) {
    const { rows } = await db.execute<PeopleGroup>(
      sql`SELECT * FROM proof_group WHERE key > ${last} ORDER BY key LIMIT ${AT_ONCE}`,
    )
    yield* rows
    const next = rows.at(-1)?.key
    if (rows.length < AT_ONCE || next === undefined) return
    last = next
  }
}

interface Comparing {
  group: PeopleGroup
  proof: ReachProof & { causes: Map<string, number> }
  room: number
  list: (people: DifferingPeople) => Promise<void> | void
}

function whyEverything(group: PeopleGroup): Everything | undefined {
  if (!group.is_here) return 'absent'
  if (!group.is_valid_here) return 'switched off'
  return group.is_valid_there ? undefined : 'switched off there'
}

const NOBODY = '00000000-0000-0000-0000-000000000000'

/** Answers how many lines were listed. */
async function compare(proving: Proving, { group, proof, room, list }: Comparing): Promise<number> {
  const { db } = proving
  const { theirs, ours, usernames } = group
  const amount = usernames.length
  await db.execute(sql`TRUNCATE ${DIFFERENCES}`)
  const { rows: compared } = await db.execute<{ count: number }>(
    keepDifferences(proving, { theirs, ours: ours ?? NOBODY }),
  )
  proof.people += amount
  proof.rights += (compared[0]?.count ?? 0) * amount
  const { rows: causes } = await db.execute<{ cause: Cause; count: number; lost: number; gained: number }>(sql`
    SELECT cause, count(*)::int AS count, (count(*) FILTER (WHERE lost <> 0))::int AS lost,
      (count(*) FILTER (WHERE gained <> 0))::int AS gained FROM ${DIFFERENCES} GROUP BY 1`)
  const count = causes.reduce((sum, one) => sum + one.count, 0)
  if (!count) return 0
  const everything = whyEverything(group)
  for (const one of causes) {
    const cause = everything ?? one.cause
    proof.causes.set(cause, (proof.causes.get(cause) ?? 0) + one.count * amount)
    proof.lost += one.lost * amount
    proof.gained += one.gained * amount
  }
  const most = everything ? 0 : room
  const { rows: differences } = await db.execute<Difference & Record<string, unknown>>(
    sql`SELECT * FROM ${DIFFERENCES} ORDER BY target, account LIMIT ${most}`,
  )
  if (!everything) proof.unlisted += (count - differences.length) * amount
  await list({ usernames, count, differences, ...(everything ? { everything } : {}) })
  return differences.length
}
