import { Writable } from 'node:stream'
import { StartRefusal } from '../../../kernel/start-refusal.ts'
import { type Manifest, RECORDINGS } from '../manifest.ts'
import type { Place, PlacedFile } from '../places/place.ts'
import { readPart, type StoredPart } from '../places/stored-part.ts'
import { type ListedRecording, readList } from '../recordings/recording-list.ts'

/** Faults of recordings that are named; more are counted. */
const NAMED = 5

export interface Damage {
  count: number
  first: string[]
}

const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() })

/** The parts of a backup besides its recordings. */
const partsOf = ({ tables, files, recordings, key }: Manifest): StoredPart[] =>
  [...tables.map(({ part }) => part), files, recordings?.list, key].filter((part) => part !== undefined)

/**
 * Reads everything but the recordings, and compares it with the manifest.
 * @throws StartRefusal for the first file that is not what was written
 */
export async function checkParts(place: Place, manifest: Manifest): Promise<void> {
  for (const part of partsOf(manifest)) await readPart(place, part, nowhere())
}

/** Whether each file of a recording is there, and as long as it was; reads none. */
export async function missingRecordings(place: Place, manifest: Manifest): Promise<Damage> {
  const damage: Damage = { count: 0, first: [] }
  const placed = place.list(RECORDINGS)[Symbol.asyncIterator]()
  let found: IteratorResult<PlacedFile, unknown> | undefined
  for await (const { name, part } of readList(place, manifest)) {
    found ??= await placed.next()
    while (!found.done && found.value.name < part.file) found = await placed.next()
    if (found.done || found.value.name !== part.file || found.value.bytes !== part.bytes) note(damage, name)
  }
  await placed.return?.(undefined)
  return damage
}

/** Reads every recording, and compares it with the manifest. */
export async function damagedRecordings(place: Place, manifest: Manifest): Promise<Damage> {
  const damage: Damage = { count: 0, first: [] }
  for await (const recording of readList(place, manifest))
    if (!(await isWhole(place, recording))) note(damage, recording.name)
  return damage
}

async function isWhole(place: Place, { part }: ListedRecording): Promise<boolean> {
  try {
    await readPart(place, part, nowhere())
    return true
  } catch (error) {
    if (error instanceof StartRefusal) return false
    throw error
  }
}

export function note(damage: Damage, name: string): void {
  damage.count++
  if (damage.first.length < NAMED) damage.first.push(name)
}

/** For people. */
export const wordsOf = ({ count, first }: Damage) =>
  `${count} files of recordings are missing or damaged: ${first.join(', ')}${count > first.length ? ', …' : ''}`
