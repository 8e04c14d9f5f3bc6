import { timingSafeEqual } from 'node:crypto'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Vault } from '../../kernel/secrets/vault.ts'
import { StartRefusal } from '../../kernel/start-refusal.ts'
import type { DumpedTable, SequenceValue } from './database/dump.ts'
import type { Place } from './places/place.ts'
import { type StoredPart, storePart } from './places/stored-part.ts'

const FORMAT = 'sallyport backup 1'
/** Manifests: one is written last of all, so what has one is complete. */
export const MANIFESTS = 'backups/'
/** What belongs to one backup alone, by its id. */
export const PARTS = 'parts/'
/** Files of recordings, which backups share. */
export const RECORDINGS = 'recordings/'
/** Larger ones are none that we wrote. */
const MAX_MANIFEST_BYTES = 16 * 1024 * 1024

/** A backup: where it is from, and its parts. */
export interface Manifest {
  format: typeof FORMAT
  /** When it was made, such as `20261128T225013123Z`: ids are in the order of time. */
  id: string
  /** The moment of the database's snapshot, in ISO 8601: what was stored by then is in the backup. */
  date: string
  /** When it was complete. */
  date_finished: string
  /** Version of Sallyport. */
  version: string
  /** The node that made it. */
  node: string
  /** Version of PostgreSQL. */
  postgres: string
  /** Ids of the keys that its secrets are sealed under. The keys themselves are not in it. */
  keys: { id: string; state: string }[]
  /** Migrations of the database, in their order. */
  migrations: string[]
  tables: DumpedTable[]
  sequences: SequenceValue[]
  /** Settings by their names in the environment; null for those whose values are secrets. */
  settings: Readonly<Record<string, string | null>>
  /** Small files of the data directory, sealed under the key; undefined where there were none. */
  files: StoredPart | undefined
  /** The list of recordings (recording-list.ts), and what they come to. */
  recordings: { list: StoredPart; count: number; bytes: number } | undefined
  /** The key itself, sealed under a passphrase; undefined unless it was asked for. */
  key: StoredPart | undefined
  /** Missing parts, for people, in English. */
  left_out: string[]
}

/** A manifest as it is stored: its HMAC is under the installation's key, so nobody else can make one. */
type Signed = Manifest & { hmac: string }

/** The name of a part of a backup. */
export const partOf = (id: string, name: string) => `${PARTS}${id}/${name}`
const fileOf = (id: string) => `${MANIFESTS}${id}.json`

/** An id for a backup that begins now. */
export const newBackupId = (now = new Date()) => now.toISOString().replace(/[-:.]/g, '')

/** Writes the manifest, which makes the backup complete. */
export async function writeManifest(
  place: Place,
  manifest: Omit<Manifest, 'format'>,
  vault: Pick<Vault, 'fingerprint'>,
): Promise<Manifest> {
  const whole: Manifest = { format: FORMAT, ...manifest }
  const hmac = vault.fingerprint(bodyOf(whole)).toString('hex')
  const content = `${JSON.stringify({ ...whole, hmac } satisfies Signed, null, 1)}\n`
  await storePart(place, fileOf(manifest.id), Readable.from([Buffer.from(content)]))
  return whole
}

/** Ids of complete backups, the oldest first. */
export async function backupIds(place: Place): Promise<string[]> {
  const ids: string[] = []
  for await (const { name } of place.list(MANIFESTS)) {
    const [, id] = /^backups\/(\d{8}T\d{9}Z)\.json$/.exec(name) ?? []
    if (id) ids.push(id)
  }
  return ids
}

/** A manifest that was read. */
export interface ReadManifest {
  manifest: Manifest
  /** Whether it was written with one of these keys, and is as it was written. */
  isOf(vault: Pick<Vault, 'fingerprints'>): boolean
}

/**
 * Reads the manifest of a backup, the newest where none is named.
 * @throws StartRefusal, in words, where there is none, or it is none that this version can read
 */
export async function readManifest(place: Place, wanted?: string): Promise<ReadManifest> {
  const ids = await backupIds(place)
  const id = wanted ?? ids.at(-1)
  if (!id || !ids.includes(id)) throw new StartRefusal(noBackup(place, ids, wanted))
  const found = await place.find(fileOf(id))
  const signed = found && found.bytes <= MAX_MANIFEST_BYTES ? parse(await text(place.open(fileOf(id)))) : undefined
  if (!signed)
    throw new StartRefusal(`The backup ${id} in ${place.name} is damaged: ${fileOf(id)} is no manifest of a backup`)
  if (signed.format !== FORMAT)
    throw new StartRefusal(
      `The backup ${id} in ${place.name} has the format "${signed.format}", which this Sallyport does not know: use the version that made it (${signed.version}) or a newer one`,
    )
  const { hmac, ...manifest } = signed
  return {
    manifest,
    isOf(vault) {
      const stored = Buffer.from(hmac, 'hex')
      return vault
        .fingerprints(bodyOf(manifest))
        .some((one) => one.length === stored.length && timingSafeEqual(one, stored))
    },
  }
}

function noBackup(place: Place, ids: readonly string[], wanted: string | undefined): string {
  if (!ids.length)
    return `There is no complete backup in ${place.name}: name the folder or bucket that SALLYPORT_BACKUP or "backup --to" named`
  return `There is no complete backup ${wanted} in ${place.name}: there are ${ids.slice(-20).join(', ')}`
}

/** The signed text: names stay in the order in which they were written. */
const bodyOf = (manifest: Manifest) => JSON.stringify(manifest)

function parse(content: string): Signed | undefined {
  try {
    const value = JSON.parse(content) as Signed
    const isOne = typeof value?.format === 'string' && typeof value.id === 'string' && typeof value.hmac === 'string'
    return isOne ? value : undefined
  } catch {
    return undefined
  }
}
