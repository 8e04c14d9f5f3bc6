import { readPublicKey } from '../../../kernel/ssh/keys/public-key.ts'
import type { ImportContext } from '../context.ts'
import type { KindNotes } from '../report/report.ts'
import { openSecret } from '../secrets/index.ts'
import type { SourceRow } from '../source/source.ts'
import { text } from '../values.ts'

/** Text of a sealed column; null for none, and where it does not open, which is noted. */
export function opened(
  { keys }: Pick<ImportContext, 'keys'>,
  value: string | null | undefined,
  { plainOnce = false, closed }: { plainOnce?: boolean; closed(): void },
): string | null {
  const secret = openSecret(value, keys, { plainOnce })
  if (secret.kind === 'not-opened') closed()
  return text(secret.text) || null
}

/** The public key of a person as it is stored here. */
export function publicKeyOf(
  plain: string | null,
  refused: () => void,
): { text: string | null; comment: string; md5: string } {
  const none = { text: null, comment: '', md5: '' }
  if (!plain?.trim()) return none
  try {
    return readPublicKey(plain)
  } catch {
    refused()
    return none
  }
}

/** Secret of an authenticator app, in the letters of base32. */
export function authenticatorSecret(plain: string | null): string | null {
  const secret = (plain ?? '').replaceAll(/[\s=-]/g, '').toUpperCase()
  return /^[A-Z2-7]{16,}$/.test(secret) ? secret : null
}

const KNOWN_HASH = /^(?:pbkdf2_sha256|pbkdf2_sha1|pbkdf2_sm3|bcrypt_sha256)\$/

/** A password's hash as it is stored here; null where no password can match, or its form is unknown. */
export function knownHash(stored: string | null | undefined): string | null {
  const hash = stored ?? ''
  if (/^argon2\$argon2(?:id|i|d)\$/.test(hash)) return hash.slice('argon2'.length)
  return KNOWN_HASH.test(hash) ? hash : null
}

/** The same of a person; an unknown form is noted. */
export function passwordHash(row: SourceRow, name: string, notes: KindNotes): string | null {
  const stored = row.password ?? ''
  if (stored === '' || stored.startsWith('!')) return null
  const known = knownHash(stored)
  if (!known) notes.leaves(name, 'The password has an unknown form: the user needs a new one')
  return known
}
