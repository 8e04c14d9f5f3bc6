import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyReply } from 'fastify'
import { AppError } from '../../../kernel/errors/app-error.ts'
import { portableName } from '../../../kernel/files/portable-name.ts'
import { attachment } from '../../../kernel/http/attachment.ts'
import type { AssetPlace, FileRoot } from '../../files/file-root.ts'
import type { OpenFile } from '../../files/open-file.ts'
import { readableName } from '../../files/sftp/file-name.ts'
import { isDirectory, MAX_CHUNK, OPEN, SftpStatus, STATUS } from '../../files/sftp/sftp-wire.ts'
import { readingStream, writingStream } from '../../files/transfer-streams.ts'
import type { PendingUploads } from './pending-uploads.ts'
import { found, onMachine } from './places.ts'

export interface Upload {
  path: string
  /** Offset of this part; if not 0, it must be the current end of the file. */
  offset: number
  replace: boolean
  /** Another part follows. */
  more: boolean
  body: Readable
}

/**
 * Writes the body as it arrives. Throws 409 `file_exists` when there is something of that name, 409
 * `wrong_offset` when the file has another length than the client thinks. What was written before a
 * broken connection stays, so that the upload can go on.
 */
export async function receive(
  root: FileRoot,
  uploads: PendingUploads,
  { path, offset, replace, more, body }: Upload,
): Promise<void> {
  const place = await onMachine(root, path)
  const key = `${place.key} ${place.path}`
  const file = (await uploads.take(key, offset)) ?? (await openForWriting(place, { offset, replace }))
  const counter = { bytes: 0 }
  await pipeline(body, counted(counter), writingStream(file, { start: offset, staysOpen: more }))
  if (more) uploads.hold(key, file, offset + counter.bytes)
}

/** Opens a file for writing from `offset` on; throws as `receive` does. */
export async function openForWriting(
  place: AssetPlace,
  { offset, replace }: { offset: number; replace: boolean },
): Promise<OpenFile> {
  const files = await place.files()
  const there = await found(files, place.path)
  if (there && isDirectory(there)) throw exists()
  if (offset === 0 && there && !replace) throw exists()
  if (offset > 0 && there?.size !== offset)
    throw new AppError(409, 'wrong_offset', 'The file has changed on the machine: start the upload again')
  const flags = offset > 0 ? OPEN.WRITE : OPEN.WRITE | OPEN.CREAT | (there ? OPEN.TRUNC : OPEN.EXCL)
  return files.open(place.path, flags)
}

/** Passes everything on and counts bytes. */
export function counted(counter: { bytes: number }) {
  return async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      counter.bytes += chunk.length
      yield chunk
    }
  }
}

export const exists = () => new AppError(409, 'file_exists', 'A file or folder of this name exists already')

/**
 * Answers a file's content, from the start of a `range` of the form `bytes=<start>-`. It is always
 * a download: nothing of a machine may run or be shown as a page of this origin. `done` is called
 * after the last byte, or when the browser is gone.
 */
export async function send(
  root: FileRoot,
  path: string,
  range: string | undefined,
  reply: FastifyReply,
): Promise<Readable> {
  const place = await onMachine(root, path)
  const files = await place.files()
  const attributes = await files.stat(place.path)
  if (isDirectory(attributes)) throw new SftpStatus(STATUS.FAILURE, 'This is a folder')
  const size = attributes.size ?? 0
  const start = Number(/^bytes=(\d{1,15})-$/.exec(range ?? '')?.[1] ?? 0)
  if (start > 0 && start >= size) {
    reply.header('content-range', `bytes */${size}`)
    throw new AppError(416, 'wrong_offset', 'The file has changed on the machine: start the download again')
  }
  const file = await files.open(place.path, OPEN.READ)
  reply.headers({
    ...asFile(readableName(portableName(path.slice(path.lastIndexOf('/') + 1)))),
    'accept-ranges': 'bytes',
    'content-type': 'application/octet-stream',
  })
  const content = readingStream(file, { start })
  // Files that the machine generates when they are read, as in /proc, report 0.
  if (size === 0) return content
  reply.header('content-length', size - start)
  if (start > 0) reply.status(206).header('content-range', `bytes ${start}-${size - 1}/${size}`)
  return Readable.from(exactly(content, size - start), { objectMode: false })
}

/** Headers of an answer that is saved under this name, never shown. */
export function asFile(name: string): Record<string, string> {
  return {
    'cache-control': 'no-store',
    'content-disposition': attachment(name),
    'x-content-type-options': 'nosniff',
  }
}

/** The first bytes of a file, for a preview; logged like any download. */
export async function readStart(root: FileRoot, path: string, limit: number): Promise<Buffer> {
  const place = await onMachine(root, path)
  const files = await place.files()
  if (isDirectory(await files.stat(place.path))) throw new SftpStatus(STATUS.FAILURE, 'This is a folder')
  const file = await files.open(place.path, OPEN.READ, {}, { wanted: limit })
  const pieces: Buffer[] = []
  try {
    for (let have = 0; have < limit; ) {
      const bytes = await file.read(have, Math.min(MAX_CHUNK, limit - have))
      if (!bytes?.length) break
      pieces.push(bytes)
      have += bytes.length
    }
    await file.close()
  } finally {
    await file.stop(new SftpStatus(STATUS.CONNECTION_LOST, 'The transfer was broken off'))
  }
  return Buffer.concat(pieces)
}

/**
 * A file that grows meanwhile is cut at the announced length; one that shrinks breaks off the
 * answer, so that nobody takes it for complete.
 */
export async function* exactly(content: Readable, length: number): AsyncGenerator<Buffer> {
  let left = length
  for await (const chunk of content as AsyncIterable<Buffer>) {
    const part = chunk.subarray(0, left)
    left -= part.length
    if (part.length) yield part
  }
  if (left > 0) throw new SftpStatus(STATUS.FAILURE, 'The file became shorter')
}
