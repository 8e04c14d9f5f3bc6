import { eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { callerOf } from '../../../kernel/access/call.ts'
import { requireSameOrigin } from '../../../kernel/access/same-origin.ts'
import { AppError, forbidden } from '../../../kernel/errors/app-error.ts'
import { sendPage } from '../../../kernel/http/console-files.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { sealedBytes, sealInJson } from '../../../kernel/secrets/sealed-json.ts'
import { findUser } from '../../users/index.ts'
import { isPasswordOf } from '../../users/password/index.ts'
import {
  bindOtp,
  isMfaDue,
  isMfaForced,
  newOtpSecret,
  otpUri,
  requireOwnFactor,
  unbindOtp,
} from '../../users/profile/index.ts'
import { endSignIns } from '../end-sign-ins.ts'
import { mfaChoices } from '../factors/index.ts'
import { shownFactors } from '../factors/present.ts'
import { endSession } from '../session.ts'
import { GUARD, LOGIN_PAGE, MFA_PAGE, OTP_START_PAGE } from '../sign-in/login-guard.ts'
import { markSecondFactor, pendingSignIn } from '../sign-in/pending-sign-in.ts'
import { signInClientOf } from '../sign-in/sign-in.ts'
import { authenticationSession } from '../tables.ts'
import { notifyOfApp, recordApp } from './factor-notices.ts'
import { usableFactor } from './mfa.ts'
import { checkSecondFactor } from './second-factor.ts'

const BIND_PAGE = '/core/auth/profile/otp/enable/bind/'
const DISABLE_PAGE = '/core/auth/profile/otp/disable/'

const codeBody = z.object({ mfa_type: z.string().max(128).optional(), code: z.string().trim().max(128) })
const bindBody = z.object({ otp_code: z.string().trim().max(6) })
const disableBody = z.object({ otp_code: z.string().trim().max(6), password: z.string().max(1024).optional() })

const wantsJson = (request: FastifyRequest) => String(request.headers.accept ?? '').includes('application/json')
const refuse = (request: FastifyRequest, error: string, text: string) =>
  new AppError(400, error, text, { body: { error, msg: translate(request.call.language, text) } })
const RUN_OUT = 'The sign-in took too long, please start again'

/**
 * Pages of the second factor (docs/rules/authentication.md#login_page): asking for it, setting it
 * up, removing it.
 */
export function registerMfaPages(kernel: Kernel): void {
  registerMfaStep(kernel)
  registerBinding(kernel)
  registerDisabling(kernel)
}

function registerMfaStep(kernel: Kernel): void {
  const { app } = kernel
  app.route({
    method: 'GET',
    url: MFA_PAGE,
    config: {
      access: ['anonymous'],
      summary: 'Page that asks for the second factor',
      answers: 'moved',
      answerStatus: 302,
    },
    handler: async (request, reply) => {
      const pending = await pendingSignIn(kernel, request)
      if (!wantsJson(request)) return pending ? sendPage(reply, 'login.html') : reply.redirect(LOGIN_PAGE)
      reply.header('Cache-Control', 'no-store')
      if (!pending) throw refuse(request, 'session_empty', RUN_OUT)
      return { types: await shownFactors(kernel, request.call.language, pending.user_id) }
    },
  })
  app.route({
    method: 'POST',
    url: MFA_PAGE,
    config: {
      access: ['anonymous'],
      withoutCsrf: 'same_origin',
      summary: 'Prove the second factor on a browser',
      answers: 'moved',
      answerStatus: 302,
    },
    handler: async (request, reply) => {
      requireSameOrigin(request)
      const pending = await pendingSignIn(kernel, request)
      if (!pending) throw refuse(request, 'session_empty', RUN_OUT)
      const read = codeBody.safeParse(request.body ?? {})
      if (!read.success) throw refuse(request, 'mfa_failed', 'Enter the code')
      const factor = await usableFactor(kernel, pending.user_id, read.data.mfa_type)
      if (!factor) throw refuse(request, 'mfa_failed', 'This verification method is not set up')
      const refusal = await checkSecondFactor(kernel, signInClientOf(request), {
        user: { id: pending.user_id, username: pending.username },
        factor,
        code: read.data.code,
        holder: pending.sessionId,
        address: request.call.remoteAddress,
        type: 'W',
      })
      if (refusal)
        throw new AppError(400, refusal.error, refusal.message, {
          body: { error: refusal.error, msg: refusal.message },
        })
      await markSecondFactor(kernel, pending)
      return wantsJson(request) ? { next: GUARD } : reply.redirect(GUARD)
    },
  })
}

interface Binder {
  id: string
  username: string
  sessionId: string
}

/**
 * The person who may set up an app: that of a browser session, or of a proven first factor if they
 * have no second one yet, since a password alone must not be able to add one.
 */
async function binderOf(kernel: Kernel, request: FastifyRequest): Promise<Binder | undefined> {
  const { user, via, sessionId } = request.call
  if (user && via === 'session' && sessionId) return { id: user.id, username: user.username, sessionId }
  const pending = await pendingSignIn(kernel, request)
  if (!pending) return undefined
  // An app that is bound already refuses another one by itself, with a message.
  const others = (await mfaChoices(kernel, pending.user_id)).filter((type) => type !== 'otp')
  if (others.length && !pending.mfa) return undefined
  return { id: pending.user_id, username: pending.username, sessionId: pending.sessionId }
}

function registerBinding(kernel: Kernel): void {
  const { app, db } = kernel
  for (const url of [OTP_START_PAGE, '/core/auth/profile/otp/enable/install-app/'])
    app.route({
      method: 'GET',
      url,
      config: {
        access: ['anonymous'],
        summary: 'Setting up an authenticator app: what it is',
        answers: 'html',
      },
      handler: async (request, reply) =>
        url !== OTP_START_PAGE || (await binderOf(kernel, request))
          ? sendPage(reply, 'login.html')
          : reply.redirect(LOGIN_PAGE),
    })
  app.route({
    method: 'GET',
    url: BIND_PAGE,
    config: {
      access: ['anonymous'],
      summary: 'Setting up an authenticator app: a new secret',
      answers: 'moved',
      answerStatus: 302,
    },
    handler: async (request, reply) => {
      const binder = await binderOf(kernel, request)
      if (!wantsJson(request)) return binder ? sendPage(reply, 'login.html') : reply.redirect(LOGIN_PAGE)
      reply.header('Cache-Control', 'no-store')
      if (!binder) throw refuse(request, 'session_empty', RUN_OUT)
      if ((await mfaChoices(kernel, binder.id)).includes('otp')) throw refuse(request, 'otp_bound', BOUND)
      await guardBinding(kernel, request)
      const secret = newOtpSecret()
      await keepSecret(kernel, binder, secret)
      return { secret, uri: otpUri(kernel, binder.username, secret) }
    },
  })
  app.route({
    method: 'POST',
    url: BIND_PAGE,
    config: {
      access: ['anonymous'],
      summary: 'Setting up an authenticator app: its first code',
      answers: 'moved',
      answerStatus: 302,
    },
    handler: async (request, reply) => {
      const binder = await binderOf(kernel, request)
      if (!binder) throw refuse(request, 'session_empty', RUN_OUT)
      await guardBinding(kernel, request)
      const read = bindBody.safeParse(request.body ?? {})
      const secret = await keptSecret(kernel, binder)
      if (!secret) throw refuse(request, 'session_empty', 'Reload the page and scan the code again')
      const answer = await db.transaction(async (inside) => {
        const bound = await bindOtp(kernel, inside, binder.id, secret, read.success ? read.data.otp_code : '')
        // Sessions that began without the second factor must sign in again with it.
        if (bound === 'ok') {
          await recordApp(kernel, inside, request.call, binder.id, 'set up')
          await endSignIns(inside, binder.id)
          await inside.delete(authenticationSession).where(eq(authenticationSession.id, binder.sessionId))
        }
        return bound
      })
      if (answer === 'bound') throw refuse(request, 'otp_bound', BOUND)
      if (answer === 'wrong')
        throw refuse(
          request,
          'mfa_failed',
          'The code is wrong: check the time of your phone, and take the code shown now',
        )
      await notifyOfApp(kernel, binder.id, 'set up', request.call.remoteAddress)
      await endSession(kernel, request, reply)
      return wantsJson(request) ? { next: LOGIN_PAGE } : reply.redirect(LOGIN_PAGE)
    },
  })
}

/** A finder of an open browser must not add a second factor of their own. */
async function guardBinding(kernel: Kernel, { call: { user, sessionId } }: FastifyRequest): Promise<void> {
  if (!user) return
  const person = await findUser(kernel.db, { id: user.id })
  if (person && (await isMfaDue(kernel, person))) await requireOwnFactor(kernel, user, sessionId)
}

const BOUND = 'An authenticator app is already set up'

async function keepSecret(kernel: Kernel, { sessionId }: Binder, secret: string): Promise<void> {
  const otp_secret = JSON.stringify(sealInJson(kernel.secrets, secret))
  await kernel.pool.query(
    `UPDATE authentication_session SET state = state || jsonb_build_object('otp_secret', $2::jsonb) WHERE id = $1`,
    [sessionId, otp_secret],
  )
}

async function keptSecret({ db, secrets }: Kernel, { sessionId }: Binder): Promise<string | undefined> {
  const [row] = await db
    .select({ state: authenticationSession.state })
    .from(authenticationSession)
    .where(eq(authenticationSession.id, sessionId))
  return (
    row?.state.otp_secret &&
    secrets.open('sign_in', `authenticator app that is set up in ${sessionId}`)(sealedBytes(row.state.otp_secret))
  )
}

function registerDisabling(kernel: Kernel): void {
  const { app, db } = kernel
  app.route({
    method: 'GET',
    url: '/core/auth/profile/mfa/',
    config: { access: ['authenticated'], page: true, summary: 'Page of my second factor', answers: 'html' },
    handler: async (request, reply) => {
      if (!wantsJson(request)) return sendPage(reply, 'login.html')
      const user = await findUser(db, { id: callerOf(request.call).id })
      if (!user) throw forbidden()
      const forced = await isMfaForced(kernel, db, user)
      return {
        enabled: forced || user.mfa_level > 0,
        forced,
        bound: user.otp_secret_sealed !== null,
        local: user.source === 'local',
        types: await shownFactors(kernel, request.call.language, user.id),
      }
    },
  })
  app.route({
    method: 'GET',
    url: DISABLE_PAGE,
    config: {
      access: ['authenticated'],
      page: true,
      summary: 'Page that takes the authenticator app off',
      answers: 'html',
    },
    handler: (_request, reply) => sendPage(reply, 'login.html'),
  })
  app.route({
    method: 'POST',
    url: DISABLE_PAGE,
    config: {
      access: ['authenticated'],
      summary: 'Take my authenticator app off',
      answers: 'moved',
      answerStatus: 302,
    },
    handler: async (request, reply) => {
      const { id, username } = callerOf(request.call)
      const { otp_code, password = '' } = disableBody.parse(request.body ?? {})
      const user = await findUser(db, { id })
      if (!user?.otp_secret_sealed) throw refuse(request, 'mfa_unset', 'No authenticator app is set up')
      // Both are asked for, and a wrong password counts like a wrong code, so that it is not
      // revealed which of them was wrong.
      const address = request.call.remoteAddress
      const proven = user.source !== 'local' || (await isPasswordOf(kernel, user, { password, username, address }))
      const refusal = await checkSecondFactor(kernel, signInClientOf(request), {
        user: { id, username },
        factor: 'otp',
        code: proven ? otp_code : '',
        holder: request.call.sessionId ?? '',
        address,
        type: 'W',
      })
      if (refusal) {
        const text =
          refusal.error === 'mfa_failed'
            ? translate(request.call.language, 'The password or the code is wrong')
            : refusal.message
        throw new AppError(400, refusal.error, text, { body: { error: refusal.error, msg: text } })
      }
      await db.transaction(async (inside) => {
        await unbindOtp(inside, id)
        await recordApp(kernel, inside, request.call, id, 'taken off')
        await endSignIns(inside, id)
      })
      await notifyOfApp(kernel, id, 'taken off', request.call.remoteAddress)
      await endSession(kernel, request, reply)
      return wantsJson(request) ? { next: LOGIN_PAGE } : reply.redirect(LOGIN_PAGE)
    },
  })
}
