import { groupMapping as definition } from '@sallyport/contract/resources/authentication/group-mapping.ts'
import { and, count, eq, inArray, ne } from 'drizzle-orm'
import { refuseLimited } from '../../../kernel/access/limited-key.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { isPreviewing } from '../../../kernel/database/previewing.ts'
import { AppError, invalid } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { DeleteContext, WriteContext, WrittenContext } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { usersListedGroup } from '../../users/index.ts'
import type { GroupSource } from '../outside-source.ts'
import { applyToAll } from './apply.ts'
import { ruleFaults } from './rule-faults.ts'
import { holdRules } from './stored-rules.ts'
import { authenticationGroupMapping, authenticationGroupMappingGroup } from './tables.ts'

type Writing = WriteContext<typeof definition, typeof authenticationGroupMapping>
type Written = WrittenContext<typeof definition, typeof authenticationGroupMapping>

/** Rules of the whole installation: each is held against the groups of each person. */
const MAX_RULES = 1000
/** People of a source: of more, nobody would wait for the preview. */
const MAX_PREVIEWED = 20_000
const APPLY_WORK = 'authentication.apply_group_mappings'

/** Rules by which groups of a directory or provider give memberships and roles here. */
export default function mountGroupMappings(kernel: Kernel): void {
  mountResource(kernel, definition, {
    table: authenticationGroupMapping,
    relations: {
      user_groups: {
        table: authenticationGroupMappingGroup,
        owner: authenticationGroupMappingGroup.mapping_id,
        target: authenticationGroupMappingGroup.group_id,
      },
    },
    rules: {
      // They let people in whom the source names.
      beforeWrite: [({ call }) => refuseLimited(call), ({ db }) => holdRules(db, 'writing'), refuseTooMany, checkRule],
      afterWrite: [({ db, row, stored }) => applyLater(kernel, db, [...(row ? [row] : []), stored])],
      beforeDelete: [({ call }) => refuseLimited(call), ({ db }) => holdRules(db, 'writing')],
      afterDelete: [({ db, rows }: DeleteContext<typeof authenticationGroupMapping>) => applyLater(kernel, db, rows)],
    },
  })
  kernel.jobs.work<{ source: GroupSource }>(APPLY_WORK, ({ source }) => applyToAll(kernel, source))
}

/**
 * Once the rule is stored, it counts for the people whom its source knows already; in a preview at once,
 * which shows what comes of it.
 */
async function applyLater(kernel: Kernel, db: Database, rules: readonly Pick<Written['stored'], 'source'>[]) {
  const sources = new Set(rules.map(({ source }) => source))
  if (isPreviewing()) {
    for (const source of sources) await applyToAll(kernel, source, MAX_PREVIEWED)
    return
  }
  await kernel.jobs.sendIn(
    db,
    APPLY_WORK,
    [...sources].map((source) => ({ source })),
  )
}

async function refuseTooMany({ db, row }: Writing): Promise<void> {
  if (row) return
  const [found] = await db.select({ amount: count() }).from(authenticationGroupMapping)
  if ((found?.amount ?? 0) >= MAX_RULES)
    throw new AppError(400, 'too_many', 'There are {{max}} group mappings at most', { values: { max: MAX_RULES } })
}

/** Throws 400 by field for a rule that could match nothing, gives nothing, or gives what SCIM keeps. */
async function checkRule({ call, db, draft, row }: Writing): Promise<void> {
  const rule = { ...row, ...draft }
  const groups = draft.user_groups ?? (row ? await groupsOf(db, row.id) : [])
  const { source = 'ldap', match = 'exact', value = '', org_role = 'User', system_role = 'User' } = rule
  const faults = ruleFaults({
    source,
    match,
    value: value.trim(),
    org_role,
    system_role,
    hasGroups: groups.length > 0,
    further: rule,
  })
  if (faults.length)
    throw invalid(Object.fromEntries(faults.map(([field, text]) => [field, translate(call.language, text)])))
  draft.value = match === 'everybody' ? '' : value.trim()
  const [kept] = groups.length
    ? await db
        .select({ name: usersListedGroup.name, provider: usersListedGroup.managed_by })
        .from(usersListedGroup)
        .where(and(inArray(usersListedGroup.id, [...groups]), ne(usersListedGroup.managed_by, '')))
        .limit(1)
    : []
  if (kept)
    throw invalid({
      user_groups: translate(call.language, 'The members of {{name}} come from {{provider}} and are changed there', {
        ...kept,
      }),
    })
}

async function groupsOf(db: Database, mapping: string): Promise<string[]> {
  const { group_id, mapping_id } = authenticationGroupMappingGroup
  const rows = await db.select({ id: group_id }).from(authenticationGroupMappingGroup).where(eq(mapping_id, mapping))
  return rows.map(({ id }) => id)
}
