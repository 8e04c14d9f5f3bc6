import { type FileHandle, open } from 'node:fs/promises'
import { beginsAsGuacamole, readInstruction } from '@sallyport/contract/guacamole/instructions.ts'
import { linesOf } from '../lines.ts'
import { PackedFile, unpacked } from '../packed-file.ts'
import { readNoFollow } from '../store/no-follow.ts'
import { UnreadBytes } from './unread-bytes.ts'

/** Compressed together: many small lines would each be a block. */
const CHUNK_BYTES = 1024 * 1024

export class UnjoinableParts extends Error {}

/** A part of a recording: a gzip file, and where it says when it began, in milliseconds of any clock. */
export interface RecordingPart {
  path: string
  start?: number
}

/**
 * Makes one recording of the parts of a session, in their order, as a gzip file at `target`, and
 * answers what it is. Parts of Guacamole follow one another as they are: each goes on with the
 * clock, and begins with a whole picture; an instruction that is cut off stays out. In asciicast
 * the first header stays, and times that begin again at 0 are moved by the start of their part.
 * Throws UnjoinableParts for no parts, mixed ones, and other kinds; with nothing left open.
 * `maxBytes` bounds the text.
 */
export async function joinParts(
  parts: readonly RecordingPart[],
  target: string,
  maxBytes = 8 * 1024 ** 3,
): Promise<'guacamole' | 'asciicast'> {
  const kinds = new Set<Awaited<ReturnType<typeof kindOf>>>()
  // One by one: there may be more of them than a process may open.
  for (const part of parts) kinds.add(await kindOf(part))
  const [kind] = kinds
  if (!kind || kinds.size > 1) throw new UnjoinableParts('the parts are no recording, or of several kinds')
  const file = await open(target, 'wx', 0o600)
  try {
    const joined = new JoinedFile(file, maxBytes)
    for (const [n, part] of parts.entries())
      await (kind === 'guacamole' ? addWhole(joined, part) : addLines(joined, part, n === 0, parts[0] as RecordingPart))
    await joined.end()
    await file.datasync()
    return kind
  } finally {
    await file.close()
  }
}

async function kindOf({ path }: RecordingPart): Promise<'guacamole' | 'asciicast' | undefined> {
  for await (const chunk of unpacked(readNoFollow(path))) {
    if (beginsAsGuacamole(chunk)) return 'guacamole'
    return /^\{[^\n]*"version"\s*:\s*2/.test(chunk.subarray(0, 4096).toString()) ? 'asciicast' : undefined
  }
  return undefined
}

/** Adds whole instructions: half of one at the end of a part would damage the one that follows. */
async function addWhole(joined: JoinedFile, { path }: RecordingPart): Promise<void> {
  const unread = new UnreadBytes()
  const read = async (): Promise<boolean> => {
    const bytes = unread.take()
    let at = 0
    let next = readInstruction(bytes, at)
    for (; typeof next !== 'string'; next = readInstruction(bytes, at)) at = next.to
    await joined.add(Buffer.from(bytes.subarray(0, at)))
    unread.putBack(bytes.subarray(at))
    return next === 'more'
  }
  for await (const chunk of unpacked(readNoFollow(path))) {
    // Behind one that is damaged nothing can be read.
    if (unread.add(chunk) && !(await read())) return
  }
  await read()
}

async function addLines(joined: JoinedFile, { path, start }: RecordingPart, isFirst: boolean, first: RecordingPart) {
  const later = start !== undefined && first.start !== undefined ? Math.max(0, (start - first.start) / 1000) : 0
  let line = 0
  let ahead = isFirst ? 0 : undefined
  for await (const bytes of linesOf(unpacked(readNoFollow(path)))) {
    if (line++ === 0) {
      if (isFirst) await joined.add(bytes)
      continue
    }
    const event = eventOf(bytes)
    // Half a line at the end of a part would damage the one that follows.
    if (!event) continue
    ahead ??= event[0] < later ? later : 0
    await joined.add(Buffer.from(`${JSON.stringify([event[0] + ahead, ...event.slice(1)])}\n`))
  }
}

function eventOf(line: Buffer): [number, ...unknown[]] | undefined {
  try {
    const event = JSON.parse(line.toString())
    return Array.isArray(event) && typeof event[0] === 'number' ? (event as [number]) : undefined
  } catch {
    return undefined
  }
}

class JoinedFile {
  readonly #packed: PackedFile
  readonly #maxBytes: number
  #chunks: Buffer[] = []
  #bytes = 0

  constructor(file: FileHandle, maxBytes: number) {
    this.#packed = new PackedFile(file)
    this.#maxBytes = maxBytes
  }

  async add(bytes: Buffer): Promise<void> {
    this.#chunks.push(bytes)
    this.#bytes += bytes.length
    if (this.#packed.bytes + this.#bytes > this.#maxBytes) throw new UnjoinableParts('the parts are too large together')
    if (this.#bytes >= CHUNK_BYTES) await this.#flush()
  }

  async end(): Promise<void> {
    if (this.#bytes) await this.#flush()
    await this.#packed.end()
  }

  async #flush(): Promise<void> {
    await this.#packed.piece(Buffer.concat(this.#chunks))
    this.#chunks = []
    this.#bytes = 0
  }
}
