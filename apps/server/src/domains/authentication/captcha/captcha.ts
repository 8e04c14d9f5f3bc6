import { randomInt } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { randomText } from '../../../kernel/access/random-secret.ts'
import { notFound } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { settingsOf } from '../../settings/index.ts'
import { failuresOf } from '../failures.ts'
import { sessionState, unfinishedSession } from '../session.ts'
import { takeState } from '../session-state.ts'
import { drawCaptcha } from './captcha-image.ts'

/**
 * Failures of a name from an address before it gets a captcha. Who mistypes once is not asked for
 * it, and nobody for what others at their address did (docs/compatibility.md).
 */
const FAILURES_BEFORE_CAPTCHA = 3
const KEY_LENGTH = 40

/**
 * The captcha of the page: the address of the picture, and the key that is sent back with the
 * answer.
 */
export interface OfferedCaptcha {
  key: string
  image_url: string
}

/** Whether sign-ins of this name from this address need a captcha. */
export async function isCaptchaDue(kernel: Kernel, username: string, address: string): Promise<boolean> {
  const settings = settingsOf(kernel)
  const other = settings.get('SECURITY_LOGIN_CHALLENGE_ENABLED') || settings.get('SECURITY_MFA_IN_LOGIN_PAGE')
  if (other || !settings.get('SECURITY_LOGIN_CAPTCHA_ENABLED')) return false
  return (await failuresOf(kernel.db, username, address)) >= FAILURES_BEFORE_CAPTCHA
}

/**
 * Makes a new sum for this browser's unfinished sign-in, which replaces the one before: however
 * many are asked for, one is stored.
 */
export async function offerCaptcha(
  kernel: Kernel,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<OfferedCaptcha> {
  const key = randomText(KEY_LENGTH)
  await unfinishedSession(kernel, request, reply, { captcha: { key, ...newSum() } })
  return { key, image_url: `/core/auth/captcha/image/${key}/` }
}

function newSum(): { question: string; answer: string } {
  const [first, second] = [randomInt(10, 40), randomInt(1, 10)]
  return randomInt(2)
    ? { question: `${first}+${second}=`, answer: `${first + second}` }
    : { question: `${first}-${second}=`, answer: `${first - second}` }
}

/**
 * Whether this is the answer to the sum that this browser was shown. Either way the sum is used up,
 * on every node.
 */
export async function takeCaptcha(
  kernel: Kernel,
  request: FastifyRequest,
  key: string,
  answer: string,
): Promise<boolean> {
  const shown = await takeState<{ answer: string }>(kernel, request.call.sessionId, 'captcha', {
    where: `user_id IS NULL AND state->'captcha'->>'key' = $3`,
    values: [key.replaceAll('\0', '')],
  })
  return shown?.answer === answer.trim()
}

/** Serves the picture, and makes a new one (docs/rules/authentication.md#login_page). */
export function registerCaptcha(kernel: Kernel): void {
  kernel.app.route({
    method: 'GET',
    url: '/core/auth/captcha/image/:key/',
    config: { access: ['anonymous'], summary: 'Picture of the sum that the sign-in page asks', answers: 'file' },
    handler: async (request, reply) => {
      const { captcha } = await sessionState(kernel, request)
      if (captcha?.key !== (request.params as { key: string }).key) throw notFound()
      return reply.header('Cache-Control', 'no-store').type('image/png').send(drawCaptcha(captcha.question))
    },
  })
  kernel.app.route({
    method: 'GET',
    url: '/core/auth/captcha/refresh/',
    config: {
      access: ['anonymous'],
      summary: 'Another sum for the sign-in page',
      answers: { fields: plainFields({ key: 'string', image_url: 'string' }) },
    },
    handler: async (request, reply) => {
      // A signed-in browser needs no captcha, and must not have its session replaced by an
      // unfinished one.
      if (request.call.via === 'session') throw notFound()
      reply.header('Cache-Control', 'no-store')
      return offerCaptcha(kernel, request, reply)
    },
  })
}
