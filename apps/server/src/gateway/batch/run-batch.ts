import { eq } from 'drizzle-orm'
import {
  beginExecution,
  eachHost,
  finishExecution,
  type HostOutcome,
  type StoredExecution,
  storeOutcome,
  type TaskLog,
  type WaitingHost,
} from '../../domains/ops/index.ts'
import { usersAccount } from '../../domains/users/index.ts'
import { type Language, translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { Slots } from '../../kernel/slots.ts'
import { type Notice, wordsOf } from '../session/notice.ts'
import type { Person } from '../session/person.ts'
import { SessionRefusal } from '../session/refusal.ts'
import { alarmOfBatch } from './alarm.ts'
import { judgeMachines } from './judge-machines.ts'
import { runOnMachine } from './run-on-machine.ts'

/** The whole run (contract/ops.yaml `command_execution`). */
const RUN_MS = 60_000
/** Machines of all batch commands of this node at a time. Not shared with tasks, which may take hours. */
const slots = new Slots(50)

export interface BatchRun {
  id: string
  /** In which people are told what went wrong. */
  language: Language
  /** Ends it early. */
  cancelled: AbortSignal
}

/**
 * Carries out a run: what the rules refuse is skipped, everything else runs, some machines at a
 * time. Each outcome is stored and in the log as soon as it is known.
 */
export async function runBatch(
  kernel: Kernel,
  { id, language, cancelled }: BatchRun,
  log: TaskLog,
): Promise<Record<string, unknown>> {
  const found = await beginExecution(kernel.db, id)
  if (!found) return {}
  const { execution, hosts } = found
  const person = await personOf(kernel, execution, language)
  const { everywhere, refused } = await judgeMachines(
    kernel.db,
    { userId: person.id, systemUserId: execution.run_as, command: execution.command },
    hosts,
  )
  const stopped = everywhere ?? (hosts.length && refused.size === hosts.length ? [...refused.values()][0] : undefined)
  if (refused.size || everywhere)
    await alarmOfBatch(kernel, {
      execution,
      person,
      hosts: everywhere ? hosts : hosts.filter((one) => refused.has(one.asset)),
    })
  if (stopped) {
    const error = wordsOf(stopped, language)
    await log(error)
    await finishExecution(kernel.db, id, { error })
    return { error }
  }
  const limit = new AbortController()
  const late = setTimeout(
    () => limit.abort(new SessionRefusal('It took longer than 60 seconds: it was told to end, and left')),
    RUN_MS,
  )
  const signal = AbortSignal.any([cancelled, limit.signal])
  try {
    const counts = await runEverywhere(kernel, { execution, person, signal, log }, hosts, refused)
    const reason = signal.aborted ? translate(person.language, (signal.reason as Error).message) : ''
    await finishExecution(kernel.db, id, { reason })
    return counts
  } finally {
    clearTimeout(late)
  }
}

interface Running {
  execution: StoredExecution
  person: Person
  signal: AbortSignal
  log: TaskLog
}

async function runEverywhere(
  kernel: Kernel,
  running: Running,
  hosts: readonly WaitingHost[],
  refused: ReadonlyMap<string, Notice>,
): Promise<{ success: number; failed: number; skipped: number }> {
  const counts = { success: 0, failed: 0, skipped: 0 }
  const work = async (host: WaitingHost) => {
    const refusal = refused.get(host.asset)
    const { state } = refusal ? await skip(kernel, running, host, refusal) : await run(kernel, running, host)
    if (state === 'success' || state === 'skipped') counts[state]++
    else counts.failed++
  }
  await eachHost(hosts, work, { signal: running.signal, slots })
  await running.log(`ok=${counts.success} failed=${counts.failed} skipped=${counts.skipped}`)
  return counts
}

async function skip(kernel: Kernel, { execution, person, log }: Running, host: WaitingHost, refusal: Notice) {
  const outcome: HostOutcome = { state: 'skipped', error: wordsOf(refusal, person.language) }
  await storeOutcome(kernel.db, execution.id, host.asset, outcome)
  await log(`${host.name} | SKIPPED | ${outcome.error}`)
  return outcome
}

async function run(kernel: Kernel, { execution, person, signal, log }: Running, host: WaitingHost) {
  await storeOutcome(kernel.db, execution.id, host.asset, { state: 'running' })
  const { run_as: systemUserId, command } = execution
  const outcome = await runOnMachine(kernel, { person, assetId: host.asset, systemUserId, command, signal })
  await storeOutcome(kernel.db, execution.id, host.asset, outcome)
  await log(linesOf(host, outcome))
  return outcome
}

/** As Ansible writes them, which many people's eyes know. */
function linesOf({ name }: WaitingHost, { state, code, stdout = '', stderr = '', error }: HostOutcome): string {
  const output = [stdout, stderr].filter(Boolean).map((text) => text.replace(/\n$/, ''))
  if (code === null || code === undefined) return [`${name} | FAILED! => ${error}`, ...output].join('\n')
  return [`${name} | ${state === 'success' ? 'CHANGED' : 'FAILED'} | rc=${code} >>`, ...output].join('\n')
}

/** Whoever began the run, as they are now. */
async function personOf(
  { db }: Kernel,
  { user_id, remote_addr }: StoredExecution,
  language: Language,
): Promise<Person> {
  const { id, name, username } = usersAccount
  const [found] = await db.select({ id, name, username }).from(usersAccount).where(eq(id, user_id))
  if (!found) throw new Error('whoever began this batch command is gone')
  return { ...found, language, remoteAddress: remote_addr, loginFrom: 'WT' }
}
