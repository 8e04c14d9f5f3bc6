import { command } from '@sallyport/contract/resources/terminal/command.ts'
import { commandStorage } from '@sallyport/contract/resources/terminal/command-storage.ts'
import { replayStorage } from '@sallyport/contract/resources/terminal/replay-storage.ts'
import { session } from '@sallyport/contract/resources/terminal/session.ts'
import { isNotNull, sql } from 'drizzle-orm'
import { registerSingularPaths } from '../../kernel/http/singular-paths.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { mountedResource } from '../../kernel/resource/registry.ts'
import { settingsOf } from '../settings/index.ts'
import { registerAlarms } from './alarms.ts'
import { bringCommandsOut } from './commands/bring-out.ts'
import { registerCommandReport } from './commands/command-report.ts'
import { registerCommandStorageTree } from './commands/command-storage-tree.ts'
import { registerComponentMetrics } from './component-metrics.ts'
import { anySilent, endLostSessions } from './lost-sessions.ts'
import { registerKill } from './orders/kill.ts'
import { registerLock } from './orders/lock.ts'
import { registerRecentTargets } from './recent-targets.ts'
import { checkRecordingStore } from './recording/replay-file.ts'
import { registerRecordingMoves } from './recording-moves/index.ts'
import { registerComponents } from './registration.ts'
import { registerReplays } from './replay.ts'
import { forgetOldSessions, listenToForget } from './retention.ts'
import { registerSessionsOfTerminal } from './session.resource.ts'
import { registerJoinValidation } from './sharing/join.ts'
import { registerCommandStorageTest, registerReplayStorageTest } from './storages/test-connective.ts'
import { terminalCommand, terminalCommandStorage, terminalReplayStorage, terminalSession } from './tables.ts'

export { alarmOfCommands } from './alarms.ts'
export { noteBuiltinAlive, registerBuiltinTerminal } from './builtin-terminal.ts'
export { loadHostKey } from './host-key.ts'
export { endLostSessions, endNotCarried } from './lost-sessions.ts'
export {
  busiestMinutes,
  type OutsideStorage,
  outsideStorages,
  sessionsOfTerminal,
  terminalFigures,
} from './monitored.ts'
export { finishKillOrders, KILL_EVENT, killSessions, openKillOrders, sessionIds } from './orders/kill.ts'
export { LOCK_EVENT, lockOrders } from './orders/lock.ts'
export { listOwnComponents } from './own-components.ts'
export { findSession, type StoredSession } from './session.resource.ts'
export { sessionCarrier, sessionsElsewhere, sharingCarrier } from './session-carrier.ts'
export { type EndReason, findSessionOutcome, noteSessionEvent } from './session-event.resource.ts'
export {
  carriedSessions,
  countLiveSessions,
  createSession,
  endSessionAtRecordingEnd,
  endSessionsLeftBy,
  finishSession,
  heartbeat,
  type NewSession,
  type PastSession,
  patchSession,
  storePastSessions,
} from './session-lifecycle.ts'
export { terminalListedSession } from './views.ts'

/**
 * Sessions, commands, recordings and components. Sessions that nobody carries any more are ended every
 * minute, and sooner where there is a gateway. Throws StartRefusal when recordings can't be stored with these settings.
 */
export async function registerTerminal(kernel: Kernel): Promise<void> {
  await checkRecordingStore(kernel)
  registerJoinValidation(kernel)
  registerKill(kernel)
  registerLock(kernel)
  registerComponents(kernel)
  registerComponentMetrics(kernel)
  registerAlarms(kernel)
  registerReplayStorageTest(kernel, mountedResource(kernel, replayStorage, terminalReplayStorage))
  registerRecordingMoves(kernel)
  registerRecentTargets(kernel)
  const sessions = mountedResource(kernel, session, terminalSession)
  registerSessionsOfTerminal(kernel, sessions)
  registerReplays(kernel, sessions)
  const commands = mountedResource(kernel, command, terminalCommand)
  registerCommandStorageTree(kernel, () => commands)
  registerCommandStorageTest(kernel, mountedResource(kernel, commandStorage, terminalCommandStorage))
  registerCommandReport(kernel, commands)
  registerSingularPaths(kernel.app, 'terminal', ['terminal', 'command'])
  kernel.jobs.schedule(
    {
      name: 'terminal.close_orphans',
      cron: '* * * * *',
      title: 'Close sessions whose component died',
      isEssential: true,
      hasWork: anySilent,
    },
    async () => {
      await endLostSessions(kernel)
    },
  )
  kernel.jobs.schedule(
    {
      name: 'terminal.bring_commands_out',
      cron: '* * * * *',
      title: 'Bring commands to their storages',
      isEssential: true,
      hasWork: () => sql`EXISTS (SELECT 1 FROM ${terminalCommand} WHERE ${isNotNull(terminalCommand.due)})`,
    },
    () => bringCommandsOut(kernel),
  )
  kernel.jobs.schedule(
    { name: 'terminal.forget_old', cron: '30 3 * * *', title: 'Remove old sessions and commands' },
    () =>
      forgetOldSessions(
        kernel,
        Math.max(settingsOf(kernel).get('TERMINAL_SESSION_KEEP_DURATION'), kernel.config.keepAtLeastDays),
      ),
  )
  listenToForget(kernel)
}
