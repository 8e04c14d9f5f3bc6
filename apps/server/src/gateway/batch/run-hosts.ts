import {
  type HostOutcome,
  type StoredExecution,
  skipHosts,
  storeOutcome,
  type WaitingHost,
} from '../../domains/ops/command-executions/index.ts'
import { eachHost, type TaskLog } from '../../domains/ops/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { Slots } from '../../kernel/slots.ts'
import { askPermission, askUpload } from '../opening/permission.ts'
import { type Notice, wordsOf } from '../session/notice.ts'
import type { Person } from '../session/person.ts'
import { SessionRefusal } from '../session/refusal.ts'
import { assetTarget } from '../targets/asset-family.ts'
import { type HandOver, handOverOf, type MachineInputs } from './hand-over.ts'
import type { RunNews } from './run-news.ts'
import { programOf, refusalText, runOnMachine } from './run-on-machine.ts'

/** Machines are begun for so long (docs/rules/ops.md#command_execution). */
const RUN_MS = 60_000
/** Runs of this node at machines at a time; more wait, and their people take turns. */
const turns = new Slots(5)
/** Machines of all batch commands of this node at a time. Not shared with tasks, which may take hours. */
const slots = new Slots(50)

/** A run that this node carries out. */
export interface Running {
  kernel: Kernel
  execution: StoredExecution
  person: Person
  /** Ends it; people see its reason, a SessionRefusal. */
  signal: AbortSignal
  log: TaskLog
  news: RunNews
}

/** On how many machines a run came to what. */
export interface Counts {
  success: number
  failed: number
  skipped: number
}

/**
 * Runs the command on these machines, some at a time and for a minute, once it is their turn. Each
 * outcome is stored and in the log as soon as it is known; where it has not begun by the end it is
 * skipped, and reported.
 */
export async function runHosts(running: Running, hosts: readonly WaitingHost[]): Promise<Counts> {
  const counts: Counts = { success: 0, failed: 0, skipped: 0 }
  if (!hosts.length) return counts
  const waiting = new Set(hosts)
  const limit = new AbortController()
  const signal = AbortSignal.any([running.signal, limit.signal])
  let refused: SessionRefusal | undefined
  await inTurn(running, async () => {
    // Not before: a run that waits keeps no files in memory, and a person who lost the right
    // meanwhile passes nothing.
    const handOver = await handOverTo(running, hosts)
    if (handOver instanceof SessionRefusal) {
      refused = handOver
      return
    }
    const late = setTimeout(() => limit.abort(TOO_LONG), RUN_MS)
    const work = async (host: WaitingHost) => {
      waiting.delete(host)
      const { state } = await runOne({ ...running, signal }, host, handOver)
      if (state === 'success' || state === 'skipped') counts[state]++
      else counts.failed++
    }
    await eachHost(hosts, work, { signal, slots }).finally(() => clearTimeout(late))
  })
  if (waiting.size)
    counts.skipped += await skip(running, [...waiting], refusalText(refused ?? signal.reason, running.person))
  return counts
}

/** Secrets and files for these machines; why there may be none, for all of them. */
function handOverTo({ kernel, execution, person }: Running, hosts: readonly WaitingHost[]) {
  const assets = hosts.map(({ asset }) => asset)
  return handOverOf(kernel, execution, person.language, assets).catch((error) => {
    if (error instanceof SessionRefusal) return error
    throw error
  })
}

const TOO_LONG = new SessionRefusal('It took longer than 60 seconds: it was told to end, and left')

/** Does the work when it is its turn; settles without it once the signal is aborted before that. */
function inTurn({ signal, person }: Running, work: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => resolve()
    signal.addEventListener('abort', leave, { once: true })
    turns
      .use(async () => {
        signal.removeEventListener('abort', leave)
        if (!signal.aborted) await work()
      }, person.id)
      .then(resolve, reject)
  })
}

/** Tells that the command does not run on these machines; answers how many they are. */
export async function skip(
  { kernel, execution, log, news }: Running,
  hosts: readonly WaitingHost[],
  error: string,
): Promise<number> {
  await skipHosts(
    kernel.db,
    execution.id,
    hosts.map(({ asset }) => asset),
    error,
  )
  news.stored()
  await log(hosts.map(({ name }) => `${name} | SKIPPED | ${error}`).join('\n'))
  return hosts.length
}

/** The same where each machine has a reason of its own. */
export async function skipRefused(
  running: Running,
  hosts: readonly WaitingHost[],
  refused: ReadonlyMap<string, Notice>,
): Promise<number> {
  const { language } = running.person
  const byReason = Map.groupBy(
    hosts.filter(({ asset }) => refused.has(asset)),
    ({ asset }) => wordsOf(refused.get(asset) as Notice, language),
  )
  const counts = await Promise.all([...byReason].map(([error, some]) => skip(running, some, error)))
  return counts.reduce((sum, one) => sum + one, 0)
}

/** On one machine, if the person still may: rights are asked for right before. */
async function runOne(running: Running, host: WaitingHost, handOver: HandOver): Promise<HostOutcome> {
  const { kernel, execution, person, signal, log, news } = running
  const { run_as: systemUserId } = execution
  const { command } = host
  const target = assetTarget(host.asset)
  let handed: MachineInputs | undefined
  try {
    const question = { person, target, systemUserId, program: programOf(command) }
    await askPermission(kernel, question)
    handed = await handOver(host.asset)
    if (handed?.files.length) await askUpload(kernel, question)
  } catch (error) {
    if (!(error instanceof SessionRefusal)) throw error
    await skip(running, [host], refusalText(error, person))
    return { state: 'skipped' }
  }
  await storeOutcome(kernel.db, execution.id, host.asset, { state: 'running' })
  news.stored()
  const onOutput = (stream: 'stdout' | 'stderr', text: string) => news.wrote(host.asset, stream, text)
  const run = { person, assetId: host.asset, systemUserId, command, handed, signal, onOutput }
  const outcome = await runOnMachine(kernel, run)
  await storeOutcome(kernel.db, execution.id, host.asset, outcome)
  news.over(host.asset)
  await log(linesOf(host, outcome))
  return outcome
}

/** As Ansible writes them, which many people's eyes know. */
function linesOf({ name }: WaitingHost, { state, code, stdout = '', stderr = '', error }: HostOutcome): string {
  const output = [stdout, stderr].filter(Boolean).map((text) => text.replace(/\n$/, ''))
  if (code === null || code === undefined) return [`${name} | FAILED! => ${error}`, ...output].join('\n')
  return [`${name} | ${state === 'success' ? 'CHANGED' : 'FAILED'} | rc=${code} >>`, ...output].join('\n')
}
