import { Readable } from 'node:stream'
import { sizeText } from '@sallyport/contract/size-text.ts'
import type { FastifyReply } from 'fastify'
import { AppError, forbidden } from '../../../kernel/errors/app-error.ts'
import { archiveOf } from '../../../kernel/files/zip.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { AssetFiles } from '../../files/asset-files.ts'
import { joined } from '../../files/enclosure.ts'
import { REASONS } from '../../files/file-rights.ts'
import type { FileRoot } from '../../files/file-root.ts'
import { OPEN } from '../../files/sftp/sftp-wire.ts'
import { readingStream } from '../../files/transfer-streams.ts'
import { asFile, exactly } from './content.ts'
import { type Walked, walk } from './measure.ts'
import { onMachine } from './places.ts'

/** All names in an archive are kept in memory until its end. */
const MAX_ENTRIES = 20_000

/**
 * Several files, or folders with everything in them, as one .zip, written as fast as the browser
 * reads it; the server keeps no copy. For rights and log each file is a download of its own. Links
 * and devices are left out. Throws 413 `archive_too_large`, before the first byte, for more than
 * `maxBytes`.
 */
export async function sendArchive(
  root: FileRoot,
  { folder, names, maxBytes }: { folder: string; names: readonly string[]; maxBytes: number },
  reply: FastifyReply,
): Promise<Readable> {
  const places = await Promise.all(names.map((name) => onMachine(root, joined(folder, name))))
  const found: { files: AssetFiles; entry: Walked }[] = []
  let bytes = 0
  for (const place of places) {
    const files = await place.files()
    if (!(await files.may()).download) throw forbidden(REASONS.download_file)
    for await (const entry of walk(files, place.path)) {
      if (entry.kind === 'file') bytes += entry.attributes.size ?? 0
      if (found.length >= MAX_ENTRIES || bytes > maxBytes)
        throw new AppError(
          413,
          'archive_too_large',
          translate(
            reply.request.call.language,
            'Too much for one archive: at most {{size}} and {{count}} files. Choose fewer, or download them one by one',
            {
              size: sizeText(maxBytes),
              count: MAX_ENTRIES,
            },
          ),
        )
      if (entry.kind === 'file' || entry.kind === 'folder') found.push({ files, entry })
    }
  }
  reply.headers({ ...asFile(archiveName(folder, names)), 'content-type': 'application/zip' })
  return archiveOf(
    found.map(({ files, entry: { name, path, kind, attributes } }) => {
      const entry = { name, date: new Date((attributes.mtime ?? 0) * 1000), mode: attributes.mode }
      if (kind === 'folder') return entry
      const size = attributes.size ?? 0
      return {
        ...entry,
        size,
        open: async () =>
          Readable.from(exactly(readingStream(await files.open(path, OPEN.READ)), size), { objectMode: false }),
      }
    }),
  )
}

/** The name of a single file or folder, else of the folder that contains them. */
function archiveName(folder: string, names: readonly string[]): string {
  const name = names.length === 1 ? names[0] : folder.slice(folder.lastIndexOf('/') + 1)
  return `${name || 'files'}.zip`
}
