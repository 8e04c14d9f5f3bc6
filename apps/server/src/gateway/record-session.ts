import { rm } from 'node:fs/promises'
import { settingsOf } from '../domains/settings/index.ts'
import { finishSession, markReplay, noteSessionEvent, patchSession, replayPath } from '../domains/terminal/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { SessionFiles } from './files/session-files.ts'
import { type EndReason, LiveSession } from './kinds/terminal/live-session.ts'
import { Recorder } from './kinds/terminal/recorder.ts'
import { type StreamEnd, sizeOf, type TargetStream } from './kinds/terminal/streams.ts'
import { CommandStore } from './recording/command-store.ts'
import { storeCommands } from './recording/dangerous-commands.ts'
import { packRecording } from './recording/packing.ts'
import { withRetries } from './recording/retry.ts'
import { SessionRefusal } from './session/refusal.ts'
import type { SessionSummary } from './session/session-summary.ts'
import type { SessionOpening } from './session-request.ts'

/** Joins person and machine, and writes down what passes: nothing is read from the machine before the recording stands. Throws SessionRefusal when it can't. */
export async function recordSession(
  kernel: Kernel,
  question: SessionOpening,
  session: SessionSummary,
  machine: TargetStream,
  files: SessionFiles,
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

async function openRecording(kernel: Kernel, { program }: SessionOpening, session: SessionSummary): Promise<Recorder> {
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
  { program, person, owner, now }: SessionOpening,
  session: SessionSummary,
  target: TargetStream,
  recorder: Recorder,
  { rules, onEnded }: SessionFiles,
): LiveSession {
  const { log } = kernel.app
  const { id, org_id, user, asset, system_user, user_id, asset_id, system_user_id } = session
  const place = { userId: user_id, target: { family: 'asset' as const, id: asset_id }, systemUserId: system_user_id }
  const commands = new CommandStore((rows) => storeCommands(kernel, place, rows), log)
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
    await withRetries(() => markReplay(kernel, session.id))
    await rm(recorder.path)
  } catch (error) {
    // The plain recording stays where it is; the next sweep packs it.
    log.error({ err: error, session: session.id }, 'recording could not be packed')
  }
  await withRetries(() => finishSession(kernel.db, session.id))
  await withRetries(() => noteSessionEvent(kernel, { session: session.id, org_id: session.org_id, event: 'ended', reason: end.reason }))
  log.info({ session: session.id, ...end }, 'session ended')
}
