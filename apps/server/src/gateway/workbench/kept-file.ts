import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'

/** Limit of the files of one node together. */
export interface KeptSpace {
  /** Answers whether so many more bytes may be taken. */
  claim(bytes: number): boolean
  release(bytes: number): void
}

/** Place in the file. */
export interface KeptPlace {
  readonly offset: number
  readonly length: number
  readonly nonce: Buffer
}

interface KeptFileParts {
  directory: string
  /** The file never becomes larger. */
  limit: number
  space: KeptSpace
}

/** Space is taken in such steps. */
const STEP_BYTES = 8 * 1024 * 1024
const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * A file of bounded size, in which the newest takes the place of the oldest. Its content is for
 * this process alone: it is enciphered under a key that is nowhere else, and no folder names the
 * file, so that it goes with the process that holds it open, whatever becomes of that.
 */
export class KeptFile {
  readonly #parts: KeptFileParts
  readonly #key = randomBytes(32)
  #handle: FileHandle | undefined
  #taken = 0
  #at = 0

  constructor(parts: KeptFileParts) {
    this.#parts = parts
  }

  /**
   * Finds a place for so many characters, and tells which bytes are written over. Undefined where there is none.
   * It is to be written next.
   */
  place(text: string): { bytes: Buffer; place: KeptPlace; isGone(other: KeptPlace): boolean } | undefined {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(CIPHER, this.#key, nonce)
    const bytes = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
    const before = this.#at
    const isAround = !this.#reaches(before + bytes.length)
    if (isAround && (before === 0 || bytes.length > before)) return undefined
    const offset = isAround ? 0 : before
    const end = offset + bytes.length
    this.#at = end
    return {
      bytes,
      place: { offset, length: bytes.length, nonce },
      // Behind the turn what lay to the end of the file is older than what lies at its beginning.
      isGone: (other) =>
        (isAround && other.offset >= before) || (other.offset < end && other.offset + other.length > offset),
    }
  }

  async write(bytes: Buffer, { offset }: KeptPlace): Promise<void> {
    this.#handle ??= await nameless(this.#parts.directory)
    for (let done = 0; done < bytes.length; )
      done += (await this.#handle.write(bytes, done, bytes.length - done, offset + done)).bytesWritten
  }

  /** Throws where it was written over. */
  async read({ offset, length, nonce }: KeptPlace): Promise<string> {
    if (!this.#handle) throw new Error('nothing was written')
    const { buffer, bytesRead } = await this.#handle.read(Buffer.alloc(length), 0, length, offset)
    if (bytesRead < length) throw new Error('the file is shorter than what was written')
    const decipher = createDecipheriv(CIPHER, this.#key, nonce)
    decipher.setAuthTag(buffer.subarray(length - TAG_BYTES))
    return Buffer.concat([decipher.update(buffer.subarray(0, length - TAG_BYTES)), decipher.final()]).toString()
  }

  async close(): Promise<void> {
    this.#parts.space.release(this.#taken)
    this.#taken = 0
    const handle = this.#handle
    this.#handle = undefined
    await handle?.close()
  }

  /** Whether the file may be so large. */
  #reaches(size: number): boolean {
    const { limit, space } = this.#parts
    if (size > limit) return false
    while (this.#taken < size) {
      const step = Math.min(STEP_BYTES, limit - this.#taken)
      if (!space.claim(step)) return false
      this.#taken += step
    }
    return true
  }
}

/** A file of this process alone. */
async function nameless(directory: string): Promise<FileHandle> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const path = join(directory, randomBytes(16).toString('hex'))
  const handle = await open(path, 'wx+', 0o600)
  await unlink(path).catch(async (error) => {
    await handle.close()
    throw error
  })
  return handle
}
