import { createCipheriv, randomBytes, scrypt as scryptOf } from 'node:crypto'
import { promisify } from 'node:util'
import { splitSecret } from './shamir.ts'

/** The format name in the files; deploy/break-glass/open-bundle.mjs knows no other. */
export const FORMAT = 'sallyport break-glass 1'

/** 128 MB and some tenths of a second for each try of a password. */
const SCRYPT = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 }

const scrypt = promisify<string, Buffer, number, typeof SCRYPT, Buffer>(scryptOf)

export interface NewBundle {
  id: string
  name: string
  threshold: number
  /** Each with the password under which their share is sealed. */
  holders: readonly { name: string; password: string }[]
  content: unknown
}

/**
 * A file for each holder, in their order: the sealed content, which is the same in all, and their
 * own share of its key, sealed under their password. No share and no key is kept here.
 */
export async function bundleFiles({ id, name, threshold, holders, content }: NewBundle): Promise<Buffer[]> {
  const key = randomBytes(32)
  const head = {
    format: FORMAT,
    id,
    name,
    date: new Date().toISOString(),
    threshold,
    holders: holders.map((one) => one.name),
  }
  const sealed = seal(key, Buffer.from(JSON.stringify(content)), JSON.stringify(head))
  const shares = splitSecret(key, { threshold, count: holders.length })
  const files: Buffer[] = []
  for (const [at, { password }] of holders.entries()) {
    const salt = randomBytes(16)
    const own = await scrypt(password.normalize('NFC'), salt, 32, SCRYPT)
    // Bound to its bundle and number: a share of another is not taken for it.
    const share = seal(own, shares[at] as Buffer, JSON.stringify([id, sealed.tag, at + 1]))
    const { N, r, p } = SCRYPT
    const file = { head, content: sealed, share: { number: at + 1, salt: salt.toString('base64'), N, r, p, ...share } }
    files.push(Buffer.from(`${JSON.stringify(file, null, 1)}\n`))
  }
  return files
}

/** AES-256-GCM; `about` is not sealed, but cannot be changed either. */
function seal(key: Buffer, plain: Buffer, about: string) {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(about))
  const data = Buffer.concat([cipher.update(plain), cipher.final()])
  return { iv: iv.toString('base64'), tag: cipher.getAuthTag().toString('base64'), data: data.toString('base64') }
}
