import { rm } from 'node:fs/promises'
import { ACTION_BITS } from '@sallyport/contract/actions.ts'
import { sql } from 'drizzle-orm'
import { loadTarget, type Target } from '../domains/assets/index.ts'
import { mayConnect } from '../domains/perms/index.ts'
import { settingsOf } from '../domains/settings/index.ts'
import {
  appendCommands,
  countLiveSessions,
  createSession,
  finishSession,
  markReplay,
  noteSessionEvent,
  patchSession,
  replayPath,
} from '../domains/terminal/index.ts'
import type { Database } from '../kernel/database/database.ts'
import { type Language, translate } from '../kernel/i18n/translate.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { SshError } from '../kernel/ssh/connect.ts'
import { waitForReview } from './asset-review.ts'
import { CommandStore } from './command-store.ts'
import { openSshProgram } from './connectors/ssh.ts'
import type { Dialogue } from './dialogue.ts'
import { fileActor, logFileOperation } from './files/file-log.ts'
import { REASONS } from './files/file-rights.ts'
import { type CommandTransfer, missingRight, transferOf } from './files/transfer-of.ts'
import { type EndReason, LiveSession } from './live-session.ts'
import { packRecording } from './packing.ts'
import { patiently } from './patience.ts'
import { Recorder } from './recorder.ts'
import { type Owner, type Person, type Program, SessionRefusal, type StreamEnd, sizeOf, type TargetStream } from './types.ts'
import type { TransferRules } from './zmodem/transfer-host.ts'

export interface SessionQuestion {
  person: Person
  assetId: string
  systemUserId: string
  program: Program
  owner: Owner
  dialogue: Dialogue
  /** Gives up; its reason is what the person is told. */
  signal: AbortSignal
  /** Milliseconds. */
  now: () => number
  /** The session's row exists from here on, whether the machine accepts or not. */
  onCreated?: (session: SessionSummary) => void
}

/** What a listener tells its client about the session. */
export interface SessionSummary {
  id: string
  user: string
  asset: string
  system_user: string
  user_id: string
  asset_id: string
  system_user_id: string
  protocol: string
  login_from: string
  remote_addr: string
  org_id: string
  date_start: string
}

/**
 * From a wish to a live session: permission, limits, target and secret, row, machine, recording. Throws SessionRefusal with plain words for the person;
 * an attempt that got as far as the machine leaves its row, marked as failed.
 */
export async function openSession(kernel: Kernel, terminalId: string, question: SessionQuestion): Promise<LiveSession> {
  const { person, assetId, systemUserId, dialogue, signal } = question
  let allowed = await askPermission(kernel, question)
  const transfer = question.program.command === undefined ? undefined : transferOf(question.program.command)
  const missing = missingRight(question.program, allowed.mask)
  if (missing) throw new SessionRefusal(REASONS[missing])
  // Asked again when the row is made; here it saves what the person typed from being used up.
  await checkLimits(kernel, kernel.db, person, assetId)
  const target = await loadTarget(kernel, { assetId, systemUserId, userId: person.id, username: person.username })
  if (!target) throw new SessionRefusal('The asset or the system user does not exist any more')
  const port = portOf(target)
  if (target.systemUser.protocol !== 'ssh' || port === undefined) throw new SessionRefusal('This kind of connection is not supported')
  await askMissing(target, person, dialogue)
  // The permission may have ended while others thought about it.
  if (await waitForReview(kernel, question, target)) allowed = await askPermission(kernel, question)
  signal.throwIfAborted()

  const session = await createRow(kernel, terminalId, question, target)
  question.onCreated?.(session)
  try {
    const machine = await connect(kernel, question, target, port)
    const live = await record(kernel, question, session, machine, {
      rules: transferRules(kernel, question, target),
      onEnded: (end) => logTransfer(kernel, person, target, transfer, end),
    })
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
async function askPermission(kernel: Kernel, { person, assetId, systemUserId }: SessionQuestion) {
  const answer = await mayConnect(kernel.db, { userId: person.id, assetId, systemUserId })
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
  if (ofAsset > 0 && (await countLiveSessions(db, { assetId })) >= ofAsset) {
    throw new SessionRefusal('This asset has {{limit}} live sessions, which is the limit: try again later', { limit: ofAsset })
  }
}

function portOf({ asset, systemUser }: Target): number | undefined {
  const found = asset.protocols?.find((entry) => entry.startsWith(`${systemUser.protocol}/`))
  const port = Number(found?.split('/')[1])
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined
}

/** What nobody stored is asked for in the terminal; it is used once and kept nowhere. */
async function askMissing({ credentials }: Target, person: Person, dialogue: Dialogue): Promise<void> {
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
  { person }: SessionQuestion,
  { asset, systemUser, credentials }: Target,
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
    return createSession(db, row)
  })
  const { is_success, terminal, date_start, ...summary } = row
  return { id, ...summary, date_start: date_start.toISOString() }
}

