import { createPrivateKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import { promisify } from 'node:util'
import type { Kernel } from '../../kernel/kernel.ts'
import { auditsRootKey } from './tables.ts'

type KeyKernel = Pick<Kernel, 'db' | 'secrets'>

/** Signs a text, off the main thread; answers the signature in base64. */
export type Signer = (text: string) => Promise<string>

/** Signs with the key of the roots (Ed25519), which who holds the database alone can't open. */
export async function rootSigner(kernel: KeyKernel): Promise<Signer> {
  const key = createPrivateKey((await loadKey(kernel)).privateKey)
  const signed = promisify(sign)
  return async (text) => (await signed(null, Buffer.from(text), key)).toString('base64')
}

/** Whether a text bears a signature of that key, in base64. */
export async function isRootSigned(kernel: KeyKernel, text: string, signature: string): Promise<boolean> {
  return verify(null, Buffer.from(text), (await loadKey(kernel)).publicKey, Buffer.from(signature, 'base64'))
}

/** The part that a verifier needs, in PEM. */
export const publicRootKey = async (kernel: KeyKernel): Promise<string> => (await loadKey(kernel)).publicKey

/** Made once for all nodes. */
async function loadKey({ db, secrets }: KeyKernel) {
  const read = async () => {
    const [row] = await db.select().from(auditsRootKey)
    return row && { publicKey: row.public_key, privateKey: secrets.open('audit', 'roots')(row.private_key_sealed) }
  }
  const known = await read()
  if (known) return known
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  await db
    .insert(auditsRootKey)
    .values({
      public_key: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      private_key_sealed: secrets.seal(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()),
    })
    // The first of two nodes wins, and both use its key.
    .onConflictDoNothing()
  const stored = await read()
  if (!stored) throw new Error('the key of the roots was not stored')
  return stored
}
