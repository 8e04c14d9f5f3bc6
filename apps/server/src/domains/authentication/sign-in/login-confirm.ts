import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { spoken } from '@sallyport/contract/names.ts'
import type { FastifyRequest } from 'fastify'
import { displayName } from '../../../kernel/access/call.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import {
  type ConfirmationState,
  confirmationState,
  openConfirmation,
  withdrawConfirmation,
  withdrawSignIn,
} from '../../tickets/index.ts'
import type { ProvenSignIn } from '../tables.ts'
import { type PendingSignIn, pendingSignIn, updateProven } from './pending-sign-in.ts'

/**
 * Seconds that a sign-in waits for confirmation (docs/rules/authentication.md#login_page).
 */
export const CONFIRM_SECONDS = 3600
const STATUS_URL = '/api/v1/authentication/login-confirm-ticket/status/'
const TYPE = 'login_confirm'

type Applicant = Pick<ProvenSignIn, 'user_id' | 'name' | 'username'>

/**
 * Asks the reviewers whether this person may sign in from that address. There is one open ticket
 * for a person and address: an earlier one is withdrawn, so that repeated sign-ins don't pile up.
 */
export async function askReviewers(
  kernel: Kernel,
  { user_id, name, username }: Applicant,
  address: string,
  assignees: readonly string[],
): Promise<ConfirmationState> {
  await withdrawSignIn(kernel, user_id, address)
  return openConfirmation(kernel, {
    type: TYPE,
    title: `Login confirm ${username}`,
    orgId: ROOT_ORG_ID,
    applicant: { id: user_id, display: displayName({ name, username }) },
    remoteAddress: address,
    meta: { apply_login_ip: address, apply_login_city: null, apply_login_datetime: new Date().toISOString() },
    assignees,
    waiting: (say) => [
      say('{{applicant}} wants to sign in from {{address}} and is waiting for your confirmation.', {
        applicant: spoken(displayName({ name, username })),
        address,
      }),
    ],
  })
}

/**
 * The ticket that this unfinished sign-in waits for. Where there is none, one is opened and
 * replaces that for another address.
 */
export async function ticketOf(
  kernel: Kernel,
  pending: PendingSignIn,
  address: string,
  assignees: readonly string[],
): Promise<ConfirmationState> {
  const current = pending.ticket && (await confirmationState(kernel.db, TYPE, pending.ticket))
  if (current && current.meta.apply_login_ip === address) return current
  const opened = await askReviewers(kernel, pending, address, assignees)
  await updateProven(kernel, pending, { ticket: opened.id }, CONFIRM_SECONDS)
  return opened
}

export type ConfirmAnswer =
  | { msg: 'ok' }
  | { error: 'login_confirm_wait' | 'login_confirm_error'; msg: string; data: { ticket_id: string } }

/** The state of the confirmation as it is answered; an approval is stored in the sign-in. */
export async function confirmAnswer(
  kernel: Kernel,
  { call: { language, remoteAddress } }: Pick<FastifyRequest, 'call'>,
  pending: PendingSignIn | undefined,
  address = remoteAddress,
): Promise<ConfirmAnswer> {
  const ticket = pending?.ticket ? await confirmationState(kernel.db, TYPE, pending.ticket) : undefined
  const answer = (error: 'login_confirm_wait' | 'login_confirm_error', text: string): ConfirmAnswer => ({
    error,
    msg: translate(language, text, { reviewers: ticket?.reviewers.map(spoken).join(', ') ?? '' }),
    data: { ticket_id: ticket?.id ?? '' },
  })
  if (!pending || !ticket || ticket.meta.apply_login_ip !== address) return answer('login_confirm_error', NO_TICKET)
  switch (ticket.state) {
    case 'open':
      return answer('login_confirm_wait', WAITING)
    case 'approved':
      await updateProven(kernel, pending, { confirmed: address })
      return { msg: 'ok' }
    default:
      return answer('login_confirm_error', ticket.state === 'rejected' ? REJECTED : CLOSED)
  }
}

const NO_TICKET = 'There is no confirmation in progress, please sign in again'
const WAITING = 'This sign-in must be confirmed by: {{reviewers}}'
export const REJECTED = 'This sign-in was rejected'
const CLOSED = 'The confirmation of this sign-in was withdrawn, please sign in again'

/**
 * GET and DELETE …/login-confirm-ticket/status/: both act on the ticket of the browser session
 * alone, for any caller (docs/rules/authentication.md#login_confirm).
 */
export function registerLoginConfirm(kernel: Kernel): void {
  kernel.app.route({
    method: 'GET',
    url: STATUS_URL,
    config: {
      access: ['anonymous'],
      summary: 'Whether the sign-in that is under way was confirmed',
      answers: { fields: plainFields({ error: 'string', msg: 'string', data: 'object' }) },
    },
    handler: async (request, reply) => {
      reply.header('Cache-Control', 'no-store')
      const pending = await pendingSignIn(kernel, request)
      const asked = pending?.ticket ? await confirmationState(kernel.db, TYPE, pending.ticket) : undefined
      // A component asks on behalf of a person, whose address it named when it opened the ticket.
      const trusted = request.call.user?.role === 'App'
      return confirmAnswer(kernel, request, pending, trusted && asked ? String(asked.meta.apply_login_ip) : undefined)
    },
  })
  kernel.app.route({
    method: 'DELETE',
    url: STATUS_URL,
    config: {
      access: ['anonymous'],
      withoutCsrf: 'same_origin',
      summary: 'Give up waiting for the confirmation of a sign-in',
      answers: 'text',
    },
    handler: async (request) => {
      const pending = await pendingSignIn(kernel, request)
      if (pending?.ticket) {
        await updateProven(kernel, pending, { ticket: null })
        await withdrawConfirmation(kernel, TYPE, pending.ticket)
      }
      return ''
    },
  })
}
