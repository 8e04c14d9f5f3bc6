import type { Readable } from 'node:stream'

/**
 * A file of a recording by its name, such as `2026-11-21/<session>.cast.gz`: the day the session
 * began, in UTC, and what it is.
 */
export interface StoredFile {
  name: string
  bytes: number
  /** Another one whenever the content is another. */
  version: string
}

/**
 * Where recordings are kept. Everything that reads or writes a finished recording does so by these
 * verbs: no path of one node is another part's business (design §6). What a node is still writing
 * lies at `draft` until it is kept.
 */
export interface RecordingStore {
  /** Undefined when there is none of that name. */
  find(name: string): Promise<StoredFile | undefined>
  /**
   * The whole file, or `bytes` of it beginning at `from`. The stream fails with ENOENT when there
   * is none.
   */
  open(name: string, range?: { from: number; bytes: number }): Readable
  /** A path on this node from which the file can be read, for as long as `work` takes. */
  withLocalFile<T>(name: string, work: (path: string) => Promise<T>): Promise<T>
  /**
   * The path on this node at which a file of that name is made before it is kept. Its folder is
   * there.
   */
  draft(name: string): Promise<string>
  /**
   * Takes what was made at `draft` into the store, over what was there under that name. Without a
   * draft, nothing.
   */
  keep(name: string): Promise<void>
  /** Does nothing when there is none. */
  remove(name: string): Promise<void>
  /** Names of files that began on a day before `date` and were last changed before it. */
  olderThan(date: Date): AsyncIterable<string>
}

/** One file and where it is kept. */
export interface InStore {
  store: RecordingStore
  name: string
}
