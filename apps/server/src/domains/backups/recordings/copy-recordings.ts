import type { RecordingStore } from '../../terminal/recording/index.ts'
import { type Manifest, partOf, RECORDINGS } from '../manifest.ts'
import type { Place } from '../places/place.ts'
import { storePart } from '../places/stored-part.ts'
import { type ListedRecording, readList, withKnown, writeList } from './recording-list.ts'

/** Files that are complete only under another name. */
const INCOMPLETE = /\.(?:part|rebuilding)$/
/** A recording that ends while it is copied is there under another name in the next round. */
const ROUNDS = 3

/**
 * Copies recordings to a place, but for those that the backup before has as they are: what it has is
 * part of this one, too. Recordings that are being written are copied up to where they are; a start
 * closes them as it does after a crash.
 */
export async function copyRecordings(
  store: RecordingStore,
  place: Place,
  id: string,
  before: Manifest | undefined,
): Promise<NonNullable<Manifest['recordings']>> {
  let known = before
  for (let round = 1; ; round++) {
    const missing: string[] = []
    const file = partOf(id, `recordings-${round}.jsonl.zst`)
    const recordings = await writeList(place, file, copied(store, place, known, missing))
    if (!missing.length || round === ROUNDS) return recordings
    // Files that were copied now are not copied again.
    known = { recordings } as Manifest
  }
}

async function* copied(
  store: RecordingStore,
  place: Place,
  before: Manifest | undefined,
  missing: string[],
): AsyncGenerator<ListedRecording> {
  for await (const [{ name, version }, known] of withKnown(store.list(''), readList(place, before))) {
    if (INCOMPLETE.test(name)) continue
    // Somebody may have removed it from the place.
    if (known?.version === version && (await place.find(known.part.file))?.bytes === known.part.bytes) {
      yield known
      continue
    }
    try {
      const part = await storePart(place, (sha256) => objectOf(name, sha256), store.open(name))
      yield { name, version, part }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      missing.push(name)
    }
  }
}

/**
 * The name of a file in a place: a recording is found by its own name, and what it became later is
 * another file. The dash sorts before the dot of `.gz`, so these are in the order of the recordings.
 */
const objectOf = (name: string, sha256: string) => `${RECORDINGS}${name}-${sha256.slice(0, 32)}`
