import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Readable, Transform, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { StartRefusal } from '../../../kernel/start-refusal.ts'
import type { Place } from './place.ts'

/** A file of a backup, and what it must still be when it is read. */
export interface StoredPart {
  /** In the place. */
  file: string
  bytes: number
  /** SHA-256 of the file. */
  sha256: string
}

/** Passes bytes on and sums them up. */
class Sum extends Transform {
  readonly #hash = createHash('sha256')
  bytes = 0
  sha256 = ''

  override _transform(chunk: Buffer, _: string, done: () => void): void {
    this.#hash.update(chunk)
    this.bytes += chunk.length
    this.push(chunk)
    done()
  }

  override _flush(done: () => void): void {
    this.sha256 = this.#hash.digest('hex')
    done()
  }
}

/**
 * Writes what comes of `source`, through `filters`, to a place, and answers what was written.
 * Nothing is left of it where that fails.
 * @param name its name; a function makes it of the SHA-256, so that what has the name already is it
 */
export async function storePart(
  place: Place,
  name: string | ((sha256: string) => string),
  source: Readable,
  ...filters: Transform[]
): Promise<StoredPart> {
  await mkdir(place.workshop, { recursive: true, mode: 0o700 })
  const path = join(place.workshop, randomUUID())
  const sum = new Sum()
  try {
    await pipeline([source, ...filters, sum, createWriteStream(path, { mode: 0o600 })])
    const { bytes, sha256 } = sum
    const file = typeof name === 'string' ? name : name(sha256)
    if (typeof name === 'string' || (await place.find(file))?.bytes !== bytes) await place.keep(file, path)
    else await rm(path)
    return { file, bytes, sha256 }
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}

/**
 * Reads a part to its end, into `targets` one after the other.
 * @throws StartRefusal when it is not what was written. What the last target got is then worth
 *   nothing
 */
export async function readPart(
  place: Place,
  { file, bytes, sha256 }: StoredPart,
  ...targets: [...(Transform | NodeJS.ReadWriteStream)[], Writable]
): Promise<void> {
  const sum = new Sum()
  try {
    await pipeline([place.open(file), sum, ...targets])
  } catch (error) {
    // A damaged file may not even be unpacked; what was damaged counts, not how it was noticed.
    if (!isOfPart(error)) throw error
    throw new StartRefusal(
      `The backup is damaged: ${file} in ${place.name} cannot be read (${(error as Error).message})`,
      {
        cause: error,
      },
    )
  }
  if (sum.bytes !== bytes || sum.sha256 !== sha256)
    throw new StartRefusal(`The backup is damaged: ${file} in ${place.name} is not what was written`)
}

/** Faults of the file itself, and of unpacking it. */
const isOfPart = (error: unknown) =>
  /^(ENOENT|EIO|ZSTD_|Z_)/.test((error as NodeJS.ErrnoException).code ?? '') || /ZSTD|zstd/i.test(String(error))
