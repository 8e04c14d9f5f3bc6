import type { MovedFile } from './file-progress.ts'
import type { Direction } from './start-detector.ts'

/** What the permission and the log have to do with a transfer. */
export interface TransferRules {
  /** Whether the person may move files in this direction now. */
  may(direction: Direction): Promise<boolean>
  /** Writes a file, or a refusal, into the FTP log. */
  log(direction: Direction, file: Pick<MovedFile, 'name' | 'isWhole'>): void
}

/** The session around. */
export interface TransferHost {
  /** Ordinary output of the machine. */
  terminal(bytes: Buffer): void
  /** Packets for the person's program. */
  toPerson(bytes: Buffer): void
  /** Words between packets: the person's program has them, the recording and watchers have not. */
  aside(bytes: Buffer): void
  toMachine(bytes: Uint8Array): void
  /** Was typed while the machine was giving up a transfer, and is for its shell. */
  typed(bytes: Buffer): void
  /** The machine waits for an answer of the permissions. */
  hold(held: boolean): void
  /** For the person's program: the bytes that follow are packets, or are output again. */
  state(running: boolean): void
  /** The machine's bytes are to be left as they are, or are text again. */
  raw(isRaw: boolean): void
  /**
   * A line for the recording, the watchers, and for the person when the terminal is theirs again.
   * English text is the key.
   */
  note(text: string, values?: Record<string, unknown>): void
}
