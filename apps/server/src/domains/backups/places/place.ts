import type { Readable } from 'node:stream'

/** A file of a place, by its name below it. */
export interface PlacedFile {
  name: string
  bytes: number
}

/**
 * Where backups are kept: a folder or a bucket. Names have slashes. A file is there whole or not at
 * all, and on the disk once the promise is fulfilled.
 */
export interface Place {
  /** For people: the folder, or `s3://bucket/folder`. */
  readonly name: string
  /** A folder of this machine in which files are made before they are kept. */
  readonly workshop: string
  /** Throws StartRefusal, in words, where it cannot be listed, written, read and removed from. */
  check(): Promise<void>
  /** Undefined where there is no such file. */
  find(name: string): Promise<PlacedFile | undefined>
  /** Files whose names begin with `prefix`, which ends in a slash, in the order of their names. */
  list(prefix: string): AsyncIterable<PlacedFile>
  /** The stream fails with ENOENT where there is no such file. */
  open(name: string): Readable
  /** Moves the file at `path` of the workshop to its place, over what was there. */
  keep(name: string, path: string): Promise<void>
  /** Does nothing where there is no such file. */
  remove(name: string): Promise<void>
}
