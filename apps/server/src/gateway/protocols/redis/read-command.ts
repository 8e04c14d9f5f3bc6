import { plainText } from './command-text.ts'

const OF_SCRIPTS = /^(?:eval|eval_ro|script load|function load)\b/i
/** A command that a script names, and what it gets, as far as that has no brackets: not what other functions get. */
const CALL =
  /(?<!\b(?:tonumber|tostring|error|assert|type|format|find|g?match|gsub|sub|rep|upper|lower|len|byte|decode|encode|log|print|sha1hex|\w{1,20}_reply|date|setresp|set_repl)\s{0,9})\(\s*(?:'([^']*)'|"([^"]*)"|\[=*\[([^\][]*)\]=*\])\s*,?([^)]*)/g
/** Two texts that are joined. */
const JOINED = /(['"])((?:\\.|(?!\1)[^\\])*)\1\s*\.\.\s*(['"])((?:\\.|(?!\3)[^\\])*)\3/
/** Characters by their codes (Lua 5.1 §2.1). */
const ESCAPED = /\\(?:(\d{1,3})|x([0-9a-f]{2}))/gi
/** As often as texts are joined. */
const MAX_JOINED = 64
/** As many as are looked at. */
const MAX_CALLS = 256

/**
 * Other readings of a shown command: without quotes and escapes, and of a script the commands that
 * it names. Those that it makes up while it runs can't be seen.
 */
export function readCommand(shown: string): string[] {
  const plain = plainText(shown)
  const calls = OF_SCRIPTS.test(shown) ? callsIn(plain ?? shown) : []
  return [...(plain === undefined ? [] : [plain]), ...calls]
}

/**
 * Every call of a function (`redis['call']`, `local c = redis.call`): any of them may be that of
 * commands.
 */
function callsIn(written: string): string[] {
  let script = written.replace(ESCAPED, (_, decimal, hex) =>
    String.fromCharCode(decimal ? Number(decimal) & 255 : Number.parseInt(hex, 16)),
  )
  for (let n = 0; n < MAX_JOINED && JOINED.test(script); n++) script = script.replace(JOINED, '$1$2$4$1')
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
