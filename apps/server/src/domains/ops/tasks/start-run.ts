import { randomUUID } from 'node:crypto'
import type { TaskStep } from '@sallyport/contract/resources/ops/adhoc.ts'
import { and, desc, eq, sql } from 'drizzle-orm'
import { type Call, displayName } from '../../../kernel/access/call.ts'
import type { FieldChange } from '../../../kernel/audit/audit.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { namedLinkChange } from '../../../kernel/resource/operate-log/write-log.ts'
import { startTask } from '../background-task.ts'
import { opsAdhoc, opsAdhocHost, opsTask } from '../tables.ts'

/** The job that carries a run out, with `{ adhoc, task }`. */
export const RUN_TASK = 'ops.run_task'

/** How versions say how they are carried out (docs/rules/ops.md#adhoc). */
const OPTIONS = "{'timeout': 10, 'forks': 10}"
const NAME_LENGTH = 128

export interface NewRun {
  /**
   * A description of the work, in English, with which the task's name begins; its subject may
   * follow. Name and organization identify the task.
   */
  title: string
  subject?: string
  kind: string
  /** The input of the kind besides the machines: plain values, never a secret. */
  data?: Record<string, unknown>
  hosts: readonly string[]
  steps: readonly TaskStep[]
  /** The system user as people read it; none where each machine's own admin user does it. */
  runAs?: string
  /** As whom the steps run once logged in. */
  become?: string
  orgId: string
  /** See `NewTask`. */
  isLogged?: boolean | undefined
}

/**
 * Has machines worked on, as a run of the task of that name. A run whose steps, options, identity or
 * machines differ from the latest version adds a version; how people have a version switch the user
 * stays with it, as its password was entered for these machines. Answers the id of the background task,
 * which is that of the execution too.
 */
export async function startRun(kernel: Kernel, call: Call | undefined, run: NewRun): Promise<string> {
  const createdBy = call?.user ? displayName(call.user) : 'System'
  const adhoc = await kernel.db.transaction(async (tx) => {
    const task = await taskOf(tx, run, createdBy)
    return (await sameVersion(tx, task, run)) ?? addVersion(tx, task, run, createdBy)
  })
  const { orgId, title, subject, isLogged } = run
  return startVersion(kernel, call, { adhoc, orgId, title, subject, isLogged })
}

/** Runs a version once more, on these of its machines alone where they are named. Answers the id of the background task. */
export async function startVersion(
  kernel: Kernel,
  call: Call | undefined,
  { adhoc, orgId, title, hosts, ...logged }: VersionRun,
): Promise<string> {
  const data = { adhoc, ...(hosts ? { hosts } : {}) }
  const changes = logged.isLogged ? [] : [await machinesOf(kernel, adhoc, hosts)]
  return startTask(kernel, call, { id: randomUUID(), name: title, job: RUN_TASK, data, orgId, changes, ...logged })
}

interface VersionRun extends Pick<NewRun, 'orgId' | 'title' | 'isLogged'> {
  adhoc: string
  subject?: string | undefined
  /** Those of its machines that it covers, where it is not all of them. */
  hosts?: readonly string[]
}

/** The subject of a run, by name, for the operate log. */
async function machinesOf(kernel: Kernel, adhoc: string, hosts?: readonly string[]): Promise<FieldChange> {
  const added = hosts ?? (await hostsOf(kernel.db, adhoc))
  return {
    ...(await namedLinkChange(kernel, kernel.db, 'asset', { name: 'assets', added, removed: [] })),
    label: 'Assets',
  }
}

const nameOf = ({ title, subject }: NewRun) => (subject ? `${title}: ${subject}` : title).slice(0, NAME_LENGTH)

/** Finds or makes the task, and holds its row: of two equal runs at once one alone adds a version. */
async function taskOf(db: Database, run: NewRun, createdBy: string): Promise<string> {
  const { rows } = await db.execute<{ id: string }>(sql`
    INSERT INTO ops_task (org_id, name, created_by) VALUES (${run.orgId}, ${nameOf(run)}, ${createdBy})
    ON CONFLICT (org_id, name) DO UPDATE SET date_updated = now() RETURNING id`)
  return String(rows[0]?.id)
}

async function sameVersion(db: Database, task: string, run: NewRun): Promise<string | undefined> {
  const [latest] = await db
    .select({
      id: opsAdhoc.id,
      kind: opsAdhoc.kind,
      isSame: sql<boolean>`${opsAdhoc.tasks} = ${JSON.stringify(run.steps)}::jsonb AND ${opsAdhoc.data} = ${JSON.stringify(run.data ?? {})}::jsonb
        AND ${opsAdhoc.run_as} IS NOT DISTINCT FROM ${run.runAs ?? null}
        AND (${opsAdhoc.become_display} = ${run.become ?? ''} OR ${opsAdhoc.become_sealed} IS NOT NULL)`,
    })
    .from(opsAdhoc)
    .where(eq(opsAdhoc.task, task))
    .orderBy(desc(opsAdhoc.date_created), desc(opsAdhoc.id))
    .limit(1)
  if (!latest?.isSame || latest.kind !== run.kind) return undefined
  const [hosts, wanted] = [await hostsOf(db, latest.id), new Set(run.hosts)]
  return hosts.length === wanted.size && hosts.every((host) => wanted.has(host)) ? latest.id : undefined
}

async function addVersion(db: Database, task: string, run: NewRun, createdBy: string): Promise<string> {
  const { kind, data = {}, steps, runAs, become = '', orgId, hosts } = run
  const [added] = await db
    .insert(opsAdhoc)
    .values({
      org_id: orgId,
      task,
      kind,
      data,
      tasks: [...steps],
      options: OPTIONS,
      run_as: runAs ?? null,
      run_as_admin: runAs === undefined,
      become_display: become,
      created_by: createdBy,
      // The transaction's time would be that of a version that was added while it waited.
      date_created: sql`clock_timestamp()` as unknown as Date,
    })
    .returning({ id: opsAdhoc.id })
  const id = String(added?.id)
  await db.execute(sql`INSERT INTO ops_adhoc_host (adhoc, asset)
    SELECT DISTINCT ${id}::uuid, asset FROM unnest(${sql.param([...hosts])}::uuid[]) AS asset`)
  return id
}

export async function hostsOf(db: Database, adhoc: string): Promise<string[]> {
  const rows = await db.select({ asset: opsAdhocHost.asset }).from(opsAdhocHost).where(eq(opsAdhocHost.adhoc, adhoc))
  return rows.map(({ asset }) => asset)
}

/** The latest version of a task, which is the one that runs. */
export async function latestVersion(
  db: Database,
  task: string,
): Promise<(typeof opsAdhoc.$inferSelect & { name: string }) | undefined> {
  const [row] = await db
    .select({ adhoc: opsAdhoc, name: opsTask.name })
    .from(opsAdhoc)
    .innerJoin(opsTask, and(eq(opsTask.id, opsAdhoc.task), eq(opsTask.id, task)))
    .orderBy(desc(opsAdhoc.date_created), desc(opsAdhoc.id))
    .limit(1)
  return row && { ...row.adhoc, name: row.name }
}

/** The leading part of a task's name, up to the first `. ` or `: `, which has a translation. */
export function titleOf(name: string): { title: string; rest: string } {
  const [, title = name, rest = ''] = /^(.*?)([.:] .*)$/s.exec(name) ?? []
  return { title, rest }
}
