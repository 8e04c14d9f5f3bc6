/**
 * How a secret is changed on a target so that none is ever lost
 * (docs/rules/accounts.md#change_auth_run): the worst fault is a machine with a password that
 * nobody stored.
 *
 *   1  the new secret is stored as candidate                          before anything is sent
 *   2  preflight: the target is there, and the change may be made
 *   3  `change_auth` is stored                                        from here on it may be there
 *   4  the target gets the command to change it
 *   5  `verify_auth` is stored
 *   6  a login on a new connection, with nothing but the candidate
 *   7  the candidate becomes current, the old one previous            one transaction
 *
 * Each step is committed before the next begins. Whatever cuts this short between 3 and 7 leaves
 * both secrets stored; `settle` finds out which of them works, at once and again later. Connections
 * made meanwhile try both (`throughGateways`). A candidate is never overwritten: the next run takes
 * it up. What was sent, and is not known to have been refused, is never deleted.
 */
import { type Reason, RotationError } from './rotation-error.ts'

export interface Secrets {
  password?: string | undefined
  private_key?: string | undefined
  public_key?: string | undefined
}

export type Step = 'ready' | 'preflight_check' | 'change_auth' | 'verify_auth' | 'keep_auth' | 'finished'

/** Where the secrets of one account are stored; each call is committed when it returns. */
export interface Ledger {
  candidate(): Promise<Secrets | undefined>
  current(): Promise<Secrets | undefined>
  propose(candidate: Secrets): Promise<void>
  step(step: Step): Promise<void>
  /** The candidate becomes current, together with the step `keep_auth`. */
  keep(): Promise<void>
  /** Forgets the candidate: it never reached the target. */
  discard(): Promise<void>
  /** Takes the candidate for a previous secret: it was sent, and is not what the target has. */
  shelve(): Promise<void>
}

/** The holder of the account: a machine, a database. Failures are RotationErrors. */
export interface Target {
  /** Throws where the change can't be made; sends no new secret. */
  preflight(): Promise<void>
  /** Throws `refused` where the target has refused it for certain. */
  change(candidate: Secrets): Promise<void>
  /** Whether one can log in with these, each by itself, on a new connection. Throws where nobody can tell. */
  works(secrets: Secrets): Promise<boolean>
}

export type Outcome =
  | { state: 'succeeded'; secrets: Secrets }
  /** The target goes on with the secret that it had. */
  | { state: 'failed'; error: RotationError; wasSent: boolean }
  /** Both secrets are kept. */
  | { state: 'unknown'; error: RotationError }

export async function rotate(ledger: Ledger, target: Target, wanted: Secrets): Promise<Outcome> {
  const earlier = await ledger.candidate()
  const candidate = earlier ?? wanted
  if (!earlier) await ledger.propose(candidate)

  await ledger.step('preflight_check')
  const obstacle = await failureOf(target.preflight())
  if (obstacle) {
    if (!earlier) await ledger.discard()
    return { state: 'failed', error: obstacle, wasSent: false }
  }

  await ledger.step('change_auth')
  const failure = await failureOf(target.change(candidate))
  if (failure) return settle(ledger, target, failure, { wasSentBefore: Boolean(earlier) })

  await ledger.step('verify_auth')
  return settle(ledger, target, new RotationError('not_verified'))
}

/** The target has said for certain that it did not change anything, or was never told to. */
const CERTAIN: ReadonlySet<Reason> = new Set(['refused', 'unreachable', 'login_refused', 'no_password', 'not_asked'])

/**
 * Finds out what the target has, where a change was cut short or has just been made. `error` is what
 * is wrong where the new secret does not work. With the old one working there is nothing left to
 * wait for after `refused`, and after `not_changed`, which says that the change can't be on its way
 * any more.
 */
export async function settle(
  ledger: Ledger,
  target: Target,
  error: RotationError,
  { wasSentBefore = true }: { wasSentBefore?: boolean } = {},
): Promise<Outcome> {
  const candidate = await ledger.candidate()
  if (!candidate) return { state: 'failed', error, wasSent: false }
  try {
    if (await target.works(candidate)) {
      await ledger.keep()
      return { state: 'succeeded', secrets: candidate }
    }
    const current = await ledger.current()
    const isCertain = CERTAIN.has(error.code)
    // Without an old secret there is none to lose.
    const goesOn = current ? await target.works(replacedBy(candidate, current)) : isCertain
    if (!goesOn) return { state: 'unknown', error }
    if (error.code !== 'not_changed' && !isCertain)
      return { state: 'unknown', error: new RotationError('old_works', error.detail) }
    if (wasSentBefore) await ledger.shelve()
    else await ledger.discard()
    return { state: 'failed', error, wasSent: true }
  } catch (doubt) {
    if (!(doubt instanceof RotationError)) throw doubt
    return { state: 'unknown', error: error.code === 'not_verified' ? doubt : error }
  }
}

/** The secrets in use that a candidate replaces. */
const replacedBy = (candidate: Secrets, { password, private_key }: Secrets): Secrets => ({
  password: candidate.password && password,
  private_key: candidate.private_key && private_key,
})

/** What stops the change; a fault of our own is no outcome and is thrown on. */
async function failureOf(work: Promise<void>): Promise<RotationError | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    if (error instanceof RotationError) return error
    throw error
  }
}
