import { spoken } from '@sallyport/contract/names.ts'
import { askForCommand, COMMAND_CONFIRM, commandReviewers, MAX_CONFIRMED } from '../../domains/acls/index.ts'
import { settingsOf } from '../../domains/settings/index.ts'
import { confirmationState, decisionOf, withdrawConfirmation } from '../../domains/tickets/index.ts'
import { awaitedLater } from '../../kernel/background.ts'
import { AppError } from '../../kernel/errors/app-error.ts'
import { inTime } from '../../kernel/in-time.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { withRetries } from '../../kernel/with-retries.ts'
import { type Notice, notice } from '../session/notice.ts'
import type { Person } from '../session/person.ts'
import type { SessionSummary } from '../session/session-summary.ts'
import type { Typist } from '../session/typist.ts'
import type { Decision, GivenUp, Grounds, Verdict } from './guard.ts'

/** Nobody waits longer than this. */
const WAIT_MS = 3_600_000

/** A database that does not answer by then, at the end of the wait, counts as a fault. */
const ANSWER_MS = 5000

/** Longest applicant that a ticket shows. */
const DISPLAY_LENGTH = 250

/** A command that a rule has confirmed by others. */
export interface ConfirmedCommand {
  /** Place where it is to run: a session, or the machines of a batch command. */
  guarded: {
    session: Pick<SessionSummary, 'id' | 'org_id' | 'user' | 'user_id' | 'asset' | 'system_user' | 'remote_addr'>
    person: Pick<Person, 'id' | 'onBehalfOf'>
  }
  isBatch?: boolean
  /** The person who typed it, when that was not the session's person. */
  by?: Typist | undefined
  grounds: Grounds
  /** Exactly what runs once it is approved. */
  text: string
}

/**
 * Asks those whom the rule names now, without the session's person and the typist; denied at once
 * where none of them is left. An approval counts for this text, once. Aborting `dropped` withdraws
 * the ticket. Rejected with a fault, which counts as denied.
 */
export async function confirmCommand(
  kernel: Kernel,
  { guarded: { session, person }, isBatch, by, grounds, text }: ConfirmedCommand,
  dropped: AbortSignal,
): Promise<Verdict> {
  const own = [person.id, ...(by ? [by.id] : [])]
  const reviewers = () => commandReviewers(kernel.db, grounds.rule, own)
  const rule = await reviewers()
  if (!rule) return denied(CHANGED, grounds)
  if (!rule.reviewers.length) return denied(NOBODY, grounds)
  if (text.length > MAX_CONFIRMED) return denied(TOO_LONG, grounds)
  const names = rule.reviewers.map(({ display }) => spoken(display)).join(', ')
  // Reviewers read that a service identity or an agent asks, and for whom.
  const whom = person.onBehalfOf ? `: ${person.onBehalfOf}` : ''
  const display = `${session.user}${whom}`.slice(0, DISPLAY_LENGTH)
  const applicant = by ?? { id: person.id, display }

  const request = async () => {
    const command = { session: { ...session, user_id: person.id }, applicant, text, match: grounds.match, isBatch }
    const ticket = await askForCommand(kernel, command, rule).catch(refusalOf)
    if ('code' in ticket) return { message: ticket, grounds, decision: Promise.resolve(denied(ticket, grounds)) }
    const message = notice('held', 'Waiting for {{reviewers}} to confirm: {{address}}', {
      reviewers: ticket.reviewers.map(spoken).join(', '),
      address: `${settingsOf(kernel).get('SITE_URL')}/ui/tickets/tickets/${ticket.id}`,
    })
    const judged = { ...grounds, ticket: ticket.id }
    return { message, grounds: judged, decision: awaitedLater(decided(kernel, ticket.id, dropped, judged, reviewers)) }
  }
  return {
    action: 'confirm',
    asks: notice('held', 'This command must be confirmed by: {{reviewers}}', { reviewers: names }),
    grounds,
    request,
  }
}

/**
 * Decision of others on a ticket that was opened by a node that was stopped since; see
 * `confirmCommand`. `own`: people who are not asked.
 */
