import { eq, sql } from 'drizzle-orm'
import { displayName } from '../../../kernel/access/call.ts'
import { AppError } from '../../../kernel/errors/app-error.ts'
import type { Say } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { canSendMail } from '../../notifications/index.ts'
import type { TaskLog } from '../../ops/index.ts'
import { orgsListedOrganization } from '../../orgs/index.ts'
import type { FileReader } from '../../users/profile/index.ts'
import { ableReaders, keptRecipients, readersOf, sendFiles } from '../mail-files.ts'
import type { PlanRun } from '../plans/plan-runs.ts'
import {
  accountsBackupExecution,
  accountsBackupPlan,
  accountsBackupPlanRecipient,
  type PlanSnapshot,
} from './tables.ts'
import { accountWorkbooks } from './workbooks.ts'

type Plan = typeof accountsBackupPlan.$inferSelect

/** Sends the accounts that a plan names to its recipients, and keeps what became of it. */
export async function backUp(
  kernel: Kernel,
  { id, plan: planId, trigger, signal }: PlanRun,
  log: TaskLog,
): Promise<Record<string, unknown>> {
  const { db } = kernel
  const [plan] = await db.select().from(accountsBackupPlan).where(eq(accountsBackupPlan.id, planId))
  if (!plan) return {}
  const begun = Date.now()
  const ids = sql`SELECT user_id FROM ${accountsBackupPlanRecipient} WHERE plan_id = ${planId}`
  const readers = await readersOf(kernel, { ids, orgId: plan.org_id, reason: `account backup ${plan.name}` })
  const plan_snapshot = snapshotOf(plan, readers)
  await db
    .insert(accountsBackupExecution)
    .values({ id, org_id: plan.org_id, plan: planId, plan_snapshot, trigger })
    .onConflictDoNothing()
  const reason = await sendTo(kernel, plan, readers, { log, signal }).catch((error) => {
    if (!(error instanceof AppError)) throw error
    return error.message
  })
  await log(reason || 'SUCCESS')
  await db
    .update(accountsBackupExecution)
    .set({ timedelta: (Date.now() - begun) / 1000, is_success: !reason, reason: reason || '-' })
    .where(eq(accountsBackupExecution.id, id))
  return { is_success: !reason }
}

function snapshotOf(plan: Plan, readers: readonly FileReader[]): PlanSnapshot {
  const { name, is_periodic, interval, crontab, org_id, created_by, types } = plan
  const recipients = keptRecipients(readers)
  return { name, is_periodic, interval, crontab, org_id, created_by, types, recipients }
}

/** Why it did not end well; empty where it did. */
async function sendTo(
  kernel: Kernel,
  plan: Plan,
  readers: readonly FileReader[],
  { log, signal }: { log: TaskLog; signal: AbortSignal },
): Promise<string> {
  if (!readers.length) return 'Nobody is to get it: choose recipients'
  if (!canSendMail(kernel)) return 'No mail server is set up'
  const { name } = plan
  const mail = {
    name,
    subject: (say: Say) => say('Account backup: {{name}}', { name }),
    holds: (say: Say) => say('The attached file holds the accounts that the plan {{name}} backs up.', { name }),
  }
  const able = await ableReaders(kernel, readers, mail, log)
  if (!able.length) return 'No recipient has a file encryption password'
  const [first] = able
  const [org] = await kernel.db.select().from(orgsListedOrganization).where(eq(orgsListedOrganization.id, plan.org_id))
  signal.throwIfAborted()
  const files = await accountWorkbooks(kernel, {
    org: { id: plan.org_id, name: org?.name ?? '' },
    types: plan.types,
    language: first?.language ?? 'en',
  })
  for (const file of files) await log(`${file.name} | ${file.content.length} bytes`)
  if (!files.length) return 'There is nothing to back up'
  for (const reader of able) {
    signal.throwIfAborted()
    const sent = await sendFiles(kernel, reader, { ...mail, files })
    if (!sent) return 'The file is larger than what mail servers take: make plans of single types'
    await log(`${displayName(reader)} | ${reader.email}`)
  }
  return ''
}
