import { settingsOf } from '../domains/settings/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { DesktopFiles } from './files/desktop-files.ts'
import { type SessionFiles, sessionFiles } from './files/session-files.ts'
import type { Grounds } from './guard/guard.ts'
import { DesktopLog } from './kinds/desktop/desktop-log.ts'
import { DesktopSession } from './kinds/desktop/desktop-session.ts'
import type { Kind, Kinds, SessionOpening } from './kinds/index.ts'
import { RequestSession } from './kinds/requests/request-session.ts'
import { StatementLog } from './kinds/statements/statement-log.ts'
import { StatementSession } from './kinds/statements/statement-session.ts'
import { Asciicast } from './kinds/terminal/asciicast.ts'
import { plainCommand } from './kinds/terminal/commands/plain-commands.ts'
import { sizeOf } from './kinds/terminal/streams.ts'
import { TerminalSession, type TerminalSessionParts } from './kinds/terminal/terminal-session.ts'
import { clipboardRights } from './permission.ts'
import { sizeUpdate, updateHead } from './protocols/rfb/messages.ts'
import type { CommandLog } from './session/command-log.ts'
import type { LiveSessionParts, SessionRecording } from './session/live-session.ts'
import type { ConnectionTarget } from './targets/connection-target.ts'

/** A kind's own recording. */
export interface Recording extends SessionRecording {
  readonly path: string
  close(): Promise<void>
  discard(): Promise<void>
}

/** What the life of every session is made of, whatever its kind. */
export type Life = Omit<LiveSessionParts, 'recording' | 'target'> & Pick<TerminalSessionParts, 'guard' | 'noteUnseen'>

/** What a session begins with, besides its recording. */
export interface Start<K extends Kind> {
  opening: SessionOpening<K>
  machine: Kinds[K]['machine']
  life: Life
}

/** A recording that stands, and the session that will be written into it. */
export interface Recorded<K extends Kind> {
  recording: Recording
  /** The session does not come about. */
  discard(): Promise<void>
  begin(start: Start<K>): Kinds[K]['session']
}

export interface RecordedOf<K extends Kind> {
  kernel: Kernel
  opening: SessionOpening<K>
  target: ConnectionTarget
  sessionId: string
  commands: CommandLog
  /** The rule that had a part in the judgement of the command that will be run. */
  grounds: Grounds | undefined
}

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
    async record(path, about, { kernel, opening, target, sessionId, commands, grounds }) {
      const { program } = opening
      const files = await sessionFiles(kernel, opening, program, target, sessionId)
      const notBegun = () => files.onEnded({})
      const recording = await Asciicast.open(path, { ...about, size: sizeOf(program) }).catch(async (error) => {
        await notBegun()
        throw error
      })
      const endProgram =
        program.command && commands.begin({ ...plainCommand(program.command.toString(), opening.now()), grounds })
      return {
        recording,
        discard: async () => void (await Promise.all([recording.discard(), notBegun()])),
        begin: (start) => beginTerminal(start, { recording, files, endProgram }),
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
  requests: {
    // A request and its answer are written down as a statement and its outcome are.
    ending: 'statements',
    async record(path, about) {
      const recording = await StatementLog.open(path, about)
      return {
        recording,
        discard: () => recording.discard(),
        begin: ({ opening, machine, life }) =>
          new RequestSession({ ...life, owner: opening.owner, program: opening.client, target: machine, recording }),
      }
    },
  },
  desktop: {
    ending: 'desktop',
    async record(path, about, { kernel, target, sessionId }) {
      const recording = await DesktopLog.open(path, about, RECORDED_FRAMES)
      return {
        recording,
        discard: () => recording.discard(),
        begin: ({ opening, machine, life }) => {
          const mayUse = clipboardRights(kernel, opening)
          const keepsText = () => settingsOf(kernel).get('TERMINAL_RECORD_CLIPBOARD')
          const files = machine.canTakeFiles ? new DesktopFiles({ kernel, opening, target, sessionId }) : undefined
          const own = { owner: opening.owner, target: machine, recording }
          return new DesktopSession({ ...life, ...own, mayUse, keepsText, files })
        },
      }
    },
  },
}

/** Updates of RFB, whatever the target speaks. */
const RECORDED_FRAMES = {
  update: ({ count, bytes }: { count: number; bytes: Buffer }) => Buffer.concat([updateHead(count), bytes]),
  size: (size: { width: number; height: number }) => sizeUpdate(size, false),
}

function beginTerminal(
  { opening, machine, life }: Start<'terminal'>,
  { files, ...recorded }: Pick<TerminalSessionParts, 'recording' | 'endProgram'> & { files: SessionFiles },
): TerminalSession {
  const { program, owner } = opening
  return new TerminalSession({
    ...life,
    owner,
    ...recorded,
    target: machine,
    program,
    transfers: files.rules,
    onEnd: async (reason, end) => {
      await Promise.all([life.onEnd(reason, end), files.onEnded(end)])
    },
  })
}

function beginStatements({ opening, machine, life }: Start<'statements'>, recording: StatementLog): StatementSession {
  const { owner, wire } = opening
  return new StatementSession({ ...life, owner, target: machine, recording, wire })
}
