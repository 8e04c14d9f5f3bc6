import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { AppError } from '../../../kernel/errors/app-error.ts'
import type { FileRoot } from '../../files/file-root.ts'
import { isDirectory, OPEN, SftpStatus, STATUS } from '../../files/sftp/sftp-wire.ts'
import { readingStream, writingStream } from '../../files/transfer-streams.ts'
import { counted, exists, openForWriting } from './content.ts'
import { onMachine } from './places.ts'

/** Interval of progress messages to the browser, in milliseconds. */
const REPORT_MS = 500

export interface Copy {
  from: string
  to: string
  /** Beyond 0 the copy continues there, which must be the new file's present end. */
  offset: number
  replace: boolean
}

/**
 * Copies a file, also from one machine to another: its content flows through the gateway, within
 * bounds, as a download and an upload. Answers lines of JSON while it runs: `{"bytes": <copied so
 * far>}`, at last `{"done": true}` or `{"error": <text>}`. It stops when the browser goes away.
 * Throws as an upload does.
 */
export async function copy(
  root: FileRoot,
  { from, to, offset, replace }: Copy,
  say: (error: unknown) => string,
): Promise<Readable> {
  const [source, target] = [await onMachine(root, from), await onMachine(root, to)]
  // The file would be truncated before it is read.
  if (source.key === target.key && source.path === target.path) throw exists()
  const files = await source.files()
  const attributes = await files.stat(source.path)
  if (isDirectory(attributes)) throw new SftpStatus(STATUS.FAILURE, 'This is a folder')
  if (offset > (attributes.size ?? 0))
    throw new AppError(409, 'wrong_offset', 'The file has changed on the machine: start the download again')
  const old = await files.open(source.path, OPEN.READ)
  const content = readingStream(old, { start: offset })
  let written: Awaited<ReturnType<typeof openForWriting>>
  try {
    written = await openForWriting(target, { offset, replace })
  } catch (error) {
    await old.stop(new SftpStatus(STATUS.CONNECTION_LOST, 'The transfer was broken off'))
    throw error
  }
  return Readable.from(withProgress(content, writingStream(written, { start: offset }), say), { objectMode: false })
}

async function* withProgress(
  content: Readable,
  target: NodeJS.WritableStream,
  say: (error: unknown) => string,
): AsyncGenerator<string> {
  const counter = { bytes: 0 }
  const stop = new AbortController()
  const ended = pipeline(content, counted(counter), target, { signal: stop.signal }).then(
    () => ({ done: true, bytes: counter.bytes }),
    (error: unknown) => ({ error: say(error) }),
  )
  try {
    for (;;) {
      const news = await Promise.race([ended, wait(REPORT_MS)])
      yield `${JSON.stringify(news ?? { bytes: counter.bytes })}\n`
      if (news) return
    }
  } finally {
    stop.abort()
    await ended
  }
}
