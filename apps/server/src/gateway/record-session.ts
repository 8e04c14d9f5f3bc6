import { settingsOf } from '../domains/settings/index.ts'
import { finishSession, noteSessionEvent, patchSession, replayPath } from '../domains/terminal/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { NotLogged } from './files/log/file-log.ts'
import type { GuardOf } from './guard/guard.ts'
import type { Kind, Kinds, SessionOpening } from './kinds/index.ts'
import { CommandStore } from './recording/command-store.ts'
import { storeCommands } from './recording/dangerous-commands.ts'
import { type RecordingUpload, uploadOf } from './recording/recording-upload.ts'
import { withRetries } from './recording/retry.ts'
import { sealRecording } from './recording/seal.ts'
import type { EndReason, StreamEnd } from './session/live-session.ts'
import { SessionRefusal } from './session/refusal.ts'
import type { SessionSummary } from './session/session-summary.ts'
import {
  type Life,
  type Recorded,
  type RecordedOf,
  type Recording,
  STARTERS,
  type Starter,
} from './session-starters.ts'
import type { ConnectionTarget } from './targets/connection-target.ts'

/**
 * Joins person and machine, and writes down what passes: nothing is read from the machine before
 * the recording stands. Throws SessionRefusal when it can't.
 */
export async function recordSession<K extends Kind>(
  kernel: Kernel,
  opening: SessionOpening<K>,
  session: SessionSummary,
  machine: Kinds[K]['machine'],
  target: ConnectionTarget,
  guardOf: GuardOf,
): Promise<Kinds[K]['session']> {
  let recorded: Recorded<K> | undefined
  try {
    recorded = await openRecording({ kernel, opening, target }, session)
    await patchSession(kernel.db, session.id, { is_success: true })
    opening.signal.throwIfAborted()
  } catch (error) {
    machine.close()
    await recorded?.discard()
    throw error
  }
  const place = {
    userId: session.user_id,
    target: opening.target,
    systemUserId: session.system_user_id,
  }
  const commands = new CommandStore((rows) => storeCommands(kernel, place, rows), kernel.app.log)
  const upload = uploadOf(kernel, recorded.recording.path)
  const { person, systemUserId } = opening
  const life = {
    ...lifeOf(kernel, opening, session, recorded.recording, commands, upload),
    guard: guardOf({ session, person, target: opening.target, systemUserId }),
  }
  return recorded.begin({ kernel, opening, session, machine, target, commands, life })
}

async function openRecording<K extends Kind>(of: RecordedOf<K>, session: SessionSummary): Promise<Recorded<K>> {
  const { kernel, opening } = of
  const starter: Starter<K> = STARTERS[opening.kind as K]
  const startedAt = new Date(session.date_start)
  try {
    const packed = await replayPath(kernel, { id: session.id, date_start: startedAt })
    const path = packed.replace(/cast\.gz$/, starter.ending)
    return await starter.record(path, { title: `${session.user} ${session.asset}`, startedAt }, of)
  } catch (error) {
    if (error instanceof NotLogged) throw new SessionRefusal(error.message)
    kernel.app.log.error({ err: error, session: session.id }, 'recording could not be opened')
    throw new SessionRefusal('The recording cannot be written: the session is closed')
  }
}

function lifeOf<K extends Kind>(
  kernel: Kernel,
  { person, now, elapsed }: SessionOpening<K>,
  session: SessionSummary,
  recording: Recording,
  commands: CommandStore,
  upload: RecordingUpload | undefined,
): Omit<Life, 'guard'> {
  const { log } = kernel.app
  const { id, org_id, user } = session
  return {
    id,
    orgId: org_id,
    person,
    log,
    now,
    elapsed,
    goesOnUnrecorded() {
      if (settingsOf(kernel).get('TERMINAL_RECORDING_FAILURE') !== 'alarm') return false
      noteSessionEvent(kernel, { session: id, org_id, event: 'unrecorded', user }).catch((error) =>
        log.error({ err: error, session: id }, 'session event could not be stored'),
      )
      return true
    },
    onEnd: (reason, end) => finish(kernel, session, { recording, commands, upload }, { reason, ...end }),
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
  }: { recording: Recording; commands: CommandStore; upload: RecordingUpload | undefined },
  end: { reason: EndReason } & StreamEnd,
): Promise<void> {
  const { log } = kernel.app
  await commands.close()
  try {
    await recording.close()
    await upload?.stop()
    await sealRecording(kernel, session.id, recording.path)
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
