import { sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ANYWHERE } from '../../../kernel/access/limited-key.ts'
import { hashKey, randomText } from '../../../kernel/access/random-secret.ts'
import { AppError } from '../../../kernel/errors/app-error.ts'
import { userAgentOf } from '../../../kernel/http/client-name.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { formatDateTime } from '../../../kernel/resource/datetime.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { settingsOf } from '../../settings/index.ts'
import { profileOf } from '../../users/profile/index.ts'
import { signInBegunInBrowser } from '../browser-sign-in/index.ts'
import { noCodeText, typedChoices } from '../factors/index.ts'
import { CHALLENGE_URL } from '../second-factor/mfa.ts'
import { confirmAnswer, ticketOf } from '../sign-in/login-confirm.ts'
import { claimPending, type PendingSignIn, pendingSignIn, rememberProven } from '../sign-in/pending-sign-in.ts'
import {
  checkSignIn,
  dueOf,
  finishSignIn,
  loginTypeOf,
  type SignInAnswer,
  type SignInAttempt,
  signInClientOf,
} from '../sign-in/sign-in.ts'
import { authenticationBearerToken } from '../tables.ts'

const TOKEN_LENGTH = 36

const text = z.string().max(8192).nullish()
const body = z.object({
  username: z.string().max(128).nullish(),
  password: text,
  public_key: text,
  remote_addr: z.string().max(64).optional(),
  challenge: z.string().max(128).optional(),
  /** Id of a sign-in that was begun for a browser, in place of a password. */
  browser_sign_in: z.guid().optional(),
})

const ISSUED = plainFields({ token: 'string', keyword: 'string', date_expired: 'datetime', user: 'object' })

/**
 * POST /api/v1/authentication/tokens/ and its alias (docs/rules/authentication.md#bearer_token).
 */
export function registerBearerTokens(kernel: Kernel): void {
  for (const url of ['/api/v1/authentication/tokens/', '/api/v1/authentication/auth/']) {
    kernel.app.route({
      method: 'POST',
      url,
      config: {
        access: ['anonymous'],
        withoutCsrf: 'same_origin',
        summary: 'Sign in for a bearer token',
        takes: body,
        answers: { fields: ISSUED },
        answerStatus: 201,
      },
      handler: async (request, reply) => {
        const fail = (error: string, msg: string, more: object = {}) =>
          new AppError(400, error, msg, { body: { error, msg, ...more } })
        const read = body.safeParse(request.body ?? {})
        // The call is repeated after each further step: name and password were right, need not be
        // sent again, and are not checked again.
        const pending = await pendingSignIn(kernel, request)
        const username = (read.data?.username || pending?.username) ?? ''
        if (!read.success || !username)
          throw fail('invalid', translate(request.call.language, 'Enter your username and password'))
        const { password, public_key, remote_addr, challenge = '', browser_sign_in: id } = read.data
        // A public key is no secret: only a component, which has seen its private half proven, may
        // sign people in by it. Only a component may name another client address, too: others could
        // dodge the lock by it.
        const trusted = request.call.user?.role === 'App'
        const from = {
          address: trusted && remote_addr ? remote_addr : request.call.remoteAddress,
          type: loginTypeOf(request),
        }
        const isRepeated = !read.data.username || pending?.mfa || pending?.ticket
        const goesOn = isRepeated && pending?.username === username ? pending : undefined
        const begun = id && { id, username, address: from.address }
        const answer = goesOn
          ? await goOn(kernel, request, from, goesOn)
          : begun
            ? await signInBegunInBrowser(kernel, signInClientOf(request), begun)
            : await checkSignIn(kernel, signInClientOf(request), {
                username,
                ...(public_key && trusted ? { publicKey: public_key } : { password: (password ?? '') + challenge }),
                ...from,
              })
        if ('due' in answer) {
          const { due, proven } = answer
          const choices = due.step === 'mfa' ? typedChoices(due.choices) : []
          if (due.step === 'mfa' && !choices.length) {
            const text = noCodeText(due.choices)
            throw new AppError(400, 'mfa_unset', text, { body: { error: translate(request.call.language, text) } })
          }
          const remembered = goesOn ?? (await rememberProven(kernel, request, reply, proven))
          if (due.step === 'confirm') {
            const ticket = await ticketOf(kernel, remembered, from.address, due.reviewers)
            return confirmAnswer(kernel, request, { ...remembered, ticket: ticket.id }, from.address)
          }
          const msg = translate(request.call.language, 'MFA is required')
          return { error: 'mfa_required', msg, data: { choices, url: CHALLENGE_URL } }
        }
        if ('error' in answer) {
          const { error: code, message: detail, url } = answer
          if (url) throw new AppError(400, code, detail, { body: { error: detail, detail, code, url } })
          throw fail(code, detail)
        }
        const { token, expired } = await issueToken(kernel, answer.user, request)
        const call = { ...request.call, user: answer.user }
        reply.status(201)
        return {
          token,
          keyword: 'Bearer',
          date_expired: formatDateTime(expired, call.timeZone),
          user: await profileOf(kernel, call),
        }
      },
    })
  }
}

