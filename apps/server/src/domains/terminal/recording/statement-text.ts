import { type Language, translate } from '../../../kernel/i18n/translate.ts'

/** The reader, and their address. */
export interface Reader {
  language: Language
  /** IANA zone. */
  timeZone: string
}

/** The result of a statement. */
interface Outcome {
  rows?: number
  error?: string
}

/**
 * A log of statements for people to read, from its lines (`StatementLog` of the gateway says what
 * one is): what was asked, when, and what became of it. Whatever a statement contains, it looks like
 * no other entry and gives no orders to a terminal. A damaged line is shown as it is.
 */
export async function* statementText(lines: AsyncIterable<Buffer>, reader: Reader): AsyncGenerator<string> {
  const { language, timeZone } = reader
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  let start = 0
  for await (const bytes of lines) {
    const line = bytes.toString().trimEnd()
    const entry = parsed(line)
    if (Array.isArray(entry) && typeof entry[0] === 'number') {
      const [seconds, ...event] = entry
      yield `${clock.format((start + seconds) * 1000)}  ${plain(wordsOf(event, language) ?? line)}\n`
    } else if (entry && 'timestamp' in entry && typeof entry.timestamp === 'number') {
      start = entry.timestamp
      const zone = new Date(start * 1000).toLocaleString('sv-SE', { timeZone, timeZoneName: 'longOffset' })
      yield `${plain(String(entry.title ?? ''))}\n${zone}\n\n`
    } else yield `${plain(line)}\n`
  }
}

function parsed(line: string): unknown[] | { timestamp?: unknown; title?: unknown } | undefined {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** Undefined for an event of no kind that is known. */
function wordsOf([event, ...values]: unknown[], language: Language): string | undefined {
  const [first, second, third] = values
  switch (event) {
    case 'statement': {
      const [text, length] = [String(second), Number(third)]
      const isCut = length > text.length
      const cut = translate(language, 'only the first {{shown}} of {{length}} characters were recorded', {
        shown: text.length,
        length,
      })
      return `#${first} ${text}${isCut ? `\n(${cut})` : ''}`
    }
    case 'answer': {
      const { rows, error } = (second ?? {}) as Outcome
      if (error !== undefined) return `#${first} → ${translate(language, 'Error')}: ${error}`
      return `#${first} → ${rows === undefined ? translate(language, 'answered') : translate(language, '{{rows|row|rows}}', { rows })}`
    }
    case 'refused':
      return `${translate(language, 'Refused')}: ${first}\n${second}`
    case 'notice':
      return String(first)
    default:
      return undefined
  }
}

/**
 * Lines after the first are indented; control characters, and what turns the direction of a text, are
 * shown as ␛ and the like.
 */
function plain(text: string): string {
  return (
    text
      .replace(/\r\n|\r/g, '\n')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
      .replace(/[\x00-\x08\x0b-\x1f]/g, (one) => String.fromCharCode(0x2400 + one.charCodeAt(0)))
      .replace(/[\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g, '␡')
      .replaceAll('\n', '\n    ')
  )
}
