import type { MovedFile } from './file-progress.ts'
import type { Direction } from './start-detector.ts'

/** How a transfer asks for permission and is logged. */
export interface TransferRules {
  /** Whether the person may move files in this direction now. */
  may(direction: Direction): Promise<boolean>
  /** Writes down that files are about to be moved. Throws when it can't: then none may be. */
  begin(direction: Direction): Promise<TransferLog>
  /** Logs a transfer that was refused before it named a file. */
  refused(direction: Direction): void
}

/** One transfer in the FTP log. */
export interface TransferLog {
  file(file: Pick<MovedFile, 'name' | 'isWhole'>): void
  /** No more files come. */
  over(): void
}

/** The session that the transfer is in. */
export interface TransferHost {
  /** Ordinary output of the machine. */
  terminal(bytes: Buffer): void
  /** Packets for the person's program. */
  toPerson(bytes: Buffer): void
  /** Text between packets, for the person's program but not for recording and watchers. */
  aside(bytes: Buffer): void
  toMachine(bytes: Uint8Array): void
  /** Input for the machine's shell, typed before it was back from a transfer. */
  typed(bytes: Buffer): void
  /** The machine waits for an answer of the permissions. */
  hold(held: boolean): void
  /** For the person's program: the bytes that follow are packets, or are output again. */
  state(running: boolean): void
  /** The machine's bytes are to be left as they are, or are text again. */
  raw(isRaw: boolean): void
  /**
   * A line for the recording and the watchers, and for the person once the terminal is theirs
   * again. The English text is the translation key.
   */
  note(text: string, values?: Record<string, unknown>): void
}
