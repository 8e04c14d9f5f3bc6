import { sql } from 'drizzle-orm'
import { type ConnectionTarget, loadConnectionTarget } from '../domains/assets/index.ts'
import { mayConnect } from '../domains/perms/index.ts'
import { settingsOf } from '../domains/settings/index.ts'
import { countLiveSessions, createSession, finishSession } from '../domains/terminal/index.ts'
import { linkSession } from '../domains/tickets/index.ts'
import type { Database } from '../kernel/database/database.ts'
import { translate } from '../kernel/i18n/translate.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { connectionRefusal } from './connectors/connection-refusal.ts'
import { openSshProgram } from './connectors/ssh.ts'
import { REASONS } from './files/file-rights.ts'
import { sessionFiles } from './files/session-files.ts'
import { missingRight } from './files/transfer-of.ts'
import type { LiveSession } from './kinds/terminal/live-session.ts'
import type { TargetStream } from './kinds/terminal/streams.ts'
import { recordSession } from './record-session.ts'
import { waitForReview } from './session/asset-review.ts'
import type { Dialogue } from './session/dialogue.ts'
import type { Person } from './session/person.ts'
import { SessionRefusal } from './session/refusal.ts'
import type { SessionSummary } from './session/session-summary.ts'
import type { SessionOpening } from './session-request.ts'

/**
 * From a request to a live session: permission, limits, target and secret, row, machine, recording. Throws SessionRefusal with plain words for the person;
 * an attempt that got as far as the machine leaves its row, marked as failed.
 */
export async function openSession(kernel: Kernel, terminalId: string, question: SessionOpening): Promise<LiveSession> {
  const { person, assetId, systemUserId, dialogue, signal } = question
  let allowed = await askPermission(kernel, question)
  const missing = missingRight(question.program, allowed.mask)
  if (missing) throw new SessionRefusal(REASONS[missing])
  // Asked again when the row is made; here it saves what the person typed from being used up.
  await checkLimits(kernel, kernel.db, person, assetId)
  const target = await loadConnectionTarget(kernel, { assetId, systemUserId, userId: person.id, username: person.username })
  if (!target) throw new SessionRefusal('The asset or the system user does not exist any more')
  const port = portOf(target)
  if (target.systemUser.protocol !== 'ssh' || port === undefined) throw new SessionRefusal('This kind of connection is not supported')
  await askMissing(target, person, dialogue)
  // The permission may have ended while others thought about it.
  const ticket = await waitForReview(kernel, question, target)
  if (ticket) allowed = await askPermission(kernel, question)
  signal.throwIfAborted()

  const session = await createRow(kernel, terminalId, question, target, ticket)
  question.onCreated?.(session)
  try {
    const machine = await connect(kernel, question, target, port)
    const live = await recordSession(kernel, question, session, machine, sessionFiles(kernel, question, target))
    live.permittedUntil = allowed.expireAt * 1000
    return live
  } catch (error) {
    kernel.app.log.info({ session: session.id, err: error }, 'session did not come about')
    try {
      await finishSession(kernel.db, session.id, { isSuccess: false })
    } catch (failure) {
      // Its lease ends the row; the person is to hear the reason all the same.
      kernel.app.log.error({ session: session.id, err: failure }, 'the end of a session could not be stored')
    }
    throw connectionRefusal(error, target, person)
  }
}

/** Throws when the person may not connect. */
async function askPermission(kernel: Kernel, { person, assetId, systemUserId }: SessionOpening) {
  const answer = await mayConnect(kernel.db, { userId: person.id, target: { family: 'asset', id: assetId }, systemUserId })
  if (!answer.allowed) throw new SessionRefusal('You have no permission to connect to this asset')
  return answer
}

