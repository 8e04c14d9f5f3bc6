import type { Runs } from './runs.ts'

/** What shells run before they prompt. */
const BEFORE_PROMPTS = 'PROMPT_COMMAND'
/** Prompts, in which shells run substitutions. */
const PROMPTS = /^(?:PS[0-4]|R?PROMPT[2-4]?|RPS[12])$/
const SUBSTITUTION = /\$\(|`/
/** Variables that name a program for others. */
const NAMES_PROGRAM =
  /^(?:(?:GIT_|GIT_SEQUENCE_|SUDO_)?EDITOR|VISUAL|FCEDIT|(?:MAN|GIT_)?PAGER|GIT_SSH(?:_COMMAND)?|RSYNC_RSH)$/

/** What shells and other programs run because a variable says so. */
export function ranByVariable(name: string, value: string): Runs[] {
  const text = value.trim()
  if (!text) return []
  if (name === BEFORE_PROMPTS || (PROMPTS.test(name) && SUBSTITUTION.test(text))) return [{ kind: 'script', text }]
  return NAMES_PROGRAM.test(name) ? [{ kind: 'command', argv: text.split(/\s+/), by: 'prefix' }] : []
}
