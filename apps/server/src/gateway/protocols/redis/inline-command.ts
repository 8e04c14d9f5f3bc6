const ESCAPES: Record<string, number> = { n: 10, r: 13, t: 9, b: 8, a: 7 }
const [BACKSLASH, DOUBLE, SINGLE] = ['\\', '"', "'"].map((one) => one.charCodeAt(0)) as [number, number, number]

const isBlank = (byte: number | undefined): boolean => byte === 32 || (byte !== undefined && byte >= 9 && byte <= 13)

/**
 * The arguments in a command that was sent as a line, as Redis takes it apart (`sdssplitargs`):
 * `"\x41\n"` with escapes, `'it\'s'` without. Undefined where quotes are not balanced.
 */
export function inlineArguments(line: Buffer): Buffer[] | undefined {
  const found: Buffer[] = []
  for (let at = 0; ; ) {
    while (isBlank(line[at])) at++
    // Redis takes it for the end of the text.
    if (at >= line.length || line[at] === 0) return found
    const argument = argumentAt(line, at)
    if (!argument) return undefined
    found.push(Buffer.from(argument.bytes))
    at = argument.end
  }
}

function argumentAt(line: Buffer, from: number): { bytes: number[]; end: number } | undefined {
  const bytes: number[] = []
  let quote = 0
  for (let at = from; ; at++) {
    const byte = line[at]
    if (byte === undefined || (byte === 0 && !quote)) return quote ? undefined : { bytes, end: at }
    if (quote) {
      if (byte === BACKSLASH && quote === DOUBLE && at + 1 < line.length) {
        const found = escapeAt(line, at + 1)
        bytes.push(found.byte)
        at = found.end - 1
      } else if (byte === BACKSLASH && line[at + 1] === SINGLE) bytes.push(line[++at] as number)
      else if (byte !== quote) bytes.push(byte)
      // The next word must be apart from a closing quote.
      else if (at + 1 < line.length && !isBlank(line[at + 1])) return undefined
      else return { bytes, end: at + 1 }
    } else if (isBlank(byte)) return { bytes, end: at }
    else if (byte === DOUBLE || byte === SINGLE) quote = byte
    else bytes.push(byte)
  }
}

/** Behind a backslash between double quotes. */
function escapeAt(line: Buffer, at: number): { byte: number; end: number } {
  const hexadecimal = /^x([0-9a-f]{2})/i.exec(line.toString('latin1', at, at + 3))?.[1]
  if (hexadecimal) return { byte: Number.parseInt(hexadecimal, 16), end: at + 3 }
  const byte = line[at] as number
  return { byte: ESCAPES[String.fromCharCode(byte)] ?? byte, end: at + 1 }
}
