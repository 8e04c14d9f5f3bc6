import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** In the data directory: the keys that licenses are signed and checked with. */
export const SIGNING_KEY = 'license-signing-key.pem'
export const PUBLIC_KEY = 'license-public-key.pem'

/**
 * The signing key in a directory; makes a new pair where there is none. Throws when the files can't
 * be read or written.
 */
export function signingKeyIn(directory: string): KeyObject {
  try {
    return createPrivateKey(readFileSync(join(directory, SIGNING_KEY)))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  // Never overwrites a key that was made meanwhile: its licenses would become invalid.
  writeFileSync(join(directory, SIGNING_KEY), privateKey.export({ type: 'pkcs8', format: 'pem' }), {
    mode: 0o600,
    flag: 'wx',
  })
  writeFileSync(join(directory, PUBLIC_KEY), publicKey.export({ type: 'spki', format: 'pem' }), { mode: 0o644 })
  return privateKey
}
