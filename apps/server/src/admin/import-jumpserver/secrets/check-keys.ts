import { isBlockShaped } from './block-forms.ts'
import { isGcmShaped } from './gcm-form.ts'
import { openSecret } from './open-secret.ts'
import type { SecretKeys } from './secret-keys.ts'
import { signedText } from './signed-form.ts'

/** The verdict of a sample of sealed texts on the keys. */
export interface KeyCheck {
  /**
   * `wrong`: not one sealed text opens. `right`: some do, also when older ones need another key.
   * `unproven`: there is nothing sealed, or only in forms that cannot prove a key.
   */
  verdict: 'right' | 'wrong' | 'unproven'
  /** Texts that prove a key (AES-GCM, else signed, else blocks), and those that opened. */
  sealed: number
  opened: number
  /** How many of them each key opened, in the order of the keys: one of 0 is not needed. */
  openedBy: number[]
}

/**
 * Tells at once whether the keys are those of a database, by a sample of the texts in its encrypted
 * columns: some dozens from each table. Texts of AES-GCM decide. Where a database has none, signed
 * texts do. Blocks without a check are the last resort: one that opens says little, so they only
 * prove a wrong key.
 */
export function checkKeys(sample: Iterable<string | null | undefined>, keys: SecretKeys): KeyCheck {
  const found: Record<'gcm' | 'signed' | 'blocks', KeyCheck> = {
    gcm: none(keys),
    signed: none(keys),
    blocks: none(keys),
  }
  for (const text of sample) {
    const form = text ? formOf(text) : undefined
    if (form) count(found[form], text as string, keys)
  }
  for (const form of ['gcm', 'signed', 'blocks'] as const) {
    const check = found[form]
    if (check.sealed === 0) continue
    return { ...check, verdict: check.opened === 0 ? 'wrong' : form === 'blocks' ? 'unproven' : 'right' }
  }
  return none(keys)
}

const formOf = (text: string) =>
  isGcmShaped(text) ? 'gcm' : signedText(text)?.timed === false ? 'signed' : isBlockShaped(text) ? 'blocks' : undefined

const none = (keys: SecretKeys): KeyCheck => ({
  verdict: 'unproven',
  sealed: 0,
  opened: 0,
  openedBy: keys.texts.map(() => 0),
})

function count(check: KeyCheck, text: string, keys: SecretKeys) {
  check.sealed += 1
  const secret = openSecret(text, keys)
  // A mark of a vault opened as well: only the right key shows it.
  if (secret.kind === 'not-opened' && secret.rule !== 'in-vault') return
  check.opened += 1
  if ('key' in secret && secret.key !== undefined) check.openedBy[secret.key] = (check.openedBy[secret.key] ?? 0) + 1
}
