import type { TargetFamily } from '@sallyport/contract/target.ts'
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { grantFamilies } from '../families.ts'
import { counting, fitting, keep, targetsOf } from './sets.ts'
import { covering, naming } from './touched.ts'
import { opens } from './ways-to.ts'

/** A right to open sessions. */
export interface MetRight {
  person: string
  family: TargetFamily
  target: string
  account: string
}

/** What rules meet: each a query of ids that holds before the write and after it; undefined: all. */
export interface Meeting {
  people?: SQL | undefined
  targets?: SQL | undefined
  accounts?: SQL | undefined
}

/** How much that is at most. */
export interface Met {
  people: number
  targets: number
  /** Undefined: too many to be read one by one. */
  rights?: MetRight[]
}

/** So many rights are judged one by one. */
const MOST_RIGHTS = 20_000
/** People × targets, beyond which permissions are not even asked for: it would take seconds. */
const MOST_PLACES = 2_000_000
/** Pairs of a permission and a target, beyond which the rights are too many, or take too long to find. */
const MOST_PAIRINGS = 60_000
/** With so many targets for each permission, all targets of the permissions are asked for instead. */
const TARGETS_A_PERMISSION = 4

const idsOf = (query: SQL) => sql`SELECT id FROM (${query}) met`

/** The rights that one of these meets, as this state has them. `name` is that of temporary tables. */
export async function metRights(
  db: Database,
  { name, orgId }: { name: string; orgId: string | undefined },
  meetings: readonly Meeting[],
): Promise<Met> {
  const all: Met = { people: 0, targets: 0, rights: [] }
  const seen = new Set<string>()
  for (const [at, meeting] of meetings.entries()) {
    const size = await sizeOf(db, meeting, orgId)
    all.people = Math.max(all.people, size.people)
    all.targets = Math.max(all.targets, size.targets)
    if (!all.rights || !size.people || !size.targets) continue
    const found =
      size.people * size.targets > MOST_PLACES
        ? undefined
        : await rightsOf(db, { place: `preview_met_${name}_${at}`, orgId, size }, meeting)
    if (!found) {
      delete all.rights
      continue
    }
    for (const right of found) {
      const key = `${right.person} ${right.target} ${right.account}`
      if (!seen.has(key)) all.rights.push(right)
      seen.add(key)
    }
    if (all.rights.length > MOST_RIGHTS) delete all.rights
  }
  return all
}

/** How many people and targets there are in it, whether they may connect or not. */
async function sizeOf(db: Database, { people, targets }: Meeting, orgId: string | undefined) {
  const members = sql`SELECT DISTINCT om.user_id AS id FROM orgs_membership om${orgId ? sql` WHERE om.org_id = ${orgId}::uuid` : sql``}`
  const places = sql`SELECT id FROM perms_target${orgId ? sql` WHERE org_id = ${orgId}::uuid` : sql``}`
  const { rows } = await db.execute<{ people: number; targets: number }>(sql`
    SELECT (SELECT count(*) FROM (${people ?? members}) met)::int AS people,
      (SELECT count(*) FROM (${targets ?? places}) met)::int AS targets`)
  return rows[0] ?? { people: 0, targets: 0 }
}

interface Place {
  place: string
  orgId: string | undefined
  size: Pick<Met, 'people' | 'targets'>
}

async function rightsOf(
  db: Database,
  { place, orgId, size }: Place,
  { people, targets, accounts }: Meeting,
): Promise<MetRight[] | undefined> {
  const [given, covered, fits] = ['given', 'covered', 'fits'].map((part) => sql.raw(`${place}_${part}`)) as [
    SQL,
    SQL,
    SQL,
  ]
  const byAccount = accounts
    ? sql`AND EXISTS (SELECT 1 FROM perms_permission_system_user ps WHERE ps.permission = p.id AND ps.systemuser IN (${idsOf(accounts)}))`
    : sql``
  const counts = sql`${counting(orgId)} AND ${opens(sql`p.actions`)} ${byAccount}`
  const keepGiven = (named: SQL) =>
    keep(
      db,
      given,
      sql`SELECT DISTINCT named.permission, named.person FROM (${named}) named
        JOIN perms_permission p ON p.id = named.permission AND ${counts}
        JOIN users_account u ON u.id = named.person AND u.is_valid
        WHERE EXISTS (SELECT 1 FROM orgs_membership om WHERE om.user_id = named.person AND om.org_id = p.org_id)`,
    )
  const keepCovered = (covering: SQL) =>
    keep(db, covered, sql`SELECT DISTINCT permission, target FROM (${covering}) one`)
  const among = (permissions: SQL) =>
    targets
      ? sql`SELECT * FROM (${targetsOf(permissions)}) one WHERE target IN (${idsOf(targets)})`
      : targetsOf(permissions)
  let places: number
  if (people && (!targets || size.people <= size.targets)) {
    await keepGiven(naming({ people: idsOf(people) }))
    const { rows } = await db.execute<{ n: number }>(sql`SELECT count(DISTINCT permission)::int AS n FROM ${given}`)
    const known = sql`SELECT permission FROM ${given}`
    const isByTarget = targets && size.targets <= (rows[0]?.n ?? 0) * TARGETS_A_PERMISSION
    places = await keepCovered(
      isByTarget ? sql`SELECT * FROM (${covering(idsOf(targets))}) one WHERE permission IN (${known})` : among(known),
    )
  } else {
    places = await keepCovered(
      targets ? covering(idsOf(targets)) : targetsOf(sql`SELECT p.id FROM perms_permission p WHERE ${counts}`),
    )
    const all = naming({ permissions: sql`SELECT permission FROM ${covered}` })
    await keepGiven(people ? sql`SELECT * FROM (${all}) one WHERE person IN (${idsOf(people)})` : all)
  }
  if (places > MOST_PAIRINGS) return undefined
  const families = grantFamilies().map(({ family }) => family)
  await keep(
    db,
    fits,
    sql`SELECT * FROM (${fitting(sql`(SELECT * FROM ${covered} WHERE permission IN (SELECT permission FROM ${given}))`, families)}) one
      ${accounts ? sql`WHERE account IN (${idsOf(accounts)})` : sql``}`,
  )
  // Several permissions may lead to the same right, so that some more than are named are read.
  const { rows } = await db.execute<MetRight & Record<string, unknown>>(sql`
    SELECT DISTINCT g.person, f.family, f.target, f.account FROM ${given} g JOIN ${fits} f USING (permission)
    LIMIT ${MOST_RIGHTS + 1}`)
  return rows.length > MOST_RIGHTS ? undefined : rows
}
