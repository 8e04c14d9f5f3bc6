import { rm } from 'node:fs/promises'
import type { ConnectionTarget } from '../domains/assets/index.ts'
import { settingsOf } from '../domains/settings/index.ts'
import { finishSession, markReplay, noteSessionEvent, patchSession, replayPath } from '../domains/terminal/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { sessionFiles } from './files/session-files.ts'
import type { SessionOpening } from './kinds/index.ts'
import { Asciicast } from './kinds/terminal/asciicast.ts'
import { sizeOf, type TargetStream } from './kinds/terminal/streams.ts'
import { TerminalSession } from './kinds/terminal/terminal-session.ts'
import { CommandStore } from './recording/command-store.ts'
import { storeCommands } from './recording/dangerous-commands.ts'
import { packRecording } from './recording/packing.ts'
import { withRetries } from './recording/retry.ts'
import type { EndReason, StreamEnd } from './session/live-session.ts'
import { SessionRefusal } from './session/refusal.ts'
import type { SessionSummary } from './session/session-summary.ts'

type Opening = SessionOpening<'terminal'>

/** Joins person and machine, and writes down what passes: nothing is read from the machine before the recording stands. Throws SessionRefusal when it can't. */
export async function recordSession(
  kernel: Kernel,
  opening: Opening,
  session: SessionSummary,
  machine: TargetStream,
  target: ConnectionTarget,
): Promise<TerminalSession> {
  let recording: Asciicast | undefined
  try {
    recording = await openRecording(kernel, opening, session)
    await patchSession(kernel.db, session.id, { is_success: true })
    opening.signal.throwIfAborted()
  } catch (error) {
    machine.close()
    await recording?.discard()
    throw error
  }
  return liveSession(kernel, opening, session, machine, recording, target)
}

async function openRecording(kernel: Kernel, { program }: Opening, session: SessionSummary): Promise<Asciicast> {
  const startedAt = new Date(session.date_start)
  try {
    const packed = await replayPath(kernel, { id: session.id, date_start: startedAt })
    return await Asciicast.open(packed.replace(/\.gz$/, ''), {
      size: sizeOf(program),
      title: `${session.user} ${session.asset}`,
      startedAt,
    })
  } catch (error) {
    kernel.app.log.error({ err: error, session: session.id }, 'recording could not be opened')
    throw new SessionRefusal('The recording cannot be written, the session is ended')
  }
}

function liveSession(
  kernel: Kernel,
  opening: Opening,
  session: SessionSummary,
  machine: TargetStream,
  recording: Asciicast,
  target: ConnectionTarget,
): TerminalSession {
  const { program, person, owner, now } = opening
  const { log } = kernel.app
  const { id, org_id, user, asset, system_user, user_id, asset_id, system_user_id } = session
  const place = { userId: user_id, target: { family: 'asset' as const, id: asset_id }, systemUserId: system_user_id }
  const commands = new CommandStore((rows) => storeCommands(kernel, place, rows), log)
  const files = sessionFiles(kernel, opening, program, target)
  return new TerminalSession({
    id,
    orgId: org_id,
    person,
    owner,
    target: machine,
    recording,
    program,
    log,
    now,
    transfers: files.rules,
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
      await Promise.all([finish(kernel, session, recording, commands, { reason, ...end }), files.onEnded(end)])
    },
  })
}

/**
 * Stores the end. The recording first, then the row: the other way round, a crash in between would leave a finished session without its last second.
 */
async function finish(
  kernel: Kernel,
  session: SessionSummary,
  recording: Asciicast,
  commands: CommandStore,
  end: { reason: EndReason } & StreamEnd,
): Promise<void> {
  const { log } = kernel.app
  await commands.close()
  try {
    await recording.close()
    await packRecording(recording.path)
    await withRetries(() => markReplay(kernel, session.id))
    await rm(recording.path)
  } catch (error) {
    // The plain recording stays where it is; the next sweep packs it.
    log.error({ err: error, session: session.id }, 'recording could not be packed')
  }
  await withRetries(() => finishSession(kernel.db, session.id))
  await withRetries(() => noteSessionEvent(kernel, { session: session.id, org_id: session.org_id, event: 'ended', reason: end.reason }))
  log.info({ session: session.id, ...end }, 'session ended')
}
