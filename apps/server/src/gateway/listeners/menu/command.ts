/** Command of a person to the menu. */
export type Command =
  | {
      wants:
        | 'help'
        | 'leave'
        | 'assets'
        | 'nodes'
        | 'databases'
        | 'kubernetes'
        | 'refresh'
        | 'language'
        | 'enter'
        | 'next'
        | 'previous'
    }
  /** Assets of the node with that number; if there is none, a search. */
  | { wants: 'node'; number: number; text: string }
  /** The row with that number in the list. */
  | { wants: 'row'; number: number }
  | { wants: 'search' | 'narrow'; text: string }
  /** Searches, and connects if exactly one is found. */
  | { wants: 'find'; text: string }

const KEYS: Readonly<Record<string, Exclude<Command, { text: string } | { number: number }>['wants']>> = {
  '': 'enter',
  p: 'assets',
  g: 'nodes',
  d: 'databases',
  k: 'kubernetes',
  r: 'refresh',
  s: 'language',
  h: 'help',
  q: 'leave',
  exit: 'leave',
  quit: 'leave',
}

/**
 * Reads a line of the menu (docs/rules/gateway.md#menu). `rows` is the number of rows in the list
 * on screen, 0 without one.
 */
export function readCommand(line: string, rows: number): Command {
  const text = line.trim()
  const word = text.toLowerCase()
  const key = Object.hasOwn(KEYS, word) ? KEYS[word] : undefined
  if (key) return { wants: key }
  if (text.startsWith('//')) return { wants: 'narrow', text: text.slice(2).trim() }
  if (text.startsWith('/')) return { wants: 'search', text: text.slice(1).trim() }
  if (/^g\d{1,9}$/.test(word)) return { wants: 'node', number: Number(word.slice(1)), text }
  if (rows > 0 && word === 'n') return { wants: 'next' }
  if (rows > 0 && word === 'b') return { wants: 'previous' }
  if (/^\d{1,9}$/.test(text) && Number(text) >= 1 && Number(text) <= rows) return { wants: 'row', number: Number(text) }
  return { wants: 'find', text }
}
