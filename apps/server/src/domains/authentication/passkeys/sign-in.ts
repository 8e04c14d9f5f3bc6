import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { AppError } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { recordLogin } from '../../audits/index.ts'
import { extendPublicSettings, settingsOf } from '../../settings/index.ts'
import { findUser } from '../../users/index.ts'
import { countFailedAddress } from '../failures.ts'
import { safeNext } from '../next-address.ts'
import { startSession, unfinishedSession } from '../session.ts'
import { pageOf } from '../sign-in/login-guard.ts'
import { rememberProven } from '../sign-in/pending-sign-in.ts'
import { admitProven, PASSKEY_BACKEND, signInClientOf } from '../sign-in/sign-in.ts'
import { newCeremony, takeCeremony } from './ceremony.ts'
import { requireSite } from './site.ts'
import { passkeyNamed, takeAnswer } from './stored.ts'
import { passkeyAnswer, requestOptions } from './webauthn.ts'

const SIGN_IN = '/core/auth/login/passkey/'

const body = z.object({
  answer: passkeyAnswer,
  auto_login: z.boolean().optional(),
  next: z.string().max(2048).optional(),
})

/**
 * Sign-in with a passkey alone. The authenticator must have verified the person, by a fingerprint
 * or a PIN: with the device itself, that makes two factors. A forced password change is postponed,
 * as no password was used.
 */
export function registerPasskeySignIn(kernel: Kernel): void {
  const { app } = kernel
  const begin = (request: FastifyRequest) => {
    if (!settingsOf(kernel).get('AUTH_PASSKEY'))
      throw refuse(request, 'passkey_closed', 'Sign-in with a passkey is switched off')
  }
  app.route({
    method: 'POST',
    url: `${SIGN_IN}options/`,
    config: { access: ['anonymous'], withoutCsrf: 'same_origin', summary: 'Begin to sign in with a passkey' },
    handler: async (request, reply) => {
      begin(request)
      if (request.call.user) throw refuse(request, 'signed_in', 'You are already signed in')
      const passkey = newCeremony('sign_in', requireSite(settingsOf(kernel), request))
      await unfinishedSession(kernel, request, reply, { passkey })
      return requestOptions(passkey, 'required')
    },
  })
  app.route({
    method: 'POST',
    url: SIGN_IN,
    config: { access: ['anonymous'], withoutCsrf: 'same_origin', summary: 'Sign in with a passkey' },
    handler: async (request, reply) => {
      begin(request)
      const read = body.safeParse(request.body ?? {})
      if (!read.success) throw refuse(request, 'passkey_failed', FAILED)
      return { next: await signIn(kernel, request, reply, read.data) }
    },
  })
  extendPublicSettings(kernel, () => ({ AUTH_PASSKEY: settingsOf(kernel).get('AUTH_PASSKEY') }))
}

/** Answers where the browser goes on. Throws 400 in the shape of sign-in errors. */
async function signIn(
  kernel: Kernel,
  request: FastifyRequest,
  reply: FastifyReply,
  { answer, auto_login = false, next }: z.infer<typeof body>,
): Promise<string> {
  const target = safeNext(next)
  const ceremony = request.call.user ? undefined : await takeCeremony(kernel, request.call.sessionId, 'sign_in')
  if (!ceremony) throw refuse(request, 'session_empty', 'The sign-in took too long, please start again')
  const passkey = await passkeyNamed(kernel.db, answer)
  const person = passkey && (await findUser(kernel.db, { id: passkey.user_id }))
  if (!person) return fail(kernel, request, '', 'user_not_exist', UNKNOWN)
  const refusal = await takeAnswer(kernel, answer, ceremony, passkey, true)
  if (refusal) return fail(kernel, request, person.username, refusal, FAILED)
  // The person's own directory or provider must approve each sign-in.
  if (person.source !== 'local' && settingsOf(kernel).get('ONLY_ALLOW_AUTH_FROM_SOURCE'))
    return fail(kernel, request, person.username, 'backend_not_match', FOREIGN)
  const mfa_at = new Date().toISOString()
  const attempt = { address: request.call.remoteAddress, type: 'W' as const }
  const admitted = await admitProven(kernel, signInClientOf(request), attempt, passkey.user_id, PASSKEY_BACKEND)
  if ('error' in admitted) throw inWords(admitted.error, admitted.message)
  if ('due' in admitted) {
    await rememberProven(kernel, request, reply, { ...admitted.proven, mfa_at, remember: auto_login, next: target })
    return pageOf(admitted.due)
  }
  await startSession(kernel, request, reply, admitted.user, auto_login, { mfa_verified_at: mfa_at })
  return target
}

/**
 * Records a failure, counts it for the address, and throws it. The name is not counted: a stranger
 * who knows a passkey's public id must not be able to lock its owner out.
 */
async function fail(
  kernel: Kernel,
  request: FastifyRequest,
  username: string,
  reason: string,
  text: string,
): Promise<never> {
  const { db } = kernel
  const ip = request.call.remoteAddress
  await countFailedAddress(db, settingsOf(kernel), ip)
  const { userAgent } = signInClientOf(request)
  await recordLogin(db, { username, type: 'W', ip, userAgent, success: false, reason, backend: PASSKEY_BACKEND })
  throw refuse(request, reason === 'backend_not_match' ? reason : 'passkey_failed', text)
}

const FAILED = 'The passkey was not accepted. Try again, or sign in with your password.'
const UNKNOWN = 'This passkey is not known here. Sign in with your password, or with another passkey.'
const FOREIGN = 'Your account is kept elsewhere: sign in there, not with a passkey'

const refuse = (request: FastifyRequest, error: string, text: string) =>
  inWords(error, translate(request.call.language, text))
const inWords = (error: string, msg: string) => new AppError(400, error, msg, { body: { error, msg } })
