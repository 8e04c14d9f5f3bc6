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
  changed: Date
}

/**
 * Where recordings are kept. Everything that reads or writes a finished recording does so by these
 * verbs: no path of one node is another part's business (design §6). What a node is still writing
 * lies at `draft` until it is kept.
 */
export interface RecordingStore {
  /** What is kept here is lost with this node, and no other node can read it. */
  readonly ofThisNode: boolean
  /**
   * Asks at start whether it can be read and written. Throws StoreRefusal for settings that are
   * wrong; what else goes wrong passes, such as a network that is away.
   */
  check(): Promise<void>
  /** Undefined when there is none of that name. */
  find(name: string): Promise<StoredFile | undefined>
  /** Files whose names begin so, in the order of their names. */
  list(prefix: string): AsyncIterable<StoredFile>
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
   * Takes what was made at `draft` into the store, over what was there under that name; at `draft`
   * it may be gone then. Without a draft, nothing.
   */
  keep(name: string): Promise<void>
  /** Keeps a few bytes, over what was there under that name. */
  put(name: string, content: Uint8Array): Promise<void>
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

/** The settings of a store are wrong; the message says which, for who starts Sallyport. */
export class StoreRefusal extends Error {}

/** `2026-11-21/…`: the day in a file's name; undefined for what lies elsewhere. */
export function dayIn(name: string): number | undefined {
  const [day = ''] = /^\d{4}-\d{2}-\d{2}(?=\/)/.exec(name) ?? []
  return day ? Date.parse(day) : undefined
}
