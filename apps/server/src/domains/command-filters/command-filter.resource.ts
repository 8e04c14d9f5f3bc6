import { commandFilter } from '@sallyport/contract/resources/assets/command-filter.ts'
import { commandFilterRule } from '@sallyport/contract/resources/assets/command-filter-rule.ts'
import { eq, inArray, sql } from 'drizzle-orm'
import { invalid } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { ReadContext, StoredRow, WriteContext } from '../../kernel/resource/mount.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { commandPattern } from './command-pattern.ts'
import { registerCommandRules } from './command-rules.ts'
import {
  assetsCommandFilter,
  assetsCommandFilterApplication,
  assetsCommandFilterAsset,
  assetsCommandFilterRule,
  assetsCommandFilterRuleReviewer,
  assetsCommandFilterSystemUser,
  assetsCommandFilterUser,
  assetsCommandFilterUserGroup,
} from './tables.ts'

type Writing = WriteContext<typeof commandFilterRule, typeof assetsCommandFilterRule>

/** Command filters and their rules (docs/rules/assets.md#command_filter). */
export default function mountCommandFilters(kernel: Kernel): void {
  mountResource(kernel, commandFilter, {
    table: assetsCommandFilter,
    relations: {
      users: {
        table: assetsCommandFilterUser,
        owner: assetsCommandFilterUser.filter_id,
        target: assetsCommandFilterUser.user_id,
      },
      user_groups: {
        table: assetsCommandFilterUserGroup,
        owner: assetsCommandFilterUserGroup.filter_id,
        target: assetsCommandFilterUserGroup.group_id,
      },
      system_users: {
        table: assetsCommandFilterSystemUser,
        owner: assetsCommandFilterSystemUser.filter_id,
        target: assetsCommandFilterSystemUser.system_user_id,
      },
      assets: {
        table: assetsCommandFilterAsset,
        owner: assetsCommandFilterAsset.filter_id,
        target: assetsCommandFilterAsset.asset_id,
      },
      applications: {
        table: assetsCommandFilterApplication,
        owner: assetsCommandFilterApplication.filter_id,
        target: assetsCommandFilterApplication.application_id,
      },
    },
    computed: [{ fields: ['rules'], load: loadRules }],
  })
  const rules = mountResource(kernel, commandFilterRule, {
    table: assetsCommandFilterRule,
    parameters: { filter_id: assetsCommandFilterRule.filter },
    relations: {
      reviewers: {
        table: assetsCommandFilterRuleReviewer,
        owner: assetsCommandFilterRuleReviewer.rule_id,
        target: assetsCommandFilterRuleReviewer.user_id,
      },
    },
    computed: [
      {
        fields: ['pattern'],
        load: async (rows) => rows.map((row) => ({ pattern: commandPattern(row.type, row.content) })),
      },
    ],
    rules: { beforeWrite: [keepInFilter, checkContent, requireReviewers] },
  })
  registerCommandRules(kernel, rules)
}

async function loadRules(
  rows: readonly StoredRow<typeof assetsCommandFilter>[],
  { db }: ReadContext,
): Promise<Record<string, unknown>[]> {
  const found = await db
    .select({
      filter: assetsCommandFilterRule.filter,
      rules: sql<
        string[]
      >`array_agg(${assetsCommandFilterRule.id}::text ORDER BY ${assetsCommandFilterRule.priority}, ${assetsCommandFilterRule.action})`,
    })
    .from(assetsCommandFilterRule)
    .where(
      inArray(
        assetsCommandFilterRule.filter,
        rows.map((row) => row.id),
      ),
    )
    .groupBy(assetsCommandFilterRule.filter)
  const byFilter = new Map(found.map((row) => [row.filter, row.rules]))
  return rows.map((row) => ({ rules: byFilter.get(row.id) ?? [] }))
}

/** The filter is the one in the address, which must belong to the caller's organization. */
async function keepInFilter({ draft, db, call, parameters, row }: Writing): Promise<void> {
  delete draft.filter
  if (row) return
  const [filter] = await db
    .select({ org_id: assetsCommandFilter.org_id })
    .from(assetsCommandFilter)
    .where(sql`${assetsCommandFilter.id}::text = ${parameters.filter_id ?? ''}`)
  if (filter?.org_id !== call.org.id) throw invalid({ filter: 'Not found.' })
}

const CONFIRM = 2

/** Where nobody can confirm, a command that needs it never runs, and nobody learns why. */
async function requireReviewers({ draft, row, db }: Writing): Promise<void> {
  if ((draft.action ?? row?.action ?? 0) !== CONFIRM) return
  // What neither of both concerns stays as it is.
  if (row && draft.reviewers === undefined && (draft.action === undefined || row.action === CONFIRM)) return
  const { rule_id } = assetsCommandFilterRuleReviewer
  const count =
    draft.reviewers?.length ?? (row ? await db.$count(assetsCommandFilterRuleReviewer, eq(rule_id, row.id)) : 0)
  if (!count) throw invalid({ reviewers: 'Choose who confirms' })
}

/** Gateways read each expression before they try it, and all their sessions wait meanwhile. */
const MAX_CONTENT = 30_000

/** Command guards run the pattern: an invalid one must not be stored. */
function checkContent({ draft, row, call }: Writing): void {
  if ((draft.content?.length ?? 0) > MAX_CONTENT) {
    const words = 'Ensure this field has no more than {{max|character|characters}}.'
    throw invalid({ content: translate(call.language, words, { max: MAX_CONTENT }) })
  }
  const type = draft.type ?? row?.type ?? 'command'
  const content = draft.content ?? row?.content ?? ''
  try {
    new RegExp(commandPattern(type, content))
  } catch {
    throw invalid({ content: 'Not a valid regular expression' })
  }
}
