import { randomBytes, scrypt as scryptOf } from 'node:crypto'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { KeyRing } from '../../kernel/secrets/key-ring.ts'
import { KEY_BYTES, type SecretKey, secretKey } from '../../kernel/secrets/secret-key.ts'
import { createVault } from '../../kernel/secrets/vault.ts'
import { StartRefusal } from '../../kernel/start-refusal.ts'
import type { Place } from './places/place.ts'
import { type StoredPart, storePart } from './places/stored-part.ts'

/** 128 MB and some tenths of a second for each try of a passphrase. */
const SCRYPT = { N: 2 ** 17, r: 8, p: 1 }
const MAX_MEMORY = 256 * 1024 * 1024
/** Shorter ones are guessed. */
export const SHORTEST_PASSPHRASE = 12

const scrypt = promisify<string, Buffer, number, typeof SCRYPT & { maxmem: number }, Buffer>(scryptOf)

interface SealedKeys {
  kdf: 'scrypt'
  N: number
  r: number
  p: number
  salt: string
  sealed: string
}

/** Stores the keys of the installation, sealed under a passphrase. */
export async function storeKeys(
  place: Place,
  file: string,
  keys: readonly SecretKey[],
  passphrase: string,
): Promise<StoredPart> {
  const salt = randomBytes(16)
  const plain = JSON.stringify(keys.map(({ bytes }) => bytes.toString('base64')))
  const sealed = (await vaultOf(passphrase, { ...SCRYPT, salt })).seal(plain).toString('base64')
  const content: SealedKeys = { kdf: 'scrypt', ...SCRYPT, salt: salt.toString('base64'), sealed }
  return storePart(place, file, Readable.from([Buffer.from(`${JSON.stringify(content)}\n`)]))
}

/**
 * The keys of a backup.
 * @throws StartRefusal where the passphrase is another one
 */
export async function readSealedKeys(place: Place, { file }: StoredPart, passphrase: string): Promise<SecretKey[]> {
  const { kdf, salt, sealed, N, r, p } = JSON.parse(await text(place.open(file))) as SealedKeys
  if (kdf !== 'scrypt' || N > SCRYPT.N || r > SCRYPT.r || p > SCRYPT.p)
    throw new StartRefusal(`The backup is damaged: ${file} holds no key that this Sallyport can open`)
  const secrets = await vaultOf(passphrase, { N, r, p, salt: Buffer.from(salt, 'base64') })
  try {
    const plain = secrets.open('backup', 'the key of a backup')(Buffer.from(sealed, 'base64'))
    return (JSON.parse(plain) as string[]).map((key) => secretKey(Buffer.from(key, 'base64')))
  } catch (cause) {
    throw new StartRefusal(
      `The passphrase does not open the key in ${file}: give the one that the backup was made with`,
      {
        cause,
      },
    )
  }
}

async function vaultOf(passphrase: string, { salt, N, r, p }: typeof SCRYPT & { salt: Buffer }) {
  const key = await scrypt(passphrase.normalize('NFC'), salt, KEY_BYTES, { N, r, p, maxmem: MAX_MEMORY })
  return createVault(new KeyRing([secretKey(key)]))
}
