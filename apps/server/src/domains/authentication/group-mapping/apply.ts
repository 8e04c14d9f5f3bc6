import { and, eq, gt, inArray, ne, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { AppError } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { type GivenMembership, giveMemberships, takeMemberships } from '../../orgs/index.ts'
import { usersPerson } from '../../users/index.ts'
import { setGivenGroups, setGivenRoles } from '../../users/managed/index.ts'
import type { GroupSource, Origin } from '../outside-source.ts'
import { logGiven } from './given-log.ts'
import type { Gift } from './matching.ts'
import { givingOf, holdRules, isMessenger } from './stored-rules.ts'
import { authenticationOutsideGroups as outside } from './tables.ts'

/** As many as Active Directory lets a person be in (1,024), and some more. */
export const MAX_GROUPS = 2000
export const MAX_GROUP_TEXT = 1024
const BATCH = 500

/** A person with the groups that a source knows them in now. */
export interface Grouped {
  id: string
  groups: readonly string[]
}

/**
 * Groups as they are kept: each once, and none that is longer than a rule. Undefined for more than
 * MAX_GROUPS: of a list that is cut somebody could lose, or keep, what only the rest decides.
 */
export function boundedGroups(groups: Iterable<string>): string[] | undefined {
  const kept = new Set<string>()
  for (const group of groups) {
    if (!group || group.length > MAX_GROUP_TEXT || group.includes('\0')) continue
    kept.add(group)
    if (kept.size > MAX_GROUPS) return undefined
  }
  return [...kept]
}

/**
 * Stores in which groups a source knows these people, and gives and takes what follows from that by the
 * rules, with a row of the operate log for each person who gains or loses something. To be called in a
 * transaction.
 */
export async function applyGroups(
  kernel: Kernel,
  db: Database,
  { source }: Origin,
  people: readonly Grouped[],
): Promise<void> {
  if (!people.length) return
  await holdRules(db, 'reading')
  // In one order, so that two transactions with the same people wait rather than fail.
  const rows = [...people].sort((a, b) => (a.id < b.id ? -1 : 1))
  const ids = rows.map(({ id }) => id)
  // A person has one source; messengers are known beside it.
  if (!isMessenger(source))
    await db.delete(outside).where(and(inArray(outside.user_id, ids), ne(outside.source, source), ofNoMessenger))
  await db.execute(sql`
    INSERT INTO authentication_outside_groups (user_id, source, groups)
    SELECT r.id, ${source}, ARRAY(SELECT jsonb_array_elements_text(r.groups))
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) r (id uuid, groups jsonb)
    ON CONFLICT (user_id, source) DO UPDATE SET groups = excluded.groups, date_updated = now()`)
  await give(kernel, db, source, ids)
}

const ofNoMessenger = sql`${outside.source} NOT IN ('wecom', 'dingtalk', 'feishu')`

/** Groups count at the source of a person, and at the messengers that they have bound. */
const counts = sql`(${outside.source} = ${usersPerson.source}
  OR ${outside.source} = 'wecom' AND ${usersPerson.wecom_id} IS NOT NULL
  OR ${outside.source} = 'dingtalk' AND ${usersPerson.dingtalk_id} IS NOT NULL
  OR ${outside.source} = 'feishu' AND ${usersPerson.feishu_id} IS NOT NULL)`

/**
 * Gives these people what the rules say of their groups at all of their sources, and takes what they do not.
 * @param by the source that has brought something new
 */
async function give(kernel: Kernel, db: Database, by: GroupSource, ids: readonly string[]): Promise<void> {
  if (!ids.length) return
  const known = await db
    .select({
      id: outside.user_id,
      source: outside.source,
      groups: outside.groups,
      directory: usersPerson.directory_id,
    })
    .from(outside)
    .innerJoin(usersPerson, eq(usersPerson.id, outside.user_id))
    .where(and(inArray(outside.user_id, [...ids]), counts))
    .orderBy(outside.user_id, outside.source)
  const gifts: Gifted[] = []
  const origins = Map.groupBy(known, ({ source, directory }) => `${source} ${isMessenger(source) ? '' : directory}`)
  for (const people of origins.values()) {
    const [{ source, directory } = { source: by, directory: null }] = people
    const giving = await givingOf(db, { source, directory: isMessenger(source) ? null : directory })
    gifts.push(...people.map(({ id, groups }) => ({ id, source, gift: giving(groups) })))
  }
  await store(kernel, db, by, ids, gifts)
}

/** A source knows these people no longer: what it gave is taken. To be called in a transaction. */
export async function takeGroups(
  kernel: Kernel,
  db: Database,
  source: GroupSource,
  ids: readonly string[],
): Promise<void> {
  if (!ids.length) return
  await holdRules(db, 'reading')
  await db.delete(outside).where(and(inArray(outside.user_id, [...ids]), eq(outside.source, source)))
  await give(kernel, db, source, ids)
}

/**
 * Applies the rules of a source as they are now to everybody whom it knows, some hundred people at a
 * time. Throws 400 where these are more than `most`.
 */
export async function applyToAll(kernel: Kernel, source: GroupSource, most?: number): Promise<void> {
  if (most !== undefined) {
    const { rows } = await kernel.db.execute(
      sql`SELECT 1 FROM authentication_outside_groups WHERE source = ${source} OFFSET ${most} LIMIT 1`,
    )
    if (rows.length) throw new AppError(400, 'no_preview', 'This change is too large to be shown beforehand.')
  }
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const last = await kernel.db.transaction(async (db) => {
      await holdRules(db, 'reading')
      const people = await db
        .select({ id: outside.user_id })
        .from(outside)
        .innerJoin(usersPerson, eq(usersPerson.id, outside.user_id))
        .where(and(eq(outside.source, source), gt(outside.user_id, after), counts))
        .orderBy(outside.user_id)
        .limit(BATCH)
        .for('update', { of: outside })
      const ids = people.map(({ id }) => id)
      await give(kernel, db, source, ids)
      return ids.at(-1)
    })
    if (!last) return
    after = last
  }
}

interface Gifted {
  id: string
  source: GroupSource
  gift: Gift
}

const RANK = ['User', 'Auditor', 'Admin'] as const

async function store(
  kernel: Kernel,
  db: Database,
  by: GroupSource,
  ids: readonly string[],
  gifts: readonly Gifted[],
): Promise<void> {
  const joined: GivenMembership[] = []
  const wanted: GivenMembership[] = []
  for (const [source, people] of Map.groupBy(gifts, (one) => one.source)) {
    const its = people.flatMap(({ id, gift }) => gift.memberships.map((one) => ({ user: id, ...one })))
    joined.push(...(await giveMemberships(db, source, its)))
    wanted.push(...its)
  }
  const { added, removed } = await setGivenGroups(
    db,
    ids,
    gifts.flatMap(({ id, source, gift }) => gift.groups.map(({ group }) => ({ user: id, group, source }))),
  )
  const left = await takeMemberships(db, ids, wanted)
  const highest = new Map<string, { role: Gift['system_role']; source: string }>()
  for (const { id, source, gift } of gifts)
    if (RANK.indexOf(gift.system_role) > RANK.indexOf(highest.get(id)?.role ?? 'User'))
      highest.set(id, { role: gift.system_role, source })
  const roles = await setGivenRoles(db, ids, highest)
  await logGiven(kernel, db, by, { joined, left, added, removed, roles })
}