const COUNT_MS = 100
const CLEAR_LINE = '\r\x1b[K'

/** Connects while a counter of seconds runs on the person's screen; it stands still while the machine asks them something. */
async function connect(kernel: Kernel, question: SessionQuestion, target: Target, port: number): Promise<TargetStream> {
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

/** Nothing is read from the machine before the recording stands. */
async function record(
  kernel: Kernel,
  question: SessionQuestion,
  session: SessionSummary,
  machine: TargetStream,
  files: Files,
): Promise<LiveSession> {
  let recorder: Recorder | undefined
  try {
    recorder = await openRecording(kernel, question, session)
    await patchSession(kernel.db, session.id, { is_success: true })
    question.signal.throwIfAborted()
  } catch (error) {
    machine.close()
    await recorder?.discard()
    throw error
  }
  return liveSession(kernel, question, session, machine, recorder, files)
}

async function openRecording(kernel: Kernel, { program }: SessionQuestion, session: SessionSummary): Promise<Recorder> {
  const startedAt = new Date(session.date_start)
  try {
    const packed = await replayPath(kernel, { id: session.id, date_start: startedAt })
    return await Recorder.open(packed.replace(/\.gz$/, ''), { size: sizeOf(program), title: `${session.user} ${session.asset}`, startedAt })
  } catch (error) {
    kernel.app.log.error({ err: error, session: session.id }, 'recording could not be opened')
    throw new SessionRefusal('The recording cannot be written, the session is ended')
  }
}

function liveSession(
  kernel: Kernel,
  { program, person, owner, now }: SessionQuestion,
  session: SessionSummary,
  target: TargetStream,
  recorder: Recorder,
  { rules, onEnded }: Files,
): LiveSession {
  const { log } = kernel.app
  const commands = new CommandStore((rows) => appendCommands(kernel.db, rows), log)
  const { id, org_id, user, asset, system_user } = session
  return new LiveSession({
    id,
    orgId: org_id,
    person,
    owner,
    target,
    recorder,
    program,
    log,
    now,
    transfers: rules,
    onCommand: ({ by, ...command }) =>
      commands.add({ ...command, org_id, user: by ?? user, asset, system_user, session: id, risk_level: 0 }),
    goesOnUnrecorded() {
      if (settingsOf(kernel).get('TERMINAL_RECORDING_FAILURE') !== 'alarm') return false
      noteSessionEvent(kernel, { session: id, org_id, event: 'unrecorded', user }).catch((error) =>
        log.error({ err: error, session: id }, 'session event could not be stored'),
      )
      return true
    },
    onEnd: async (reason, end) => {
      await Promise.all([finish(kernel, session, recorder, commands, { reason, ...end }), onEnded(end)])
    },
  })
}

/** What a session has to do with files. */
interface Files {
  rules: TransferRules
  onEnded(end: StreamEnd): Promise<void>
}

/** Files that go through the terminal by themselves: the right and the log are those of all other ways. */
function transferRules(kernel: Kernel, { person, assetId, systemUserId }: SessionQuestion, target: Target): TransferRules {
  const actor = fileActor(person, target)
  return {
    async may(direction) {
      const { allowed, mask } = await mayConnect(kernel.db, { userId: person.id, assetId, systemUserId })
      return allowed && (mask & ACTION_BITS[direction === 'download' ? 'download_file' : 'upload_file']) !== 0
    },
    log(direction, { name, isWhole }) {
      const operate = direction === 'download' ? 'Download' : 'Upload'
      void logFileOperation(kernel, actor, { operate, filename: name, isSuccess: isWhole })
    },
  }
}

/** One row for a program that moves files by itself; which files it moved is between it and the client (contract/audits.yaml ftp_log). */
async function logTransfer(
  kernel: Kernel,
  person: Person,
  target: Target,
  transfer: CommandTransfer | undefined,
  { exitCode }: StreamEnd,
): Promise<void> {
  if (!transfer) return
  const { operate, path } = transfer
  await logFileOperation(kernel, fileActor(person, target), { operate, filename: path, isSuccess: exitCode === 0 })
}

/**
 * Stores the end. The recording first, then the row: the other way round, a crash in between would leave a finished session without its last second.
 */
async function finish(
  kernel: Kernel,
  session: SessionSummary,
  recorder: Recorder,
  commands: CommandStore,
  end: { reason: EndReason } & StreamEnd,
): Promise<void> {
  const { log } = kernel.app
  await commands.close()
  try {
    await recorder.close()
    await packRecording(recorder.path)
    await patiently(() => markReplay(kernel, session.id))
    await rm(recorder.path)
  } catch (error) {
    // The plain recording stays where it is; the next sweep packs it.
    log.error({ err: error, session: session.id }, 'recording could not be packed')
  }
  await patiently(() => finishSession(kernel.db, session.id))
  await patiently(() => noteSessionEvent(kernel, { session: session.id, org_id: session.org_id, event: 'ended', reason: end.reason }))
  log.info({ session: session.id, ...end }, 'session ended')
}

/** Failures in the person's words (contract/gateway.yaml readable_errors). */
function connectionRefusal(error: unknown, { gateways }: Target, { language }: Person): SessionRefusal {
  if (error instanceof SessionRefusal) return error
  if (!(error instanceof SshError)) return new SessionRefusal('The connection failed')
  const atGateway = gateways.length > 0 && error.hop === 0
  if (error.failure === 'host_key_changed') return hostKeyRefusal(error, atGateway, language)
  if (atGateway) return new SessionRefusal('None of the gateways of this network could be reached')
  switch (error.failure) {
    case 'authentication':
      return new SessionRefusal('The machine refused the username or the password')
    case 'timeout':
      return new SessionRefusal('The machine did not answer in time')
    case 'unreachable':
      return new SessionRefusal(readableNetworkError(error))
    default:
      return error.failure satisfies never
  }
}

function hostKeyRefusal({ hostKey }: SshError, atGateway: boolean, language: Language): SessionRefusal {
  const values = { seen: hostKey?.fingerprint ?? '', trusted: hostKey?.trusted.join(', ') ?? '' }
  return new SessionRefusal(
    atGateway
      ? translate(
          language,
          'THE HOST KEY OF THE GATEWAY HAS CHANGED. Somebody may be in between, or it was set up anew. Seen: {{seen}}. Trusted: {{trusted}}. An administrator must accept the new key first.',
          values,
        )
      : translate(
          language,
          'THE HOST KEY OF THIS MACHINE HAS CHANGED. Somebody may be in between, or the machine was set up anew. Seen: {{seen}}. Trusted: {{trusted}}. An administrator must accept the new key first.',
          values,
        ),
  )
}

function readableNetworkError(error: SshError): string {
  const code = String((error.cause as NodeJS.ErrnoException | undefined)?.code ?? '')
  if (code === 'ECONNREFUSED') return 'The machine refused the connection: nothing listens on this port'
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'There is no route to this machine'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'The name of this machine is not known'
  if (/no matching/.test(error.message)) return 'The machine offers only outdated encryption'
  return 'The machine could not be reached'
}
