import { parseReplayEvent, type ReplayHit, type ReplaySearch } from '@sallyport/contract/replay.ts'

const MAX_HITS = 100
/** A line is searched when it ends, or has grown this long. */
const MAX_LINE = 4096
/** Characters shown before and after a hit. */
const CONTEXT = 60
const TAB = 8

/**
 * Finds text that was on the screen, line by line with its times: escape sequences are removed,
 * corrections by backspace are made. Output of programs that move the cursor about (editors,
 * full-screen programs) is searched in the fragments in which it was written.
 */
export class TextSearch {
  readonly #wanted: string
  readonly #maxHits: number
  readonly hits: ReplayHit[] = []
  more = false
  #line = ''
  /** Where in the line each piece of output began, and when. */
  #moments: { at: number; time: number }[] = []
  #rest = ''

  /** Stops after so many hits. */
  constructor(wanted: string, maxHits = MAX_HITS) {
    this.#wanted = fold(wanted)
    this.#maxHits = maxHits
  }

  get isFull(): boolean {
    return this.hits.length >= this.#maxHits
  }

  /** Takes one line of the recording. */
  add(line: string): void {
    const event = parseReplayEvent(line)
    if (event?.code === 'o') this.#output(event.time, event.data)
  }

  end(): ReplaySearch {
    this.#endLine()
    return { hits: this.hits, more: this.more }
  }

  #output(time: number, data: string): void {
    this.#moments.push({ at: this.#line.length, time })
    const text = this.#rest + data
    this.#rest = ''
    TOKEN.lastIndex = 0
    for (let found = TOKEN.exec(text); found; found = TOKEN.exec(text)) {
      const [token] = found
      if (token.charCodeAt(0) >= 0x20 && token !== '\x7f') this.#append(token, time)
      else if (token === '\b') this.#line = this.#line.slice(0, -1)
      else if (token === '\t') this.#append(' '.repeat(TAB - (this.#line.length % TAB)), time)
      else if (token === '\n' || token === '\r') this.#endLine(time)
      else if (token[0] === '\x1b') {
        if (token.length < MAX_LINE && TOKEN.lastIndex === text.length && BEGUN.test(token)) this.#rest = token
        else this.#sequence(token, time)
      }
    }
  }

  /**
   * Colors and modes don't interrupt a line; moves to the right are blanks; any other move begins
   * another fragment.
   */
  #sequence(token: string, time: number): void {
    if (token[1] !== '[') return
    const final = token.at(-1) as string
    if (final === 'C') this.#append(' '.repeat(Math.min(Number.parseInt(token.slice(2), 10) || 1, 200)), time)
    else if ('ABDEFGHJLMSTdfrsu'.includes(final) && !(final === 'J' && token === '\x1b[J')) this.#endLine(time)
  }

  #append(text: string, time: number): void {
    this.#line += text
    while (this.#line.length > MAX_LINE) {
      // Text that a hit could contain across the cut is kept together.
      const kept = this.#line.slice(MAX_LINE - this.#wanted.length + 1)
      this.#line = this.#line.slice(0, MAX_LINE)
      this.#endLine(time)
      this.#line = kept
    }
  }

  #endLine(time?: number): void {
    const line = this.#line
    if (line.length >= this.#wanted.length) {
      const folded = fold(line)
      for (
        let at = folded.indexOf(this.#wanted);
        at >= 0;
        at = folded.indexOf(this.#wanted, at + this.#wanted.length)
      ) {
        if (this.isFull) {
          this.more = true
          break
        }
        this.hits.push(this.#hit(line, at))
      }
    }
    this.#line = ''
    this.#moments = time === undefined ? [] : [{ at: 0, time }]
  }

  #hit(line: string, at: number): ReplayHit {
    const end = at + this.#wanted.length
    const begin = Math.max(0, at - CONTEXT)
    // The time at which all of it was on the screen.
    const moment = this.#moments.findLast((one) => one.at < end) ?? this.#moments[0]
    return { time: moment?.time ?? 0, text: line.slice(begin, end + CONTEXT), from: at - begin, to: end - begin }
  }
}

/**
 * Ignores case. Characters whose lower case has another length stay, so that positions are the same
 * in both.
 */
function fold(text: string): string {
  const small = text.toLowerCase()
  return small.length === text.length
    ? small
    : text.replace(/./gs, (one) => (one.toLowerCase().length === 1 ? one.toLowerCase() : one))
}

/** An escape sequence, a run of text, or one control character. */
const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are made of control characters
  /\x1b(?:\[[0-?]*[ -/]*[@-~]?|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~]?)|[^\x00-\x1f\x7f]+|[\x00-\x1f\x7f]/g
/** An unfinished sequence. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are made of control characters
const BEGUN = /^\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*|[ -/]*)$/
