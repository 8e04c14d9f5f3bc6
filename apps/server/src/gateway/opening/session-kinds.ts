import { settingsOf } from '../../domains/settings/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { DesktopFiles } from '../files/desktop-files.ts'
import { type SessionFiles, sessionFiles } from '../files/session-files.ts'
import type { Grounds } from '../guard/guard.ts'
import { DesktopLog } from '../kinds/desktop/desktop-log.ts'
import { DesktopSession } from '../kinds/desktop/desktop-session.ts'
import type { Kind, Kinds, SessionOpening } from '../kinds/index.ts'
import { RequestSession } from '../kinds/requests/request-session.ts'
import { StatementLog } from '../kinds/statements/statement-log.ts'
import { StatementSession } from '../kinds/statements/statement-session.ts'
import { Asciicast } from '../kinds/terminal/asciicast.ts'
import { plainCommand } from '../kinds/terminal/commands/plain-commands.ts'
import { sizeOf, type TargetStream } from '../kinds/terminal/streams.ts'
import { TerminalSession, type TerminalSessionParts } from '../kinds/terminal/terminal-session.ts'
import { sizeUpdate, updateHead } from '../protocols/rfb/messages.ts'
import type { CommandLog } from '../session/command-log.ts'
import type { LiveSessionParts, SessionRecording } from '../session/live-session.ts'
import type { ConnectionTarget } from '../targets/connection-target.ts'
import { clipboardRights } from './permission.ts'

/** The parts that sessions of all kinds share. */
export type SessionParts = Omit<LiveSessionParts, 'recording' | 'target'> &
  Pick<TerminalSessionParts, 'guard' | 'noteUnseen'>

/** A session that is recorded already, and waits for its machine. */
export interface PreparedSession<K extends Kind> {
  recording: SessionRecording & { readonly path: string; close(): Promise<void> }
  /** The session does not come about. */
  discard(): Promise<void>
  begin(machine: Kinds[K]['machine'], parts: SessionParts): Kinds[K]['session']
}

/** How sessions of a kind are recorded and begun. */
export interface SessionKind<K extends Kind> {
  /** Suffix of the recording's file. */
  suffix: string
  prepare(
    path: string,
    about: { title: string; startedAt: Date },
    of: {
      kernel: Kernel
      opening: SessionOpening<K>
      target: ConnectionTarget
      sessionId: string
      commands: CommandLog
      /** The rule that had a part in the judgement of the command that will be run. */
      grounds: Grounds | undefined
    },
  ): Promise<PreparedSession<K>>
}

export const SESSION_KINDS: { [K in Kind]: SessionKind<K> } = {
  terminal: {
    suffix: 'cast',
    async prepare(path, about, { kernel, opening, target, sessionId, commands, grounds }) {
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
        begin: (machine, parts) => beginTerminal(opening, machine, parts, { recording, files, endProgram }),
      }
    },
  },
  statements: {
    suffix: 'statements',
    async prepare(path, about, { opening: { owner, wire } }) {
      const recording = await StatementLog.open(path, about)
      return {
        recording,
        discard: () => recording.discard(),
        begin: (target, parts) => new StatementSession({ ...parts, owner, target, recording, wire }),
      }
    },
  },
  requests: {
    // A request and its answer are written down as a statement and its outcome are.
    suffix: 'statements',
    async prepare(path, about, { opening: { owner, client } }) {
      const recording = await StatementLog.open(path, about)
      return {
        recording,
        discard: () => recording.discard(),
        begin: (target, parts) => new RequestSession({ ...parts, owner, program: client, target, recording }),
      }
    },
  },
  desktop: {
    suffix: 'desktop',
    async prepare(path, about, { kernel, opening, target, sessionId }) {
      const recording = await DesktopLog.open(path, about, RECORDED_FRAMES)
      return {
        recording,
        discard: () => recording.discard(),
        begin(machine, parts) {
          const mayUse = clipboardRights(kernel, opening)
          const keepsText = () => settingsOf(kernel).get('TERMINAL_RECORD_CLIPBOARD')
          const files = machine.canTakeFiles ? new DesktopFiles({ kernel, opening, target, sessionId }) : undefined
          const own = { owner: opening.owner, target: machine, recording }
          return new DesktopSession({ ...parts, ...own, mayUse, keepsText, files })
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
  { program, owner }: SessionOpening<'terminal'>,
  target: TargetStream,
  parts: SessionParts,
  { files, ...own }: Pick<TerminalSessionParts, 'recording' | 'endProgram'> & { files: SessionFiles },
): TerminalSession {
  return new TerminalSession({
    ...parts,
    ...own,
    owner,
    target,
    program,
    transfers: files.rules,
    onEnd: async (reason, end) => {
      await Promise.all([parts.onEnd(reason, end), files.onEnded(end)])
    },
  })
}
