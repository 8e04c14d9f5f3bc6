import { BATCH_COMMAND_MAX } from '@sallyport/contract/resources/ops/command-execution.ts'
import { RUNBOOK_VERSIONS, type RunbookVersion, runbook } from '@sallyport/contract/resources/ops/runbook.ts'
import { desc, eq, sql } from 'drizzle-orm'
import { displayName } from '../../../kernel/access/call.ts'
import { invalid } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { formatDateTime } from '../../../kernel/resource/datetime.ts'
import type { WriteContext, WrittenContext } from '../../../kernel/resource/mount.ts'
import { getStored } from '../../../kernel/resource/read.ts'
import type { MountedResource } from '../../../kernel/resource/registry.ts'
import { contextOf, mountResource } from '../../../kernel/resource/routes.ts'
import { opsRunbook, opsRunbookVersion } from '../tables.ts'
import { scriptOf } from './compose.ts'
import { fits, isFact, isValue, namesIn, templateOf } from './template.ts'

/** Runbooks and their newest versions; whoever can run commands runs them (gateway/batch). */
export function mountRunbooks(kernel: Kernel): MountedResource<typeof opsRunbook> {
  const runbooks = mountResource(kernel, runbook, {
    table: opsRunbook,
    rules: { beforeWrite: [checkVariables], afterWrite: [keepVersion] },
  })
  kernel.app.route<{ Params: { id: string } }>({
    method: 'GET',
    url: `${runbook.path}:id/versions/`,
    config: { access: ['org_member'], summary: 'Runbook: its newest versions' },
    handler: async (request): Promise<RunbookVersion[]> => {
      const { id } = await getStored(runbooks, request.params.id, contextOf(kernel, request))
      const { runbook: of, version } = opsRunbookVersion
      const rows = await kernel.db.select().from(opsRunbookVersion).where(eq(of, id)).orderBy(desc(version))
      return rows.map(({ runbook: _, date_created, ...row }) => ({
        ...row,
        date_created: formatDateTime(date_created, request.call.timeZone),
      }))
    },
  })
  return runbooks
}

/** Steps name variables that there are; usual values are such as people may give. */
function checkVariables({ call, draft, row }: WriteContext<typeof runbook, typeof opsRunbook>): void {
  const steps = draft.steps ?? row?.steps ?? []
  const variables = draft.variables ?? row?.variables ?? []
  if (scriptOf(steps).length > BATCH_COMMAND_MAX)
    throw invalid({
      steps: translate(call.language, 'Ensure this field has no more than {{max|character|characters}}.', {
        max: BATCH_COMMAND_MAX,
      }),
    })
  const names = variables.map(({ name }) => name)
  if (new Set(names).size < names.length) throw invalid({ variables: 'Each variable has a name of its own' })
  const templates = steps.map(({ command }) => templateOf(command))
  const wrong = variables.flatMap(({ name, value = '' }, at) => {
    if (!isValue(value)) return [[`variables.${at}.value`, NO_VALUE]]
    return fits(templates, name, value) ? [] : [[`variables.${at}.value`, MISPLACED]]
  })
  if (wrong.length) throw invalid(Object.fromEntries(wrong))
  const unknown = [...new Set(templates.flatMap(namesIn))].filter((name) => !isFact(name) && !names.includes(name))
  if (unknown.length)
    throw invalid({ steps: `${translate(call.language, 'There is no such variable')}: ${unknown.join(', ')}` })
}

export const NO_VALUE = 'A value is one line that can be seen, and does not begin with -'
/** Of values with anything else than `RUNBOOK_VALUE`. */
export const MISPLACED =
  'A step names it where it cannot be quoted, such as within quotes: there it holds letters, digits and _ . , : / @ % + = - only'

/** Keeps what was changed as a version of its own; two changes at once are two versions. */
async function keepVersion({
  call,
  db,
  mode,
  row,
  stored,
}: WrittenContext<typeof runbook, typeof opsRunbook>): Promise<void> {
  const contentOf = ({ steps, variables }: typeof stored) => JSON.stringify([steps, variables])
  if (mode !== 'create' && row && contentOf(row) === contentOf(stored)) return
  const { id, steps, variables } = stored
  const [counted] = await db
    .update(opsRunbook)
    .set({ version: sql`${opsRunbook.version} + 1` })
    .where(eq(opsRunbook.id, id))
    .returning({ version: opsRunbook.version })
  const version = counted?.version ?? 1
  stored.version = version
  await db
    .insert(opsRunbookVersion)
    .values({ runbook: id, version, steps, variables, created_by: call.user ? displayName(call.user) : null })
  await db.execute(
    sql`DELETE FROM ops_runbook_version WHERE runbook = ${id} AND version <= ${version - RUNBOOK_VERSIONS}`,
  )
}
