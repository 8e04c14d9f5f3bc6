import { createHash } from 'node:crypto'
import type { Kernel } from '../../../kernel/kernel.ts'
import { utils } from '../../../kernel/ssh/ssh2/index.ts'
import type { usersUser } from '../tables.ts'

export interface PublicKey {
  /** As stored: type, body and comment on one line. */
  text: string
  comment: string
  /** MD5 of the wire form as pairs of hex digits with colons between, as older clients show it. */
  md5: string
}

/** Reads an OpenSSH public key; undefined for anything else, also for a private key. */
export function readPublicKey(text: string): PublicKey | undefined {
  const line = text.trim().replace(/\s+/g, ' ')
  const parsed = utils.parseKey(line)
  if (parsed instanceof Error || parsed.isPrivateKey()) return undefined
  const wire = parsed.getPublicSSH()
  const md5 = createHash('md5').update(wire).digest('hex').match(/../g)?.join(':') ?? ''
  return { text: line, comment: parsed.comment ?? '', md5 }
}

/** Whether this is the person's key; `given` is its wire form in base64, or a whole line. */
export function isPublicKeyOf(kernel: Kernel, user: typeof usersUser.$inferSelect, given: string): boolean {
  if (!user.public_key_sealed) return false
  const stored = kernel.secrets.open('sign_in', `public key of ${user.id}`)(user.public_key_sealed).split(' ')[1]
  const body = given
    .trim()
    .split(/\s+/)
    .find((part) => part.startsWith('AAAA'))
  return stored !== undefined && stored === body
}
