import { cellWidth } from '../../kinds/terminal/cell-width.ts'
import { type Key, type KeyName, KeyReader } from '../../prompt/keys.ts'
import { textWidth } from '../../prompt/plain-text.ts'
import { Line } from './line.ts'
import type { MenuTerminal } from './terminal-line.ts'

/** Lines kept for the up arrow. */
const MAX_HISTORY = 100
/**
 * Keys and lines of type-ahead to keep; more are dropped. Each line may cost a query, and a pasted
 * file must not become thousands of them.
 */
const MAX_AHEAD_KEYS = 4096
const MAX_AHEAD_LINES = 20

/** How a line ended. `ended`: Ctrl-D on an empty line, or the terminal is gone. */
export type LineAnswer = { text: string } | 'interrupted' | 'ended'

/** A line that is being read. */
interface Reading {
  prompt: string
  line: Line
  remember: boolean
  /** Which line of the history is shown, counted from the end; 0 is the person's own. */
  back: number
  /** Text before the person went through the history. */
  draft: string
  resolve: (answer: LineAnswer) => void
}

/**
 * Reads lines from a person's terminal with the keys that shells have. The line is always drawn in
 * one row, in which a long one shows the part around the cursor: so drawing never depends on how a
 * terminal wraps.
 */
export class LineEditor {
  readonly #terminal: MenuTerminal
  readonly #keys = new KeyReader()
  readonly #history: string[] = []
  #ahead: Key[] = []
  #aheadLines = 0
  #reading: Reading | undefined
  /** Columns to the left of the cursor, as last drawn. */
  #drawn = 0
  #closed = false

  constructor(terminal: MenuTerminal) {
    this.#terminal = terminal
  }

  /** Reads one line at a time. `remember` adds it to the history. */
  read(prompt: string, { remember = true } = {}): Promise<LineAnswer> {
    if (this.#closed) return Promise.resolve('ended')
    return new Promise((resolve) => {
      this.#reading = { prompt, line: new Line(), remember, back: 0, draft: '', resolve }
      const ahead = this.#ahead
      this.forgetAhead()
      this.#draw()
      this.#takeAll(ahead)
    })
  }

  input(bytes: Buffer): void {
    if (!this.#closed) this.#takeAll(this.#keys.read(bytes))
  }

  /** Drops type-ahead that was meant for something else. */
  forgetAhead(): void {
    this.#ahead = []
    this.#aheadLines = 0
  }

  /**
   * Most terminals wrap a row that has become too wide: the cursor is then some rows below the
   * start of the row.
   */
  resize(): void {
    if (!this.#reading) return
    const rowsAbove = Math.floor(this.#drawn / Math.max(1, this.#terminal.size().cols))
    this.#terminal.write(`${rowsAbove ? `\x1b[${rowsAbove}A` : ''}\r\x1b[J`)
    this.#draw()
  }

  /** Open and later reads answer `ended`. */
  close(): void {
    this.#closed = true
    this.forgetAhead()
    this.#answer('ended')
  }

  /** Draws once for all keys that came together, and before each line end. */
  #takeAll(keys: Iterable<Key>): void {
    let changed = false
    for (const key of keys) {
      if (!this.#reading) {
        this.#keep(key)
        continue
      }
      if ('character' in key) changed = this.#insert(key.character) || changed
      else {
        if (changed) this.#draw()
        changed = this.#press(key.key)
      }
    }
    if (changed) this.#draw()
  }

  #keep(key: Key): void {
    if ('key' in key && key.key === 'interrupt') this.forgetAhead()
    if (this.#ahead.length >= MAX_AHEAD_KEYS || this.#aheadLines >= MAX_AHEAD_LINES) return
    if ('key' in key && key.key === 'enter') this.#aheadLines++
    this.#ahead.push(key)
  }

  #insert(character: string): boolean {
    return this.#reading?.line.insert(character) ?? false
  }

  /** True when the row must be drawn again. */
  #press(key: KeyName): boolean {
    const reading = this.#reading
    if (!reading) return false
    const { line } = reading
    switch (key) {
      case 'enter':
        this.#remember(line.text, reading.remember)
        this.#answer({ text: line.text })
        return false
      case 'interrupt':
        this.#answer('interrupted', '^C')
        return false
      case 'deleteOrEnd':
        if (!line.isEmpty) line.delete()
        else this.#answer('ended')
        return this.#reading !== undefined
      case 'clearScreen':
        this.#terminal.write('\x1b[2J\x1b[H')
        return true
      case 'previous':
        this.#recall(reading, 1)
        return true
      case 'next':
        this.#recall(reading, -1)
        return true
      case 'complete':
      case 'search':
      case 'leave':
      case 'pasteBegins':
      case 'pasteEnds':
      case 'pageUp':
      case 'pageDown':
        return false
      default:
        line[key]()
        return true
    }
  }

  #recall(reading: Reading, step: 1 | -1): void {
    const back = reading.back + step
    if (!reading.remember || back < 0 || back > this.#history.length) return
    if (reading.back === 0) reading.draft = reading.line.text
    reading.back = back
    reading.line.set(back === 0 ? reading.draft : (this.#history.at(-back) ?? ''))
  }

  #remember(text: string, wanted: boolean): void {
    if (!wanted || !text.trim() || this.#history.at(-1) === text) return
    this.#history.push(text)
    if (this.#history.length > MAX_HISTORY) this.#history.shift()
  }

  #answer(answer: LineAnswer, mark = ''): void {
    const reading = this.#reading
    this.#reading = undefined
    if (!reading) return
    this.#terminal.write(`${mark}\r\n`)
    reading.resolve(answer)
  }

  #draw(): void {
    if (!this.#reading) return
    const { prompt, line } = this.#reading
    const start = textWidth(prompt)
    // The last column stays free: with the cursor after it, terminals behave differently.
    const room = Math.max(4, this.#terminal.size().cols - start - 1)
    const left = shownBefore(line.before, room)
    const right = shownAfter(line.after, room - textWidth(left))
    this.#drawn = start + textWidth(left)
    this.#terminal.write(`\r${prompt}${left}${right}\x1b[K\r${this.#drawn ? `\x1b[${this.#drawn}C` : ''}`)
  }
}

/**
 * The end of the text to the left of the cursor; in a long line it scrolls by half a screen, so
 * that the eye can follow.
 */
function shownBefore(characters: readonly string[], room: number): string {
  let first = 0
  let width = characters.reduce((sum, character) => sum + cellWidth(character), 0)
  const half = Math.floor(room / 2)
  while (width > room) {
    for (let gone = 0; gone < half && first < characters.length; first++) {
      const columns = cellWidth(characters[first] ?? '')
      gone += columns
      width -= columns
    }
  }
  return characters.slice(first).join('')
}

function shownAfter(characters: readonly string[], room: number): string {
  let width = 0
  let count = 0
  for (const character of characters) {
    width += cellWidth(character)
    if (width > room) break
    count++
  }
  return characters.slice(0, count).join('')
}
