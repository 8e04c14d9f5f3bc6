import type { Kernel } from '../kernel/kernel.ts'
import { type SessionFiles, sessionFiles } from './files/session-files.ts'
import type { Guard } from './guard/guard.ts'
import type { Kind, Kinds, SessionOpening } from './kinds/index.ts'
import { StatementLog } from './kinds/statements/statement-log.ts'
import { StatementSession } from './kinds/statements/statement-session.ts'
import { Asciicast } from './kinds/terminal/asciicast.ts'
import { sizeOf } from './kinds/terminal/streams.ts'
import { TerminalSession } from './kinds/terminal/terminal-session.ts'
import type { CommandStore } from './recording/command-store.ts'
import type { LiveSessionParts, SessionRecording } from './session/live-session.ts'
import type { SessionSummary } from './session/session-summary.ts'
import type { ConnectionTarget } from './targets/connection-target.ts'

/**
 * Of a statement, so much is in its command row (contract/gateway.yaml command_parsing.stored); the
 * recording has more.
 */
const INPUT_MAX = 128
const OUTPUT_MAX = 1024

/** A kind's own recording. */
export interface Recording extends SessionRecording {
  readonly path: string
  close(): Promise<void>
  discard(): Promise<void>
}

/** What the life of every session is made of, whatever its kind. */
export type Life = Omit<LiveSessionParts, 'recording' | 'target'> & { guard: Guard }

/** What a session begins with, besides its recording. */
export interface Start<K extends Kind> {
  kernel: Kernel
  opening: SessionOpening<K>
  session: SessionSummary
  machine: Kinds[K]['machine']
  target: ConnectionTarget
  commands: CommandStore
  life: Life
}

/** A recording that stands, and the session that will be written into it. */
export interface Recorded<K extends Kind> {
  recording: Recording
  /** The session does not come about. */
  discard(): Promise<void>
  begin(start: Start<K>): Kinds[K]['session']
}

export type RecordedOf<K extends Kind> = Pick<Start<K>, 'kernel' | 'opening' | 'target'>

/** How sessions of a kind are recorded and begun. */
export interface Starter<K extends Kind> {
  /** Of the recording's file. */
  ending: string
  record(path: string, about: { title: string; startedAt: Date }, of: RecordedOf<K>): Promise<Recorded<K>>
}

/** One for each kind. */
export const STARTERS: { [K in Kind]: Starter<K> } = {
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
