import type { AssetFiles } from './asset-files.ts'
import type { DirectoryEntry, FileAttributes } from './sftp/sftp-wire.ts'

/** Place that a path refers to. */
export type Place =
  /** A folder that exists on no machine and can't be changed. */
  { kind: 'virtual'; entries(): Promise<VirtualEntry[]> } | AssetPlace

export interface AssetPlace {
  kind: 'asset'
  /** Machine and account: places with the same key are on the same one. */
  key: string
  /** Its path there, as AssetFiles takes it. */
  path: string
  /** Put before absolute paths that are answered. */
  prefix: string
  /**
   * Whether it is the top folder of the machine, which is listed even before anybody has connected.
   */
  isTop: boolean
  /** Connects if necessary. Throws SessionRefusal. */
  files(): Promise<AssetFiles>
}

export interface VirtualEntry {
  name: string
}

/** Content of `/` for somebody. */
export interface FileRoot {
  /** Throws NO_SUCH_FILE. */
  locate(path: string): Promise<Place>
  /** Makes a path absolute, for clients that ask where they are. */
  realpath(path: string): Promise<string>
  /** As `realpath`, of a path that may begin with `~`. */
  expandPath(path: string): Promise<string>
  /** Whether to offer an extension of OpenSSH. */
  offers(extension: string): boolean
  /**
   * Whether rmdir removes a folder with everything in it (docs/rules/gateway.md#sftp);
   * otherwise it must be empty, as tools expect of a machine.
   */
  removesWholeFolders: boolean
}

const DIRECTORY = 0o040000
const WRITABLE = DIRECTORY | 0o755
const READ_ONLY = DIRECTORY | 0o555

export function virtualAttributes({ writable }: { writable: boolean }): FileAttributes {
  return { size: 0, uid: 0, gid: 0, mode: writable ? WRITABLE : READ_ONLY, atime: 0, mtime: 0 }
}

export function virtualEntry({ name }: VirtualEntry): DirectoryEntry {
  return {
    name,
    longname: `dr-xr-xr-x    1 0        0               0 Jan  1  1970 ${name}`,
    attributes: virtualAttributes({ writable: false }),
  }
}
