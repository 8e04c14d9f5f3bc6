import type { Target } from '@sallyport/contract/target.ts'
import { type CommandRule, commandRulesFor } from '../../domains/assets/index.ts'
import { settingsOf } from '../../domains/settings/index.ts'
import { alarmOfCommands, appendCommands, type NewCommand } from '../../domains/terminal/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { guardedMatch } from '../guard/guarded-match.ts'
import { DENIED_RISK } from '../session/command-log.ts'

const ALLOW = 9
const MAX_INPUT = 1024
/**
 * Alarms for what is stored of one session at a time: a pasted file must not flood anybody with
 * messages.
 */
const MAX_ALARMS = 5

/** A command with the id that it has in the journal. */
type StoredCommand = NewCommand & { id: string }

/** Where a session's commands run, and for whom. */
export interface CommandPlace {
  userId: string
  systemUserId: string
  target: Target
}

/**
 * Stores commands of sessions, but for those that are there already. With SECURITY_INSECURE_COMMAND on, commands that a command filter
 * rule denies or has confirmed are marked as dangerous, and subscribers of "Danger command alert"
 * are told of each once it is stored.
 */
export async function storeCommands(
  kernel: Kernel,
  commands: readonly (StoredCommand & { place: CommandPlace })[],
): Promise<void> {
  const rows: StoredCommand[] = []
  const isAlerting = settingsOf(kernel).get('SECURITY_INSECURE_COMMAND')
  for (const ofSession of Map.groupBy(commands, ({ session }) => session).values()) {
    const bare = ofSession.map(({ place: _, ...command }) => command)
    const [first] = ofSession
    rows.push(...(isAlerting && first ? await judged(kernel, first.place, bare) : bare))
  }
  const stored = await appendCommands(kernel.db, rows)
  if (!isAlerting) return
  const dangerous = rows.filter(({ id, risk_level = 0 }) => risk_level >= DENIED_RISK && stored.has(id))
  const alarms = [...Map.groupBy(dangerous, ({ session }) => session).values()].flatMap((some) =>
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

async function judged(
  kernel: Kernel,
  place: CommandPlace,
  commands: readonly StoredCommand[],
): Promise<StoredCommand[]> {
  const rules = await commandRulesFor(kernel.db, place)
  // A pattern that failed is not tried again: a paste would cost its time over and over.
  const broken = new Set<string>()
  const matches = (rule: CommandRule, input: string) => {
    if (broken.has(rule.id)) return false
    try {
      return guardedMatch(rule.pattern, rule.ignore_case ? 'i' : '', input.slice(0, MAX_INPUT))
    } catch (error) {
      broken.add(rule.id)
      kernel.app.log.warn({ err: error, rule: rule.id }, 'a command rule could not be tried')
      return false
    }
  }
  return commands.map((command) => {
    if (command.rule) return command
    // The first rule that matches decides.
    const rule = rules.find((one) => matches(one, command.input))
    return rule && rule.action !== ALLOW ? { ...command, risk_level: DENIED_RISK } : command
  })
}
