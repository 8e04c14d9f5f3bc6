import { randomBytes } from 'node:crypto'
import { isSameSecret } from '../../../kernel/access/same-secret.ts'
import type { Vault } from '../../../kernel/secrets/vault.ts'

/** As long as a check may take, and a little. */
const LIFE_MS = 5 * 60_000
/** Requests of one check, at one node. */
const MOST_USES = 20
/** Tokens that are counted at a time; more are refused. */
const MOST_TOKENS = 100

/**
 * A token for one check by a command, which nobody has signed in to: it opens nothing but how
 * requests arrive, and ends by itself. Any process that holds the key of the secrets can make one.
 */
export function newCheckToken(secrets: Vault): string {
  const content = `${Date.now() + LIFE_MS}.${randomBytes(12).toString('base64url')}`
  return `${content}.${secrets.fingerprint(named(content)).toString('base64url')}`
}

/** Takes such tokens, each for the requests of one check. */
export function checkTokens(secrets: Vault): { take(token: string): boolean } {
  const uses = new Map<string, { end: number; count: number }>()
  return {
    take(token) {
      const end = endOf(secrets, token)
      if (end === undefined) return false
      for (const [known, { end }] of uses) if (end <= Date.now()) uses.delete(known)
      const used = uses.get(token) ?? { end, count: 0 }
      if (++used.count > MOST_USES || (!uses.has(token) && uses.size >= MOST_TOKENS)) return false
      uses.set(token, used)
      return true
    },
  }
}

/** When it ends; undefined where it has, or is none of ours. */
function endOf(secrets: Vault, token: string): number | undefined {
  const [, content = '', end = '', proof = ''] = /^((\d{1,16})\.[\w-]{1,64})\.([\w-]{1,128})$/.exec(token) ?? []
  const left = Number(end) - Date.now()
  if (!content || left <= 0 || left > LIFE_MS) return undefined
  const isOurs = secrets
    .fingerprints(named(content))
    .some((fingerprint) => isSameSecret(proof, fingerprint.toString('base64url')))
  return isOurs ? Number(end) : undefined
}

/** No other fingerprint is of such a text. */
const named = (content: string) => `proxy check ${content}`
