import type { AssetFiles } from './asset-files.ts'
import type { DirectoryEntry, FileAttributes } from './sftp/sftp-wire.ts'

/** What a path leads to. */
export type Place =
  /** A folder that exists in no machine, and cannot be changed. */
  { kind: 'virtual'; entries(): Promise<VirtualEntry[]> } | AssetPlace

export interface AssetPlace {
  kind: 'asset'
  /** Which machine and account: places with the same key are of the same one. */
  key: string
  /** Its path there, as AssetFiles takes it. */
  path: string
  /** Put before absolute paths that come back. */
  prefix: string
  /** The folder of the machine itself: there, also while nobody has connected. */
  isTop: boolean
  /** Connects when it is not connected yet. Throws SessionRefusal. */
  files(): Promise<AssetFiles>
}

export interface VirtualEntry {
  name: string
}

/** What somebody finds at `/`. */
export interface FileRoot {
  /** Throws NO_SUCH_FILE. */
  locate(path: string): Promise<Place>
  /** Absolute, for the client that asks where it is. */
  realpath(path: string): Promise<string>
  /** Whether an extension of OpenSSH's may be offered. */
  offers(extension: string): boolean
  /**
   * A folder goes with everything in it (contract/gateway.yaml sftp.rmdir); else it must be empty,
   * as tools expect of a machine.
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
