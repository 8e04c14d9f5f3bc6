/**
 * Output of a recording, with text, colors and moves of the cursor alone. Everything else is left out:
 * questions that the terminal answers as if the person typed, the clipboard, titles,
 * files, modes of mouse and keyboard, and numbers that keep a terminal busy for minutes.
 */
const { raw } = String
/** A sequence that ends with a bell, or ESC and a backslash: titles, the clipboard, files, settings. */
const STRING = raw`\x1b[\]PX^_](?:[^\x07\x1b\x9c]|\x1b(?!\\))*`
const CONTROL = new RegExp(
  [
    raw`\x1b\[([?>=!]?)([0-9:;]*)([ -/]*)([@-~])`,
    raw`${STRING}(?:\x07|\x1b\\|\x9c)`,
    raw`\x1b([()*+][0-9A-Za-z]|[78=>DEHM]|c)`,
    raw`\x1b[ -/]*[0-~]`,
    // Also an ESC that begins none of these: beside what is left out here, or behind a control that
    // a terminal obeys within a sequence, it would begin one of its own.
    raw`[\x00-\x07\x0e-\x1f\x7f-\x9f]`,
  ].join('|'),
  'g',
)
/** The beginning of a sequence whose rest comes later. */
const BEGINNING = new RegExp(raw`\x1b(?:\[[0-9:;?>=!]*[ -/]*|${STRING.slice(4)}\x1b?|[ -/]*)?$`)
/** Longer ones are none that a terminal shows. */
const LONGEST = 64 * 1024

const MOVES = 'ABCDEFGHIJKLMPSTXZ@`abdefgmrsu'
/** Modes that change only how text is shown: cursor, wrapping, the other screen. */
const MODES = new Set(['1', '5', '6', '7', '12', '25', '47', '1047', '1048', '1049', '2026'])
const MOST = 9999

/** The terminal as it was before: colors, cursor, margins, the usual screen. */
export const AFTERWARDS = '\x1b[0m\x1b[?1049l\x1b[r\x1b[?7h\x1b[?25h\x1b(B\r\n'

/** Cleans one piece of output after the other; a sequence may be cut between two of them. */
export function harmless(): (piece: string) => string {
  let held = ''
  return (piece) => {
    const text = held + piece
    const [rest = ''] = BEGINNING.exec(text) ?? []
    held = rest.length <= LONGEST ? rest : ''
    return text.slice(0, text.length - rest.length).replace(CONTROL, (whole, prefix, values, between, final, plain) => {
      if (plain) return plain === 'c' ? '\x1b[0m\x1b[2J\x1b[H' : whole
      return final && isShown(prefix, values, between, final) ? whole : ''
    })
  }
}

function isShown(prefix: string, values: string, between: string, final: string): boolean {
  const numbers = values.split(/[:;]/)
  if (between || numbers.some((number) => Number(number) > MOST)) return false
  if (prefix === '?') return (final === 'h' || final === 'l') && numbers.every((number) => MODES.has(number))
  if (prefix) return false
  // `u` with a number is a protocol of keyboards; `4 h` inserts.
  if (final === 'h' || final === 'l') return values === '4'
  return MOVES.includes(final) && (final !== 'u' || values === '')
}
