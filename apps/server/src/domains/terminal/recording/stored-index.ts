import { text } from 'node:stream/consumers'
import type { ReplayIndex } from '@sallyport/contract/replay.ts'
import type { InStore } from './store/recording-store.ts'

/** Incremented when older files must not be read any more; they are then made again. */
export const INDEX_VERSION = 1

/**
 * One piece in the index file: where its bytes are in the packed recording, and its screen in the
 * file of screens.
 */
export interface StoredPart {
  time: number
  cols: number
  rows: number
  follows?: true
  /** Size of the piece as text. */
  bytes: number
  crc32: number
  /** Its raw deflate data in the packed recording. */
  at: number
  length: number
  /** Its screen, a gzip member in the file of screens. */
  screenAt: number
  screenLength: number
}

/**
 * `<id>.index.json` beside a recording. It is written last, as it vouches for the two other files.
 */
export interface StoredIndex extends Omit<ReplayIndex, 'parts'> {
  version: typeof INDEX_VERSION
  /** Size of the packed file. */
  packedBytes: number
  packedSha256: string
  parts: StoredPart[]
}

/** The files beside `x.cast.gz`, as names or paths. */
export function filesBeside(packed: string): { index: string; screens: string } {
  const base = packed.replace(/(?:\.(?:cast|desktop|replay))?\.gz$/, '')
  return { index: `${base}.index.json`, screens: `${base}.screens.gz` }
}

/** Parsed indexes of recordings that are being watched, since each piece needs its index. */
const CACHED = 16
const cache = new Map<string, { version: string; index: StoredIndex }>()

/** The index of a packed recording; undefined when there is none of this version. */
export async function readIndex({ store, name }: InStore): Promise<StoredIndex | undefined> {
  const path = filesBeside(name).index
  const version = (await store.find(path))?.version
  if (version === undefined) return undefined
  const known = cache.get(path)
  if (known?.version === version) return known.index
  const index = await text(store.open(path)).then(parseIndex, () => undefined)
  if (!index) return undefined
  cache.delete(path)
  cache.set(path, { version, index })
  for (const oldest of cache.keys()) {
    if (cache.size <= CACHED) break
    cache.delete(oldest)
  }
  return index
}

function parseIndex(json: string): StoredIndex | undefined {
  try {
    const index = JSON.parse(json) as StoredIndex
    return index.version === INDEX_VERSION && Array.isArray(index.parts) ? index : undefined
  } catch {
    return undefined
  }
}

/** The part of it that the player gets. */
export function describeIndex({
  start,
  duration,
  cols,
  rows,
  bytes,
  sha256,
  parts,
  marks,
  origin,
}: StoredIndex): ReplayIndex {
  return {
    start,
    duration,
    cols,
    rows,
    bytes,
    sha256,
    parts: parts.map(({ time, cols, rows, follows }) => ({ time, cols, rows, ...(follows && { follows }) })),
    ...(origin === undefined ? {} : { origin }),
    ...(marks ? { marks } : {}),
  }
}
