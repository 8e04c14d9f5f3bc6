import { PassThrough, Readable } from 'node:stream'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { awaitedLater } from '../../../kernel/background.ts'
import type { Manifest } from '../manifest.ts'
import type { Place } from '../places/place.ts'
import { readPart, type StoredPart, storePart } from '../places/stored-part.ts'

/** A file of a recording in a backup. */
export interface ListedRecording {
  /** In the store of recordings. */
  name: string
  /** Version of the file in that store: as long as it is the same, the content is. */
  version: string
  part: StoredPart
}

/**
 * Writes the list of a backup's recordings, a line of JSON each, compressed by zstd. They come in
 * the order of their names, so that two lists are compared, and many files listed, without holding
 * any in memory.
 */
export async function writeList(
  place: Place,
  file: string,
  recordings: AsyncIterable<ListedRecording>,
): Promise<NonNullable<Manifest['recordings']>> {
  const sum = { count: 0, bytes: 0 }
  async function* lines() {
    for await (const { name, version, part } of recordings) {
      sum.count++
      sum.bytes += part.bytes
      yield Buffer.from(`${JSON.stringify([name, version, part.file, part.bytes, part.sha256])}\n`)
    }
  }
  const list = await storePart(place, file, Readable.from(lines()), createZstdCompress())
  return { list, ...sum }
}

/** The recordings of a backup, in the order of their names. Throws what `readPart` throws. */
export async function* readList(place: Place, manifest: Manifest | undefined): AsyncGenerator<ListedRecording> {
  if (!manifest?.recordings) return
  const text = new PassThrough({ encoding: 'utf8' })
  const read = awaitedLater(readPart(place, manifest.recordings.list, createZstdDecompress(), text))
  try {
    for await (const line of linesOf(text)) {
      const [name, version, file, bytes, sha256] = JSON.parse(line) as [string, string, string, number, string]
      yield { name, version, part: { file, bytes, sha256 } }
    }
  } catch (error) {
    // The fault of the file, not that its text ended early.
    text.resume()
    await read
    throw error
  } finally {
    text.destroy()
    await read.catch(() => {})
  }
  await read
}

async function* linesOf(text: Readable): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of text) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}

/** Each of `wanted` with that of the same name in `known`. Both come in the order of their names. */
export async function* withKnown<T extends { name: string }, K extends { name: string }>(
  wanted: AsyncIterable<T>,
  known: AsyncIterable<K>,
): AsyncGenerator<[T, K | undefined]> {
  const others = known[Symbol.asyncIterator]()
  try {
    let other = await others.next()
    for await (const one of wanted) {
      while (!other.done && other.value.name < one.name) other = await others.next()
      yield [one, !other.done && other.value.name === one.name ? other.value : undefined]
    }
  } finally {
    await others.return?.()
  }
}
