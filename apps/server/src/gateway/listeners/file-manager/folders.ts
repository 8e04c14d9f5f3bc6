import type { FileRoot } from '../../files/file-root.ts'
import { isDirectory, SftpStatus, STATUS } from '../../files/sftp/sftp-wire.ts'
import { exists } from './content.ts'
import { found, onMachine } from './places.ts'

/** Most entries that a browser is shown. */
const MAX_ENTRIES = 20_000

const FILE_TYPE = 0o170000
const PERMISSIONS = 0o7777
const KINDS = new Map<number, FileKind>([
  [0o040000, 'folder'],
  [0o120000, 'link'],
  [0o100000, 'file'],
])

export type FileKind = 'folder' | 'link' | 'file' | 'other'

export const kindOf = (mode = 0): FileKind => KINDS.get(mode & FILE_TYPE) ?? 'other'

/**
 * The content of a folder, and what the person may do there. `machine` identifies where files can
 * be moved without copying; null above the machines. Names that begin with a dot are included only
 * if asked for. Throws FAILURE for more entries than a page can show.
 */
export async function list(root: FileRoot, path: string, { hidden }: { hidden: boolean }) {
  const place = await root.locate(path)
  if (place.kind === 'virtual') {
    const entries = (await place.entries()).map(({ name }) => ({
      name,
      kind: 'folder',
      size: null,
      modified: null,
      mode: null,
    }))
    return { is_machine: false, machine: null, top: null, may_upload: false, may_download: false, entries }
  }
  const files = await place.files()
  const all = await files.list(place.path, MAX_ENTRIES)
  const may = await files.may()
  const entries = all
    .filter(({ name }) => hidden || !name.startsWith('.'))
    .map(({ name, attributes }) => ({
      name,
      kind: kindOf(attributes.mode),
      size: attributes.size ?? null,
      /** Unix seconds. */
      modified: attributes.mtime ?? null,
      /** Permission bits. */
      mode: attributes.mode === undefined ? null : attributes.mode & PERMISSIONS,
    }))
  return {
    is_machine: true,
    machine: place.key,
    top: place.prefix,
    may_upload: may.upload,
    may_download: may.download,
    entries,
  }
}

/** Everything that the machine tells of one file, links not followed. Throws NO_SUCH_FILE. */
export async function details(root: FileRoot, path: string) {
  const place = await onMachine(root, path)
  const files = await place.files()
  const { mode, size, uid, gid, atime, mtime } = await files.lstat(place.path)
  const kind = kindOf(mode)
  // The target of a link may be outside, or gone.
  const target = kind === 'link' ? await files.stat(place.path).catch(() => undefined) : undefined
  return {
    kind,
    size: size ?? null,
    modified: mtime ?? null,
    accessed: atime ?? null,
    mode: mode === undefined ? null : mode & PERMISSIONS,
    uid: uid ?? null,
    gid: gid ?? null,
    target: kind === 'link' ? await files.readlink(place.path).catch(() => null) : null,
    target_kind: target ? kindOf(target.mode) : null,
  }
}

export async function remove(root: FileRoot, path: string): Promise<void> {
  const place = await onMachine(root, path)
  const files = await place.files()
  if (isDirectory(await files.lstat(place.path))) await files.rmdir(place.path, { recursive: true })
  else await files.remove(place.path)
}

/** Throws 409 `file_exists`. */
export async function makeFolder(root: FileRoot, path: string): Promise<void> {
  const place = await onMachine(root, path)
  const files = await place.files()
  if (await found(files, place.path)) throw exists()
  await files.mkdir(place.path)
}

/** Throws 409 `file_exists`. */
export async function rename(root: FileRoot, from: string, to: string): Promise<void> {
  const [old, name] = [await onMachine(root, from), await onMachine(root, to)]
  if (old.key !== name.key) throw new SftpStatus(STATUS.FAILURE, 'Files can only be renamed within one machine')
  const files = await old.files()
  if (await found(files, name.path)) throw exists()
  await files.rename(old.path, name.path)
}
