import { settingsOf } from '../../domains/settings/index.ts'
import { finishSession, noteSessionEvent, patchSession } from '../../domains/terminal/index.ts'
import { replayPath } from '../../domains/terminal/recording/index.ts'
import { inBackground } from '../../kernel/background.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { withRetries } from '../../kernel/with-retries.ts'
import { NotLogged } from '../files/file-log.ts'
import type { Grounds, Guard } from '../guard/guard.ts'
import type { Kind, Kinds, SessionOpening } from '../kinds/index.ts'
import { type RecordingUpload, uploadOf } from '../recording/recording-upload.ts'
import { sealAtEnd } from '../recording/seal.ts'
import { type SessionCommands, sessionCommands } from '../recording/session-commands.ts'
import type { EndReason, StreamEnd } from '../session/live-session.ts'
import { SessionRefusal } from '../session/refusal.ts'
import type { SessionSummary } from '../session/session-summary.ts'
import type { ConnectionTarget } from '../targets/connection-target.ts'
import { judgeProgram } from './judge-program.ts'
import { type PreparedSession, SESSION_KINDS, type SessionKind, type SessionParts } from './session-kinds.ts'

const CANNOT_RECORD = 'The recording cannot be written: the session is closed'
/** Nobody fills a session's history. */
const MAX_UNSEEN = 100

/**
 * Judges the command that will be run, writes it down and makes the recording, before the machine
 * hears of any. Throws SessionRefusal when one of these is not possible.
 * @returns `isConfirmed`: others have decided on the command, which may have taken long; `discard`: for a session that
 *   does not come about
 */
export async function openRecords<K extends Kind>(
  kernel: Kernel,
  opening: SessionOpening<K>,
  session: SessionSummary,
  target: ConnectionTarget,
  guard: Guard,
) {
  const commands = commandsOf(kernel, session)
  const grounds = await judgeProgram(kernel, opening, guard, commands.begin).catch((error) => {
    inBackground(commands.close())
    throw error
  })
  const prepared = await prepare(kernel, opening, session, { target, commands, grounds })
  const discard = async () => {
    // Nobody waits for the database: what is in the journal comes to it.
    inBackground(commands.close())
    await prepared.discard()
  }
  await commands.written()
  if (!commands.failure) return { prepared, commands, isConfirmed: grounds?.ticket !== undefined, discard }
  kernel.app.log.error({ err: commands.failure, session: session.id }, 'a command could not be written down')
  await discard()
  throw new SessionRefusal(CANNOT_RECORD)
}

/**
 * Joins person and machine, and writes down what passes: nothing is read from the machine before.
 * Throws what the database throws.
 */
export async function recordSession<K extends Kind>(
  kernel: Kernel,
  opening: SessionOpening<K>,
  session: SessionSummary,
  machine: Kinds[K]['machine'],
  { prepared, commands }: { prepared: PreparedSession<K>; commands: SessionCommands },
  guard: Guard,
): Promise<Kinds[K]['session']> {
  try {
    await patchSession(kernel.db, session.id, { is_success: true })
    opening.signal.throwIfAborted()
  } catch (error) {
    machine.close()
    throw error
  }
  const { recording } = prepared
  const upload = uploadOf(kernel, recording.path)
  const onEnd: SessionParts['onEnd'] = (reason, end) => {
    guard.close?.()
    return finish(kernel, session, { recording, commands, upload }, { reason, ...end })
  }
  return prepared.begin(machine, { ...partsOf(kernel, opening, session, commands), guard, onEnd })
}

function commandsOf(kernel: Kernel, { id, org_id, user, asset, system_user }: SessionSummary): SessionCommands {
  return sessionCommands(kernel, { org_id, user, asset, system_user, session: id })
}

async function prepare<K extends Kind>(
  kernel: Kernel,
  opening: SessionOpening<K>,
  { id, user, asset, date_start }: SessionSummary,
  of: { target: ConnectionTarget; commands: SessionCommands; grounds: Grounds | undefined },
): Promise<PreparedSession<K>> {
  const kind: SessionKind<K> = SESSION_KINDS[opening.kind as K]
  const startedAt = new Date(date_start)
  try {
    const packed = await replayPath(kernel, { id, date_start: startedAt })
    const path = packed.replace(/cast\.gz$/, kind.suffix)
    return await kind.prepare(path, { title: `${user} ${asset}`, startedAt }, { kernel, opening, sessionId: id, ...of })
  } catch (error) {
    if (error instanceof NotLogged) throw new SessionRefusal(error.message)
    kernel.app.log.error({ err: error, session: id }, 'recording could not be opened')
    throw new SessionRefusal(CANNOT_RECORD)
  }
}

function partsOf<K extends Kind>(
  kernel: Kernel,
  { person, now, elapsed }: SessionOpening<K>,
  session: SessionSummary,
  commands: SessionCommands,
): Omit<SessionParts, 'guard' | 'onEnd'> {
  const { log } = kernel.app
  const { id, org_id, user } = session
  return {
    id,
    orgId: org_id,
    person,
    log,
    now,
    elapsed,
    commands,
    goesOnUnrecorded() {
      if (settingsOf(kernel).get('TERMINAL_RECORDING_FAILURE') !== 'alarm') return false
      noteSessionEvent(kernel, { session: id, org_id, event: 'unrecorded', user }).catch((error) =>
        log.error({ err: error, session: id }, 'session event could not be stored'),
      )
      return true
    },
    noteUnseen: noteUnseen(kernel, session),
  }
}

/** Notes in the session's history what its guard can't see: each time, up to a limit. */
function noteUnseen(kernel: Kernel, { id, org_id, user }: SessionSummary): SessionParts['noteUnseen'] {
  let left = MAX_UNSEEN
  return (what) => {
    if (left-- <= 0) return
    noteSessionEvent(kernel, { session: id, org_id, event: `unseen_${what}`, user }).catch((error) =>
      kernel.app.log.error({ err: error, session: id }, 'session event could not be stored'),
    )
  }
}

/**
 * Stores the end. The recording first, then the row: the other way round, a crash in between would
 * leave a finished session without its last second.
 */
async function finish(
  kernel: Kernel,
  session: SessionSummary,
  {
    recording,
    commands,
    upload,
  }: {
    recording: PreparedSession<Kind>['recording']
    commands: SessionCommands
    upload: RecordingUpload | undefined
  },
  end: { reason: EndReason } & StreamEnd,
): Promise<void> {
  const { log } = kernel.app
  await commands.close()
  try {
    await recording.close()
    await upload?.stop()
    await sealAtEnd(kernel, session.id, recording.path)
  } catch (error) {
    // The plain recording stays where it is; the next sweep keeps it.
    log.error({ err: error, session: session.id }, 'recording could not be kept')
  }
  await withRetries(() => finishSession(kernel.db, session.id))
  await withRetries(() =>
    noteSessionEvent(kernel, { session: session.id, org_id: session.org_id, event: 'ended', reason: end.reason }),
  )
  log.info({ session: session.id, ...end }, 'session ended')
}
