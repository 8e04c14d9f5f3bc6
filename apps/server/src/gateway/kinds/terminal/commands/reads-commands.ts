const SHELL = /^(?:\S*\/)?-?(?:ba|z|da|k|mk|c|tc|fi|a)?sh$/
/** What may precede a program without reading its input. */
const PREFIX = /^(?:\S*\/)?(?:\w+=.*|sudo|doas|env|nice|ionice|nohup|command|exec|time|setsid|stdbuf)$/
/** Options of shells and of what precedes them whose argument is the next word. */
const TAKES_WORD = /^(?:-[a-zA-Z]*[ougn]|--rcfile|--init-file|\+o)$/

/**
 * Whether a command line runs a shell that reads its commands from standard input: `bash -s`, also
 * behind others (`cd /srv && sudo sh`), but not behind a pipe, nor one with a script or `-c`.
 *
 * Not by the parser of guard/shell, which says which commands are in a line, not which of them gets
 * the input, and gives up lines that are too intricate: this must answer for every line. A shell
 * that is overlooked here was judged as a program; only its lines are not.
 */
export function readsCommands(commandLine: string): boolean {
  return commandLine.split(/&&|\|\||[;&\n]/).some((part) => isShell((part.split('|')[0] ?? '').trim().split(/\s+/)))
}

function isShell(words: readonly string[]): boolean {
  let at = 0
  while (at < words.length && (PREFIX.test(words[at] ?? '') || (at > 0 && isOption(words, at)))) at++
  if (!SHELL.test(unquoted(words[at] ?? ''))) return false
  for (at++; at < words.length; at++) {
    const word = words[at] ?? ''
    if (/^-[a-z]*s[a-z]*$/i.test(word) || word === '-') return true
    if (/^-[a-z]*c[a-z]*$/i.test(word) || !isOption(words, at)) return /^[<>\d]/.test(word) && !word.startsWith('<')
  }
  return true
}

/** An option, or the argument of one. */
const isOption = (words: readonly string[], at: number) =>
  /^[-+]/.test(words[at] ?? '') || TAKES_WORD.test(words[at - 1] ?? '')

const unquoted = (word: string) => word.replace(/['"\\]/g, '')
