import type { AssetFiles } from '../../files/asset-files.ts'
import { joined, lastName } from '../../files/enclosure.ts'
import type { FileRoot } from '../../files/file-root.ts'
import type { FileAttributes } from '../../files/sftp/sftp-wire.ts'
import { type FileKind, kindOf } from './folders.ts'
import { onMachine } from './places.ts'

/** Nobody needs deeper trees but to break programs that walk them. */
const MAX_DEPTH = 200
/** Counting stops here: to ask a person about so many, no exact number is needed. */
const MAX_COUNTED = 20_000

export interface Walked {
  /** As AssetFiles takes it. */
  path: string
  /** Relative to where the walk began, with that name first. */
  name: string
  kind: FileKind
  attributes: FileAttributes
}

/**
 * A file or folder and everything below it, folders before their content; links are listed, not
 * followed.
 */
export async function* walk(
  files: AssetFiles,
  path: string,
  depth = 0,
  name = lastName(path),
  known?: FileAttributes,
): AsyncGenerator<Walked> {
  const attributes = known?.mode === undefined ? await files.lstat(path) : known
  const kind = kindOf(attributes.mode)
  yield { path, name, kind, attributes }
  if (kind !== 'folder' || depth >= MAX_DEPTH) return
  const folder = await files.openFolder(path)
  try {
    for (let some = await folder.next(); some; some = await folder.next())
      for (const entry of some)
        if (entry.name !== '.' && entry.name !== '..')
          yield* walk(files, joined(path, entry.name), depth + 1, `${name}/${entry.name}`, entry.attributes)
  } finally {
    await folder.close().catch(() => {})
  }
}

/**
 * How much is at these paths, to be asked about before it is removed or downloaded; `is_more` when
 * there was too much to count. `max_archive_bytes` is the limit of one archive.
 */
export async function measure(root: FileRoot, paths: readonly string[], maxArchiveBytes: number) {
  const sum = { files: 0, folders: 0, bytes: 0, is_more: false, max_archive_bytes: maxArchiveBytes }
  for (const path of paths) {
    const place = await onMachine(root, path)
    for await (const { kind, attributes } of walk(await place.files(), place.path)) {
      if (sum.files + sum.folders >= MAX_COUNTED) return { ...sum, is_more: true }
      if (kind === 'folder') sum.folders += 1
      else sum.files += 1
      if (kind === 'file') sum.bytes += attributes.size ?? 0
    }
  }
  return sum
}
