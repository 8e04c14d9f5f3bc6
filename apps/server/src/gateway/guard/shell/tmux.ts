import { afterOptions, optionValue } from './options.ts'
import type { Runs } from './runs.ts'
import { piecesOf } from './scripts-within.ts'

/**
 * Commands of tmux that run something in a pane, or type it there, and the letters of their options
 * with a value.
 */
const IN_PANES = new Map(
  Object.entries({
    'new new-session': 'cefFnstxy',
    'neww new-window': 'ceFnt',
    'splitw split-window': 'ceFlpt',
    'respawnp respawn-pane respawnw respawn-window': 'cet',
    'popup display-popup': 'bcdehsStTwxy',
    'run run-shell': 'cdt',
    'pipep pipe-pane': 't',
    'send send-keys': 'cNt',
  }).flatMap(([names, values]) => names.split(' ').map((name) => [name, values] as const)),
)
/** Asks a shell before it runs a command of tmux. */
const ASKS = new Set(['if', 'if-shell'])
/** Keeps a command for later. */
const HOLDS = new Set([
  'bind',
  'bind-key',
  'set-hook',
  'confirm',
  'confirm-before',
  'command-prompt',
  'display-menu',
  'menu',
])
/** Options of tmux itself with a value: that of the first is for a shell. */
const OWN = 'cfLST'

/**
 * Commands that `tmux` runs in panes, or types into them: each of its own ends at a semicolon, and
 * some have others in a word of their own (`if-shell`, `bind-key`, `set-hook`).
 */
export function paned(words: readonly string[]): Runs[] {
  const isControlled = words.some((word, at) => /^-C{1,2}$/.test(word) && words.slice(0, at).every(isOption))
  const rest = afterOptions(words, { values: OWN })
  const own = optionValue(words.slice(0, words.length - rest.length), 'c', '-c')
  const texts = [own, ...commandsIn(rest).flatMap((command) => textsOf(command))]
  const ran = texts.flatMap((text) => (text?.trim() ? [{ kind: 'script', text: text.trim() } as const] : []))
  // Then its commands come by lines.
  return isControlled ? [...ran, { kind: 'input' }] : ran
}

const isOption = (word: string) => word.startsWith('-')

/** Whether a command is one of tmux, by its whole name, as they come where it is controlled. */
export const isOfTmux = (name: string): boolean => IN_PANES.has(name) && name.includes('-')

function commandsIn(words: readonly string[]): string[][] {
  const commands: string[][] = [[]]
  for (const word of words) {
    const isEnd = word.endsWith(';')
    commands.at(-1)?.push(isEnd ? word.slice(0, -1) : word)
    if (isEnd) commands.push([])
  }
  return commands
}

function textsOf(command: readonly string[]): string[] {
  const texts = command.filter((word) => /\s/.test(word)).flatMap(within)
  for (const [at, name] of command.entries()) {
    const values = IN_PANES.get(name)
    const rest = command.slice(at + 1)
    if (values !== undefined) texts.push(afterOptions(rest, { values }).join(' '))
    else if (ASKS.has(name)) texts.push(afterOptions(rest, { values: 't' })[0] ?? '')
  }
  return texts
}

/** Commands in a word, which tmux reads much as a shell does. */
function within(text: string): string[] {
  const pieces = [text, ...piecesOf(text)].filter((piece) => isCommand(piece.trim().split(/\s+/)[0] ?? ''))
  return pieces.map((piece) => `tmux ${piece}`)
}

const isCommand = (name: string) => IN_PANES.has(name) || ASKS.has(name) || HOLDS.has(name)