export async function decisionOnCommand(
  kernel: Kernel,
  { ticket, own }: { ticket: string; own: readonly string[] },
  dropped: AbortSignal,
): Promise<Decision> {
  const found = await confirmationState(kernel.db, COMMAND_CONFIRM, ticket)
  if (!found) return { action: 'deny', why: CHANGED }
  const { apply_from_cmd_filter_rule_id: rule, apply_from_cmd_filter_name: filter } = found.meta
  const grounds = { rule: String(rule), filter: String(filter), match: String(found.meta.apply_run_command_match) }
  const reviewers = () => commandReviewers(kernel.db, grounds.rule, own)
  return decided(kernel, ticket, dropped, { ...grounds, ticket }, reviewers)
}

/** Waits for the ticket's end; whatever is no approval denies. */
async function decided(
  kernel: Kernel,
  id: string,
  dropped: AbortSignal,
  judged: Grounds,
  reviewers: () => ReturnType<typeof commandReviewers>,
): Promise<Decision> {
  try {
    const limit = AbortSignal.timeout(WAIT_MS)
    const ticket = await decisionOf(kernel, COMMAND_CONFIRM, id, AbortSignal.any([dropped, limit]))
    // An approval that comes together with Ctrl-C or the session's end is of no use to anybody.
    if (ticket?.state === 'approved' && !dropped.aborted) {
      const approval = notice('held', '{{name}} approved this command', { name: spoken(ticket.processor) })
      return { action: 'allow', grounds: judged, approval }
    }
    if (ticket?.state === 'open') await withdraw(kernel, id, dropped.aborted ? givenUpFor(dropped) : 'time')
    if (ticket?.state === 'rejected')
      return denied(
        notice('denied', '{{name}} rejected this command', { name: spoken(ticket.processor) }, 'urgent'),
        judged,
      )
    if (dropped.aborted) return denied(WITHDRAWN, judged)
    if (limit.aborted) return denied(EXPIRED, judged)
    const rule = await inTime(reviewers(), ANSWER_MS, noAnswer)
    return denied(rule === undefined ? CHANGED : rule.reviewers.length ? WITHDRAWN : NOBODY, judged)
  } catch (error) {
    kernel.app.log.error({ err: error, ticket: id }, 'the confirmation of a command could not be read')
    void withRetries(() => withdraw(kernel, id, givenUpFor(dropped) ?? 'fault')).catch(() => {})
    return denied(UNKNOWN, judged)
  }
}

const denied = (why: Notice, grounds: Grounds): Decision => ({ action: 'deny', why, grounds })

const CHANGED = notice(
  'denied',
  'The rule that has this command confirmed has just been changed: send the command again',
  {},
  'urgent',
)
const NOBODY = notice(
  'denied',
  'This command must be confirmed by others, and nobody is left who could: it was not run',
  {},
  'urgent',
)
const TOO_LONG = notice(
  'denied',
  'This command must be confirmed by others and is too long for that: it was not run',
  {},
  'urgent',
)
const WITHDRAWN = notice('denied', 'The confirmation of this command was withdrawn: it was not run', {}, 'urgent')
const EXPIRED = notice('denied', 'Nobody confirmed this command within an hour: it was not run', {}, 'urgent')
const UNKNOWN = notice(
  'denied',
  'Whether this command was confirmed could not be found out, so it was not run',
  {},
  'urgent',
)

/** A refusal of the server, in its words; a fault is thrown on. */
function refusalOf(error: unknown): Notice {
  if (error instanceof AppError) return notice('denied', error.message, {}, 'urgent')
  throw error
}

const withdraw = (kernel: Kernel, id: string, why?: GivenUp | 'time') =>
  withdrawConfirmation(kernel, COMMAND_CONFIRM, id, why)

/** Undefined where it was the person who gave up. */
const givenUpFor = ({ reason }: AbortSignal): GivenUp | undefined =>
  reason === 'session' || reason === 'fault' ? reason : undefined

const noAnswer = () => new Error('the database does not answer in time')
