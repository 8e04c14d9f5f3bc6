import { plainText } from './command-text.ts'

const OF_SCRIPTS = /^(?:eval|eval_ro|script load|function load)\b/i
/** A command that a script names, and what it gets, as far as that has no brackets. */
const CALL = /\bp?call\s*\(\s*(?:'([^']*)'|"([^"]*)"|\[\[([^\][]*)\]\])\s*,?([^)]*)/g
/** As many as are looked at. */
const MAX_CALLS = 256

/**
 * What a command is besides what is shown of it: without quotes and escapes, and of a script the commands that it
 * names. Those that it makes up while it runs are not to be seen.
 */
export function readCommand(shown: string): string[] {
  const plain = plainText(shown)
  const calls = OF_SCRIPTS.test(shown) ? callsIn(plain ?? shown) : []
  return [...(plain === undefined ? [] : [plain]), ...calls]
}

function callsIn(script: string): string[] {
  const calls: string[] = []
  for (const [, single, double, long, rest = ''] of script.matchAll(CALL)) {
    const words = rest.replaceAll(/['"]/g, '').split(',')
    calls.push(
      [single ?? double ?? long ?? '', ...words]
        .map((word) => word.trim())
        .join(' ')
        .trim(),
    )
    if (calls.length > MAX_CALLS) break
  }
  return calls
}
