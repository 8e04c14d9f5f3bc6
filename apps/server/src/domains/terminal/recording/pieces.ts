import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { awaitedLater } from '../../../kernel/background.ts'
import { AppError } from '../../../kernel/errors/app-error.ts'
import { gzipOfPiece } from './packed-file.ts'
import type { InStore, RecordingStore } from './store/recording-store.ts'
import { filesBeside, type StoredIndex, type StoredPart } from './stored-index.ts'

const unzip = promisify(gunzip)
/**
 * More than any piece that is written, and too little to do harm: of a terminal a piece and one
 * line; of a desktop what is recorded between two whole pictures, and the picture of a large screen.
 */
const MAX_PIECE_BYTES = 48 * 1024 * 1024

export function altered(): AppError {
  return new AppError(409, 'replay_altered', 'The recording is incomplete or was altered.')
}

/** One piece as a gzip file. Throws 409 when it differs from what the index says. */
export async function readPiece({ store, name }: InStore, part: StoredPart): Promise<Buffer> {
  return checked(gzipOfPiece(await readRange(store, name, part.at, part.length), part))
}

/** The screen at the beginning of a piece as a gzip file. Throws 409 when it is damaged. */
export async function readScreen({ store, name }: InStore, part: StoredPart): Promise<Buffer> {
  return checked(await readRange(store, filesBeside(name).screens, part.screenAt, part.screenLength))
}

async function readRange(store: RecordingStore, name: string, from: number, length: number): Promise<Buffer> {
  if (!(length >= 0 && length <= MAX_PIECE_BYTES && from >= 0)) throw altered()
  const bytes = await buffer(store.open(name, { from, bytes: length })).catch(() => {
    throw altered()
  })
  if (bytes.length < length) throw altered()
  return bytes
}

/**
 * Checks the checksum, which browsers ignore; takes about a millisecond on another thread.
 */
async function checked(piece: Buffer): Promise<Buffer> {
  await unzip(piece, { maxOutputLength: MAX_PIECE_BYTES }).catch(() => {
    throw altered()
  })
  return piece
}

const MAX_REMEMBERED = 200
const remembered = new Map<string, Promise<boolean>>()

/**
 * Whether a recording is what was recorded: its index belongs to the text whose hash is in the
 * session's row (if it is), and the packed file is the one that the index was made with. Reads the
 * file once, and again when its date or size has changed.
 */
export async function isIntact({ store, name }: InStore, index: StoredIndex, known: string | null): Promise<boolean> {
  if (known !== null && known !== index.sha256) return false
  const found = await store.find(name)
  if (found?.bytes !== index.packedBytes) return false
  const key = `${name} ${found.version} ${index.packedSha256}`
  let answer = remembered.get(key)
  if (!answer) {
    answer = awaitedLater(sha256Of(store.open(name)).then((sum) => sum === index.packedSha256))
    answer.catch(() => remembered.delete(key))
    remembered.set(key, answer)
    for (const oldest of remembered.keys()) {
      if (remembered.size <= MAX_REMEMBERED) break
      remembered.delete(oldest)
    }
  }
  return answer
}

/** Checksum of a whole stream. */
export async function sha256Of(stream: Readable): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of stream) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
