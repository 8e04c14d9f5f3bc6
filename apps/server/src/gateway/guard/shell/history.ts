/** Characters behind `!` that leave it as it is (bash manual, "Event Designators"). */
const NO_EVENT = /[\s=("]/
const QUICK = /^\^([^^]+)(?:\^([^^]*)\^?(.*))?$/s
/** An event, then its words, then what is replaced in them; all of it may be missing. */
const EVENT =
  /^(?:!|(-?\d+)|\?([^?]+)\??|([^\s:;&|()<>^$*!?"'=-][^\s:;&|()<>^$*!"']*)|(?=[:^$*]))(?::?(\^|\$|\*)|:(\d+)(-(?:\d+|\$)|\*)?)?(?::(g?)s([^\w\s])(.*?)\8(.*?)(?:\8|$))?/s
/** Words of an earlier line, with their quotes. */
const WORDS = /(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s;&|()<>'"\\])+|[;&|()<>]+/gs

/**
 * The line that an interactive bash or zsh makes of one with history expansion (`!!`, `!$`,
 * `^a^b`), given those sent before, the newest last. The line itself where nothing is replaced;
 * undefined where only the shell knows the replacement.
 */
export function expandHistory(line: string, earlier: readonly string[]): string | undefined {
  const quick = QUICK.exec(line)
  if (quick) return quickly(quick, earlier.at(-1))
  let expanded = ''
  let isQuoted = false
  for (let at = 0; at < line.length; at++) {
    const character = line[at] as string
    const next = line[at + 1] ?? ' '
    if (character === '\\') expanded += character + (line[++at] ?? '')
    else if (character === "'" && !isQuoted) {
      const end = line.indexOf("'", at + 1)
      const quoted = line.slice(at, end < 0 ? undefined : end + 1)
      expanded += quoted
      at += quoted.length - 1
    } else if (character !== '!' || NO_EVENT.test(next) || /[${[]$/.test(line.slice(0, at))) {
      if (character === '"') isQuoted = !isQuoted
      expanded += character
    } else {
      const found = EVENT.exec(line.slice(at + 1))
      const text = found ? textOf(found, earlier) : undefined
      // The next characters may be a modifier that is not known here.
      if (!found || text === undefined || /^:[a-z&]/.test(line.slice(at + 1 + found[0].length))) return undefined
      expanded += text
      at += found[0].length
    }
  }
  return expanded
}

/**
 * Possible expansions of a line by a shell, whichever of the lines before it has kept: those that
 * begin with a blank and repeated ones may be missing (HISTCONTROL of bash, HIST_IGNORE_SPACE of
 * zsh).
 */
export function possibleExpansions(line: string, earlier: readonly string[]): (string | undefined)[] {
  if (!/!|^\^/.test(line)) return [line]
  const kept = [earlier, earlier.filter((one) => !/^\s/.test(one))].flatMap((lines) => [
    lines,
    lines.filter((one, at) => one !== lines[at - 1]),
    lines.filter((one, at) => lines.lastIndexOf(one) === at),
  ])
  const trimmed = kept.map((lines) => lines.map((one) => one.trim()))
  return [...new Set(trimmed.map((lines) => expandHistory(line, lines)))]
}

function quickly([, from = '', to = '', rest = '']: RegExpExecArray, last: string | undefined): string | undefined {
  return last?.includes(from) ? last.replace(from, () => to) + rest : undefined
}

function textOf(found: RegExpExecArray, earlier: readonly string[]): string | undefined {
  const [, number, within, start, place, from, to, isGlobal, , old, replacement = ''] = found
  const event = eventOf(earlier, number, within, start)
  const text = event === undefined ? undefined : wordsOf(event, place, from, to)
  if (text === undefined || old === undefined) return text
  return isGlobal ? text.replaceAll(old, () => replacement) : text.replace(old, () => replacement)
}

/** Lines are numbered since before the session: only those counted back are known. */
function eventOf(earlier: readonly string[], number?: string, within?: string, start?: string): string | undefined {
  if (number !== undefined) return number.startsWith('-') ? earlier.at(Number(number)) : undefined
  if (within !== undefined) return earlier.findLast((line) => line.includes(within))
  return start === undefined ? earlier.at(-1) : earlier.findLast((line) => line.startsWith(start))
}

function wordsOf(event: string, place?: string, from?: string, to?: string): string | undefined {
  if (place === undefined && from === undefined) return event
  const words = event.match(WORDS) ?? []
  const last = words.length - 1
  if (place === '*') return words.slice(1).join(' ')
  const first = place === '^' ? 1 : place === '$' ? last : Number(from)
  const end = to === undefined ? first : to === '*' || to === '-$' ? last : Number(to.slice(1))
  return first <= last && end <= last ? words.slice(first, end + 1).join(' ') : undefined
}
