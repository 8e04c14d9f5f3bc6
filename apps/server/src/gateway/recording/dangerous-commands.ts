import type { Target } from '@sallyport/contract/target.ts'
import { type CommandRule, commandRulesFor } from '../../domains/assets/index.ts'
import { settingsOf } from '../../domains/settings/index.ts'
import { alarmOfCommands, appendCommands, type NewCommand } from '../../domains/terminal/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { guardedMatch } from '../guard/guarded-match.ts'

/** contract/terminal.yaml command.risk_level */
const DANGEROUS = 5
const ALLOW = 9
const MAX_INPUT = 1024
/**
 * Alarms for one batch of commands: a pasted file must not flood anybody with messages.
 */
const MAX_ALARMS = 5

/** Where a session's commands run, and for whom. */
export interface CommandPlace {
  userId: string
  systemUserId: string
  target: Target
}

/**
 * Stores commands of a session. With SECURITY_INSECURE_COMMAND on, commands that a command filter
 * rule denies or has confirmed are marked as dangerous, and subscribers of "Danger command alert"
 * are told of each once it is stored.
 */
export async function storeCommands(
  kernel: Kernel,
  place: CommandPlace,
  commands: readonly NewCommand[],
): Promise<void> {
  const rows = settingsOf(kernel).get('SECURITY_INSECURE_COMMAND') ? await judged(kernel, place, commands) : commands
  await appendCommands(kernel.db, rows)
  const dangerous = rows.flatMap(({ risk_level = 0, input, asset, user, session, org_id }) =>
    risk_level >= DANGEROUS ? [{ risk_level, input, asset, user, session, org_id }] : [],
  )
  try {
    await alarmOfCommands(kernel, dangerous.slice(0, MAX_ALARMS))
  } catch (error) {
    // The commands are stored: a failed message must not have them stored again.
    kernel.app.log.error({ err: error }, 'nobody was told of a dangerous command')
  }
}

async function judged(kernel: Kernel, place: CommandPlace, commands: readonly NewCommand[]): Promise<NewCommand[]> {
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
    // The first rule that matches decides.
    const rule = rules.find((one) => matches(one, command.input))
    return rule && rule.action !== ALLOW ? { ...command, risk_level: DANGEROUS } : command
  })
}
