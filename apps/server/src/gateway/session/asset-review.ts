import { askForTarget, type ReviewedTarget, targetReviewers } from '../../domains/acls/index.ts'
import type { ConnectionTarget } from '../../domains/assets/index.ts'
import { countLiveSessions } from '../../domains/terminal/index.ts'
import { decisionOf, withdrawConfirmation } from '../../domains/tickets/index.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Dialogue } from './dialogue.ts'
import type { Person } from './person.ts'
import { SessionRefusal } from './refusal.ts'

const TYPE = 'login_asset_confirm'
/** Nobody waits longer than this. */
const WAIT_MS = 3_600_000

/** An asset as the rules of review see it. */
const reviewed = ({ id, org_id, hostname, ip }: ConnectionTarget['asset']): ReviewedTarget => ({
  family: 'asset',
  id,
  org_id,
  name: hostname,
  address: ip,
})

/**
 * Where a rule says so, waits until a reviewer has confirmed that this person may connect
 * (contract/gateway.yaml `login_asset_confirm`). Throws SessionRefusal when it was rejected, when
 * the person does not wait, and where nobody can wait. Answers the ticket, or undefined where no
 * rule says so.
 */
export async function waitForReview(
  kernel: Kernel,
  { person, dialogue, signal }: { person: Person; dialogue: Dialogue; signal: AbortSignal },
  { asset, systemUser, credentials }: ConnectionTarget,
): Promise<string | undefined> {
  const login = {
    username: person.username,
    target: reviewed(asset),
    systemUser: { name: systemUser.name, protocol: systemUser.protocol, username: credentials.username },
  }
  const ticket = await askForTarget(kernel, person, login)
  if (!ticket) return undefined
  const withdraw = () => withdrawConfirmation(kernel, TYPE, ticket.id)
  if (!dialogue.wait) {
    await withdraw()
    throw new SessionRefusal('Connecting to this asset must be confirmed by others: open it in a terminal')
  }
  const say = (text: string, values?: Record<string, unknown>) => translate(person.language, text, values)
  const left = new AbortController()
  const decided = new AbortController()
  const decision = decisionOf(
    kernel,
    TYPE,
    ticket.id,
    AbortSignal.any([signal, left.signal, AbortSignal.timeout(WAIT_MS)]),
  ).finally(() => decided.abort())
  const heading = say('Connecting to this asset must be confirmed by: {{reviewers}}', {
    reviewers: ticket.reviewers.join(', '),
  })
  const how = await dialogue.wait(heading, say('Waiting for the confirmation, q to leave'), decided.signal)
  if (how === 'left') left.abort()
  const state = await decision
  if (state?.state === 'approved') return ticket.id
  await withdraw()
  if (state?.state === 'rejected')
    throw new SessionRefusal('{{name}} rejected the connection', { name: state.processor })
  throw new SessionRefusal('Cancelled')
}

/**
 * Files have no terminal to wait in: where connecting must be confirmed, they open to whoever works
 * on the asset by a session that was. Throws SessionRefusal otherwise.
 */
export async function refuseUnreviewed(
  kernel: Kernel,
  person: Person,
  { asset, systemUser, credentials }: ConnectionTarget,
): Promise<void> {
  const { name, protocol } = systemUser
  const login = {
    username: person.username,
    target: reviewed(asset),
    systemUser: { name, protocol, username: credentials.username },
  }
  if (!(await targetReviewers(kernel.db, login)).length) return
  if ((await countLiveSessions(kernel.db, { userId: person.id, target: reviewed(asset) })) > 0) return
  throw new SessionRefusal(
    'Connecting to this asset must be confirmed by others: open it in a terminal first, then its files',
  )
}
