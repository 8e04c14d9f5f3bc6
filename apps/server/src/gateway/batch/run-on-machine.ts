import type { HostOutcome } from '../../domains/ops/command-executions/index.ts'
import { type SingleStep, singleStepsOf } from '../../domains/ops/runbooks/index.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { hasSecret } from '../../kernel/secrets/login.ts'
import { KeptOutput, pieceReader } from '../../kernel/ssh/kept-output.ts'
import { connectionRefusal } from '../connectors/connection-refusal.ts'
import { portOf } from '../connectors/index.ts'
import { sshConnector } from '../connectors/ssh.ts'
import type { OutputStream, Program, TargetStream } from '../kinds/terminal/streams.ts'
import { MachineConnections } from '../machines/machine-connections.ts'
import type { StreamEnd } from '../session/live-session.ts'
import { loadTarget } from '../session/load-target.ts'
import type { Person } from '../session/person.ts'
import { SessionRefusal } from '../session/refusal.ts'
import { refuseUnreviewed } from '../session/target-review.ts'
import { assetTarget } from '../targets/asset-family.ts'
import { type ConnectionTarget, withCertificate } from '../targets/connection-target.ts'
import { type FedProgram, fedProgram } from './fed-program.ts'
import type { MachineInputs } from './hand-over.ts'
import { Masking } from './masked.ts'
import { type PutFiles, putFilesOn } from './put-files.ts'

/**
 * Time after which a machine is left that does not end a program when asked to, in milliseconds.
 */
const LEAVE_MS = 2_000

export interface MachineRun {
  person: Person
  assetId: string
  systemUserId: string
  command: string
  /** Secrets and files that the machine gets besides. */
  handed?: MachineInputs | undefined
  /** Ends it; people see its reason, a SessionRefusal. */
  signal: AbortSignal
  /** Called with what the program writes, as it comes, as far as it is kept. */
  onOutput(stream: 'stdout' | 'stderr', text: string): void
}

/** Program for which the connection of a batch command asks permission. */
export const programOf = (command: string): Program => ({ command: Buffer.from(command), hasNoInput: true })

/**
 * Runs a command on one machine, for a person who may, and answers what became of it in their
 * language. Never throws for what is wrong with the machine.
 */
export async function runOnMachine(kernel: Kernel, run: MachineRun): Promise<HostOutcome> {
  const { person, signal } = run
  const begun = performance.now()
  const took = () => ({ milliseconds: Math.round(performance.now() - begun) })
  const steps = run.handed ? undefined : singleStepsOf(run.command)
  // Its files and its command go over one connection, and so do its steps.
  const machines = run.handed?.files.length || steps ? new MachineConnections(kernel) : undefined
  const fed = run.handed && fedProgram(run.handed, run.command)
  let putFiles: PutFiles | undefined
  try {
    const target = await targetOf(kernel, run)
    if (run.handed && machines) putFiles = await putFilesOn(kernel, { ...run, handed: run.handed, target, machines })
    const way = { fed, target, machines }
    const { end, stdout, stderr, refusal } = steps
      ? await outputOfSteps(kernel, run, way, steps)
      : await outputIn(kernel, run, way)
    await putFiles?.over(end.exitCode === 0)
    // Where only files are served, no shell takes them away.
    if (end.exitCode !== 0 && !end.isLost) await putFiles?.takeBack()
    const texts = { stdout: stdout.text(target.charset), stderr: stderr.text(target.charset) }
    if (fed?.gotTooLittle(end.exitCode, texts.stderr)) throw new SessionRefusal(TOO_LITTLE)
    const is_cut = stdout.isCut || stderr.isCut
    const isFlood = stdout.isFlood || stderr.isFlood
    const error = refusal ? refusalText(refusal, person) : wordsOfEnd(end, isFlood, signal, person)
    const state = end.exitCode === 0 && !error ? ('success' as const) : ('failed' as const)
    return { state, code: end.exitCode ?? null, ...texts, is_cut, error, ...took() }
  } catch (error) {
    if (!(error instanceof SessionRefusal)) kernel.app.log.error({ err: error, asset: run.assetId }, 'batch command')
    await putFiles?.over(false)
    await putFiles?.takeBack()
    return { state: 'failed', error: refusalText(error, person), ...took() }
  } finally {
    machines?.close()
  }
}

const TOO_LITTLE = 'The machine did not read what was to run there to its end, so nothing was run: it needs sh and dd'

