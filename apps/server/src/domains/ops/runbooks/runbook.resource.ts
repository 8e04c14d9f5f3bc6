import { BATCH_COMMAND_MAX } from '@sallyport/contract/resources/ops/command-execution.ts'
import {
  RUNBOOK_VERSIONS,
  type RunbookStep,
  type RunbookVariable,
  type RunbookVersion,
  runbook,
} from '@sallyport/contract/resources/ops/runbook.ts'
import { desc, eq, sql } from 'drizzle-orm'
import { displayName } from '../../../kernel/access/call.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { invalid } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { formatDateTime } from '../../../kernel/resource/datetime.ts'
import type { WriteContext, WrittenContext } from '../../../kernel/resource/mount.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { getStored } from '../../../kernel/resource/read.ts'
import { mountedResource } from '../../../kernel/resource/registry.ts'
import { contextOf, mountResource } from '../../../kernel/resource/routes.ts'
import { FILES_FOLDER } from '../run-inputs.ts'
import { opsRunbook, opsRunbookVersion } from '../tables.ts'
import { commandOf, scriptOf } from './compose.ts'
import { filesOf } from './runbook-file.ts'
import { fits, fitsSecret, isFact, isValue, namesIn, type Template, templateOf } from './template.ts'

const VERSIONS = {
  fields: plainFields({
    version: 'integer',
    steps: 'list',
    variables: 'list',
    files: 'list',
    created_by: 'string',
    date_created: 'datetime',
  }),
}

/** Runbooks and their newest versions; everybody who can run commands runs them (gateway/batch). */
export default function mountRunbooks(kernel: Kernel): void {
  const runbooks = mountResource(kernel, runbook, {
    table: opsRunbook,
    rules: { beforeWrite: [checkContent], afterWrite: [keepVersion] },
  })
  kernel.app.route<{ Params: { id: string } }>({
    method: 'GET',
    url: `${runbook.path}:id/versions/`,
    config: { access: ['org_member'], summary: 'Runbook: its newest versions', rows: VERSIONS, answers: 'rows' },
    handler: async (request): Promise<RunbookVersion[]> => {
      const { id, org_id } = await getStored(runbooks, request.params.id, contextOf(kernel, request))
      const { runbook: of, version } = opsRunbookVersion
      const rows = await kernel.db.select().from(opsRunbookVersion).where(eq(of, id)).orderBy(desc(version))
      const steps = rows.flatMap((row) => row.steps)
      const files = new Map((await filesOf(kernel.db, steps, org_id)).map((file) => [file.id, file]))
      return rows.map(({ runbook: _, date_created, ...row }) => ({
        ...row,
        files: row.steps.flatMap(({ file }) => files.get(file ?? '') ?? []),
        date_created: formatDateTime(date_created, request.call.timeZone),
      }))
    },
  })
}

/** The resource that was mounted. */
export const runbooksOf = (kernel: Kernel) => mountedResource(kernel, runbook, opsRunbook)

/** Steps name variables that there are; usual values are such as people may give, and secrets are named where no list of processes shows them. */
async function checkContent({ call, db, draft, row }: WriteContext<typeof runbook, typeof opsRunbook>): Promise<void> {
  const steps = draft.steps ?? row?.steps ?? []
  const variables = draft.variables ?? row?.variables ?? []
  const wrongSteps = steps.flatMap((step, at) =>
    faultsOfStep(step).map(([field, text]) => [`steps.${at}.${field}`, text]),
  )
  if (wrongSteps.length) throw invalid(Object.fromEntries(wrongSteps))
  await checkFiles(db, steps, row?.org_id ?? call.org.id)
  const commands = steps.map((step, at) => ({ name: step.name, command: commandOf(step, at) }))
  if (scriptOf(commands).length > BATCH_COMMAND_MAX)
    throw invalid({
      steps: translate(call.language, 'Ensure this field has no more than {{max|character|characters}}.', {
        max: BATCH_COMMAND_MAX,
      }),
    })
  const names = variables.map(({ name }) => name)
  if (new Set(names).size < names.length) throw invalid({ variables: 'Each variable has a name of its own' })
  const templates = commands.map(({ command }) => templateOf(command))
  const wrong = variables.flatMap((variable, at) =>
    faultsOfVariable(templates, variable).map(([field, text]) => [`variables.${at}.${field}`, text]),
  )
  if (wrong.length) throw invalid(Object.fromEntries(wrong))
  const unknown = [...new Set(templates.flatMap(namesIn))].filter((name) => !isFact(name) && !names.includes(name))
  if (unknown.length)
    throw invalid({ steps: `${translate(call.language, 'There is no such variable')}: ${unknown.join(', ')}` })
}

const REQUIRED = 'This field is required.'

function faultsOfStep({ kind, command, file, path }: RunbookStep): [string, string][] {
  if (kind !== 'file') return command ? [] : [['command', REQUIRED]]
  return [
    ...(file ? [] : [['file', REQUIRED] as [string, string]]),
    ...(path && PATH.test(path)
      ? []
      : [['path', 'It begins with / and ends with the name of the file'] as [string, string]]),
  ]
}

/** It contains no variable of a runbook: a reader of the runbook knows where its files go. */
const PATH = /^\/(?!.*\{\{)[^\p{C}\p{Zl}\p{Zp}]*[^\p{C}\p{Zl}\p{Zp}/]$/u

/** They were sent to the organization of the runbook. */
async function checkFiles(db: Database, steps: readonly RunbookStep[], orgId: string): Promise<void> {
  const known = new Set((await filesOf(db, steps, orgId)).map(({ id }) => id))
  const missing = steps.flatMap(({ kind, file }, at) => (kind === 'file' && !known.has(file ?? '') ? [at] : []))
  if (missing.length)
    throw invalid(
      Object.fromEntries(missing.map((at) => [`steps.${at}.file`, 'Choose the file again: it is not kept any more'])),
    )
}

function faultsOfVariable(
  templates: readonly Template[],
  { kind, name, value = '', account }: RunbookVariable,
): [string, string][] {
  if (kind === 'secret') {
    if (!ACCOUNT.test(account ?? '')) return [['account', 'A username, or name@asset']]
    if (value) return [['value', 'A secret has no usual value']]
    if (name === FILES_FOLDER) return [['name', 'Another name: this one is taken']]
    return fitsSecret(templates, name) ? [] : [['name', SEEN]]
  }
  if (!isValue(value)) return [['value', NO_VALUE]]
  return fits(templates, name, value) ? [] : [['value', MISPLACED]]
}

/** What SSH servers and lists of accounts have: no white space. */
const ACCOUNT = /^[^\s@]+(@.+)?$/
const SEEN =
  'A step names it where the list of processes could show it: name it as the value of an assignment before a command (PGPASSWORD={{name}} psql), or after printf'

export const NO_VALUE = 'A value is one line that can be seen, and does not begin with -'
/** Message for values with anything else than `RUNBOOK_VALUE`. */
export const MISPLACED =
  'A step names it where it cannot be quoted, such as within quotes, or calculates with what it is given: there it holds letters, digits and _ . , : / @ % + = - only'

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
