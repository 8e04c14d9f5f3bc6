import { readStoredKey } from '../../kernel/ssh/keys/plain-key.ts'
import type { ImportContext } from './context.ts'
import type { KindNotes } from './report/report.ts'
import { openSecret } from './secrets/index.ts'
import type { SourceRow } from './source/source.ts'
import { secretText } from './values.ts'

export const IN_VAULT = 'Its secret is in an outside vault: comes without'
export const DOES_NOT_OPEN = 'Its secret does not open with this key: comes without'

/** A secret of a login in plain; null for none, and where it does not open, which is noted. */
export function loginSecret(
  { keys }: Pick<ImportContext, 'keys'>,
  value: string | null | undefined,
  name: string,
  notes: KindNotes,
): string | null {
  const secret = openSecret(value, keys)
  if (secret.kind === 'not-opened') notes.leaves(name, secret.rule === 'in-vault' ? IN_VAULT : DOES_NOT_OPEN)
  return secretText(secret.text) || null
}

export interface StoredKey {
  text: string | null
  public_key: string
  fingerprint: string
}

/** A private key as it is stored here, and what is known of it; nothing where it cannot be read, which is noted. */
export function storedKey(privateKey: string | null, name: string, notes: KindNotes): StoredKey {
  const key = privateKey ? readStoredKey(privateKey) : undefined
  if (privateKey && !key) notes.leaves(name, 'Its private key cannot be read here: comes without')
  return { text: key?.privateKey ?? null, public_key: key?.publicKey ?? '', fingerprint: key?.fingerprint ?? '' }
}

/** Password and private key of a row of version 2. */
export function loginSecrets(context: Pick<ImportContext, 'keys'>, row: SourceRow, name: string, notes: KindNotes) {
  const key = storedKey(loginSecret(context, row.private_key, name, notes), name, notes)
  const plain = { password_sealed: loginSecret(context, row.password, name, notes), private_key_sealed: key.text }
  return { plain, key }
}
