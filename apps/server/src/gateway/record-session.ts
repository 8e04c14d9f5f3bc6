import { settingsOf } from '../domains/settings/index.ts'
import { finishSession, noteSessionEvent, patchSession, replayPath } from '../domains/terminal/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { NotLogged } from './files/log/file-log.ts'
import { type SessionFiles, sessionFiles } from './files/session-files.ts'
import type { Guard, GuardOf } from './guard/guard.ts'
import type { Kind, Kinds, SessionOpening } from './kinds/index.ts'
import { StatementLog } from './kinds/statements/statement-log.ts'
import { StatementSession } from './kinds/statements/statement-session.ts'
import { Asciicast } from './kinds/terminal/asciicast.ts'
import { sizeOf } from './kinds/terminal/streams.ts'
import { TerminalSession } from './kinds/terminal/terminal-session.ts'
import { CommandStore } from './recording/command-store.ts'
import { storeCommands } from './recording/dangerous-commands.ts'
import { type RecordingUpload, uploadOf } from './recording/recording-upload.ts'
import { withRetries } from './recording/retry.ts'
import { sealRecording } from './recording/seal.ts'
import type { EndReason, LiveSessionParts, SessionRecording, StreamEnd } from './session/live-session.ts'
import { SessionRefusal } from './session/refusal.ts'
import type { SessionSummary } from './session/session-summary.ts'
import type { ConnectionTarget } from './targets/connection-target.ts'

/**
 * Of a statement, so much is in its command row (contract/gateway.yaml command_parsing.stored); the
 * recording has more.
 */
const INPUT_MAX = 128
const OUTPUT_MAX = 1024

/** A kind's own recording. */
interface Recording extends SessionRecording {
  readonly path: string
  close(): Promise<void>
  discard(): Promise<void>
}

/** What the life of every session is made of, whatever its kind. */
type Life = Omit<LiveSessionParts, 'recording' | 'target'> & { guard: Guard }

/** What a session begins with, besides its recording. */
interface Start<K extends Kind> {
  kernel: Kernel
  opening: SessionOpening<K>
  session: SessionSummary
  machine: Kinds[K]['machine']
  target: ConnectionTarget
  commands: CommandStore
  life: Life
}

/** A recording that stands, and the session that will be written into it. */
interface Recorded<K extends Kind> {
  recording: Recording
  /** The session does not come about. */
  discard(): Promise<void>
  begin(start: Start<K>): Kinds[K]['session']
}

type RecordedOf<K extends Kind> = Pick<Start<K>, 'kernel' | 'opening' | 'target'>

/** How sessions of a kind are recorded and begun. */
interface Starter<K extends Kind> {
  /** Of the recording's file. */
  ending: string
  record(path: string, about: { title: string; startedAt: Date }, of: RecordedOf<K>): Promise<Recorded<K>>
}

const STARTERS: { [K in Kind]: Starter<K> } = {
  terminal: {
    ending: 'cast',
    async record(path, about, { kernel, opening, target }) {
      const { program } = opening
      const files = await sessionFiles(kernel, opening, program, target)
      const notBegun = () => files.onEnded({})
      const recording = await Asciicast.open(path, { ...about, size: sizeOf(program) }).catch(async (error) => {
        await notBegun()
        throw error
      })
      return {
        recording,
        discard: async () => void (await Promise.all([recording.discard(), notBegun()])),
        begin: (start) => beginTerminal(start, recording, files),
      }
    },
  },
  statements: {
    ending: 'statements',
    async record(path, about) {
      const recording = await StatementLog.open(path, about)
      return { recording, discard: () => recording.discard(), begin: (start) => beginStatements(start, recording) }
    },
  },
}

function beginTerminal(
  { opening, session, machine, commands, life }: Start<'terminal'>,
  recording: Asciicast,
  files: SessionFiles,
): TerminalSession {
  const { program, owner } = opening
  return new TerminalSession({
    ...life,
    owner,
    target: machine,
    recording,
    program,
    transfers: files.rules,
    onCommand: ({ by, ...command }) => commands.add({ ...rowOf(session), ...command, ...(by ? { user: by } : {}) }),
    onEnd: async (reason, end) => {
      await Promise.all([life.onEnd(reason, end), files.onEnded(end)])
    },
  })
}

