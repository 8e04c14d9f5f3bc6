/** The kind of a stretch of a shell command, for its color. */
export type ShellKind = 'comment' | 'string' | 'variable' | 'keyword' | 'plain'

export interface ShellWord {
  kind: ShellKind
  text: string
}

const KEYWORDS =
  'if|then|else|elif|fi|for|while|until|do|done|case|esac|in|function|return|export|local|exit|set|cd|echo|sudo'
/** Quotes that are not closed yet reach to the end: so it stays while a command is typed. */
const WORD = new RegExp(
  [
    '(?<string>\'[^\']*\'?|"(?:\\\\.|[^"\\\\])*"?)',
    '(?<variable>\\$(?:\\{[^}]*\\}?|\\w+|[?#@*!$-]))',
    '(?<comment>(?<=^|\\s)#[^\\n]*)',
    `(?<keyword>(?<=^|[\\s;|&(])(?:${KEYWORDS})(?=$|[\\s;|&)]))`,
  ].join('|'),
  'gm',
)

/** Cuts a command into stretches of one color; together they are the command again. */
export function shellWords(code: string): ShellWord[] {
  const words: ShellWord[] = []
  let end = 0
  for (const found of code.matchAll(WORD)) {
    if (found.index > end) words.push({ kind: 'plain', text: code.slice(end, found.index) })
    const [kind = 'plain'] = Object.entries(found.groups ?? {}).find(([, text]) => text !== undefined) ?? []
    words.push({ kind: kind as ShellKind, text: found[0] })
    end = found.index + found[0].length
  }
  if (end < code.length) words.push({ kind: 'plain', text: code.slice(end) })
  return words
}
