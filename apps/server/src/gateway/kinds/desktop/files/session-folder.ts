import type { Readable } from 'node:stream'
import type { CopiedFile, CopiedFiles } from './copied-files.ts'
import type { MachineFiles } from './machine-files.ts'
import type { SharedEntry } from './shared-folder.ts'
import type { UploadsInParts } from './uploads-in-parts.ts'

/** A way that files go: to the machine, or from it. */
export type FileWay = 'upload' | 'download'

/** Messages to a person about what the machine may not do for them. */
export const FILES_REFUSED: Readonly<Record<FileWay, string>> = {
  upload: 'The machine has tried to read a file of yours: you have no permission to upload to it',
  download: 'The machine has tried to give you a file: you have no permission to download from it',
}

/** The folder of a session as its person meets it. What throws, throws FolderRefusal, and SftpStatus where a right is missing. */
export interface SessionFolder extends MachineFiles {
  /** Files of the person's that come in several requests. */
  readonly uploads: UploadsInParts
  /** Nothing may go to the machine. Asked each time. */
  isLocked: () => boolean
  /** Bytes go between the person and the folder: somebody is at work. */
  onPassed: () => void
  /** The contents of the folder have changed; several changes are reported at once. */
  onChange: () => void
  /** The machine has tried to take or to put something, and may not. */
  onRefused: (way: FileWay) => void
  /** The person has given that file, as it is called there, or has begun to take it. */
  onMoved: (way: FileWay, name: string) => void
  /** The person may use it; called each time that this is found out. */
  onPermitted: () => void
  /** The person's rights at this moment. Never rejects. */
  may(): Promise<{ upload: boolean; download: boolean; paste: boolean }>
  /** A file of the person's, under its name or the next that is free. Throws 400 `locked` as well. */
  receive(name: string, content: AsyncIterable<Buffer>): Promise<SharedEntry>
  /** The content of a file for the person, and how long it is: as long as at this moment, or it breaks off. */
  send(file: SharedEntry): Promise<{ size: number; content: Readable }>
  remove(file: SharedEntry): Promise<void>
  /** Files that the person has put there, for the machine's clipboard; undefined where none may go to it. Never rejects. */
  give(ids: readonly number[]): Promise<CopiedFiles | undefined>
  /** Files on the machine's clipboard, by their number; it is another one after each copy. */
  readonly copied: ReadonlyMap<number, CopiedFile>
  /** Offers those to the person, instead of what was offered before. Answers whether they may have them. Never rejects. */
  offer(copied: CopiedFiles | undefined): Promise<boolean>
  /** As `send`, of the machine's clipboard. */
  sendCopied(id: number): Promise<{ size: number; content: Readable }>
  /** Nothing of it stays. */
  close(): Promise<void>
}
