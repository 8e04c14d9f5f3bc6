import type { Target } from '@sallyport/contract/target.ts'
import { settingsOf } from '../../domains/settings/index.ts'
import { countLiveSessions, createSession } from '../../domains/terminal/index.ts'
import { linkSession } from '../../domains/tickets/index.ts'
import { displayName } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import { lockUntilCommit } from '../../kernel/database/locks.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { oneAtATime } from '../../kernel/one-at-a-time.ts'
import type { Person } from '../session/person.ts'
import { SessionRefusal } from '../session/refusal.ts'
import type { SessionSummary } from '../session/session-summary.ts'
import { type ConnectionTarget, targetLabel } from '../targets/connection-target.ts'

/** Throws SessionRefusal when the person or the target has reached the limit of live sessions. */
export async function checkSessionLimits(
  kernel: Kernel,
  db: Database,
  person: Pick<Person, 'id'>,
  target: Target,
): Promise<void> {
  const limit = settingsOf(kernel).get('SECURITY_MAX_SESSIONS_PER_USER')
  if (limit > 0 && (await countLiveSessions(db, { userId: person.id })) >= limit) {
    throw new SessionRefusal('You have {{limit}} live sessions, which is the limit: close one first', { limit })
  }
  const ofAsset = settingsOf(kernel).get('SECURITY_MAX_SESSIONS_PER_ASSET')
  if (ofAsset > 0 && (await countLiveSessions(db, { target })) >= ofAsset) {
    throw new SessionRefusal('This asset has {{limit}} live sessions, which is the limit: try again later', {
      limit: ofAsset,
    })
  }
}

const hasSessionLimits = (kernel: Kernel): boolean =>
  settingsOf(kernel).get('SECURITY_MAX_SESSIONS_PER_USER') > 0 ||
  settingsOf(kernel).get('SECURITY_MAX_SESSIONS_PER_ASSET') > 0

/**
 * Inserts the row of a session that is about to connect. `ticket`: the one that let the person in.
 * Throws SessionRefusal when a limit is reached.
 */
export async function createSessionRow(
  kernel: Kernel,
  terminalId: string,
  person: Person,
  connection: ConnectionTarget,
  ticket: string | undefined,
): Promise<SessionSummary> {
  const { target, orgId, systemUser, credentials } = connection
  const started = new Date()
  const row = {
    org_id: orgId,
    user: displayName(person),
    asset: targetLabel(connection),
    system_user: `${systemUser.name}(${credentials.username})`,
    user_id: person.id,
    asset_id: target.id,
    target_family: target.family,
    system_user_id: systemUser.id,
    login_from: person.loginFrom,
    remote_addr: person.remoteAddress,
    protocol: systemUser.protocol,
    is_success: false,
    date_start: started,
    terminal: terminalId,
    sign_in_id: person.signInId,
    on_behalf_of: person.onBehalfOf,
  }
  const { is_success, terminal, date_start, sign_in_id, on_behalf_of, ...summary } = row
  const created = (id: string) => ({ id, ...summary, date_start: date_start.toISOString() })
  // One at a time for each person and target: they wait without holding a connection of the pool.
  const inTurn = (insert: () => Promise<string>) =>
    oneAtATime(`session of ${person.id}`, () => oneAtATime(`session of ${target.id}`, insert))
  if (!ticket && !hasSessionLimits(kernel)) return created(await inTurn(() => createSession(kernel.db, row)))
  // With those of other nodes, so that sessions opened at once can't exceed a limit together.
  const insert = () =>
    kernel.db.transaction(async (db) => {
      for (const one of [person.id, target.id]) await lockUntilCommit(db, `session of ${one}`)
      await checkSessionLimits(kernel, db, person, target)
      const id = await createSession(db, row)
      if (ticket) await linkSession(db, ticket, id)
      return id
    })
  return created(await inTurn(insert))
}
