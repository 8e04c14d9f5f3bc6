import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { callerOf } from '../../../kernel/access/call.ts'
import { AppError } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { settingsOf } from '../../settings/index.ts'
import { browserOf } from '../second-factor/browser-of.ts'
import { stampFreshMfa } from '../second-factor/fresh-mfa.ts'
import { tryFactor } from '../second-factor/second-factor.ts'
import { GUARD } from '../sign-in/login-guard.ts'
import { markSecondFactor, pendingSignIn } from '../sign-in/pending-sign-in.ts'
import { signInClientOf } from '../sign-in/sign-in.ts'
import type { PasskeyCeremony } from '../tables.ts'
import { keepCeremony, newCeremony, takeCeremony } from './ceremony.ts'
import { PASSKEYS_PATH } from './own-passkeys.ts'
import { requireSite } from './site.ts'
import { passkeyNamed, passkeysOf, takeAnswer } from './stored.ts'
import { passkeyAnswer, requestOptions } from './webauthn.ts'

const STEP = '/core/auth/login/mfa/passkey/'
const VERIFY = `${PASSKEYS_PATH}verify/`

const answerBody = z.object({ answer: passkeyAnswer })
type Purpose = Extract<PasskeyCeremony['purpose'], 'second_factor' | 'verify'>
interface Person {
  id: string
  username: string
}

/**
 * A passkey as the second factor: for a sign-in whose password is proven, and again before secrets
 * are shown.
 */
export function registerPasskeyFactor(kernel: Kernel): void {
  registerSignInStep(kernel)
  registerVerify(kernel)
}

function registerSignInStep(kernel: Kernel): void {
  const anyone = { access: ['anonymous'] as const, withoutCsrf: 'same_origin' as const }
  const pendingOf = async (request: FastifyRequest) => {
    const pending = await pendingSignIn(kernel, request)
    if (!pending)
      throw refuse(request, 'second_factor', 'session_empty', 'The sign-in took too long, please start again')
    return { pending, person: { id: pending.user_id, username: pending.username } }
  }
  kernel.app.route({
    method: 'POST',
    url: `${STEP}options/`,
    config: { ...anyone, summary: 'Begin to prove the second factor by a passkey' },
    handler: async (request) => {
      const { pending, person } = await pendingOf(request)
      return ask(kernel, request, pending.sessionId, person, 'second_factor')
    },
  })
  kernel.app.route({
    method: 'POST',
    url: STEP,
    config: { ...anyone, summary: 'Prove the second factor by a passkey' },
    handler: async (request) => {
      const { pending, person } = await pendingOf(request)
      await take(kernel, request, pending.sessionId, person, 'second_factor')
      await markSecondFactor(kernel, pending, { mfa_at: new Date().toISOString() })
      return { next: GUARD }
    },
  })
}

function registerVerify(kernel: Kernel): void {
  kernel.app.route({
    method: 'POST',
    url: `${VERIFY}options/`,
    config: { access: ['authenticated'], summary: 'Begin to prove my second factor by a passkey' },
    handler: (request) => ask(kernel, request, browserOf(request), callerOf(request.call), 'verify'),
  })
  kernel.app.route({
    method: 'POST',
    url: VERIFY,
    config: { access: ['authenticated'], summary: 'Prove my second factor by a passkey', takes: answerBody },
    handler: async (request) => {
      const sessionId = browserOf(request)
      await take(kernel, request, sessionId, callerOf(request.call), 'verify')
      await stampFreshMfa(kernel, sessionId)
      return { ok: '1' }
    },
  })
}

async function ask(kernel: Kernel, request: FastifyRequest, sessionId: string, person: Person, purpose: Purpose) {
  const site = requireSite(settingsOf(kernel), request)
  const passkeys = (await passkeysOf(kernel.db, person.id)).filter(({ rp_id }) => rp_id === site.rp_id)
  if (!passkeys.length) throw refuse(request, purpose, 'mfa_unset', 'This verification method is not set up')
  const ceremony = newCeremony(purpose, site)
  await keepCeremony(kernel, sessionId, ceremony)
  return requestOptions(ceremony, 'preferred', passkeys)
}

/** Throws 400 unless the answer is right. Attempts are counted and locked as for codes. */
async function take(
  kernel: Kernel,
  request: FastifyRequest,
  sessionId: string,
  user: Person,
  purpose: Purpose,
): Promise<void> {
  const read = answerBody.safeParse(request.body ?? {})
  if (!read.success)
    throw refuse(request, purpose, 'mfa_failed', 'The passkey was not accepted. Try again, or take another device.')
  const { answer } = read.data
  const ceremony = await takeCeremony(kernel, sessionId, purpose)
  if (!ceremony) throw refuse(request, purpose, 'passkey_run_out', 'That took too long: start again')
  const attempt = { user, address: request.call.remoteAddress, type: 'W' as const }
  const refusal = await tryFactor(kernel, signInClientOf(request), attempt, async () => {
    const passkey = await passkeyNamed(kernel.db, answer)
    const reason =
      passkey?.user_id === user.id ? await takeAnswer(kernel, answer, ceremony, passkey, false) : 'passkey_failed'
    return reason && { reason, text: WRONG }
  })
  if (refusal) throw inWords(purpose, refusal.error, refusal.message)
}

const WRONG =
  'The passkey was not accepted. {{left|try is|tries are}} left, then MFA is locked for {{minutes|minute|minutes}}.'

const refuse = (request: FastifyRequest, purpose: Purpose, error: string, text: string) =>
  inWords(purpose, error, translate(request.call.language, text))

/** In the shape of sign-in errors, or in the one of all other errors. */
const inWords = (purpose: Purpose, error: string, msg: string) =>
  new AppError(400, error, msg, purpose === 'second_factor' ? { body: { error, msg } } : {})
