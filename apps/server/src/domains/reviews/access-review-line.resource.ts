import { actionNames } from '@sallyport/contract/actions.ts'
import { accessReviewLine, type LineChange } from '@sallyport/contract/resources/reviews/access-review-line.ts'
import { sql } from 'drizzle-orm'
import { callerOf, isOrgAdmin } from '../../kernel/access/call.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { readableBoolean } from '../../kernel/resource/conditions.ts'
import type { ReadContext, StoredRow } from '../../kernel/resource/mount.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { factsNow, grantKey, grantPairs, type StandingFacts } from '../perms/standing/index.ts'
import { reviewsLine } from './tables.ts'
import { isAsked, seesLine } from './visibility.ts'

type Line = StoredRow<typeof reviewsLine>

/** The lines of reviews: grants, with what they give and what was decided. */
export default function mountAccessReviewLines(kernel: Kernel): void {
  mountResource(kernel, accessReviewLine, {
    table: reviewsLine,
    scope: ({ call }) => seesLine(call),
    filters: {
      mine: (value, { call }, name) => {
        const mine = sql`(reviews_line.verdict = 'open' AND ${isAsked(callerOf(call).id)})`
        return readableBoolean(name, value) ? mine : sql`NOT ${mine}`
      },
      unused: (value, _context, name) =>
        readableBoolean(name, value) ? sql`reviews_line.uses = 0` : sql`reviews_line.uses > 0`,
    },
    computed: [
      {
        fields: ['targets', 'targets_amount', 'nodes', 'nodes_amount', 'system_users', 'actions'],
        load: async (rows) =>
          rows.map(({ facts: { targets, nodes, system_users, actions } }) => ({
            targets: targets.names,
            targets_amount: targets.amount,
            nodes: nodes.names,
            nodes_amount: nodes.amount,
            system_users: system_users.names,
            actions: actionNames(actions),
          })),
      },
      { fields: ['changes'], load: compareWithNow },
      { fields: ['can_decide'], load: findDecidable },
    ],
  })
}

/** Whether the caller may decide about lines now. */
async function findDecidable(rows: readonly Line[], { db, call }: ReadContext): Promise<{ can_decide: boolean }[]> {
  const { rows: found } = await db.execute<{ id: string }>(sql`
    SELECT l.id FROM reviews_line l JOIN reviews_access_review r ON r.id = l.review
    WHERE l.id = ANY(${sql.param(rows.map(({ id }) => id))}::uuid[]) AND r.state = 'open'
      AND l.verdict IN ('open', 'confirmed') AND ${isOrgAdmin(call) ? sql`true` : isAsked(callerOf(call).id, sql`l`)}`)
  const decidable = new Set(found.map(({ id }) => id))
  return rows.map(({ id }) => ({ can_decide: decidable.has(id) }))
}

/** Changes of grants that stand since their review began. */
async function compareWithNow(rows: readonly Line[], { db }: ReadContext): Promise<{ changes: LineChange[] }[]> {
  const ids = [...new Set(rows.map(({ permission }) => permission))]
  const permissions = sql`SELECT unnest(${sql.param(ids)}::uuid[])`
  const [{ rows: facts }, { rows: pairs }] = await Promise.all([
    db.execute<{ permission: string; facts: StandingFacts }>(factsNow(permissions)),
    db.execute<{ permission: string; subject_kind: 'user' | 'group'; subject: string }>(sql`
      SELECT g.* FROM (${grantPairs(permissions)}) g WHERE g.subject = ANY(${sql.param(rows.map(({ subject }) => subject))}::uuid[])`),
  ])
  const now = new Map(facts.map((one) => [one.permission, one.facts]))
  const standing = new Set(pairs.map(grantKey))
  return rows.map((line) => {
    if (line.verdict === 'withdrawn' || line.verdict === 'lapsed' || line.verdict === 'gone') return { changes: [] }
    const present = now.get(line.permission)
    return { changes: present && standing.has(grantKey(line)) ? changesOf(line.facts, present) : ['gone'] }
  })
}

function changesOf(before: StandingFacts, after: StandingFacts): LineChange[] {
  const plain = (['is_active', 'actions', 'date_start', 'date_expired'] as const).filter(
    (name) => before[name] !== after[name],
  )
  const many = (['targets', 'nodes', 'system_users'] as const).filter(
    (name) => before[name].digest !== after[name].digest,
  )
  const databases: LineChange[] = before.databases.join() === after.databases.join() ? [] : ['databases']
  const isForwarding = (before.forwarding ?? []).join() !== (after.forwarding ?? []).join()
  return [...plain, ...many, ...databases, ...(isForwarding ? (['forwarding'] as const) : [])]
}
