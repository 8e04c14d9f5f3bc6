import { configure, Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js'
import { portablePaths } from '../../kernel/files/portable-name.ts'

// Threads of its own would need files of the package at run time; what is packed here is small.
configure({ useWebWorkers: false })

export interface PackedFile {
  name: string
  content: Uint8Array
}

/** A zip archive under AES-256, as 7-Zip and the likes open it; names in it are readable. */
export async function encryptedZip(files: readonly PackedFile[], password: string): Promise<Buffer> {
  const archive = new ZipWriter(new Uint8ArrayWriter(), { password, encryptionStrength: 3, level: 6 })
  const portable = portablePaths()
  for (const { name, content } of files) await archive.add(portable(name), new Uint8ArrayReader(content))
  return Buffer.from(await archive.close())
}
