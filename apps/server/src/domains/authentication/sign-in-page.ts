import { constants, createPrivateKey, generateKeyPair, privateDecrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { WIRE } from '@sallyport/contract/constants.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { sendPage } from '../../kernel/http/console-files.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { singleValues } from '../../kernel/resource/query.ts'
import { sealedBytes, sealInJson } from '../../kernel/secrets/sealed-json.ts'
import { extendPublicSettings, settingsOf } from '../settings/index.ts'
import { isCaptchaDue, type OfferedCaptcha, offerCaptcha, takeCaptcha } from './captcha/captcha.ts'
import { type ShownFactor, shownFactors } from './factors/present.ts'
import { flash } from './flash-message.ts'
import { loginMethods, loginRedirect } from './login-methods.ts'
import { type LoginPageFacts, loginPageFacts } from './login-page-facts.ts'
import { LOCAL_LOGIN_PAGE } from './login-pages.ts'
import { safeNext } from './next-address.ts'
import { usableFactor } from './second-factor/mfa.ts'
import { checkSecondFactor } from './second-factor/second-factor.ts'
import { sessionState, setCsrfCookie, startSession, unfinishedSession } from './session.ts'
import { GUARD, pageOf } from './sign-in/login-guard.ts'
import { rememberProven } from './sign-in/pending-sign-in.ts'
import { checkSignIn, visitorOf } from './sign-in/sign-in.ts'

const body = z.object({
  username: z.string().trim().min(1).max(100),
  password: z.string().min(1).max(8192),
  auto_login: z.union([z.boolean(), z.string()]).optional(),
  next: z.string().optional(),
  challenge: z.string().max(128).optional(),
  mfa_type: z.string().max(128).optional(),
  code: z.string().max(128).optional(),
  captcha_0: z.string().max(128).optional(),
  captcha_1: z.string().max(128).optional(),
})

/** The one block beside name and password (contract/authentication.yaml `login_page`). */
interface LoginForm extends LoginPageFacts {
  extra: 'challenge' | 'mfa' | 'captcha' | ''
  /** Ways of proving a second factor. */
  types?: ShownFactor[]
  captcha?: OfferedCaptcha
}

const makeKeyPair = promisify(generateKeyPair)
/**
 * 2048 bits: the sheet's 1024 are too few today, and clients take whatever key the page gives them.
 */
const TRANSPORT_KEY_BITS = 2048
const TRANSPORT_KEY_MS = 60_000

/** GET and POST /core/auth/login/, and its key (contract/authentication.yaml `login_page`). */
export function registerSignInPage(kernel: Kernel): void {
  const { app } = kernel
  const newTransportKey = transportKeys(kernel)
  app.route({
    method: 'GET',
    url: '/core/auth/login/',
    config: { access: ['anonymous'], summary: 'Sign-in page' },
    handler: async (request, reply) => {
      if (request.call.user) return reply.redirect(safeNext(singleValues(request.query).next))
      setCsrfCookie(request, reply)
      if (!wantsJson(request)) {
        const { admin, next } = singleValues(request.query)
        const settings = settingsOf(kernel)
        const provider = admin === '1' ? undefined : loginRedirect(settings)
        if (!provider) return sendPage(reply, 'login.html')
        const then = `next=${encodeURIComponent(safeNext(next))}`
        const to = `${provider.url}?${then}`
        if (!settings.get('LOGIN_REDIRECT_MSG_ENABLED')) return reply.redirect(to)
        return flash(kernel, reply, {
          title: 'Sign in',
          text: 'You are taken to {{name}} to sign in. Cancel to use a password instead.',
          values: { name: provider.name },
          to,
          cancel: `${LOCAL_LOGIN_PAGE}&${then}`,
        })
      }
      reply.header('Cache-Control', 'no-store')
      return { ...(await formOf(kernel, request, reply)), ...(await takeRefusal(kernel, request)) }
    },
  })
  app.route({
    method: 'GET',
    url: '/core/auth/login/key/',
    config: { access: ['anonymous'], summary: 'Key that the sign-in page encrypts the password with' },
    handler: async (request, reply) => ({ public_key: await newTransportKey(request, reply) }),
  })
  app.route({
    method: 'POST',
    url: '/core/auth/login/',
    // A foreign page must not sign people in to an account of its choice. Old forms carry their
    // token in the body, hence no header is asked for.
    config: { access: ['anonymous'], withoutCsrf: 'same_origin', summary: 'Sign in on a browser' },
    handler: async (request, reply) => {
      const json = wantsJson(request)
      const read = body.safeParse(request.body ?? {})
      const fail = async (error: string, msg: string, more: object = {}) => {
        if (json) return reply.status(400).send({ error, msg, ...more, form: await formOf(kernel, request, reply) })
        // A form without scripts: the page that it is answered with asks for the words.
        await unfinishedSession(kernel, request, reply, { refusal: msg })
        return sendPage(reply, 'login.html')
      }
      // Set by the page: a browser that keeps none would come back here again and again. Programs
      // do without.
      if (request.headers['sec-fetch-site'] && !request.cookies[WIRE.csrfCookie])
        return fail(
          'cookies_blocked',
          translate(request.call.language, 'Your browser keeps no cookies: allow them for this site, then sign in'),
        )
      if (!read.success) return fail('invalid', translate(request.call.language, 'Enter your username and password'))
      const { username, auto_login, next } = read.data
      const address = request.call.remoteAddress
      // Before the password is looked at: whoever has not solved the sum learns nothing.
      if (await isCaptchaDue(kernel, address)) {
        const { captcha_0 = '', captcha_1 = '' } = read.data
        if (!(await takeCaptcha(kernel, request, captcha_0, captcha_1)))
          return fail('captcha_invalid', translate(request.call.language, CAPTCHA_TEXT[captcha_1 ? 'wrong' : 'due']), {
            field: 'captcha',
          })
      }
      const answer = await checkSignIn(kernel, visitorOf(request), {
        username,
        password: await typedPassword(kernel, request, read.data),
        address,
        type: 'W',
      })
      if ('error' in answer) {
        if (answer.url && !json) return reply.redirect(answer.url)
        return fail(answer.error, answer.message, answer.url ? { url: answer.url } : {})
      }
      const remember = auto_login === true || auto_login === 'true' || auto_login === 'on'
      const target = safeNext(next ?? singleValues(request.query).next)
      if ('due' in answer) {
        const { due, proven } = answer
        if (
          due.step === 'mfa' &&
          due.choices.length &&
          read.data.code &&
          settingsOf(kernel).get('SECURITY_MFA_IN_LOGIN_PAGE')
        ) {
          const user = { id: proven.user_id, username: proven.username }
          const factor = await usableFactor(kernel, user.id, read.data.mfa_type)
          if (!factor)
            return fail('mfa_failed', translate(request.call.language, 'This way of proving who you are is not set up'))
          const attempt = {
            user,
            factor,
            code: read.data.code.trim(),
            holder: request.call.sessionId ?? '',
            address,
            type: 'W' as const,
          }
          const refusal = await checkSecondFactor(kernel, visitorOf(request), attempt)
          if (refusal) return fail(refusal.error, refusal.message)
          proven.mfa = true
        }
        await rememberProven(kernel, request, reply, { ...proven, remember, next: target })
        const step = proven.mfa ? GUARD : pageOf(due)
        return json ? { next: step } : reply.redirect(step)
      }
      await startSession(kernel, request, reply, answer.user.id, remember)
      return json ? { next: target } : reply.redirect(target)
    },
  })
  extendPublicSettings(kernel, () => ({ LOGIN_METHODS: loginMethods(settingsOf(kernel)) }))
}

/** Why a provider's sign-in was refused; told once. */
async function takeRefusal({ pool }: Kernel, { call }: FastifyRequest): Promise<{ refusal?: string }> {
  if (!call.sessionId) return {}
  const { rows } = await pool.query<{ refusal: string }>(
    `UPDATE authentication_session SET state = state - 'refusal' WHERE id = $1 AND state ? 'refusal' RETURNING old.state->>'refusal' AS refusal`,
    [call.sessionId],
  )
  return rows[0] ?? {}
}

const wantsJson = (request: FastifyRequest) => String(request.headers.accept ?? '').includes('application/json')

const CAPTCHA_TEXT = {
  due: 'Solve the sum in the picture, then sign in',
  wrong: 'The sum was not right, here is another',
}

async function formOf(kernel: Kernel, request: FastifyRequest, reply: FastifyReply): Promise<LoginForm> {
  const settings = settingsOf(kernel)
  const facts = loginPageFacts(settings)
  if (settings.get('SECURITY_LOGIN_CHALLENGE_ENABLED')) return { ...facts, extra: 'challenge' }
  if (settings.get('SECURITY_MFA_IN_LOGIN_PAGE'))
    return { ...facts, extra: 'mfa', types: await shownFactors(kernel, request.call.language) }
  if (!(await isCaptchaDue(kernel, request.call.remoteAddress))) return { ...facts, extra: '' }
  return { ...facts, extra: 'captcha', captcha: await offerCaptcha(kernel, request, reply) }
}

/** The password with the dynamic code, where the page asks for one. */
async function typedPassword(
  kernel: Kernel,
  request: FastifyRequest,
  sent: z.infer<typeof body>,
): Promise<string | null> {
  const password = await readPassword(kernel, request, sent.password)
  if (password === null || !settingsOf(kernel).get('SECURITY_LOGIN_CHALLENGE_ENABLED')) return password
  return password + (sent.challenge ?? '')
}

interface TransportKey {
  publicKey: string
  privateKey: string
}

/**
 * Gives each unfinished session a pair to send the password with; the private half stays sealed in
 * the session. A pair is made at most once a minute, since making one is slow and anybody may ask.
 */
function transportKeys(kernel: Kernel) {
  let current: Promise<TransportKey> | undefined
  let madeAt = 0
  return async (request: FastifyRequest, reply: FastifyReply): Promise<string> => {
    if (!current || Date.now() - madeAt > TRANSPORT_KEY_MS) {
      madeAt = Date.now()
      current = makeTransportKey()
      current.catch(() => (current = undefined))
    }
    const { publicKey, privateKey } = await current
    await unfinishedSession(kernel, request, reply, { transport_key: sealInJson(kernel.secrets, privateKey) })
    return publicKey
  }
}

function makeTransportKey(): Promise<TransportKey> {
  return makeKeyPair('rsa', {
    modulusLength: TRANSPORT_KEY_BITS,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
}

/**
 * The password as typed: decrypted when this session has a key, else taken as it is; null when it
 * can't be decrypted.
 */
async function readPassword(kernel: Kernel, request: FastifyRequest, password: string): Promise<string | null> {
  const { transport_key } = await sessionState(kernel, request)
  if (!transport_key) return password
  const key = createPrivateKey(kernel.secrets.open('sign_in', 'password on its way')(sealedBytes(transport_key)))
  const sealed = Buffer.from(password, 'base64')
  // Not sealed with any key of ours. Some pages leave out zeros at the beginning.
  const missing = TRANSPORT_KEY_BITS / 8 - sealed.length
  if (missing < 0 || missing > 8) return null
  // The console seals with OAEP; pages of existing clients know only PKCS#1 v1.5, which OpenSSL
  // answers with noise when it does not fit: no oracle.
  for (const padding of [
    { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' },
    { padding: constants.RSA_PKCS1_PADDING },
  ]) {
    try {
      return privateDecrypt({ key, ...padding }, sealed).toString('utf8')
    } catch {
      // The next padding, or nothing that can be read.
    }
  }
  return null
}
