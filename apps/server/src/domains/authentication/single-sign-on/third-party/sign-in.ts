import { eq } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { singleValues } from '../../../../kernel/resource/query.ts'
import { type Messenger, messengers } from '../../../notifications/index.ts'
import { usersPerson } from '../../../users/index.ts'
import { LOCAL_LOGIN_PAGE } from '../../login-pages.ts'
import { HOME, safeNext } from '../../next-address.ts'
import { createSession, startSession, UNFINISHED_SECONDS } from '../../session.ts'
import { pageOf } from '../../sign-in/login-guard.ts'
import { rememberProven } from '../../sign-in/pending-sign-in.ts'
import { admitProven, signInClientOf } from '../../sign-in/sign-in.ts'
import type { QrCodeStart } from '../../tables.ts'
import { readDepartments } from './departments.ts'
import { signInPage } from './paths.ts'
import { fits, isOn, newState, qrCodePage, scannedId, TEXT, takeStart, tell } from './qr-code.ts'

const NOT_BOUND =
  'This account of {{name}} is bound to nobody here. Sign in with your password and bind it on your profile first.'

/**
 * Sign-in by a messenger's QR code, for people who have bound it
 * (docs/rules/authentication.md#third_party_binding).
 */
export function registerQrCodeSignIn(kernel: Kernel): void {
  for (const messenger of messengers) {
    const url = signInPage(messenger.name)
    kernel.app.route({
      method: 'GET',
      url,
      config: {
        access: ['anonymous'],
        summary: `To the QR code of ${messenger.title}, to sign in`,
        answers: 'moved',
        answerStatus: 302,
      },
      handler: async (request, reply) => {
        const { redirect_url, next: wanted } = singleValues(request.query)
        const next = safeNext(redirect_url ?? wanted)
        if (request.call.user) return reply.redirect(next)
        if (!isOn(kernel, messenger)) return refuse(kernel, request, reply, messenger, TEXT.off)
        const state = newState()
        const ends = new Date(Date.now() + UNFINISHED_SECONDS * 1000).toISOString()
        const started: QrCodeStart = { messenger: messenger.name, purpose: 'sign_in', state, next, ends }
        // A new session: one that was planted in the browser is not used.
        await createSession(kernel, request, reply, { seconds: UNFINISHED_SECONDS, state: { qr_code: started } })
        return reply.redirect(qrCodePage(kernel, messenger, state, `${url}callback/`))
      },
    })
    kernel.app.route({
      method: 'GET',
      url: `${url}callback/`,
      config: {
        access: ['anonymous'],
        summary: `Back from the QR code of ${messenger.title}`,
        answers: 'moved',
        answerStatus: 302,
      },
      handler: async (request, reply) =>
        request.call.user ? reply.redirect(HOME) : finish(kernel, request, reply, messenger),
    })
  }
}

const refuse = (kernel: Kernel, request: FastifyRequest, reply: FastifyReply, messenger: Messenger, text: string) =>
  tell(kernel, request, reply, messenger, text, LOCAL_LOGIN_PAGE)

async function finish(
  kernel: Kernel,
  request: FastifyRequest,
  reply: FastifyReply,
  messenger: Messenger,
): Promise<FastifyReply> {
  const started = await takeStart(kernel, request, messenger, 'sign_in')
  if (!isOn(kernel, messenger)) return refuse(kernel, request, reply, messenger, TEXT.off)
  if (!started || !fits(request, started)) return refuse(kernel, request, reply, messenger, TEXT.misconfigured)
  const scanned = await scannedId(kernel, request, messenger)
  if ('text' in scanned) return refuse(kernel, request, reply, messenger, scanned.text)
  const [person] = await kernel.db
    .select({ id: usersPerson.id })
    .from(usersPerson)
    .where(eq(usersPerson[`${messenger.name}_id`], scanned.id))
  if (!person) return refuse(kernel, request, reply, messenger, NOT_BOUND)
  await readDepartments(kernel, messenger, scanned.id)
  const attempt = { address: request.call.remoteAddress, type: 'W' as const }
  const answer = await admitProven(kernel, signInClientOf(request), attempt, person.id, messenger.title)
  if ('error' in answer) return refuse(kernel, request, reply, messenger, answer.message)
  if ('due' in answer) {
    await rememberProven(kernel, request, reply, { ...answer.proven, next: started.next })
    return reply.redirect(pageOf(answer.due))
  }
  await startSession(kernel, request, reply, answer.user)
  return reply.redirect(started.next)
}
