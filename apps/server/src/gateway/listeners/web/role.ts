import type { Call } from '../../../kernel/access/call.ts'
import type { SignIn } from '../../../kernel/access/sign-in.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { Gateway } from '../../gateway.ts'
import type { LiveSession } from '../../kinds/terminal/live-session.ts'
import type { TerminalSize } from '../../kinds/terminal/streams.ts'
import type { Person } from '../../session/person.ts'
import type { TerminalSocket } from './terminal-socket.ts'

/** With more input than this waiting for the machine nothing more is read from the browser. */
const MAX_INPUT_BYTES = 512 * 1024

/** What somebody at a browser is at a session: its person, a watcher, a guest. */
export interface Role {
  /** Runs once, with the window's size and all else that TERMINAL_INIT said. Throws SessionRefusal. */
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
  target_id: string
  system_user_id?: string | undefined
  /** The client can come back to its session; any name it gives itself. */
  client?: string | undefined
}

/** Nothing more is read from the browser while the machine does not take what was typed. */
export function passOn({ socket }: TerminalSocket, live: LiveSession, bytes: Buffer, by?: string): void {
  live.input(bytes, by)
  if (live.pendingInput < MAX_INPUT_BYTES || socket.isPaused) return
  socket.pause()
  live.onceInputTaken(() => socket.resume())
}
