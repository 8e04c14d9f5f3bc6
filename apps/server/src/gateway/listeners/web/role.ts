import type { Opening } from '@sallyport/contract/socket/line.ts'
import type { TargetFamily } from '@sallyport/contract/target.ts'
import type { Call } from '../../../kernel/access/call.ts'
import type { SignIn } from '../../../kernel/access/sign-in.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { Gateway } from '../../gateway.ts'
import type { TerminalSize } from '../../kinds/terminal/streams.ts'
import type { TerminalSession } from '../../kinds/terminal/terminal-session.ts'
import type { SessionEvent } from '../../session/participants.ts'
import type { Person } from '../../session/person.ts'
import type { Typist } from '../../session/typist.ts'
import type { MessageDoor } from './message-door.ts'
import type { TerminalSocket } from './terminal-socket.ts'

/** When more input than this waits for the machine, nothing more is read from the browser. */
const MAX_INPUT_BYTES = 512 * 1024

/** Role of somebody at a browser in a session: its person, a watcher or a guest. */
export interface Role {
  /** Called once, with what TERMINAL_INIT says. Throws SessionRefusal. */
  open(opening: Opening): Promise<void>
  input(bytes: Buffer): void
  resize(size: TerminalSize): void
  /** The person said that they leave. */
  leave(): void
  /** Takes messages beyond those of every line. */
  readonly message: MessageDoor
}

/** The person, their socket, and their request. */
export interface TerminalRequest {
  kernel: Kernel
  gateway: Gateway
  line: TerminalSocket
  call: Call
  signIn: SignIn
  person: Person
  query: TerminalQuery
  /** Translates into the person's language. */
  say(text: string, values?: Record<string, unknown>): string
}

export interface TerminalQuery {
  type: string
  /** Family of the target of one's own session. */
  family: TargetFamily
  target_id: string
  system_user_id?: string | undefined
  /** Set when the client can come back to its session: any name that it gives itself. */
  client?: string | undefined
  /** A container of a cluster, all three together; without it, the cluster itself. */
  namespace?: string | undefined
  pod?: string | undefined
  container?: string | undefined
  /** How an application is shown; unless said, in a terminal. */
  view?: 'workbench' | undefined
}

/** Passes input on; nothing more is read from the browser while the machine does not accept it. */
export function passOn({ socket }: TerminalSocket, live: TerminalSession, bytes: Buffer, by?: Typist): void {
  live.input(bytes, by)
  if (live.pendingInput < MAX_INPUT_BYTES || socket.isPaused) return
  socket.pause()
  live.onceInputTaken(() => socket.resume())
}

/**
 * Tells people in a session about each other, in this protocol
 * (docs/rules/web-terminal.md#people_in_session).
 */
export function notifyParticipants(line: TerminalSocket, event: SessionEvent): void {
  switch (event.event) {
    case 'joined':
      line.send('TERMINAL_SHARE_JOIN', event.who)
      break
    case 'parted':
      line.send('TERMINAL_SHARE_LEAVE', event.who)
      break
    case 'present':
      line.send('TERMINAL_SHARE_USERS', Object.fromEntries(event.all.map((who) => [who.id, who])))
      break
    case 'watched':
      line.send('TERMINAL_WATCHERS', { users: event.by })
      break
    case 'lock':
      line.send('TERMINAL_LOCK', { locked: event.locked, by: event.by })
      break
    case 'control':
      line.send('DESKTOP_CONTROL', { id: event.id })
      break
    default:
      event satisfies never
  }
}
