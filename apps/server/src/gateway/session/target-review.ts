import { spoken } from '@sallyport/contract/names.ts'
import { askForTarget, targetReviewers } from '../../domains/acls/index.ts'
import { countLiveSessions } from '../../domains/terminal/index.ts'
import { decisionOf, withdrawConfirmation } from '../../domains/tickets/index.ts'
import { awaitedLater } from '../../kernel/background.ts'
import { AppError } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { ConnectionTarget } from '../targets/connection-target.ts'
import type { Dialogue } from './dialogue.ts'
import type { Person } from './person.ts'
import { SessionRefusal } from './refusal.ts'

const TYPE = 'login_asset_confirm'
/** Nobody waits longer than this. */
const WAIT_MS = 3_600_000

/** A login as the rules of review see it. */
export function reviewedLogin(
  { username }: Pick<Person, 'username'>,
  { target, orgId, name, address, systemUser, credentials }: ConnectionTarget,
) {
  return {
    username,
    target: { ...target, org_id: orgId, name, address },
    systemUser: { name: systemUser.name, protocol: systemUser.protocol, username: credentials.username },
  }
}

/**
 * Waits until a reviewer has confirmed that this person may connect, where a rule says so
 * (docs/rules/gateway.md#login_asset_confirm). Throws SessionRefusal when it was rejected, when the
 * person does not wait, and where nobody can wait. Returns the ticket, or undefined where no rule
 * says so.
 */
export async function waitForReview(
  kernel: Kernel,
  { person, dialogue, signal }: { person: Person; dialogue: Dialogue; signal: AbortSignal },
  target: ConnectionTarget,
): Promise<string | undefined> {
  const ticket = await askForTarget(kernel, person, reviewedLogin(person, target)).catch((error) => {
    throw error instanceof AppError ? new SessionRefusal(error.message) : error
  })
  if (!ticket) return undefined
  const withdraw = (why?: 'time') => withdrawConfirmation(kernel, TYPE, ticket.id, why)
  if (!dialogue.wait) {
    await withdraw()
    throw new SessionRefusal('Connecting to this asset must be confirmed by others: open it in a terminal')
  }
  const say = (text: string, values?: Record<string, unknown>) => translate(person.language, text, values)
  const left = new AbortController()
  const decided = new AbortController()
  const limit = AbortSignal.any([signal, left.signal, AbortSignal.timeout(WAIT_MS)])
  const decision = awaitedLater(decisionOf(kernel, TYPE, ticket.id, limit).finally(() => decided.abort()))
  const heading = say('Connecting to this asset must be confirmed by: {{reviewers}}', {
    reviewers: ticket.reviewers.map(spoken).join(', '),
  })
  const how = await dialogue.wait(heading, say('Waiting for the confirmation, q to leave'), decided.signal)
  if (how === 'left') left.abort()
  const state = await decision
  if (state?.state === 'approved') {
    dialogue.say?.(say('{{name}} approved the connection', { name: spoken(state.processor) }))
    return ticket.id
  }
  await withdraw(how === 'left' || signal.aborted ? undefined : 'time')
  if (state?.state === 'rejected')
    throw new SessionRefusal('{{name}} rejected the connection', { name: spoken(state.processor) })
  throw new SessionRefusal('Cancelled')
}

/**
 * Files have no terminal to wait in: where connecting must be confirmed, they open to a person who
 * works on the asset by a session that was. Throws SessionRefusal otherwise.
 */
export async function refuseUnreviewed(kernel: Kernel, person: Person, target: ConnectionTarget): Promise<void> {
  if (!(await targetReviewers(kernel.db, reviewedLogin(person, target))).length) return
  if ((await countLiveSessions(kernel.db, { userId: person.id, target: target.target })) > 0) return
  throw new SessionRefusal(
    'Connecting to this asset must be confirmed by others: open it in a terminal first, then its files',
  )
}
