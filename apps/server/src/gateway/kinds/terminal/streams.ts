import type { StreamEnd } from '../../session/live-session.ts'
import type { ClearKeys } from './clear-keys.ts'

export interface TerminalSize {
  cols: number
  rows: number
}

/** What to run on a machine. */
export interface Program {
  /** As the client sent it (RFC 4254 §6.5); undefined for the login shell. */
  command?: Buffer
  /** Undefined for plain streams, whose bytes are not changed. */
  terminal?: {
    type: string
    size: TerminalSize
    /** Modes of the person's own terminal as they are encoded (RFC 4254 §8), such as which key erases. */
    modes?: Buffer
  }
  /** Variables that the person's client sent; the machine decides which it accepts. */
  env?: Readonly<Record<string, Buffer>>
}

/** The window of a program; without a terminal, that of people who watch it. */
export function sizeOf({ terminal }: Program): TerminalSize {
  return terminal?.size ?? { cols: 80, rows: 24 }
}

/** With a terminal all output is `stdout`. */
export type OutputStream = 'stdout' | 'stderr'

/** A connector's side of a session: bytes from and to one machine. */
export interface TargetStream {
  /** Nothing is read before this, nor lost. `onEnd` is called once, as the last. */
  start(onOutput: (bytes: Buffer, stream: OutputStream) => void, onEnd: (end: StreamEnd) => void): void
  write(bytes: Buffer): void
  /** Bytes written that the machine has not accepted yet. */
  pending(): number
  /** Calls back once the machine has accepted what was written. */
  onceTaken(then: () => void): void
  /** Nothing more will be written. */
  endInput(): void
  /** Without the leading SIG (RFC 4254 §6.9). */
  signal(name: string): void
  resize(size: TerminalSize): void
  /** What empties a line on the machine; undefined: as in shells. */
  clearKeys?: ClearKeys
  /**
   * Switches between raw bytes and text in the agreed charset; missing for streams without a
   * charset.
   */
  setRaw?(raw: boolean): void
  /** Stops reading from the machine until `resume`, so that its window fills up. */
  pause(): void
  resume(): void
  close(): void
}

/** The person's side of a session: a browser tab or an SSH client. */
export interface Owner {
  /**
   * Output of the machine. False when the person's connection can't keep up: the session waits for
   * `ownerDrained`.
   */
  write(bytes: Buffer, stream: OutputStream): boolean
  /** From now on the packets of a file transfer are written, or output again. */
  transfer?(running: boolean): void
  /**
   * The session has ended; what was written before is still sent. `end` is empty unless the machine
   * ended it.
   */
  close(end: StreamEnd): void
}

/** What a person brings to a session of this kind. */
export interface TerminalEnd {
  program: Program
  owner: Owner
}
