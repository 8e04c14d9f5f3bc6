/** All that writes archives; workbooks, which are archives too, are in workbook-stream.ts. */

import { Readable } from 'node:stream'
import {
  configure,
  Uint8ArrayReader,
  Uint8ArrayWriter,
  ZipWriter,
  type ZipWriterConstructorOptions,
} from '@zip.js/zip.js'
import { portablePaths } from './portable-name.ts'

// Threads of its own would need files of the package at run time; what is compressed is small.
configure({ useWebWorkers: false })

/** A file or a folder of an archive that is sent while it is written. */
export interface ArchiveEntry {
  name: string
  date: Date
  /** Permissions as Unix has them. */
  mode?: number | undefined
  /** Size of a file, in bytes. */
  size?: number
  /** Called when its turn has come, answers `size` bytes; a folder has none. */
  open?(): Promise<Readable>
}

/**
 * An archive that is written as fast as it is read, one entry after the other, of any size. Entries
 * are stored as they are: compression would cost more than it saves on most connections. What an
 * entry throws comes out of the stream.
 */
export function archiveOf(entries: Iterable<ArchiveEntry>): Readable {
  const portable = portablePaths()
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const out = Readable.fromWeb(readable as Parameters<typeof Readable.fromWeb>[0], { objectMode: false })
  const archive = new ZipWriter(writable, { level: 0, extendedTimestamp: true, keepOrder: true })
  const fill = async () => {
    for (const { name, date, mode, size = 0, open } of entries) {
      if (out.destroyed) return
      const options = { lastModDate: date, ...(mode === undefined ? {} : { unixMode: mode }) }
      if (!open) {
        await archive.add(portable(name), undefined, { ...options, directory: true })
        continue
      }
      const content = await open()
      try {
        await archive.add(portable(name), Readable.toWeb(content) as ReadableStream<Uint8Array>, {
          ...options,
          uncompressedSize: size,
        })
      } finally {
        content.destroy()
      }
    }
    await archive.close()
  }
  fill().catch((error) => out.destroy(error))
  return out
}

/** A file that is packed as a whole. */
export interface PackedFile {
  name: string
  content: Uint8Array
}

/** An archive under AES-256, as 7-Zip and the likes open it; names in it are readable. */
export function encryptedZip(files: readonly PackedFile[], password: string): Promise<Buffer> {
  return pack(files, { password, encryptionStrength: 3 })
}

/** A plain archive of a few files. */
export const packFiles = (files: readonly PackedFile[]): Promise<Buffer> => pack(files, {})

async function pack(files: readonly PackedFile[], options: ZipWriterConstructorOptions): Promise<Buffer> {
  const archive = new ZipWriter(new Uint8ArrayWriter(), { ...options, level: 6 })
  const portable = portablePaths()
  for (const { name, content } of files) await archive.add(portable(name), new Uint8ArrayReader(content))
  return Buffer.from(await archive.close())
}
