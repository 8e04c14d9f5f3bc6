import { isBlockShaped, openAesBlocks, openSm4, openSm4OfDevice } from './block-forms.ts'
import { isGcmShaped, openGcm } from './gcm-form.ts'
import type { DerivedKeys, SecretKeys } from './secret-keys.ts'
import { signedText } from './signed-form.ts'

/** The form that opened, `plain` where the column once held plain text, `none` for no text at all. */
export type OpeningRule = 'signer' | 'aes-gcm' | 'sm4-ecb' | 'aes-ecb' | 'sm4-device' | 'plain' | 'none'

/** Why a text did not open. */
export type ClosedReason =
  /** Sealed with AES-GCM under none of the keys, or damaged. */
  | 'another-key'
  /** Signed under none of the keys. */
  | 'another-signature'
  /** A signed token that ends at a time: no secret. */
  | 'timed-token'
  /** The secret is in an outside vault. */
  | 'in-vault'
  /** Longer than any secret. */
  | 'too-long'
  /** None of the forms, or a block form under none of the keys. */
  | 'no-form'

/** A secret that was read. `text` is empty unless it opened. `key` is the place of the key that did. */
export type OpenedSecret =
  | { kind: 'opened' | 'empty'; text: string; rule: OpeningRule; key?: number }
  | { kind: 'none'; text: ''; rule: 'none' }
  | { kind: 'not-opened'; text: ''; rule: ClosedReason }

/**
 * Private keys and stored settings have some ten thousand characters. A longer text costs memory
 * several times over, and is no secret.
 */
const LONGEST_SECRET = 1_048_576

/** JumpServer's mark for a secret that it moved to a vault, in clear or sealed. */
const IN_VAULT = '# Secret-has-been-saved-to-vault #'

/**
 * Opens a text from an encrypted column of JumpServer. The forms that prove themselves (signed,
 * AES-GCM) are tried with every key first, then the block forms that only look right. So an older
 * key never opens by chance a text of a newer one. `plainOnce`: the column held plain text in an
 * earlier version, so a text without any sealed form is taken as it is.
 */
export function openSecret(
  text: string | null | undefined,
  keys: SecretKeys,
  options: { plainOnce?: boolean } = {},
): OpenedSecret {
  if (text === null || text === undefined) return { kind: 'none', text: '', rule: 'none' }
  if (text === '') return { kind: 'empty', text: '', rule: 'none' }
  if (text.length > LONGEST_SECRET) return closed('too-long')
  const signed = signedText(text)
  if (signed?.timed) return closed('timed-token')
  if (signed) return firstOpened(keys, 'signer', (key) => signed.verified(key.signer)) ?? closed('another-signature')
  if (isGcmShaped(text)) return firstOpened(keys, 'aes-gcm', (key) => openGcm(text, key.gcm)) ?? closed('another-key')
  if (text === IN_VAULT) return closed('in-vault')
  if (isBlockShaped(text)) return openBlocks(text, keys) ?? closed('no-form')
  return options.plainOnce ? { kind: 'opened', text, rule: 'plain' } : closed('no-form')
}

const openBlocks = (text: string, keys: SecretKeys): OpenedSecret | undefined =>
  firstOpened(keys, 'sm4-ecb', (key) => firstOf(key.sm4, (sm4) => openSm4(text, sm4))) ??
  firstOpened(keys, 'aes-ecb', (key) => openAesBlocks(text, key.aesBlocks)) ??
  firstOpened(keys, 'sm4-device', (key) => key.sm4[0] && openSm4OfDevice(text, key.sm4[0]))

function firstOpened(
  keys: SecretKeys,
  rule: OpeningRule,
  open: (key: DerivedKeys) => string | undefined,
): OpenedSecret | undefined {
  for (const [place, key] of keys.derived.entries()) {
    const text = open(key)
    if (text === IN_VAULT) return closed('in-vault')
    if (text !== undefined) return { kind: text === '' ? 'empty' : 'opened', text, rule, key: place }
  }
  return undefined
}

function firstOf<Key>(keys: readonly Key[], open: (key: Key) => string | undefined): string | undefined {
  for (const key of keys) {
    const text = open(key)
    if (text !== undefined) return text
  }
  return undefined
}

const closed = (rule: ClosedReason): OpenedSecret => ({ kind: 'not-opened', text: '', rule })

/**
 * Opens an encrypted column of JSON (`meta`, `become`). Nothing, an empty or a damaged text is
 * `{}`, as it is for JumpServer; `secret` says which. A text of JSON inside JSON is unpacked once.
 */
export function openSecretJson(
  text: string | null | undefined,
  keys: SecretKeys,
): { secret: OpenedSecret; value: Record<string, unknown> } {
  const secret = openSecret(text, keys)
  const once = parsed(secret.text)
  const value = typeof once === 'string' ? parsed(once) : once
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return { secret, value: isObject ? (value as Record<string, unknown>) : {} }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
