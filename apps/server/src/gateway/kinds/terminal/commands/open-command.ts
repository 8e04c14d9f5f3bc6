/** Characters of one command that are kept. */
const COMMAND_MAX = 64 * 1024

/** Words that open a command that only its counterpart ends (POSIX shell 2.9.4). */
const OPENS: ReadonlySet<string> = new Set(['if', 'for', 'while', 'until', 'case', 'select', '{'])
const CLOSES: ReadonlySet<string> = new Set(['fi', 'done', 'esac', '}'])
/** Words before a command, so the next word may open one. */
const BEFORE_COMMANDS: ReadonlySet<string> = new Set(['then', 'else', 'elif', 'do', '!', ...OPENS])
/** Quotes, escapes, comments, here documents, operators and words, in that order. */
const TOKEN =
  /\\[\s\S]|\\$|'[^']*(?:'|$)|"(?:\\[\s\S]|[^"\\])*(?:"|\\?$)|`(?:\\[\s\S]|[^`\\])*(?:`|\\?$)|(?<=^|[\s;&|()])#[^\n]*|<<<|<<-?[ \t]*(?:'[^'\n]*'|"[^"\n]*"|[^\s;&|<>()'"]+)|[\n;&|]+|[()]|[^\s;&|()\\'"`#<]+|[\s\S]/g

/**
 * A command of several lines, as shells read them: with an open quote, a line end behind a
 * backslash, a here document, or a loop without its end. An approximation: it decides what is
 * judged together besides each line alone.
 *
 * Not by the parser of guard/shell, which takes a text for whole and an open quote for a fault: it
 * can't tell what goes on from what is wrong, and dash, zsh and devices differ from bash in that.
 */
export class OpenCommand {
  #lines = ''
  #isOpen = false

  /** Lines are missing from what is kept. */
  isCut = false

  /**
   * The command with this as its last line, joined where a backslash says so; undefined where the
   * line is one of its own.
   */
  with(line: string): string | undefined {
    return this.#isOpen ? `${this.#lines}\n${line}`.replaceAll('\\\n', '') : undefined
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** The line was sent. */
  add(line: string): void {
    const whole = this.#isOpen ? `${this.#lines}\n${line}` : line
    this.isCut = whole.length > COMMAND_MAX
    this.#isOpen = this.isCut || isUnfinished(whole)
    this.#lines = this.#isOpen ? whole.slice(-COMMAND_MAX) : ''
    if (!this.#isOpen) this.isCut = false
  }

  /** The command was given up. */
  clear(): void {
    this.#lines = ''
    this.#isOpen = false
    this.isCut = false
  }
}

function isUnfinished(text: string): boolean {
  let depth = 0
  let parentheses = 0
  let isCommand = true
  const documents: { end: string; isIndented: boolean }[] = []
  TOKEN.lastIndex = 0
  for (let found = TOKEN.exec(text); found; found = TOKEN.exec(text)) {
    const [token] = found
    const atEnd = TOKEN.lastIndex === text.length
    if (token === '\\' || (atEnd && isOpenQuote(token))) return true
    if (/^<<-?./.test(token) && token !== '<<<') {
      documents.push({ end: token.replace(/^<<-?\s*/, '').replace(/['"\\]/g, ''), isIndented: token[2] === '-' })
    } else if (token.includes('\n') && /^[\n;&|]+$/.test(token)) {
      for (const document of documents.splice(0)) {
        const end = endOfDocument(text, TOKEN.lastIndex, document)
        if (end === undefined) return true
        TOKEN.lastIndex = end
      }
      isCommand = true
    } else if (/^[;&|]+$/.test(token) || token === '(') {
      if (token === '(') parentheses++
      isCommand = true
    } else if (token === ')') parentheses = Math.max(0, parentheses - 1)
    else if (token.trim()) {
      if (isCommand && OPENS.has(token)) depth++
      else if (isCommand && CLOSES.has(token)) depth = Math.max(0, depth - 1)
      isCommand = isCommand && BEFORE_COMMANDS.has(token)
    }
  }
  return depth + parentheses > 0 || documents.length > 0 || /(?:&&|\||\|\|)\s*$/.test(text)
}

/** A quote that nothing closes. */
function isOpenQuote(token: string): boolean {
  const [quote = ''] = token
  if (!`'"\``.includes(quote)) return false
  return token.length === 1 || token.at(-1) !== quote || (quote !== "'" && /(?<!\\)(?:\\\\)*\\.$/s.test(token))
}

/** Place where the text goes on behind a here document whose first line begins there. */
function endOfDocument(
  text: string,
  from: number,
  { end, isIndented }: { end: string; isIndented: boolean },
): number | undefined {
  for (let start = from; start <= text.length; ) {
    const lineEnd = text.indexOf('\n', start)
    const line = text.slice(start, lineEnd < 0 ? text.length : lineEnd)
    if ((isIndented ? line.replace(/^\t+/, '') : line) === end) return lineEnd < 0 ? text.length : lineEnd
    if (lineEnd < 0) return undefined
    start = lineEnd + 1
  }
  return undefined
}