/** Throws SessionRefusal. */
async function targetOf(kernel: Kernel, { person, assetId, systemUserId }: MachineRun): Promise<ConnectionTarget> {
  const asset = assetTarget(assetId)
  const open = kernel.secrets.open('job', `asset ${assetId} for ${person.id}`)
  const target = await loadTarget(kernel, asset, { systemUserId, userId: person.id, username: person.username }, open)
  const { systemUser, credentials } = target
  if (systemUser.protocol !== 'ssh') throw new SessionRefusal('Batch commands need a system user of SSH')
  if (!credentials.username || !hasSecret(credentials))
    throw new SessionRefusal('This system user asks for its password each time: enter it in the console first')
  await refuseUnreviewed(kernel, person, target)
  return withCertificate(target, { person: person.username, purpose: 'batch' })
}

interface Way {
  fed: FedProgram | undefined
  target: ConnectionTarget
  machines: MachineConnections | undefined
}

/** Throws SessionRefusal. */
async function connect(
  kernel: Kernel,
  { person, command, signal }: MachineRun,
  { fed, target, machines }: Way,
): Promise<TargetStream> {
  signal.throwIfAborted()
  try {
    return await sshConnector.open(kernel, {
      target,
      host: target.address,
      port: portOf(target),
      end: {
        program: fed?.program ?? programOf(command),
        owner: { write: () => true, close: () => {} },
      },
      answer: async () => undefined,
      signal,
      ...(machines ? { machines } : {}),
    })
  } catch (error) {
    signal.throwIfAborted()
    throw connectionRefusal(error, target, person)
  }
}

interface Kept {
  stdout: KeptOutput
  stderr: KeptOutput
}
type Output = Kept & { end: StreamEnd; refusal?: SessionRefusal }

const nothingKept = (): Kept => ({ stdout: new KeptOutput(), stderr: new KeptOutput() })

/** Each step by itself, under its title, and none after one that did not succeed. */
async function outputOfSteps(kernel: Kernel, run: MachineRun, way: Way, steps: readonly SingleStep[]): Promise<Output> {
  const kept = nothingKept()
  let end: StreamEnd = {}
  for (const { title, command } of steps) {
    const shown = kept.stdout.take(Buffer.from(`${title}\n`))
    if (shown.length) run.onOutput('stdout', shown.toString())
    try {
      end = (await outputIn(kernel, { ...run, command }, way, kept)).end
    } catch (error) {
      // Earlier output is reported all the same.
      if (!(error instanceof SessionRefusal)) throw error
      return { ...kept, end: {}, refusal: error }
    }
    if (end.exitCode !== 0 || kept.stdout.isFlood || kept.stderr.isFlood) break
  }
  return { ...kept, end }
}

async function outputIn(kernel: Kernel, run: MachineRun, way: Way, kept = nothingKept()): Promise<Output> {
  return outputOf(await connect(kernel, run, way), run, way, kept)
}

/** Output until it ends, or is ended. Its input is the given bytes, and nothing else. */
function outputOf(
  machine: TargetStream,
  { handed, signal, onOutput }: MachineRun,
  { target: { charset }, fed }: Way,
  kept: Kept,
): Promise<Output> {
  const read = { stdout: pieceReader(charset), stderr: pieceReader(charset) }
  const secrets = [...(handed?.secrets.values() ?? [])]
  const masked = { stdout: new Masking(secrets), stderr: new Masking(secrets) }
  return new Promise((resolve) => {
    const take = (bytes: Buffer, stream: OutputStream) => {
      const text = read[stream](kept[stream].take(bytes))
      if (text) onOutput(stream, text)
    }
    let leaving: NodeJS.Timeout | undefined
    const stop = () => {
      machine.signal('TERM')
      machine.endInput()
      leaving ??= setTimeout(() => machine.close(), LEAVE_MS)
    }
    machine.start(
      (bytes, stream) => {
        take(masked[stream].take(bytes), stream)
        if (kept[stream].isFlood) stop()
      },
      (end) => {
        clearTimeout(leaving)
        signal.removeEventListener('abort', stop)
        for (const stream of ['stdout', 'stderr'] as const) take(masked[stream].rest(), stream)
        resolve({ end, ...kept })
      },
    )
    if (fed) machine.write(fed.input)
    machine.endInput()
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}

/** Why it has no exit code of its own; empty where it has one. */
function wordsOfEnd(end: StreamEnd, isFlood: boolean, signal: AbortSignal, person: Person): string {
  if (isFlood) return translate(person.language, 'It wrote more than 16 MB, and was ended')
  if (end.exitCode !== undefined) return ''
  if (signal.aborted) return refusalText(signal.reason, person)
  if (end.signal) return translate(person.language, 'Ended by the signal {{signal}}', { signal: end.signal })
  return translate(person.language, 'The connection to the machine was lost')
}

/** Why it was refused, in words of the person; never those of a fault. */
export function refusalText(error: unknown, { language }: Person): string {
  return error instanceof SessionRefusal
    ? translate(language, error.message, { ...error.values })
    : translate(language, 'The connection failed')
}