function beginStatements(
  { opening, session, machine, commands, life }: Start<'statements'>,
  recording: StatementLog,
): StatementSession {
  return new StatementSession({
    ...life,
    owner: opening.owner,
    target: machine,
    recording,
    onStatement: ({ input, output, timestamp }) =>
      commands.add({
        ...rowOf(session),
        input: input.slice(0, INPUT_MAX),
        output: output.slice(0, OUTPUT_MAX),
        timestamp,
      }),
  })
}

/** Of a session's command rows. */
const rowOf = ({ id, org_id, user, asset, system_user }: SessionSummary) => ({
  org_id,
  user,
  asset,
  system_user,
  session: id,
  risk_level: 0,
})

/**
 * Joins person and machine, and writes down what passes: nothing is read from the machine before
 * the recording stands. Throws SessionRefusal when it can't.
 */
export async function recordSession<K extends Kind>(
  kernel: Kernel,
  opening: SessionOpening<K>,
  session: SessionSummary,
  machine: Kinds[K]['machine'],
  target: ConnectionTarget,
  guardOf: GuardOf,
): Promise<Kinds[K]['session']> {
  let recorded: Recorded<K> | undefined
  try {
    recorded = await openRecording({ kernel, opening, target }, session)
    await patchSession(kernel.db, session.id, { is_success: true })
    opening.signal.throwIfAborted()
  } catch (error) {
    machine.close()
    await recorded?.discard()
    throw error
  }
  const place = {
    userId: session.user_id,
    target: opening.target,
    systemUserId: session.system_user_id,
  }
  const commands = new CommandStore((rows) => storeCommands(kernel, place, rows), kernel.app.log)
  const upload = uploadOf(kernel, recorded.recording.path)
  const { person, systemUserId } = opening
  const life = {
    ...lifeOf(kernel, opening, session, recorded.recording, commands, upload),
    guard: guardOf({ session, person, target: opening.target, systemUserId }),
  }
  return recorded.begin({ kernel, opening, session, machine, target, commands, life })
}

async function openRecording<K extends Kind>(of: RecordedOf<K>, session: SessionSummary): Promise<Recorded<K>> {
  const { kernel, opening } = of
  const starter: Starter<K> = STARTERS[opening.kind as K]
  const startedAt = new Date(session.date_start)
  try {
    const packed = await replayPath(kernel, { id: session.id, date_start: startedAt })
    const path = packed.replace(/cast\.gz$/, starter.ending)
    return await starter.record(path, { title: `${session.user} ${session.asset}`, startedAt }, of)
  } catch (error) {
    if (error instanceof NotLogged) throw new SessionRefusal(error.message)
    kernel.app.log.error({ err: error, session: session.id }, 'recording could not be opened')
    throw new SessionRefusal('The recording cannot be written, the session is ended')
  }
}

function lifeOf<K extends Kind>(
  kernel: Kernel,
  { person, now, elapsed }: SessionOpening<K>,
  session: SessionSummary,
  recording: Recording,
  commands: CommandStore,
  upload: RecordingUpload | undefined,
): Omit<Life, 'guard'> {
  const { log } = kernel.app
  const { id, org_id, user } = session
  return {
    id,
    orgId: org_id,
    person,
    log,
    now,
    elapsed,
    goesOnUnrecorded() {
      if (settingsOf(kernel).get('TERMINAL_RECORDING_FAILURE') !== 'alarm') return false
      noteSessionEvent(kernel, { session: id, org_id, event: 'unrecorded', user }).catch((error) =>
        log.error({ err: error, session: id }, 'session event could not be stored'),
      )
      return true
    },
    onEnd: (reason, end) => finish(kernel, session, { recording, commands, upload }, { reason, ...end }),
  }
}

/**
 * Stores the end. The recording first, then the row: the other way round, a crash in between would
 * leave a finished session without its last second.
 */
async function finish(
  kernel: Kernel,
  session: SessionSummary,
  {
    recording,
    commands,
    upload,
  }: { recording: Recording; commands: CommandStore; upload: RecordingUpload | undefined },
  end: { reason: EndReason } & StreamEnd,
): Promise<void> {
  const { log } = kernel.app
  await commands.close()
  try {
    await recording.close()
    await upload?.stop()
    await sealRecording(kernel, session.id, recording.path)
  } catch (error) {
    // The plain recording stays where it is; the next sweep keeps it.
    log.error({ err: error, session: session.id }, 'recording could not be kept')
  }
  await withRetries(() => finishSession(kernel.db, session.id))
  await withRetries(() =>
    noteSessionEvent(kernel, { session: session.id, org_id: session.org_id, event: 'ended', reason: end.reason }),
  )
  log.info({ session: session.id, ...end }, 'session ended')
}
