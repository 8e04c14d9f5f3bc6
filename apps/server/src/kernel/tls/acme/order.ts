import type { Database } from '../../database/database.ts'
import type { KeyPair } from '../key-pair.ts'
import { expectValidator, forgetValidator } from './challenges.ts'
import type { Proof } from './tables.ts'

/** For each call of the authority. */
const CALL_MS = 30_000
/** How often it is asked whether it has come to an end, and the pauses in between. */
const LOOKS = 15
const [LEAST_PAUSE_MS, LONGEST_PAUSE_MS] = [1_000, 10_000]

export interface Authority {
  directory: string
  mail: string | undefined
  /** Key of the account, in PEM. */
  accountKey: string
}

export async function newAccountKey(): Promise<string> {
  const { crypto } = await import('acme-client')
  return (await crypto.createPrivateEcdsaKey()).toString()
}

async function clientOf({ directory, accountKey }: Authority, accountUrl?: string) {
  // Only the node that asks has the library in its memory.
  const acme = await import('acme-client')
  // By default it calls one that is away for more than a minute. The schedule comes again.
  Object.assign(acme.axios.defaults, { timeout: CALL_MS, acmeSettings: { retryMaxAttempts: 1, retryDefaultDelay: 1 } })
  const client = new acme.Client({
    directoryUrl: directory,
    accountKey,
    ...(accountUrl ? { accountUrl } : {}),
    backoffAttempts: LOOKS,
    backoffMin: LEAST_PAUSE_MS,
    backoffMax: LONGEST_PAUSE_MS,
  })
  return { acme, client }
}

/**
 * The address of the account, which is made where the authority has none of this key; its terms are
 * accepted. Throws what the authority says, or why it cannot be reached.
 */
export async function accountAt(authority: Authority): Promise<string> {
  const { client } = await clientOf(authority)
  try {
    const contact = authority.mail ? { contact: [`mailto:${authority.mail}`] } : {}
    await client.createAccount({ termsOfServiceAgreed: true, ...contact })
  } catch (error) {
    // The account of this key is there, and the library has tried to change it, which few allow.
    if (!hasAccount(client)) throw await inWords(error, authority)
  }
  return client.getAccountUrl()
}

function hasAccount(client: { getAccountUrl(): string }): boolean {
  try {
    return client.getAccountUrl() !== ''
  } catch {
    return false
  }
}

/**
 * Has the authority make a certificate for these names, under a new key. Takes seconds to minutes.
 * Throws what the authority says, or why it cannot be reached.
 */
export async function orderCertificate(
  db: Database,
  authority: Authority,
  account: string,
  domains: readonly string[],
  proof: Proof,
): Promise<KeyPair> {
  const { acme, client } = await clientOf(authority, account)
  const { createCsr, createPrivateEcdsaKey } = acme.crypto
  const [key, csr] = await createCsr({ altNames: [...domains] }, await createPrivateEcdsaKey())
  try {
    const certificate = await client.auto({
      csr,
      challengePriority: [proof],
      // It would call the name from in here, where it may lead elsewhere.
      skipChallengeVerification: true,
      challengeCreateFn: ({ identifier }, { type, token }, answer) =>
        expectValidator(db, { kind: type as Proof, domain: identifier.value, token, answer }),
      challengeRemoveFn: (_authorization, { token }) => forgetValidator(db, { token }),
    })
    return { certificate: certificate.toString(), key: key.toString() }
  } catch (error) {
    throw await inWords(error, authority)
  }
}

/** An authority that cannot be reached, which no other proof would change. */
export class AuthorityAway extends Error {}

/**
 * The library answers an authority that is away with a fault of its own, which says nothing: it is
 * asked once more why.
 */
async function inWords(error: unknown, { directory }: Authority): Promise<Error> {
  if (!(error instanceof TypeError)) return error as Error
  try {
    const answer = await fetch(directory, { signal: AbortSignal.timeout(CALL_MS) })
    await answer.body?.cancel()
    return new AuthorityAway(`it answered ${answer.status}`)
  } catch (cause) {
    const { message, code } = ((cause as Error).cause ?? cause) as NodeJS.ErrnoException
    return new AuthorityAway(message || code || 'it cannot be reached', { cause })
  }
}
