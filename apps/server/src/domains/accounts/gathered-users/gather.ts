import { eq, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { TaskLog } from '../../ops/index.ts'
import { HostError, openHost } from '../../system-users/index.ts'
import type { PlanRun } from '../plans/plan-runs.ts'
import { type Changes, keepUsers } from './keep-users.ts'
import { readUsers } from './read-host.ts'
import { accountsGatherExecution, accountsGatherTask } from './tables.ts'

/** Assets loaded at a time (docs/rules/accounts.md#gathered_user_task). */
const GROUP = 100
const PARALLEL = 10

interface Machine {
  id: string
  org_id: string
  hostname: string
  ip: string
  /** Why it is not asked; empty where it is. */
  skipped: string
}

/** Reads the accounts of all assets below a task's nodes, and keeps what became of it as its execution. */
export async function gatherUsers(
  kernel: Kernel,
  { id, plan, signal }: PlanRun,
  log: TaskLog,
): Promise<Record<string, unknown>> {
  const { db } = kernel
  const [task] = await db.select().from(accountsGatherTask).where(eq(accountsGatherTask.id, plan))
  if (!task) return {}
  const begun = Date.now()
  // A node that takes up the work of a dead one starts again: reading twice changes nothing.
  await db.insert(accountsGatherExecution).values({ id, org_id: task.org_id, task: plan }).onConflictDoNothing()
  const found = { assets: 0, failed: 0, new: 0, changed: 0, vanished: 0 }
  for (let after = ''; ; ) {
    const group = await machinesBelow(db, plan, after)
    const last = group.at(-1)
    if (!last) break
    after = last.id
    found.assets += group.length
    const queue = [...group]
    const worker = async () => {
      for (let machine = queue.shift(); machine && !signal.aborted; machine = queue.shift()) {
        const changes = await readMachine(kernel, machine, { task: task.name, log, signal })
        if (!changes) found.failed++
        else for (const kind of ['new', 'changed', 'vanished'] as const) found[kind] += changes[kind]
      }
    }
    await Promise.all(Array.from({ length: PARALLEL }, worker))
    signal.throwIfAborted()
  }
  const reason = reasonOf(found)
  if (reason) await log(reason)
  await log(`ok=${found.assets - found.failed} failed=${found.failed}`)
  await db
    .update(accountsGatherExecution)
    .set({
      timedelta: (Date.now() - begun) / 1000,
      success: !reason,
      reason,
      assets_amount: found.assets,
      failed_amount: found.failed,
      new_amount: found.new,
      changed_amount: found.changed,
      vanished_amount: found.vanished,
    })
    .where(eq(accountsGatherExecution.id, id))
  if (!reason) await db.execute(sql`UPDATE accounts_gather_task SET date_last_sync = now() WHERE id = ${plan}`)
  return found
}

function reasonOf({ assets, failed }: { assets: number; failed: number }): string {
  if (!assets) return 'There is no asset in these nodes: choose others'
  return failed ? 'Some assets could not be read' : ''
}

/** The differences on it; undefined where it could not be read. */
async function readMachine(
  kernel: Kernel,
  machine: Machine,
  { task, log, signal }: { task: string; log: TaskLog; signal: AbortSignal },
): Promise<Changes | undefined> {
  const title = `${machine.hostname}(${machine.ip})`
  try {
    if (machine.skipped) throw new HostError(machine.skipped)
    const reason = `gathering users: ${task}`
    const host = await openHost(kernel, { assetId: machine.id, as: 'admin_user', reason, signal })
    try {
      const users = await readUsers(host)
      const changes = await keepUsers(kernel.db, machine, users)
      await log(
        `${title} | SUCCESS | ${users.length} (new=${changes.new} changed=${changes.changed} vanished=${changes.vanished})`,
      )
      return changes
    } finally {
      host.close()
    }
  } catch (error) {
    if (!(error instanceof HostError)) throw error
    await log(`${title} | FAILED | ${error.message}`)
    return undefined
  }
}

/** Active assets below the nodes of a task, by id; Windows has no list of accounts that is read here. */
async function machinesBelow(db: Database, task: string, after: string): Promise<Machine[]> {
  const { rows } = await db.execute<Machine & Record<string, unknown>>(sql`
    SELECT a.id, a.org_id, a.hostname, a.ip, CASE
      WHEN p.base NOT IN ('Linux', 'Unix', 'MacOS', 'BSD') THEN 'Accounts are read of Unix systems alone'
      WHEN NOT a.protocols::text ~ 'ssh/' THEN 'The asset has no SSH' ELSE '' END AS skipped
    FROM assets_listed_asset a LEFT JOIN assets_listed_platform p ON p.name = a.platform
    WHERE a.is_active AND ${after ? sql`a.id > ${after}` : sql`true`} AND EXISTS (
      SELECT 1 FROM accounts_gather_task_node t JOIN assets_asset_under_node u ON u.node_id = t.node_id
      WHERE t.task_id = ${task} AND u.asset_id = a.id)
    ORDER BY a.id LIMIT ${GROUP}`)
  return rows
}
