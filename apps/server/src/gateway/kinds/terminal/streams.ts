import type { TerminalModes } from 'ssh2'
import type { StreamEnd } from '../../session/live-session.ts'

export interface TerminalSize {
  cols: number
  rows: number
}

/** What is run on a machine. */
export interface Program {
  /** Undefined: the login shell. */
  command?: string
  /** Undefined: plain streams, whose bytes nobody touches. */
  terminal?: {
    type: string
    size: TerminalSize
    /** Settings of the person's own terminal (RFC 4254 §8), such as which key erases. */
    modes?: TerminalModes
  }
  /** Variables that the person's client sent; the machine decides which it takes. */
  env?: Readonly<Record<string, string>>
}

/** The window of a program; of one without a terminal, the window of those who watch it. */
export function sizeOf({ terminal }: Program): TerminalSize {
  return terminal?.size ?? { cols: 80, rows: 24 }
}

/** With a terminal everything comes as `stdout`. */
export type OutputStream = 'stdout' | 'stderr'

/** A connector's side of a session: bytes from and to one machine. */
export interface TargetStream {
  /**
   * Nothing is read, and nothing lost, before this. Both are called with what comes, `onEnd` once
   * and last.
   */
  start(onOutput: (bytes: Buffer, stream: OutputStream) => void, onEnd: (end: StreamEnd) => void): void
  write(bytes: Buffer): void
  /** Bytes written that the machine has not taken yet. */
  pending(): number
  /** Calls back once the machine has taken what was written. */
  onceTaken(then: () => void): void
  /** Nothing more will be written. */
  endInput(): void
  /** Without the leading SIG (RFC 4254 §6.9). */
  signal(name: string): void
  resize(size: TerminalSize): void
  /** What empties the line that the person is editing there; undefined: as shells do. */
  clearLine?: Buffer
  /**
   * Bytes as they are, or again text in the charset that was agreed; a stream without one has no
   * need of it.
   */
  setRaw?(raw: boolean): void
  /**
   * Stops the machine from sending until `resume`: nothing is read meanwhile, so its own window
   * fills up.
   */
  pause(): void
  resume(): void
  close(): void
}

/** The person's side of a session: a browser tab, an SSH client. */
export interface Owner {
  /**
   * Bytes from the machine. False when the person's line is behind: `ownerDrained` of the session
   * must follow.
   */
  write(bytes: Buffer, stream: OutputStream): boolean
  /** What is written from now on are the packets of a file transfer, or is output again. */
  transfer?(running: boolean): void
  /**
   * The session is over; what was written before still goes out. `end` is empty when it was not the
   * machine that ended it.
   */
  close(end: StreamEnd): void
}

/** What a person brings to a session of this kind. */
export interface TerminalEnd {
  program: Program
  owner: Owner
}
