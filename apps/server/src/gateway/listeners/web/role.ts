import type { TargetFamily } from '@sallyport/contract/target.ts'
import type { Call } from '../../../kernel/access/call.ts'
import type { SignIn } from '../../../kernel/access/sign-in.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { Gateway } from '../../gateway.ts'
import type { TerminalSize } from '../../kinds/terminal/streams.ts'
import type { TerminalSession } from '../../kinds/terminal/terminal-session.ts'
import type { SessionEvent } from '../../session/participants.ts'
import type { Person } from '../../session/person.ts'
import type { TerminalSocket } from './terminal-socket.ts'

/** With more input than this waiting for the machine nothing more is read from the browser. */
const MAX_INPUT_BYTES = 512 * 1024

/** What somebody at a browser is at a session: its person, a watcher, a guest. */
export interface Role {
  /**
   * Runs once, with the window's size and all else that TERMINAL_INIT said. Throws SessionRefusal.
   */
  open(size: TerminalSize, said: unknown): Promise<void>
  input(bytes: Buffer): void
  resize(size: TerminalSize): void
  /** The person said that they leave. */
  leave(): void
  /** Messages beyond those of every terminal. */
  message?(type: string, data: unknown): void
}

/** Who came, over which line, and what they asked for. */
export interface TerminalRequest {
  kernel: Kernel
  gateway: Gateway
  line: TerminalSocket
  call: Call
  signIn: SignIn
  person: Person
  query: TerminalQuery
  /** In the person's language. */
  say(text: string, values?: Record<string, unknown>): string
}

export interface TerminalQuery {
  type: string
  /** Of the target of a session of one's own. */
  family: TargetFamily
  target_id: string
  system_user_id?: string | undefined
  /** The client can come back to its session; any name it gives itself. */
  client?: string | undefined
}

/** Nothing more is read from the browser while the machine does not take what was typed. */
export function passOn({ socket }: TerminalSocket, live: TerminalSession, bytes: Buffer, by?: string): void {
  live.input(bytes, by)
  if (live.pendingInput < MAX_INPUT_BYTES || socket.isPaused) return
  socket.pause()
  live.onceInputTaken(() => socket.resume())
}

/**
 * What those in a session are told of each other, in this protocol (contract/web-terminal.yaml
 * TERMINAL_SHARE_JOIN …).
 */
export function tellParticipants(line: TerminalSocket, event: SessionEvent): void {
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
    case 'lock':
      line.send('TERMINAL_LOCK', { locked: event.locked, by: event.by })
      break
    default:
      event satisfies never
  }
}
