import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import pg from 'pg'
import { StartRefusal } from '../../../kernel/start-refusal.ts'
import type { RecordingStore } from '../../terminal/recording/index.ts'
import { loadDatabase } from '../database/load.ts'
import type { Manifest } from '../manifest.ts'
import type { Place } from '../places/place.ts'
import { readPart } from '../places/stored-part.ts'
import { readList } from '../recordings/recording-list.ts'
import { type Damage, note } from './check-parts.ts'

/** Fills an empty database. All of it is there afterwards, or nothing. */
export async function putBackDatabase(connection: pg.ClientConfig, place: Place, manifest: Manifest): Promise<void> {
  const client = new pg.Client(connection)
  client.on('error', () => {})
  await client.connect()
  try {
    await loadDatabase(client, manifest, ({ part }, unpack, target) =>
      part ? readPart(place, part, unpack, target) : Promise.resolve(),
    )
  } finally {
    await client.end()
  }
}

/**
 * Puts recordings into a store. Those that it has already stay: a bucket outlives a machine.
 * @param skipsDamaged whether those that cannot be read are left out; answered are these
 * @throws StartRefusal for the first one otherwise
 */
export async function putBackRecordings(
  store: RecordingStore,
  place: Place,
  manifest: Manifest,
  skipsDamaged: boolean,
): Promise<Damage> {
  const damage: Damage = { count: 0, first: [] }
  for await (const { name, part } of readList(place, manifest)) {
    if ((await store.find(name))?.bytes === part.bytes) continue
    const path = await store.draft(name)
    try {
      await readPart(place, part, createWriteStream(path, { mode: 0o600 }))
    } catch (error) {
      await rm(path, { force: true })
      if (!(error instanceof StartRefusal) || !skipsDamaged) throw error
      note(damage, name)
      continue
    }
    await store.keep(name)
  }
  return damage
}
