/** All that reads or writes gzip of recordings. */

import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { pipeline, type Readable } from 'node:stream'
import { constants, crc32, createGunzip, deflateRawSync, gzipSync } from 'node:zlib'

/** The gzip header: deflate, no name, no time, made on Unix (RFC 1952 §2.3). */
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])
/** An empty last block, which ends data that was cut at a flush point. */
const LAST_BLOCK = Buffer.from([3, 0])

export interface PlacedPiece {
  /** Size of the piece as text. */
  bytes: number
  crc32: number
  /** Where its raw deflate data begins. */
  at: number
  length: number
}

/**
 * Writes one gzip member (browsers stop at the second) made of pieces. Each is compressed without
 * reference to those before and flushed to a whole byte: together they are one deflate stream, and
 * each can be inflated by itself.
 */
export class PackedFile {
  readonly #file: FileHandle
  readonly #plain = createHash('sha256')
  readonly #packed = createHash('sha256')
  #crc = 0
  /** Size of all pieces as text. */
  bytes = 0
  packedBytes = 0

  constructor(file: FileHandle) {
    this.#file = file
  }

  async piece(text: Buffer): Promise<PlacedPiece> {
    if (this.packedBytes === 0) await this.#write(GZIP_HEADER)
    const deflated = deflateRawSync(text, { finishFlush: constants.Z_FULL_FLUSH })
    const at = this.packedBytes
    this.#plain.update(text)
    this.#crc = crc32(text, this.#crc)
    this.bytes += text.length
    await this.#write(deflated)
    return { bytes: text.length, crc32: crc32(text), at, length: deflated.length }
  }

  /** Ends the file; answers the SHA-256 of the text and of the file. */
  async end(): Promise<{ sha256: string; packedSha256: string }> {
    if (this.packedBytes === 0) await this.#write(GZIP_HEADER)
    await this.#write(trailer(this.#crc, this.bytes))
    return { sha256: this.#plain.digest('hex'), packedSha256: this.#packed.digest('hex') }
  }

  async #write(bytes: Buffer): Promise<void> {
    this.#packed.update(bytes)
    this.packedBytes += bytes.length
    await this.#file.writeFile(bytes)
  }
}

/** A text as a gzip file of its own. */
export const gzipOf = (text: string | Buffer): Buffer => gzipSync(text)

const UNPACKED_BYTES = 256 * 1024

/**
 * Content of a packed file. Its reader gets its errors, and those of `source`; zlib’s
 * have a code that begins with `Z_`.
 */
export function unpacked(source: Readable, onError: (error: Error) => void = () => {}): Readable {
  return pipeline(source, createGunzip({ chunkSize: UNPACKED_BYTES }), (error) => error && onError(error))
}

/** Whether the file was damaged, rather than out of reach. */
export const isDamaged = (error: unknown): boolean => String((error as NodeJS.ErrnoException).code).startsWith('Z_')

/** One piece as a gzip file, from its raw data. */
export function gzipOfPiece(deflated: Buffer, piece: Pick<PlacedPiece, 'crc32' | 'bytes'>): Buffer {
  return Buffer.concat([GZIP_HEADER, deflated, trailer(piece.crc32, piece.bytes)])
}

/** The end of a gzip file: last block, CRC-32, and length of the text modulo 2³². */
function trailer(crc: number, bytes: number): Buffer {
  const sums = Buffer.alloc(8)
  sums.writeUInt32LE(crc, 0)
  sums.writeUInt32LE(bytes % 2 ** 32, 4)
  return Buffer.concat([LAST_BLOCK, sums])
}
