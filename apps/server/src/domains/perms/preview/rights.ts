import { actionNames } from '@sallyport/contract/actions.ts'
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { type Look, orgOfLook as orgOf, touchedRows } from '../../../kernel/resource/preview/parts.ts'
import { type Compared, changedWays, keepAfter, keepBefore, only, type SideBefore, touched } from './changed-ways.ts'
import { leaveOutOfLimits } from './limits.ts'
import { endingSessions, hasLive, keepLive } from './sessions.ts'
import { fittingPairs, keep } from './sets.ts'
import { waysIn, waysMade } from './sides.ts'
import { touchedKinds } from './touched.ts'
import { opens, waysTo } from './ways-to.ts'

/**
 * The rights that the write changes: person, family, target, account, and mask and databases before and
 * after. No databases are all of the server. With machines, they are places to
 * forward to (`PLACES`).
 */
const CHANGED_RIGHTS = sql`preview_right`
const NAMES = sql`preview_name`

/** Somebody or something, by the name that people know it by. */
interface Named {
  id: string
  name: string
}

interface RightRow {
  person: Named
  target: Named & { family: string }
  account: Named
}

interface Change {
  before: number
  after: number
  before_databases: string[] | null
  after_databases: string[] | null
}

interface Counted<Row> {
  /** Rights: combinations of a person, a target and an account. */
  count: number
  people: number
  targets: number
  /** A page of them, by names. */
  rows: Row[]
}

/** The ways to rights that the write makes; undefined where it touches nothing that bears rights. */
export async function rightsFirst({ db, call }: Look): Promise<string | undefined> {
  return (await touchedKinds(db)).length ? waysMade(db, orgOf({ call })) : undefined
}

interface Before {
  side: SideBefore
  hasLive: boolean
}

/** Rights before the write, those of live sessions among them. */
export async function rightsBefore(look: Look, made: string | undefined): Promise<Before | undefined> {
  if (made === undefined) return undefined
  const { db } = look
  const orgId = orgOf(look)
  const side = await keepBefore(db, { orgId, known: waysIn(made) })
  await db.execute(sql`CREATE TEMP TABLE ${NAMES} (id uuid PRIMARY KEY, name text) ON COMMIT DROP`)
  await keepNames(db, sql`SELECT id FROM preview_change UNION SELECT other FROM preview_change`)
  const live = await hasLive(db, orgId)
  if (live) await keepLive(db, 'before', orgId)
  return { side, hasLive: live }
}

/** The rights that the write gives and takes (docs/api-access.md). */
export async function rightsAfter(look: Look, before: Before | undefined) {
  const { db } = look
  const compared = before && (await keepAfter(db, before.side, orgOf(look)))
  if (before?.hasLive) await keepLive(db, 'after', orgOf(look))
  if (compared?.isExact && compared.extent.ways) {
    await compare(db, compared, orgOf(look))
    const changed = (column: string) => sql`SELECT ${sql.raw(column)} FROM ${CHANGED_RIGHTS}`
    await keepNames(db, sql`${changed('person')} UNION ${changed('target')} UNION ${changed('account')}`)
  } else await noRights(db)
  const counts = compared ? await count(look) : NONE
  const { people = 0, targets = 0, ways = 0 } = compared?.extent ?? {}
  return {
    is_exact: compared?.isExact ?? true,
    touched: {
      people,
      targets,
      rights_at_most: ways,
      ...(compared && !compared.isExact && (await namesOfTouched(look))),
    },
    gained: await list(look, counts.gained, GAINED, ({ after: now }) => ({ actions: actionNames(now) })),
    lost: await list(look, counts.lost, LOST, (row) => ({ actions: actionNames(row.before) })),
    changed: await list(look, counts.changed, CHANGED, (row) => ({
      gained_actions: actionNames(row.after & ~row.before),
      lost_actions: actionNames(row.before & ~row.after),
      ...changedPlaces(row),
    })),
    sessions_end: before?.hasLive ? await endingSessions(look) : { count: 0, rows: [] },
    self: { gained: counts.gained.own, lost: counts.lost.own, changed: counts.changed.own },
  }
}

/** Other databases, or other places to forward to; null where they are the same. */
function changedPlaces({ target, before_databases, after_databases }: RightRow & Change) {
  const isSame = String(before_databases) === String(after_databases)
  const isMachine = target.family === 'asset'
  return {
    databases: isSame || isMachine ? null : { before: before_databases, after: after_databases },
    forwarding: isSame || !isMachine ? null : { before: before_databases ?? [], after: after_databases ?? [] },
  }
}

