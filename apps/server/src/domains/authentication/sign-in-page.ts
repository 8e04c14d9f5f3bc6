import { WIRE } from '@sallyport/contract/constants.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { sendPage } from '../../kernel/http/console-files.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { plainFields } from '../../kernel/resource/plain-fields.ts'
import { singleValues } from '../../kernel/resource/query.ts'
import { extendPublicSettings, settingsOf } from '../settings/index.ts'
import { isCaptchaDue, type OfferedCaptcha, offerCaptcha, takeCaptcha } from './captcha/captcha.ts'
import { type DemoAccount, demoAccountsFor } from './demo-accounts.ts'
import { type ShownFactor, shownFactors } from './factors/present.ts'
import { flash } from './flash-message.ts'
import { loginMethods, loginRedirect } from './login-methods.ts'
import { type LoginPageFacts, loginPageFacts } from './login-page-facts.ts'
import { LOCAL_LOGIN_PAGE } from './login-pages.ts'
import { safeNext } from './next-address.ts'
import { readPassword, transportKeys } from './password-transport.ts'
import { usableFactor } from './second-factor/mfa.ts'
import { checkSecondFactor } from './second-factor/second-factor.ts'
import { setCsrfCookie, unfinishedSession } from './session.ts'
import { takeState } from './session-state.ts'
import { goOn } from './sign-in/go-on.ts'
import { checkSignIn, signInClientOf } from './sign-in/sign-in.ts'
import type { ProvenSignIn } from './tables.ts'

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

type Form = z.infer<typeof body>

/**
 * The form, with the one block besides name and password (docs/rules/authentication.md#login_page).
 */
interface LoginForm extends LoginPageFacts {
  /** In a demo: people that a visitor may sign in as. */
  demo_accounts?: readonly DemoAccount[]
  extra: 'challenge' | 'mfa' | 'captcha' | ''
  /** The second factors that can be typed. */
  types?: ShownFactor[]
  captcha?: OfferedCaptcha
}

/** GET and POST /core/auth/login/, and its key (docs/rules/authentication.md#login_page). */
export function registerSignInPage(kernel: Kernel): void {
  const { app } = kernel
  const newTransportKey = transportKeys(kernel)
  app.route({
    method: 'GET',
    url: '/core/auth/login/',
    config: { access: ['anonymous'], summary: 'Sign-in page', answers: 'html' },
    handler: async (request, reply) => {
      if (request.call.user) return reply.redirect(safeNext(singleValues(request.query).next))
      setCsrfCookie(request, reply)
      if (!wantsJson(request)) return showPage(kernel, request, reply)
      reply.header('Cache-Control', 'no-store')
      return { ...(await formOf(kernel, request, reply)), ...(await takeRefusal(kernel, request)) }
    },
  })
  app.route({
    method: 'GET',
    url: '/core/auth/login/key/',
    config: {
      access: ['anonymous'],
      summary: 'Key that the sign-in page encrypts the password with',
      answers: { fields: plainFields({ public_key: 'string' }) },
    },
    handler: async (request, reply) => ({ public_key: await newTransportKey(request, reply) }),
  })
  app.route({
    method: 'POST',
    url: '/core/auth/login/',
    // A foreign page must not sign people in to an account of its choice. Old forms send their
    // token in the body, so the same origin is asked for instead of a header.
    config: { access: ['anonymous'], withoutCsrf: 'same_origin', summary: 'Sign in on a browser', answers: 'html' },
    handler: (request, reply) => signIn(kernel, request, reply),
  })
  extendPublicSettings(kernel, async () => ({ LOGIN_METHODS: await loginMethods(kernel) }))
}