/** Throws when the person has, or the asset carries, as many live sessions as may be. */
async function checkLimits(kernel: Kernel, db: Database, person: Person, assetId: string): Promise<void> {
  const limit = settingsOf(kernel).get('SECURITY_MAX_SESSIONS_PER_USER')
  if (limit > 0 && (await countLiveSessions(db, { userId: person.id })) >= limit) {
    throw new SessionRefusal('You have {{limit}} live sessions, which is the limit: end one first', { limit })
  }
  const ofAsset = settingsOf(kernel).get('SECURITY_MAX_SESSIONS_PER_ASSET')
  if (ofAsset > 0 && (await countLiveSessions(db, { target: { family: 'asset', id: assetId } })) >= ofAsset) {
    throw new SessionRefusal('This asset has {{limit}} live sessions, which is the limit: try again later', { limit: ofAsset })
  }
}

function portOf({ asset, systemUser }: ConnectionTarget): number | undefined {
  const found = asset.protocols?.find((entry) => entry.startsWith(`${systemUser.protocol}/`))
  const port = Number(found?.split('/')[1])
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined
}

/** What nobody stored is asked for in the terminal; it is used once and kept nowhere. */
async function askMissing({ credentials }: ConnectionTarget, person: Person, dialogue: Dialogue): Promise<void> {
  const gaveUp = () => new SessionRefusal('Cancelled')
  if (!credentials.username) {
    const username = await dialogue.ask(`${translate(person.language, 'Username')}: `, { echo: true })
    if (!username) throw gaveUp()
    credentials.username = username
  }
  if (!credentials.password && !credentials.privateKey) {
    const password = await dialogue.ask(`${translate(person.language, "{{username}}'s password", { username: credentials.username })}: `, {
      echo: false,
    })
    if (password === undefined) throw gaveUp()
    credentials.password = password
  }
}

async function createRow(
  kernel: Kernel,
  terminalId: string,
  { person }: SessionOpening,
  { asset, systemUser, credentials }: ConnectionTarget,
  /** That let the person in. */
  ticket: string | undefined,
): Promise<SessionSummary> {
  const started = new Date()
  const row = {
    org_id: asset.org_id,
    user: `${person.name}(${person.username})`,
    asset: `${asset.hostname}(${asset.ip})`,
    system_user: `${systemUser.name}(${credentials.username})`,
    user_id: person.id,
    asset_id: asset.id,
    system_user_id: systemUser.id,
    login_from: person.loginFrom,
    remote_addr: person.remoteAddress,
    protocol: systemUser.protocol,
    is_success: false,
    date_start: started,
    terminal: terminalId,
  }
  const id = await kernel.db.transaction(async (db) => {
    // One at a time for each person and asset: sessions opened at once must not slip past a limit together.
    for (const one of [person.id, asset.id])
      await db.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`terminal_session ${one}`}, 0))`)
    await checkLimits(kernel, db, person, asset.id)
    const created = await createSession(db, row)
    if (ticket) await linkSession(db, ticket, created)
    return created
  })
  const { is_success, terminal, date_start, ...summary } = row
  return { id, ...summary, date_start: date_start.toISOString() }
}

const COUNT_MS = 100
const CLEAR_LINE = '\r\x1b[K'

/** Connects while a counter of seconds runs on the person's screen; it stands still while the machine asks them something. */
async function connect(kernel: Kernel, question: SessionOpening, target: ConnectionTarget, port: number): Promise<TargetStream> {
  const { person, program, dialogue, signal } = question
  const started = Date.now()
  const text = translate(person.language, 'Connecting to {{target}}', { target: `${target.credentials.username}@${target.asset.hostname}` })
  const count = () => dialogue.show(`${CLEAR_LINE}${text} ${((Date.now() - started) / 1000).toFixed(1)}s`)
  let counter = setInterval(count, COUNT_MS)
  dialogue.show(text)
  try {
    return await openSshProgram(kernel, {
      target,
      host: target.asset.ip,
      port,
      program,
      signal,
      async answer(prompt, echo) {
        clearInterval(counter)
        const answer = await dialogue.ask(`\r\n${prompt.replace(/\r?\n/g, '\r\n')}`, { echo })
        if (answer === undefined) throw new SessionRefusal('Cancelled')
        counter = setInterval(count, COUNT_MS)
        return answer
      },
    })
  } finally {
    clearInterval(counter)
    dialogue.show(CLEAR_LINE)
  }
}
