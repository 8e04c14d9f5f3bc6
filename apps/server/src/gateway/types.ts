import type { Language } from '../kernel/i18n/translate.ts'

export interface TerminalSize {
  cols: number
  rows: number
}

/** How a target ended the stream, where it said so. */
export interface StreamEnd {
  exitCode?: number
  signal?: string
}

/** A connector's side of a session: bytes from and to one machine. */
export interface TargetStream {
  /** Nothing is read, and nothing lost, before this. Both are called with what comes, `onEnd` once and last. */
  start(onOutput: (bytes: Buffer) => void, onEnd: (end: StreamEnd) => void): void
  write(bytes: Buffer): void
  /** Bytes written that the machine has not taken yet. */
  pending(): number
  /** Calls back once the machine has taken what was written. */
  onceTaken(then: () => void): void
  resize(size: TerminalSize): void
  /** Stops the machine from sending until `resume`: nothing is read meanwhile, so its own window fills up. */
  pause(): void
  resume(): void
  close(): void
}

/** The person's side of a session: a browser tab, an SSH client. */
export interface Owner {
  /** Bytes for the screen. False when the person's line is behind; `onDrain` of the session follows. */
  write(bytes: Buffer): boolean
  /** The session is over. */
  close(): void
}

/** Who sits at a terminal, and how they came. */
export interface Person {
  id: string
  name: string
  username: string
  language: Language
  remoteAddress: string
  loginFrom: 'WT' | 'ST'
}

/** A refusal that is told to the person in plain words of their language; English text is the key. */
export class SessionRefusal extends Error {
  readonly values: Readonly<Record<string, unknown>>
  constructor(text: string, values: Readonly<Record<string, unknown>> = {}) {
    super(text)
    this.name = 'SessionRefusal'
    this.values = values
  }
}
