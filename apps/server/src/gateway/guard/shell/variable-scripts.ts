import type { Runs } from './runs.ts'

/** Variable with a command that shells run before they prompt. */
const BEFORE_PROMPTS = 'PROMPT_COMMAND'
/** Prompts, in which shells run substitutions, and names of files that are read first. */
const PROMPTS = /^(?:PS[0-4]|R?PROMPT[2-4]?|RPS[12]|prompt|ENV|BASH_ENV)$/
const SUBSTITUTION = /\$\(|`/
/** Variables that name a program for others. */
const NAMES_PROGRAM =
  /^(?:(?:GIT_|GIT_SEQUENCE_|SUDO_|SYSTEMD_|PSQL_)?EDITOR|VISUAL|FCEDIT|(?:MAN|GIT_|SYSTEMD_|PSQL_)?PAGER|GIT_(?:SSH(?:_COMMAND)?|PROXY_COMMAND|EXTERNAL_DIFF|ASKPASS)|(?:SSH|SUDO)_ASKPASS|RSYNC_(?:RSH|CONNECT_PROG)|LESS(?:OPEN|CLOSE)|BROWSER)$/
/** Tables of shells: of other names for commands, of functions, of programs; and a function that is handed down. */
const NAMES_COMMAND = /^(?:(?:dis_)?(?:functions|[gs]?aliases|commands)|BASH_(?:ALIASES|CMDS))\[|^BASH_FUNC_/
/** Settings of git by variables; see RUN_BY_GIT. */
const GIT_VALUE = /^GIT_CONFIG_(?:VALUE_|PARAMETERS)/

/** Commands that shells and other programs run because a variable says so. */
export function ranByVariable(name: string, value: string): Runs[] {
  const text = value.trim()
  if (!text) return []
  if (name === BEFORE_PROMPTS || NAMES_COMMAND.test(name)) return [{ kind: 'script', text }]
  if (PROMPTS.test(name) && SUBSTITUTION.test(text)) return [{ kind: 'script', text }]
  // Only a shell's start-up file has a name that begins like this: one that the line makes itself.
  if (name === 'BASH_ENV' && text.startsWith('/dev/fd/')) return [{ kind: 'file', path: text }]
  if (GIT_VALUE.test(name)) return [{ kind: 'script', text: text.replace(/^'[^=]*=|'$/g, '').replace(/^!/, '') }]
  const argv = text.replace(/^\|/, '').split(/\s+/)
  return NAMES_PROGRAM.test(name) ? [{ kind: 'command', argv, by: 'prefix' }] : []
}
