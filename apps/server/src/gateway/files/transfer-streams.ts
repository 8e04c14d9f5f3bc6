import { Readable, Writable } from 'node:stream'
import { awaitedLater, inBackground } from '../../kernel/background.ts'
import type { OpenFile } from './open-file.ts'
import { MAX_CHUNK, SftpStatus, STATUS } from './sftp/sftp-wire.ts'

/**
 * Requests in flight, in either direction: enough for a fast line, and all the memory that a
 * transfer takes.
 */
const CHUNKS_AHEAD = 16
const BYTES_AHEAD = CHUNKS_AHEAD * MAX_CHUNK

const gaveUp = () => new SftpStatus(STATUS.CONNECTION_LOST, 'The transfer was broken off')

/**
 * The content of an open file from `start` on, read ahead by several requests. Closes the file; one
 * that is not read to its end counts as interrupted.
 */
export function readingStream(file: OpenFile, { start = 0 }: { start?: number } = {}): Readable {
  return Readable.from(chunksOf(file, start), { objectMode: false, highWaterMark: MAX_CHUNK })
}

async function* chunksOf(file: OpenFile, start: number): AsyncGenerator<Buffer> {
  const ahead: Promise<Buffer>[] = []
  let offset = start
  try {
    for (;;) {
      while (ahead.length < CHUNKS_AHEAD) {
        ahead.push(awaitedLater(wholeChunk(file, offset)))
        offset += MAX_CHUNK
      }
      const bytes = (await ahead.shift()) ?? Buffer.alloc(0)
      if (bytes.length) yield bytes
      if (bytes.length < MAX_CHUNK) break
    }
    await Promise.allSettled(ahead)
    await file.close()
  } finally {
    await file.stop(gaveUp())
  }
}

/** Shorter only at the end of the file: a machine may answer with less than was asked for. */
async function wholeChunk(file: OpenFile, offset: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  for (let have = 0; have < MAX_CHUNK; ) {
    const bytes = await file.read(offset + have, MAX_CHUNK - have)
    if (!bytes?.length) break
    pieces.push(bytes)
    have += bytes.length
  }
  return pieces.length === 1 ? (pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(pieces)
}

/**
 * Writes into an open file from `start` on, and closes it at the end unless it `staysOpen`; a
 * stream that is destroyed earlier counts as interrupted.
 */
export function writingStream(
  file: OpenFile,
  { start = 0, staysOpen = false }: { start?: number; staysOpen?: boolean } = {},
): Writable {
  let offset = start
  let underWay = 0
  let failure: Error | undefined
  let isPassedOn = false
  let goOn: (() => void) | undefined
  const settled = (length: number) => {
    underWay -= length
    goOn?.()
  }
  return new Writable({
    highWaterMark: MAX_CHUNK,
    write(bytes: Buffer, _encoding, taken) {
      underWay += bytes.length
      file.write(offset, bytes).then(
        () => settled(bytes.length),
        (error: Error) => {
          failure ??= error
          settled(bytes.length)
        },
      )
      offset += bytes.length
      goOn = () => {
        if (!failure && underWay > BYTES_AHEAD) return
        goOn = undefined
        taken(failure)
      }
      goOn()
    },
    final(done) {
      goOn = () => {
        if (underWay) return
        goOn = undefined
        if (failure) return done(failure)
        if (staysOpen) {
          isPassedOn = true
          return done()
        }
        file.close().then(() => done(), done)
      }
      goOn()
    },
    destroy(error, done) {
      // Called after a good end too.
      if (isPassedOn) return done(error)
      inBackground(file.stop(gaveUp()).then(() => done(error), done))
    },
  })
}
