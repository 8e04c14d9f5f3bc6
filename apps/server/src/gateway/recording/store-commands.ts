import { settingsOf } from '../../domains/settings/index.ts'
import { appendCommands, type NewCommand } from '../../domains/terminal/commands/index.ts'
import { alarmOfCommands } from '../../domains/terminal/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { DENIED_RISK } from '../session/command-log.ts'

/**
 * Alarms for what is stored of one session at a time: a pasted file must not flood anybody with
 * messages.
 */
const MAX_ALARMS = 5

/** A command with the id that it has in the journal. */
type StoredCommand = NewCommand & { id: string }

/**
 * Stores commands of sessions, but for those that are there already. With SECURITY_INSECURE_COMMAND
 * on, subscribers of "Danger command alert" are notified of those that were denied.
 */
export async function storeCommands(kernel: Kernel, rows: readonly StoredCommand[]): Promise<void> {
  const stored = await appendCommands(kernel.db, rows)
  if (!settingsOf(kernel).get('SECURITY_INSECURE_COMMAND')) return
  const denied = rows.filter(({ id, risk_level = 0 }) => risk_level >= DENIED_RISK && stored.has(id))
  const alarms = [...Map.groupBy(denied, ({ session }) => session).values()].flatMap((some) =>
    some.slice(0, MAX_ALARMS).map(({ risk_level = 0, input, asset, user, session, org_id }) => ({
      risk_level,
      input,
      asset,
      user,
      session,
      org_id,
    })),
  )
  try {
    await alarmOfCommands(kernel, alarms)
  } catch (error) {
    // The commands are stored: a failed message must not have them stored again.
    kernel.app.log.error({ err: error }, 'nobody was told of a dangerous command')
  }
}
