import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { AppError } from '../../../kernel/errors/app-error.ts'
import { gzipOfPiece } from './packed-file.ts'
import { indexPaths, type StoredIndex, type StoredPart } from './stored-index.ts'

const unzip = promisify(gunzip)
/** Larger than any piece that is written (a piece and one line), smaller than what would hurt. */
const MAX_PIECE_BYTES = 16 * 1024 * 1024

export function altered(): AppError {
  return new AppError(409, 'replay_altered', 'The recording is incomplete or was altered.')
}

/** One piece as a gzip file. Throws 409 when it is not what the index says. */
export async function readPiece(packed: string, part: StoredPart): Promise<Buffer> {
  return checked(gzipOfPiece(await readRange(packed, part.at, part.length), part))
}

/** The screen at the beginning of a piece as a gzip file. Throws 409 when it is damaged. */
export async function readScreen(packed: string, part: StoredPart): Promise<Buffer> {
  return checked(await readRange(indexPaths(packed).screens, part.screenAt, part.screenLength))
}

async function readRange(path: string, at: number, length: number): Promise<Buffer> {
  if (!(length >= 0 && length <= MAX_PIECE_BYTES && at >= 0)) throw altered()
  const file = await open(path).catch(() => {
    throw altered()
  })
  try {
    const bytes = Buffer.alloc(length)
    const { bytesRead } = await file.read(bytes, 0, length, at)
    if (bytesRead < length) throw altered()
    return bytes
  } finally {
    await file.close()
  }
}

/** Browsers skip the checksum at the end, so it is compared here; a piece takes about a millisecond of another thread. */
async function checked(piece: Buffer): Promise<Buffer> {
  await unzip(piece, { maxOutputLength: MAX_PIECE_BYTES }).catch(() => {
    throw altered()
  })
  return piece
}

const MAX_REMEMBERED = 200
const remembered = new Map<string, Promise<boolean>>()

/**
 * Whether a recording is what was recorded: its index that of the text which its session's row remembers (when it does), and the packed file the one that the
 * index was made with. Read through once, and again when its date or size has changed.
 */
export async function isIntact(packed: string, index: StoredIndex, known: string | null): Promise<boolean> {
  if (known !== null && known !== index.sha256) return false
  const { mtimeMs, ctimeMs, size } = await stat(packed)
  if (size !== index.packedBytes) return false
  const key = `${packed} ${mtimeMs} ${ctimeMs} ${index.packedSha256}`
  let answer = remembered.get(key)
  if (!answer) {
    answer = sha256Of(packed).then((sum) => sum === index.packedSha256)
    answer.catch(() => remembered.delete(key))
    remembered.set(key, answer)
    for (const oldest of remembered.keys()) {
      if (remembered.size <= MAX_REMEMBERED) break
      remembered.delete(oldest)
    }
  }
  return answer
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