/** Pages of the people and the targets of a change that is too large to be compared, by names. */
async function namesOfTouched(look: Look) {
  const people = sql`SELECT id, name || '(' || username || ')' AS name FROM users_account
    WHERE id IN (SELECT person FROM ${touched('person')})`
  // The write may take a target away: then its name was kept before.
  const targets = sql`
    SELECT t.target AS id, coalesce(asset.hostname || '(' || asset.ip || ')', application.name, gone.name, '') AS name
    FROM ${touched('target')} t LEFT JOIN assets_listed_asset asset ON asset.id = t.target
    LEFT JOIN applications_listed_application application ON application.id = t.target
    LEFT JOIN ${NAMES} gone ON gone.id = t.target`
  return {
    people_rows: (await touchedRows(look, people)).rows,
    target_rows: (await touchedRows(look, targets)).rows,
  }
}

/**
 * A right is a person, a target and an account, as `mayConnect` answers: what all ways to it give
 * together. Those that stay are asked for after the write alone: they are the same before it.
 */
async function compare(db: Database, compared: Compared, orgId: string | undefined): Promise<void> {
  const [lost, key, reached] = [sql`preview_lost_way`, sql`preview_key`, sql`preview_key_after`]
  await keep(db, lost, sql`SELECT * FROM (${changedWays('before', compared)}) one`)
  const columns = sql`person, family, target, account`
  await keep(
    db,
    key,
    sql`SELECT ${columns} FROM ${lost} UNION SELECT ${columns} FROM (${changedWays('after', compared)}) one`,
  )
  await leaveOutOfLimits(db, key, [lost, key])
  const { counts } = compared
  if (counts.fit.before) {
    // An account that fitted may fit no longer.
    const pairs = sql`SELECT DISTINCT target, account FROM ${only('fit', 'before')}`
    await keep(db, sql`preview_still_fitting`, fittingPairs(pairs))
    await keep(
      db,
      reached,
      sql`SELECT ${columns} FROM ${key} WHERE (target, account) NOT IN (${pairs})
        OR (target, account) IN (SELECT target, account FROM preview_still_fitting)`,
    )
  }
  const ways = await waysTo(db, { key: counts.fit.before ? reached : key, orgId })
  const isNew = (['permission', 'person', 'fit'] as const)
    .filter((part) => counts[part].after)
    .map((part) => {
      const id = { permission: sql`permission`, person: sql`permission, person`, fit: sql`permission, target, account` }
      return sql`(${id[part]}) IN (SELECT ${id[part]} FROM ${only(part, 'after')})`
    })
  const { rows } = await db.execute<{ has: boolean }>(
    sql`SELECT EXISTS (SELECT 1 FROM ${key} WHERE family <> 'asset') OR EXISTS (SELECT 1 FROM ${lost} WHERE databases <> '{}')
      OR EXISTS (SELECT 1 FROM perms_permission WHERE forwarding <> 'none') AS has`,
  )
  const databases = rows[0]?.has ? DATABASES : NO_DATABASES
  await db.execute(sql`
    CREATE TEMP TABLE ${CHANGED_RIGHTS} ON COMMIT DROP AS
    SELECT * FROM (
    SELECT ${columns}, CASE WHEN ${opens(sql`before`)} THEN before ELSE 0 END AS before,
      CASE WHEN ${opens(sql`after`)} THEN after ELSE 0 END AS after, ${databases.together}
    FROM (
      SELECT ${columns},
        bit_or(actions) FILTER (WHERE was) AS before, bit_or(actions) FILTER (WHERE is_now) AS after${databases.lists}
      FROM (
        SELECT ${columns}, actions, databases, true AS was, false AS is_now FROM ${lost}
        UNION ALL
        SELECT ${columns}, actions, databases, ${isNew.length ? sql`NOT (${sql.join(isNew, sql` OR `)})` : sql`true`}, true
        FROM (${ways}) way) one
      GROUP BY person, family, target, account) two) three
    WHERE before <> after OR (before <> 0 AND before_databases IS DISTINCT FROM after_databases)`)
}

/**
 * SQL: the databases that several permissions lead to together, as `mayConnect` has it; null: all. Of
 * machines where connections may be forwarded to; null: nowhere.
 */
const together = (isAll: SQL, lists: SQL): SQL => sql`CASE WHEN ${lists} IS NULL OR ${isAll} THEN NULL
  ELSE (SELECT array_agg(DISTINCT name ORDER BY name)
    FROM jsonb_array_elements(${lists}) one, jsonb_array_elements_text(one) name) END`

