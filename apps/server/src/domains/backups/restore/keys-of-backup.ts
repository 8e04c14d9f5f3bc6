import { writeFile } from 'node:fs/promises'
import { type ConfiguredKeys, SecretKeyError } from '../../../kernel/secrets/key-source.ts'
import type { SecretKey } from '../../../kernel/secrets/secret-key.ts'
import type { Manifest } from '../manifest.ts'
import type { Place } from '../places/place.ts'
import { readSealedKeys } from '../sealed-key.ts'

const REMEDY =
  'Put secret.key of that installation into the data directory, or set its SALLYPORT_SECRET_KEY. Nothing was changed'

/**
 * The keys that open a backup: those that this machine was given, else those in the backup itself.
 * @param passphrase asks for the passphrase of the key in the backup
 * @throws SecretKeyError, in words, where they are others or missing
 */
export async function keysOfBackup(
  { keys, key: sealed }: Pick<Manifest, 'keys' | 'key'>,
  configured: ConfiguredKeys,
  place: Place,
  passphrase: () => Promise<string | undefined>,
): Promise<{ keys: SecretKey[]; areFromBackup: boolean }> {
  const needed = keys.filter(({ state }) => state === 'current' || state === 'previous').map(({ id }) => id)
  const lacks = (held: readonly SecretKey[]) => needed.filter((id) => !held.some((key) => key.id === id))
  if (configured.keys.length) {
    const missing = lacks(configured.keys)
    if (missing.length)
      throw new SecretKeyError(
        `The secrets of this backup are sealed under the key ${missing.join(' and ')}, but ${configured.source} holds ${configured.keys.map(({ id }) => id).join(', ')}. ${REMEDY}`,
      )
    return { keys: configured.keys, areFromBackup: false }
  }
  const phrase = sealed && (await passphrase())
  if (!sealed || !phrase)
    throw new SecretKeyError(
      `The secrets of this backup are sealed under the key ${needed.join(' and ')}, which is not here: there is no ${configured.file}. ` +
        (sealed ? 'The backup has the key: give its passphrase. Or put' : 'The backup does not have the key. Put') +
        REMEDY.slice('Put'.length),
    )
  const found = await readSealedKeys(place, sealed, phrase)
  const missing = lacks(found)
  if (missing.length)
    throw new SecretKeyError(`The key in this backup is not that of its secrets (${missing.join(' and ')}). ${REMEDY}`)
  return { keys: found, areFromBackup: true }
}

/** Writes the key file of an installation that has none. */
export async function writeKeys(path: string, keys: readonly SecretKey[]): Promise<void> {
  const lines = keys.map(({ bytes }) => `${bytes.toString('base64')}\n`)
  // `wx`: never overwrites a key.
  await writeFile(path, lines.join(''), { mode: 0o600, flag: 'wx', flush: true })
}
