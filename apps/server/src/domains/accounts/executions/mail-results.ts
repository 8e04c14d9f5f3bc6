import { CHANGE_STATES, type ChangeState } from '@sallyport/contract/resources/accounts/change-auth.ts'
import { eq, sql } from 'drizzle-orm'
import { displayName } from '../../../kernel/access/call.ts'
import { type Cell, type Sheet, writeWorkbook } from '../../../kernel/files/spreadsheet.ts'
import type { PackedFile } from '../../../kernel/files/zip.ts'
import type { Language, Say } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { canSendMail } from '../../notifications/index.ts'
import type { TaskLog } from '../../ops/index.ts'
import { orgsListedOrganization } from '../../orgs/index.ts'
import { secretsSheet } from '../backup/workbooks.ts'
import { ableReaders, readersOf, sayIn, sendFiles } from '../mail-files.ts'
import { accountsChangeExecution, type PlanFamily } from '../tables.ts'
import { whyInWords } from './execution-words.ts'

const SECRETS = { asset: 'asset_account_secret', application: 'application_account_secret' } as const

/**
 * Sends the results of a run to the recipients of its plan: the new secret of each account, in a
 * file under the reader's own password (docs/rules/accounts.md#change_auth_run). A reader without
 * one gets a notice. A failure to send is logged: the change is made all the same.
 * @param only the account of the run that was tried again; else all
 */
export async function mailResults(kernel: Kernel, execution: string, log: TaskLog, only?: string): Promise<void> {
  await sendResults(kernel, execution, log, only).catch(async (error) => {
    kernel.app.log.error({ err: error, execution }, 'results of a plan were not sent')
    await log('The results could not be sent')
  })
}

async function sendResults(kernel: Kernel, execution: string, log: TaskLog, only: string | undefined): Promise<void> {
  const [run] = await kernel.db.select().from(accountsChangeExecution).where(eq(accountsChangeExecution.id, execution))
  if (!run || run.is_rehearsal) return
  const name = String(run.plan_snapshot.name)
  const ids = sql`SELECT "user" FROM accounts_change_plan_recipient WHERE plan = ${run.plan}`
  const readers = await readersOf(kernel, { ids, orgId: run.org_id, reason: `results of the plan ${name}` })
  if (!readers.length) return
  if (!canSendMail(kernel)) return log('No mail server is set up')
  const mail = {
    name,
    subject: (say: Say) => say('Change auth plan: {{name}}', { name }),
    holds: (say: Say) =>
      say(
        'The attached file says what became of each account in a run of the plan {{name}}, and has the new secrets.',
        {
          name,
        },
      ),
  }
  const files = new Map<Language, PackedFile[]>()
  for (const reader of await ableReaders(kernel, readers, mail, log)) {
    const own = files.get(reader.language) ?? (await workbookOf(kernel, run, reader.language, only))
    files.set(reader.language, own)
    const isSent = await sendFiles(kernel, reader, { ...mail, files: own })
    await log(`${displayName(reader)} | ${isSent ? reader.email : 'the file is larger than what mail servers take'}`)
  }
}

type Run = Pick<typeof accountsChangeExecution.$inferSelect, 'id' | 'org_id' | 'family'>

/** A sheet of what became of each account, and one of the secrets that they have now. */
async function workbookOf(
  kernel: Kernel,
  run: Run,
  language: Language,
  only: string | undefined,
): Promise<PackedFile[]> {
  const { rows } = await kernel.db.execute<Result>(sql`
    SELECT coalesce(a.hostname, p.name, '') AS target, t.username, t.state, t.reason, t.detail, t.account
    FROM accounts_change_task t LEFT JOIN assets_listed_asset a ON a.id = t.asset
    LEFT JOIN applications_listed_application p ON p.id = t.app WHERE t.execution = ${run.id}
      AND ${only ? sql`t.id = ${only}` : sql`true`} ORDER BY t.place`)
  const sheets: Sheet[] = [{ name: 'results', rows: resultRows(rows, run.family, sayIn(language)) }]
  const accounts = rows.flatMap(({ state, account }) => (state === 'succeeded' && account ? [account] : []))
  if (accounts.length) {
    const [org] = await kernel.db.select().from(orgsListedOrganization).where(eq(orgsListedOrganization.id, run.org_id))
    const of = { org: { id: run.org_id, name: org?.name ?? '' }, language }
    sheets.push({
      name: 'secrets',
      rows: await secretsSheet(kernel, of, SECRETS[run.family], { ids: accounts.join(',') }),
    })
  }
  return [{ name: 'results.xlsx', content: await writeWorkbook(sheets) }]
}

interface Result extends Record<string, unknown> {
  target: string
  username: string
  state: ChangeState
  reason: string
  detail: string
  account: string | null
}

function resultRows(rows: readonly Result[], family: PlanFamily, say: Say): Cell[][] {
  const header = [say(family === 'asset' ? 'Asset' : 'Application'), say('Username'), say('State'), say('Reason')]
  const cells = rows.map(({ target, username, state, reason, detail }) => {
    const words = whyInWords(say, { reason, detail })
    return [target, username, say(CHANGE_STATES[state]), words]
  })
  return [header, ...cells]
}
