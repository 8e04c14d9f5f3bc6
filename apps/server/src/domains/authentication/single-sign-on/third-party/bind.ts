import { eq, sql } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CallUser } from '../../../../kernel/access/call.ts'
import { displayName } from '../../../../kernel/access/call.ts'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { singleValues } from '../../../../kernel/resource/query.ts'
import { type Messenger, messengers } from '../../../notifications/index.ts'
import { bindMessenger, findUser, isMessengerTaken } from '../../../users/index.ts'
import { UNFINISHED_SECONDS } from '../../session.ts'
import { LOGIN_PAGE } from '../../sign-in/login-guard.ts'
import { authenticationSession, type QrCodeStart } from '../../tables.ts'
import { notifyOfBinding } from './binding-notices.ts'
import { readDepartments } from './departments.ts'
import { hasFreshPassword } from './password-proof.ts'
import { bindPage, PROFILE_PAGE, profileOr } from './paths.ts'
import { fits, isOn, newState, qrCodePage, scannedId, TEXT, takeStart, tell } from './qr-code.ts'

const BOUND = '{{name}} is bound to your account'
const BOUND_BEFORE = '{{name}} is already bound to your account'
const TAKEN = 'This account of {{name}} is bound to somebody else'

/**
 * Binding one's account to a messenger by QR code
 * (docs/rules/authentication.md#third_party_binding).
 */
export function registerBinding(kernel: Kernel): void {
  for (const messenger of messengers) {
    kernel.app.route({
      method: 'GET',
      url: bindPage(messenger.name),
      config: {
        access: ['anonymous'],
        summary: `To the QR code that binds me to ${messenger.title}`,
        answers: 'moved',
        answerStatus: 302,
      },
      handler: (request, reply) => start(kernel, request, reply, messenger),
    })
    kernel.app.route({
      method: 'GET',
      url: callbackOf(messenger, ':user_id'),
      config: {
        access: ['anonymous'],
        summary: `Back from the QR code that binds me to ${messenger.title}`,
        answers: 'moved',
        answerStatus: 302,
      },
      handler: (request, reply) => finish(kernel, request, reply, messenger),
    })
  }
}

/**
 * FeiShu accepts only return addresses that were registered there letter by letter, so its has no
 * user id.
 */
function callbackOf({ name }: Messenger, userId: string): string {
  return name === 'feishu' ? `${bindPage(name)}callback/` : `${bindPage(name)}${userId}/callback/`
}

/** The person of a browser session, in which state and proof of the password are stored. */
const personOf = ({ call }: FastifyRequest): CallUser | undefined => (call.via === 'session' ? call.user : undefined)

const toSignIn = (request: FastifyRequest, reply: FastifyReply, next = request.url) =>
  reply.redirect(`${LOGIN_PAGE}?next=${encodeURIComponent(next)}`)

async function start(
  kernel: Kernel,
  request: FastifyRequest,
  reply: FastifyReply,
  messenger: Messenger,
): Promise<FastifyReply> {
  const person = personOf(request)
  if (!person) return toSignIn(request, reply)
  const { redirect_url } = singleValues(request.query)
  const next = profileOr(redirect_url)
  if (!isOn(kernel, messenger)) return tell(kernel, request, reply, messenger, TEXT.off, next)
  if (await isBound(kernel, messenger, person.id)) return tell(kernel, request, reply, messenger, BOUND_BEFORE, next)
  if (!(await hasFreshPassword(kernel, request)))
    return reply.redirect(`/core/auth/${messenger.name}/bind/start/?redirect_url=${encodeURIComponent(next)}`)
  const started: QrCodeStart = {
    messenger: messenger.name,
    purpose: 'bind',
    state: newState(),
    next,
    ends: new Date(Date.now() + UNFINISHED_SECONDS * 1000).toISOString(),
  }
  await kernel.db
    .update(authenticationSession)
    .set({ state: sql`${authenticationSession.state} || ${JSON.stringify({ qr_code: started })}::jsonb` })
    .where(eq(authenticationSession.id, request.call.sessionId ?? ''))
  return reply.redirect(qrCodePage(kernel, messenger, started.state, callbackOf(messenger, person.id)))
}

async function finish(
  kernel: Kernel,
  request: FastifyRequest,
  reply: FastifyReply,
  messenger: Messenger,
): Promise<FastifyReply> {
  const person = personOf(request)
  if (!person) return toSignIn(request, reply, PROFILE_PAGE)
  const started = await takeStart(kernel, request, messenger, 'bind')
  const next = started?.next ?? PROFILE_PAGE
  if (!isOn(kernel, messenger)) return tell(kernel, request, reply, messenger, TEXT.off, next)
  const { user_id = person.id } = request.params as { user_id?: string }
  // The address is forged, or another window started again: the person to bind is never taken from
  // the address.
  if (!started || !fits(request, started) || user_id !== person.id)
    return tell(kernel, request, reply, messenger, TEXT.misconfigured, next)
  const scanned = await scannedId(kernel, request, messenger)
  if ('text' in scanned) return tell(kernel, request, reply, messenger, scanned.text, next)
  const outcome = await bind(kernel, request, messenger, person, scanned.id)
  return tell(kernel, request, reply, messenger, outcome, next)
}

async function isBound({ db }: Kernel, { name }: Messenger, userId: string): Promise<boolean> {
  const person = await findUser(db, { id: userId })
  return Boolean(person?.[`${name}_id`])
}

/**
 * Stores the id unless the person has one already or it is somebody else's. Answers the message to
 * show.
 */
async function bind(
  kernel: Kernel,
  request: FastifyRequest,
  messenger: Messenger,
  person: CallUser,
  id: string,
): Promise<string> {
  try {
    const isStored = await kernel.db.transaction(async (db) => {
      const isStored = await bindMessenger(db, person.id, messenger.name, id)
      if (isStored)
        await kernel.audit.record(db, request.call, [
          {
            action: 'update',
            resourceType: 'User',
            resource: displayName(person),
            orgId: request.call.org.id,
            object: { type: 'user', id: person.id },
            changes: [{ field: messenger.name, label: messenger.title, before: false, after: true }],
          },
        ])
      return isStored
    })
    if (!isStored) return BOUND_BEFORE
  } catch (error) {
    // Two people at once: the unique index admits one.
    if (isMessengerTaken(error, messenger.name)) return TAKEN
    throw error
  }
  await readDepartments(kernel, messenger, id)
  await notifyOfBinding(kernel, person.id, messenger, 'bound', request.call.remoteAddress)
  return BOUND
}
