import type { Readable } from 'node:stream'

/**
 * A file of a recording by name, such as `2026-11-21/<session>.cast.gz`: the day when the session
 * began, in UTC, and what it is.
 */
export interface StoredFile {
  name: string
  bytes: number
  /** Differs whenever the content differs. */
  version: string
  changed: Date
}

/**
 * Where recordings are stored. Finished recordings are read and written by these methods alone:
 * other parts know names, never a node's paths. What a node is still writing is at `draft` until it
 * is kept.
 */
export interface RecordingStore {
  /** Whether recordings are on this node only: other nodes can't read them, and they are lost with it. */
  readonly ofThisNode: boolean
  /**
   * Checks whether the store can be listed, written, read and deleted from. Throws StoreRefusal when it
   * answers something else, and what the network throws when it does not answer.
   */
  check(): Promise<void>
  /** Undefined when there is no file of that name. */
  find(name: string): Promise<StoredFile | undefined>
  /** Files whose names begin with `prefix`, in the order of their names. */
  list(prefix: string): AsyncIterable<StoredFile>
  /**
   * The whole file, or `bytes` of it from `from` on. The stream fails with ENOENT when there is
   * none.
   */
  open(name: string, range?: { from: number; bytes: number }): Readable
  /** A path on this node from which the file can be read, for as long as `work` takes. */
  withLocalFile<T>(name: string, work: (path: string) => Promise<T>): Promise<T>
  /**
   * The path on this node where a file of that name is made before it is kept; its folder exists.
   */
  draft(name: string): Promise<string>
  /**
   * Moves what was made at `draft` into the store, replacing a file of that name. Does nothing
   * without a draft.
   */
  keep(name: string): Promise<void>
  /** Stores a copy of the file at `path` of this node, replacing a file of that name. */
  take(name: string, path: string): Promise<void>
  /** Stores a few bytes, replacing a file of that name. */
  put(name: string, content: Uint8Array): Promise<void>
  /** Does nothing when there is no such file. */
  remove(name: string): Promise<void>
  /** Names of files that began on a day before `date` and were last changed before it. */
  olderThan(date: Date): AsyncIterable<string>
}

/** A file and the store that it is in. */
export interface InStore {
  store: RecordingStore
  name: string
}

/**
 * The fault of a store that answers: there is no such bucket, its keys may not, the clocks differ,
 * it refuses the request, or (`failing`) it has a fault of its own, which may pass.
 */
export type StoreFault = 'no_bucket' | 'denied' | 'clock' | 'unusable' | 'failing'

/** A store answers, but can't be used; see `fault`. */
export class StoreRefusal extends Error {
  readonly fault: StoreFault
  /** @param answer what the store answered, such as `403 AccessDenied` */
  constructor(fault: StoreFault, answer: string) {
    super(answer)
    this.fault = fault
  }
}

/** As a folder says it. */
export const noRecording = (name: string) =>
  Object.assign(new Error(`ENOENT: no recording ${name}`), { code: 'ENOENT' })

/** The day in a file's name (`2026-11-21/…`), in milliseconds; undefined for other names. */
export function dayIn(name: string): number | undefined {
  const [day = ''] = /^\d{4}-\d{2}-\d{2}(?=\/)/.exec(name) ?? []
  return day ? Date.parse(day) : undefined
}