/** The page, or a redirect to the provider that people sign in with. */
async function showPage(kernel: Kernel, request: FastifyRequest, reply: FastifyReply) {
  const { admin, next } = singleValues(request.query)
  const settings = settingsOf(kernel)
  const provider = admin === '1' ? undefined : await loginRedirect(kernel)
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

/** The fault of a sign-in. */
interface SignInError {
  error: string
  msg: string
  /** The input that the message belongs to. */
  field?: string
  /** Where to go on for a forced password change. */
  url?: string
}

/** Takes the form: starts a session, or remembers what is proven and sends on to what is due. */
async function signIn(kernel: Kernel, request: FastifyRequest, reply: FastifyReply) {
  const fail = (error: SignInError, username = '') => refuse(kernel, request, reply, error, username)
  const sendOn = (to: string) => (wantsJson(request) ? { next: to } : reply.redirect(to))
  const { language, remoteAddress: address } = request.call
  // The page sets this cookie: a browser that rejects it would come back here again and again.
  // Programs do without it.
  if (request.headers['sec-fetch-site'] && !request.cookies[WIRE.csrfCookie])
    return fail({
      error: 'cookies_blocked',
      msg: translate(language, 'Your browser blocks cookies: allow them for this site, then sign in'),
    })
  const read = body.safeParse(request.body ?? {})
  if (!read.success) return fail({ error: 'invalid', msg: translate(language, 'Enter your username and password') })
  const form = read.data
  // Checked before the password: a client that has not solved the sum learns nothing.
  const unsolved = await captchaError(kernel, request, form)
  if (unsolved) return fail(unsolved, form.username)
  const password = await typedPassword(kernel, request, form)
  const attempt = { username: form.username, password, address, type: 'W' as const }
  const answer = await checkSignIn(kernel, signInClientOf(request), attempt)
  if ('error' in answer) {
    const { error, message: msg, url } = answer
    if (url && !wantsJson(request)) return reply.redirect(url)
    return fail({ error, msg, ...(url ? { url } : {}) }, form.username)
  }
  const remember = form.auto_login === true || form.auto_login === 'true' || form.auto_login === 'on'
  const next = safeNext(form.next ?? singleValues(request.query).next)
  if ('due' in answer && answer.due.step === 'mfa' && answer.due.choices.length) {
    const wrongCode = await takeCode(kernel, request, answer.proven, form)
    if (wrongCode) return fail(wrongCode, form.username)
  }
  return sendOn(await goOn(kernel, request, reply, answer, { remember, next }))
}

/**
 * Scripts get a 400 with a new form; forms without scripts the page, which then asks for the
 * reason.
 */
async function refuse(
  kernel: Kernel,
  request: FastifyRequest,
  reply: FastifyReply,
  error: SignInError,
  username: string,
) {
  if (wantsJson(request))
    return reply.status(400).send({ ...error, form: await formOf(kernel, request, reply, username) })
  await unfinishedSession(kernel, request, reply, { refusal: error.msg })
  return sendPage(reply, 'login.html')
}

async function captchaError(kernel: Kernel, request: FastifyRequest, form: Form): Promise<SignInError | undefined> {
  const { language, remoteAddress } = request.call
  if (!(await isCaptchaDue(kernel, form.username, remoteAddress))) return undefined
  const { captcha_0 = '', captcha_1 = '' } = form
  if (await takeCaptcha(kernel, request, captcha_0, captcha_1)) return undefined
  const msg = translate(language, CAPTCHA_TEXT[captcha_1 ? 'wrong' : 'due'])
  return { error: 'captcha_invalid', msg, field: 'captcha' }
}

/**
 * Checks the second factor that was typed beside the password, where the page offers that, and
 * marks it proven. Answers what was wrong with it.
 */
async function takeCode(
  kernel: Kernel,
  request: FastifyRequest,
  proven: ProvenSignIn,
  { code, mfa_type }: Form,
): Promise<SignInError | undefined> {
  if (!code || !settingsOf(kernel).get('SECURITY_MFA_IN_LOGIN_PAGE')) return undefined
  const { language, sessionId, remoteAddress: address } = request.call
  const user = { id: proven.user_id, username: proven.username }
  const factor = await usableFactor(kernel, user.id, mfa_type)
  if (!factor) return { error: 'mfa_failed', msg: translate(language, 'This verification method is not set up') }
  const attempt = { user, factor, code: code.trim(), holder: sessionId ?? '', address, type: 'W' as const }
  const refusal = await checkSecondFactor(kernel, signInClientOf(request), attempt)
  if (refusal) return { error: refusal.error, msg: refusal.message }
  proven.mfa = true
  return undefined
}

/** Why a provider's sign-in was refused; answered once. */
async function takeRefusal(kernel: Kernel, { call }: FastifyRequest): Promise<{ refusal?: string }> {
  const refusal = await takeState<string>(kernel, call.sessionId, 'refusal')
  return refusal === undefined ? {} : { refusal }
}

const wantsJson = (request: FastifyRequest) => String(request.headers.accept ?? '').includes('application/json')

const CAPTCHA_TEXT = {
  due: 'Solve the sum in the picture, then sign in',
  wrong: 'That was not right, here is another sum',
}

/** The questions of the form; before a name was sent, no captcha. */
async function formOf(kernel: Kernel, request: FastifyRequest, reply: FastifyReply, username = ''): Promise<LoginForm> {
  const settings = settingsOf(kernel)
  const facts = { ...(await loginPageFacts(kernel)), ...demoAccountsFor(kernel, request.call) }
  if (settings.get('SECURITY_LOGIN_CHALLENGE_ENABLED')) return { ...facts, extra: 'challenge' }
  if (settings.get('SECURITY_MFA_IN_LOGIN_PAGE'))
    return { ...facts, extra: 'mfa', types: await shownFactors(kernel, request.call.language) }
  if (!username || !(await isCaptchaDue(kernel, username, request.call.remoteAddress))) return { ...facts, extra: '' }
  return { ...facts, extra: 'captcha', captcha: await offerCaptcha(kernel, request, reply) }
}

/** The password followed by the dynamic code, where the page asks for one. */
async function typedPassword(kernel: Kernel, request: FastifyRequest, sent: Form): Promise<string | null> {
  const password = await readPassword(kernel, request, sent.password)
  if (password === null || !settingsOf(kernel).get('SECURITY_LOGIN_CHALLENGE_ENABLED')) return password
  return password + (sent.challenge ?? '')
}
