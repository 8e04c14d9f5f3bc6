import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { callerOf } from '../../../kernel/access/call.ts'
import { refuseLimited } from '../../../kernel/access/limited-key.ts'
import { AppError, invalid, notFound, refused } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { formatDateTime } from '../../../kernel/resource/datetime.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { findUser } from '../../users/index.ts'
import { mfaChoices } from '../factors/index.ts'
import { browserOf } from '../second-factor/browser-of.ts'
import { hasFreshMfa } from '../second-factor/fresh-mfa.ts'
import { signInClientOf } from '../sign-in/sign-in.ts'
import { holdConfirmation, holdHours } from './hold.ts'
import { beginInBrowser, TOO_MANY, takesBrowser } from './sign-in.ts'
import { answerBrowserSignIn, type BrowserSignIn, browserSignInOf, codeIn } from './stored.ts'

const LIST = '/api/v1/authentication/browser-sign-ins/'
const PATH = `${LIST}:code/`
const access = ['authenticated'] as const
/** `hold`: for the client's key at its address, as long as the setting allows. */
const confirmBody = z.object({ hold: z.boolean().optional() })

const begun = z.object({ username: z.string().min(1).max(128) })
const BEGUN = plainFields({ id: 'uuid', code: 'string', url: 'url', expires_in: 'integer' })
const WAITING = plainFields({
  username: 'string',
  remote_addr: 'string',
  program: 'string',
  state: 'string',
  is_same_address: 'boolean',
  browser_addr: 'string',
  key_fingerprint: 'string',
  hold_hours: 'integer',
  date_created: 'datetime',
  date_expired: 'datetime',
})
const ANSWERED = plainFields({ state: 'string' })

/**
 * Calls of the page on which a person confirms that a client without a browser is theirs
 * (docs/rules/authentication.md#browser_sign_in). In browsers only; codes of other people's
 * sign-ins are unknown.
 */
export function registerBrowserSignIn(kernel: Kernel): void {
  const { app } = kernel
  app.route({
    method: 'POST',
    url: LIST,
    config: {
      access: ['anonymous'],
      withoutCsrf: 'same_origin',
      summary: 'Begin to sign in with a browser in which the person is signed in',
      takes: begun,
      answers: { fields: BEGUN },
      answerStatus: 201,
    },
    handler: async (request, reply) => {
      // A caller with a limited key would come back without its limits.
      refuseLimited(request.call)
      const { username } = begun.parse(request.body ?? {})
      if (!takesBrowser(kernel)) throw refused('browser_sign_in_off', 'Signing in in the browser is switched off')
      const address = request.call.remoteAddress
      const answer = await beginInBrowser(kernel, signInClientOf(request), { username, address })
      if (!answer) throw new AppError(429, 'too_many_requests', TOO_MANY)
      reply.status(201).header('Cache-Control', 'no-store')
      return answer
    },
  })
  app.route({
    method: 'GET',
    url: PATH,
    config: { access, summary: 'A sign-in of mine that waits for this browser', answers: { fields: WAITING } },
    handler: async (request, reply) => {
      reply.header('Cache-Control', 'no-store')
      const found = await ownOf(kernel, request)
      const { username, remote_addr, program, key_fingerprint, state, date_created, date_expired } = found
      const { timeZone, remoteAddress } = request.call
      return {
        username,
        remote_addr,
        program,
        state,
        /** Another address is what a stranger's sign-in has; a VPN has it, too. */
        is_same_address: remote_addr === remoteAddress,
        browser_addr: remoteAddress,
        key_fingerprint: key_fingerprint ?? '',
        /** For so many hours it can hold for that key; 0 where it can't. */
        hold_hours: key_fingerprint ? holdHours(kernel) : 0,
        date_created: formatDateTime(date_created, timeZone),
        date_expired: formatDateTime(date_expired, timeZone),
      }
    },
  })
  app.route({
    method: 'POST',
    url: `${PATH}confirm/`,
    config: {
      access,
      summary: 'Confirm that a sign-in is mine',
      takes: confirmBody,
      answers: { fields: ANSWERED },
    },
    handler: async (request) => {
      const { hold = false } = confirmBody.parse(request.body ?? {})
      const { id, key_fingerprint } = await ownOf(kernel, request)
      const hours = hold ? holdHours(kernel) : 0
      if (hold && !(hours && key_fingerprint)) throw invalid({ hold: 'This confirmation cannot hold' })
      const mfa = await hasFreshMfa(kernel, request.call.sessionId)
      if (!mfa && (await mfaChoices(kernel, callerOf(request.call).id)).length)
        throw new AppError(400, 'mfa_verify_required', 'Verify MFA first')
      return answer(kernel, request, id, { state: 'confirmed', mfa, hours })
    },
  })
  app.route({
    method: 'POST',
    url: `${PATH}refuse/`,
    config: { access, summary: 'Refuse a sign-in that is not mine', answers: { fields: ANSWERED } },
    handler: async (request) =>
      answer(kernel, request, (await ownOf(kernel, request)).id, { state: 'refused', mfa: false, hours: 0 }),
  })
}

/** The sign-in of the address' code, if it is the caller's; throws 404 otherwise. */
async function ownOf(kernel: Kernel, request: FastifyRequest): Promise<BrowserSignIn> {
  browserOf(request)
  const code = codeIn((request.params as { code: string }).code)
  const found = code && takesBrowser(kernel) ? await browserSignInOf(kernel, code) : undefined
  const person = found && (await findUser(kernel.db, { username: found.username }))
  if (!found || person?.id !== callerOf(request.call).id) throw notFound()
  return found
}

async function answer(
  kernel: Kernel,
  request: FastifyRequest,
  id: string,
  { state, mfa, hours }: { state: 'confirmed' | 'refused'; mfa: boolean; hours: number },
): Promise<{ state: typeof state }> {
  const { call } = request
  const sessionId = browserOf(request)
  await kernel.db.transaction(async (db) => {
    if (!(await answerBrowserSignIn(db, id, { state, userId: callerOf(call).id, sessionId, mfa })))
      throw refused('browser_sign_in_over', 'This sign-in was answered before, or has expired: start it again')
    if (hours) await holdConfirmation(kernel, db, call, { id, sessionId, hours })
  })
  return { state }
}
