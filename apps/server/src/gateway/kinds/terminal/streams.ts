import type { FastifyBaseLogger } from 'fastify'
import type ssh2 from 'ssh2'
import type { Guard } from '../../guard/guard.ts'
import type { CommandLog } from '../../session/command-log.ts'
import type { StreamEnd } from '../../session/live-session.ts'
import type { Notice } from '../../session/notice.ts'
import type { Person } from '../../session/person.ts'
import type { Typist } from '../../session/typist.ts'
import type { ClearKeys } from './clear-keys.ts'

export interface TerminalSize {
  cols: number
  rows: number
}

/** A container of a cluster. */
export interface ContainerPlace {
  namespace: string
  pod: string
  /** Empty: the only one, or the one that the cluster takes by default. */
  container: string
  /** To what runs there, instead of something else. */
  isAttach?: boolean
  hasInput?: boolean
  /** Program and arguments; empty for a shell, whichever is there. */
  argv: readonly string[]
}

const MAX_LABEL = 128

/** Place in its cluster, as in a session's row (docs/rules/gateway.md#kubernetes). */
export const labelOf = ({ namespace, pod, container }: ContainerPlace): string =>
  [namespace, pod, container].filter(Boolean).join('_').slice(0, MAX_LABEL)

/** The machine of a session in which nothing runs: connections are forwarded from there. */
export interface ForwardingMachine {
  client: ssh2.Client
  /** A line of the session's recording. */
  note(line: string): void
  /** Bytes have passed: somebody is there. */
  touch(): void
}

/** The person's side of such a session. */
export interface Forwards {
  reached(machine: ForwardingMachine): void
  /** The session was locked: all connections are cut off. */
  drop(): void
}

/** Program to run on a machine. */
export interface Program {
  /** Place in a cluster. */
  container?: ContainerPlace
  /** As the client sent it (RFC 4254 §6.5); undefined for the login shell. */
  command?: Buffer
  /** No program is run: connections are forwarded. */
  forwards?: Forwards
  /** Nothing is sent to the input of the command. */
  hasNoInput?: true
  /** The server writes what it reads, once it runs: nobody else does. */
  isFed?: true
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
  /** `by`: who typed it, if it was not the session's person. */
  write(bytes: Buffer, by?: Typist): void
  /** Bytes written that the machine has not accepted yet. */
  pending(): number
  /** Calls back once the machine has accepted what was written. */
  onceTaken(then: () => void): void
  /** Nothing more will be written. */
  endInput(): void
  /** Without the leading SIG (RFC 4254 §6.9). */
  signal(name: string): void
  resize(size: TerminalSize): void
  /** Keys that empty a line on the machine; undefined: as in shells. */
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
  /** The session was locked: what passes beside its input is cut off. */
  drop?(): void
  /** Parts of a prompt of our own; missing for machines. */
  prompt?: OwnPrompt
}

/**
 * A target that takes apart by itself what is typed, such as the prompt of a database: nothing is
 * held on its way there, nor read off its screen. It judges and writes down what it runs.
 */
export interface OwnPrompt {
  /** Called once, before `start`. */
  sitAt(desk: Desk): void
  /** Database of the typed text; empty: none in particular. */
  database(): string
  /** The session was locked: what waits is not run. */
  drop(): void
  /** The session has said something: what is being edited is to be drawn again below it. */
  redraw(): void
}

/** Parts of a session for a prompt of our own. */
export interface Desk {
  session: string
  person: Person
  guard: Guard
  commands: CommandLog
  log: Pick<FastifyBaseLogger, 'error'>
  tell(what: Notice): void
  /** Milliseconds of the system's clock. */
  now(): number
  /** Milliseconds of a clock that nobody sets. */
  elapsed(): number
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

/** A person's side of a session of this kind. */
export interface TerminalEnd {
  program: Program
  owner: Owner
}
