import { createReadStream } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { beginsAsGuacamole } from '@sallyport/contract/guacamole/instructions.ts'
import { DESKTOP } from '../replay-suffix.ts'
import { DesktopPieces } from './desktop/desktop-pieces.ts'
import { GuacamolePieces } from './guacamole/guacamole-pieces.ts'
import { KeyFrames, Unreadable } from './key-frames.ts'
import { LineTooLong, linesOf } from './lines.ts'
import { PackedFile, unpacked } from './packed-file.ts'
import { filesBeside } from './stored-index.ts'

const READ_BYTES = 256 * 1024

export interface PackTask {
  /** A plain recording, or a packed one that has no index yet. */
  source: string
  isPacked: boolean
  /** `x.cast.gz` or `x.desktop.gz`; its index and screens are written beside it. */
  target: string
  /** Appended to the three names until the files are complete. */
  suffix: string
  /** A recording that unpacks to more is not indexed. */
  maxBytes?: number
  /** Whether it gets no index: its kind has none, or was too much for the emulator. */
  withoutIndex?: boolean
}

/**
 * Packs a recording as one gzip member that can be inflated from each of its key frames on, and
 * writes its index and the screen at each key frame. The files appear under their names when they
 * are whole, the index last. A plain recording that can't be read in pieces (no asciicast, a line
 * without end) is packed all the same; a packed one stays as it came. Answers whether there is an
 * index. Throws what the disk throws, with nothing left behind.
 *
 * Meant for a worker thread: compressing and emulating block it.
 */
export async function packCast(task: PackTask): Promise<boolean> {
  const { index, screens } = filesBeside(task.target)
  const paths = [task.target, screens, index]
  const temporary = (path: string) => `${path}${task.suffix}`
  try {
    const indexed = !task.withoutIndex && (await packInPieces(task, temporary))
    if (!indexed && task.isPacked) return false
    if (!indexed) await packAsItIs(task, temporary)
    // An index of an earlier packing must not describe this one.
    await rm(index, { force: true })
    for (const path of indexed ? paths : [task.target]) await rename(temporary(path), path)
    return indexed
  } finally {
    // On a full disk they must not use up space as well.
    for (const path of paths) await rm(temporary(path), { force: true })
  }
}

async function packInPieces(task: PackTask, temporary: (path: string) => string): Promise<boolean> {
  const { index, screens } = filesBeside(task.target)
  const files: FileHandle[] = []
  const create = async (path: string) => {
    const file = await open(temporary(path), 'w', 0o600)
    files.push(file)
    return file
  }
  try {
    const packed = new PackedFile(await create(task.target))
    const Pieces = await piecesOf(task)
    const frames = new Pieces(packed, await create(screens), task.maxBytes)
    const source = Pieces === GuacamolePieces ? read(task) : linesOf(read(task))
    for await (const part of source) await frames.add(part)
    const stored = await frames.end()
    await (await create(index)).writeFile(JSON.stringify(stored))
    for (const file of files) await file.datasync()
    return true
  } catch (error) {
    if (error instanceof LineTooLong || error instanceof Unreadable) return false
    throw error
  } finally {
    for (const file of files) await file.close()
  }
}

/** Older suffixes say nothing about what is in a file. */
async function piecesOf(task: PackTask) {
  if (task.target.endsWith(DESKTOP)) return DesktopPieces
  if (task.target.endsWith('.cast.gz')) return KeyFrames
  for await (const chunk of read(task)) return beginsAsGuacamole(chunk) ? GuacamolePieces : KeyFrames
  return KeyFrames
}

async function packAsItIs(task: PackTask, temporary: (path: string) => string): Promise<void> {
  const file = await open(temporary(task.target), 'w', 0o600)
  try {
    const packed = new PackedFile(file)
    for await (const chunk of read(task)) await packed.piece(chunk)
    await packed.end()
    await file.datasync()
  } finally {
    await file.close()
  }
}

function read({ source, isPacked }: PackTask): AsyncIterable<Buffer> {
  const file = createReadStream(source, { highWaterMark: READ_BYTES })
  return isPacked ? unpacked(file) : file
}
