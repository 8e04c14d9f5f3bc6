import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyReply } from 'fastify'
import { AppError } from '../../../kernel/errors/app-error.ts'
import type { FileRoot } from '../../files/file-root.ts'
import { isDirectory, OPEN, SftpStatus, STATUS } from '../../files/sftp-wire.ts'
import { readingStream, writingStream } from '../../files/transfer-streams.ts'
import { found, onMachine } from './places.ts'

export interface Upload {
  path: string
  /** Where this part begins; beyond 0 it must be where the file ends now. */
  offset: number
  replace: boolean
  body: Readable
}

/**
 * Writes what comes, as it comes. Throws 409 `file_exists` when something stands there, 409 `wrong_offset` when the file has another length than the
 * client believes. What was written before a broken line stays, to be gone on with.
 */
export async function receive(root: FileRoot, { path, offset, replace, body }: Upload): Promise<void> {
  const place = await onMachine(root, path)
  const files = await place.files()
  const there = await found(files, place.path)
  if (there && isDirectory(there)) throw exists()
  if (offset === 0 && there && !replace) throw exists()
  if (offset > 0 && there?.size !== offset)
    throw new AppError(409, 'wrong_offset', 'The file has changed on the machine: start the upload again')
  const flags = offset > 0 ? OPEN.WRITE : OPEN.WRITE | OPEN.CREAT | (there ? OPEN.TRUNC : OPEN.EXCL)
  const file = await files.open(place.path, flags)
  await pipeline(body, writingStream(file, { start: offset }))
}

export const exists = () => new AppError(409, 'file_exists', 'A file or folder of this name exists already')

/**
 * Answers a file's content, from `range` on when it is `bytes=<start>-`. Always as a file to be saved: nothing of a machine may run or be shown as a page of
 * this origin. `done` is called when the last byte is out or the browser has gone.
 */
export async function send(root: FileRoot, path: string, range: string | undefined, reply: FastifyReply): Promise<Readable> {
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
  const name = encodeURIComponent(path.slice(path.lastIndexOf('/') + 1).toWellFormed()).replaceAll(/['()*]/g, escaped)
  reply.headers({
    'accept-ranges': 'bytes',
    'cache-control': 'no-store',
    'content-disposition': `attachment; filename*=UTF-8''${name}`,
    'content-type': 'application/octet-stream',
    'x-content-type-options': 'nosniff',
  })
  const content = readingStream(file, { start })
  // Files that the machine makes up as they are read, as in /proc, say 0.
  if (size === 0) return content
  reply.header('content-length', size - start)
  if (start > 0) reply.status(206).header('content-range', `bytes ${start}-${size - 1}/${size}`)
  return Readable.from(exactly(content, size - start), { objectMode: false })
}

const escaped = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`

/** A file that grows meanwhile is cut where it was promised to end; one that shrinks breaks the answer off, so that nobody takes it for whole. */
async function* exactly(content: Readable, length: number): AsyncGenerator<Buffer> {
  let left = length
  for await (const chunk of content as AsyncIterable<Buffer>) {
    const part = chunk.subarray(0, left)
    left -= part.length
    if (part.length) yield part
  }
  if (left > 0) throw new SftpStatus(STATUS.FAILURE, 'The file became shorter')
}