const IS_ALL = sql`${opens(sql`actions`)} AND databases = '{}' AND family <> 'asset'`
const IS_PART = sql`${opens(sql`actions`)} AND databases <> '{}'`
const DATABASES = {
  lists: sql`,
    bool_or(${IS_ALL}) FILTER (WHERE was) AS all_before, bool_or(${IS_ALL}) FILTER (WHERE is_now) AS all_after,
    jsonb_agg(databases) FILTER (WHERE was AND ${IS_PART}) AS lists_before,
    jsonb_agg(databases) FILTER (WHERE is_now AND ${IS_PART}) AS lists_after`,
  together: sql`${together(sql`all_before`, sql`lists_before`)} AS before_databases,
    ${together(sql`all_after`, sql`lists_after`)} AS after_databases`,
}
/** Machines have none, unless something is forwarded: to gather nothing of tens of thousands takes its time, too. */
const NO_DATABASES = {
  lists: sql``,
  together: sql`NULL::text[] AS before_databases, NULL::text[] AS after_databases`,
}

/** Other parts of the answer read the rights that change, also where there are none. */
const noRights = (db: Database) =>
  db.execute(sql`CREATE TEMP TABLE ${CHANGED_RIGHTS} (person uuid, family text, target uuid, account uuid,
    before int, after int, before_databases text[], after_databases text[]) ON COMMIT DROP`)

/** Keeps names: before the write those of what it may take away, after it those of what has changed. */
async function keepNames(db: Database, ids: SQL): Promise<void> {
  await db.execute(sql`
    INSERT INTO ${NAMES}
    WITH wanted AS MATERIALIZED (${ids})
    SELECT id, name || '(' || username || ')' FROM users_account WHERE id IN (SELECT * FROM wanted)
    UNION ALL SELECT id, hostname || '(' || ip || ')' FROM assets_listed_asset WHERE id IN (SELECT * FROM wanted)
    UNION ALL SELECT id, name FROM applications_listed_application WHERE id IN (SELECT * FROM wanted)
    UNION ALL SELECT id, name FROM assets_listed_system_user WHERE id IN (SELECT * FROM wanted)
    ON CONFLICT (id) DO UPDATE SET name = excluded.name`)
}

const GAINED = sql`r.before = 0`
const LOST = sql`r.after = 0`
const CHANGED = sql`r.before <> 0 AND r.after <> 0`

interface Counts {
  count: number
  people: number
  targets: number
  /** Those of the caller. */
  own: number
}
const ZERO: Counts = { count: 0, people: 0, targets: 0, own: 0 }
const NONE = { gained: ZERO, lost: ZERO, changed: ZERO }

async function count({ db, call }: Look): Promise<typeof NONE> {
  const self = call.user?.id ?? null
  const counts = (where: SQL) => sql`jsonb_build_object('count', count(*) FILTER (WHERE ${where}),
    'people', count(DISTINCT r.person) FILTER (WHERE ${where}), 'targets', count(DISTINCT r.target) FILTER (WHERE ${where}),
    'own', count(*) FILTER (WHERE ${where} AND r.person = ${self}::uuid))`
  const { rows } = await db.execute<typeof NONE>(sql`
    SELECT ${counts(GAINED)} AS gained, ${counts(LOST)} AS lost, ${counts(CHANGED)} AS changed FROM ${CHANGED_RIGHTS} r`)
  return rows[0] ?? NONE
}

async function list<Row>(
  { db, page }: Look,
  { own: _, ...counts }: Counts,
  where: SQL,
  more: (row: RightRow & Change) => Row,
): Promise<Counted<RightRow & Row>> {
  if (!counts.count) return { ...counts, rows: [] }
  // Names are put in order once: there are tens of thousands of rights of a few people and machines.
  const { rows } = await db.execute<RightRow & Change & Record<string, unknown>>(sql`
    WITH named AS MATERIALIZED (SELECT id, name, row_number() OVER (ORDER BY name, id) AS place FROM ${NAMES})
    SELECT jsonb_build_object('id', r.person, 'name', coalesce(r.person_name, '')) AS person,
      jsonb_build_object('id', r.target, 'name', coalesce(r.target_name, ''), 'family', r.family) AS target,
      jsonb_build_object('id', r.account, 'name', coalesce(r.account_name, '')) AS account,
      r.before, r.after, r.before_databases, r.after_databases
    FROM (
      SELECT r.*, person.name AS person_name, target.name AS target_name, account.name AS account_name
      FROM ${CHANGED_RIGHTS} r LEFT JOIN named person ON person.id = r.person
      LEFT JOIN named target ON target.id = r.target LEFT JOIN named account ON account.id = r.account
      WHERE ${where} ORDER BY person.place, target.place, account.place, r.person, r.target, r.account
      LIMIT ${page.limit} OFFSET ${page.offset}) r`)
  return {
    ...counts,
    rows: rows.map((row) => ({ person: row.person, target: row.target, account: row.account, ...more(row) })),
  }
}