type From = Pick<SignInAttempt, 'address' | 'type'>

/**
 * Takes the next step of a pending sign-in, or finishes it. One of simultaneous calls gets the
 * token.
 */
async function goOn(
  kernel: Kernel,
  request: FastifyRequest,
  from: From,
  pending: PendingSignIn,
): Promise<SignInAnswer> {
  // From here on an approval counts.
  if (pending.ticket && !('error' in (await confirmAnswer(kernel, request, pending, from.address))))
    pending.confirmed = from.address
  const due = await dueOf(kernel, pending, from.address)
  if (due) return { proven: pending, due }
  if (!(await claimPending(kernel, pending)))
    return {
      error: 'session_empty',
      message: translate(request.call.language, 'The sign-in took too long, please start again'),
    }
  return finishSignIn(kernel, signInClientOf(request), from, pending)
}

/**
 * The same person calling from the same address keeps their token, with its life renewed and known
 * by the sign-in that it was issued for.
 */
async function issueToken(
  kernel: Kernel,
  { id: userId, signInId }: { id: string; signInId: string },
  request: FastifyRequest,
): Promise<{ token: string; expired: Date }> {
  const fresh = randomText(TOKEN_LENGTH)
  const seconds = settingsOf(kernel).get('TOKEN_EXPIRATION')
  const table = authenticationBearerToken
  const keep = sql`${table.date_expired} > now() AND ${table.ip_group} = excluded.ip_group`
  const [row] = await kernel.db
    .insert(table)
    .values({
      id: signInId,
      token_hash: hashKey(fresh),
      token_sealed: kernel.secrets.seal(fresh),
      user_id: userId,
      remote_addr: request.ip,
      user_agent: userAgentOf(request),
      date_expired: sql`now() + make_interval(secs => ${seconds})`,
      ip_group: [...(request.call.keyAddresses ?? [ANYWHERE])],
    })
    .onConflictDoUpdate({
      target: [table.user_id, table.remote_addr],
      set: {
        token_hash: sql`CASE WHEN ${keep} THEN ${table.token_hash} ELSE excluded.token_hash END`,
        token_sealed: sql`CASE WHEN ${keep} THEN ${table.token_sealed} ELSE excluded.token_sealed END`,
        id: sql`CASE WHEN ${keep} THEN ${table.id} ELSE excluded.id END`,
        date_created: sql`CASE WHEN ${keep} THEN ${table.date_created} ELSE now() END`,
        user_agent: sql`excluded.user_agent`,
        date_last_seen: sql`now()`,
        date_expired: sql`excluded.date_expired`,
        ip_group: sql`excluded.ip_group`,
      },
    })
    .returning({ sealed: table.token_sealed, expired: table.date_expired })
  if (!row) throw new Error('the token was not stored')
  return { token: kernel.secrets.open('sign_in', `token of ${userId}`)(row.sealed), expired: row.expired }
}
