import { sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { callerOf } from '../../../kernel/access/call.ts'
import { AppError } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { requireFreshMfa } from '../../users/index.ts'
import { type MfaType, mfaChoices, secondFactor, typedChoices } from '../factors/index.ts'
import { markSecondFactor, pendingSignIn } from '../sign-in/pending-sign-in.ts'
import { loginTypeOf, signInClientOf } from '../sign-in/sign-in.ts'
import { authenticationSession } from '../tables.ts'
import { chooseFactor } from './choose-factor.ts'
import { checkSecondFactor } from './second-factor.ts'

export const CHALLENGE_URL = '/api/v1/authentication/mfa/challenge/'
const VERIFY_URL = '/api/v1/authentication/otp/verify/'

const challengeBody = z.object({
  type: z.string().max(32).optional(),
  code: z.string().trim().min(1).max(128),
  remote_addr: z.string().max(64).optional(),
})
const selectBody = z.object({ type: z.string().max(32), username: z.string().max(128).optional() })
const verifyBody = z.object({ code: z.string().trim().max(128), type: z.string().max(32).default('otp') })

const refuse = (request: FastifyRequest, error: string, text: string) => {
  const msg = translate(request.call.language, text)
  return new AppError(400, error, text, { body: { error, msg } })
}
const sentence = (request: FastifyRequest, text: string) =>
  new AppError(400, 'bad_request', text, { body: { error: translate(request.call.language, text) } })

/** The second factor over the API (docs/rules/authentication.md#mfa). */
export function registerMfa(kernel: Kernel): void {
  registerChallenge(kernel)
  registerSelect(kernel)
  registerVerify(kernel)
}

function registerChallenge(kernel: Kernel): void {
  for (const url of [CHALLENGE_URL, '/api/v1/authentication/mfa/verify/']) {
    kernel.app.route({
      method: 'POST',
      url,
      config: {
        access: ['anonymous'],
        withoutCsrf: 'same_origin',
        summary: 'Prove the second factor of a sign-in that is under way',
        answers: { fields: plainFields({ msg: 'string' }) },
        takes: challengeBody,
      },
      handler: async (request) => {
        const pending = await pendingSignIn(kernel, request)
        if (!pending) throw refuse(request, 'session_empty', 'The sign-in took too long, please start again')
        const read = challengeBody.safeParse(request.body ?? {})
        if (!read.success) throw refuse(request, 'mfa_failed', 'Enter the code')
        const factor = await usableFactor(kernel, pending.user_id, read.data.type)
        if (!factor) throw refuse(request, 'mfa_failed', 'This verification method is not set up')
        const trusted = request.call.user?.role === 'App'
        const refusal = await checkSecondFactor(kernel, signInClientOf(request), {
          user: { id: pending.user_id, username: pending.username },
          factor,
          code: read.data.code,
          holder: pending.sessionId,
          // Only a component may name another client address, as with the password.
          address: trusted && read.data.remote_addr ? read.data.remote_addr : request.call.remoteAddress,
          type: loginTypeOf(request),
        })
        if (refusal)
          throw new AppError(400, refusal.error, refusal.message, {
            body: { error: refusal.error, msg: refusal.message },
          })
        await markSecondFactor(kernel, pending)
        return { msg: 'ok' }
      },
    })
  }
}

/**
 * The factor of that name (by default the authenticator app), if this person can use it and it is
 * proven by typing.
 */
export async function usableFactor(kernel: Kernel, userId: string, type = 'otp'): Promise<MfaType | undefined> {
  return typedChoices(await mfaChoices(kernel, userId)).find((one) => one === type)
}

function registerSelect(kernel: Kernel): void {
  for (const url of ['/api/v1/authentication/mfa/send-code/', '/api/v1/authentication/mfa/select/']) {
    kernel.app.route({
      method: 'POST',
      url,
      config: {
        access: ['anonymous'],
        withoutCsrf: 'same_origin',
        summary: 'Choose how to prove the second factor',
        answerStatus: 201,
        takes: selectBody,
      },
      handler: async (request, reply) => {
        const { type, username } = selectBody.parse(request.body ?? {})
        const chosen = await chooseFactor(kernel, request, reply, type, username)
        reply.status(201)
        return chosen
      },
    })
  }
}

function registerVerify(kernel: Kernel): void {
  const { app, db } = kernel
  app.route({
    method: 'GET',
    url: VERIFY_URL,
    config: {
      access: ['authenticated'],
      summary: 'Whether my second factor was proven a short time ago',
      answers: { fields: plainFields({ code: 'string', msg: 'string' }) },
    },
    handler: async (request) => {
      await requireFreshMfa(kernel, request.call)
      return { code: 'valid', msg: 'verified' }
    },
  })
  app.route({
    method: 'POST',
    url: VERIFY_URL,
    config: {
      access: ['authenticated'],
      summary: 'Prove my second factor',
      takes: verifyBody,
      answers: { fields: plainFields({ ok: 'string' }) },
    },
    handler: async (request) => {
      const read = verifyBody.safeParse(request.body ?? {})
      const digits = secondFactor(read.data?.type ?? '')?.digits
      if (!read.success || !read.data.code || (digits && read.data.code.length !== digits))
        throw sentence(request, 'MFA Error, please check')
      const { id, username } = callerOf(request.call)
      const factor = await usableFactor(kernel, id, read.data.type)
      if (!factor) throw sentence(request, 'Set up an authenticator app on your profile page first')
      const refusal = await checkSecondFactor(kernel, signInClientOf(request), {
        user: { id, username },
        factor,
        code: read.data.code,
        holder: request.call.sessionId ?? '',
        address: request.call.remoteAddress,
        type: loginTypeOf(request),
      })
      if (refusal) throw new AppError(400, refusal.error, refusal.message, { body: { error: refusal.message } })
      if (request.call.sessionId)
        await db
          .update(authenticationSession)
          .set({ state: sql`${authenticationSession.state} || jsonb_build_object('mfa_verified_at', now())` })
          .where(sql`${authenticationSession.id} = ${request.call.sessionId}`)
      return { ok: '1' }
    },
  })
}
