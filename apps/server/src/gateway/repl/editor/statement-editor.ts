import { inBackground } from '../../../kernel/background.ts'
import type { KeyName } from '../../prompt/keys.ts'
import { columnsOf, commonStart } from './candidates.ts'
import { EditBuffer } from './edit-buffer.ts'
import { EditorView, type Prompts, type Screen } from './editor-view.ts'
import { History } from './history.ts'

/** End of the input. `ended`: Ctrl-D in an empty editor. */
export type Answer = { text: string } | 'interrupted' | 'ended'

/** Texts that could be at the cursor. */
export interface Completion {
  /** Characters before the cursor that they take the place of. */
  length: number
  candidates: readonly string[]
}

export interface EditorHost extends Screen {
  /** Whether a return runs it, instead of beginning another row. */
  isComplete(rows: readonly string[], firstChanged: number): boolean
  /** Texts that could be behind this one. */
  complete(before: string): Promise<Completion | undefined>
  answered(answer: Answer): void
}

/** Search by Ctrl-R, and its result. */
interface Search {
  text: string
  found: string
  back: number
}

const INDENT = '  '
/** Asks terminals to mark what is pasted (xterm, DECSET 2004). */
const MARK_PASTES = '\x1b[?2004h'
const MARK_NO_PASTES = '\x1b[?2004l'

/** Reads statements of several rows from a terminal, with the keys that shells have. */
export class StatementEditor {
  readonly #host: EditorHost
  readonly #view: EditorView
  readonly #history = new History()
  #buffer = new EditBuffer()
  #prompts: Prompts = { first: '', more: '' }
  #search: Search | undefined
  #isPasting = false
  /** Changes with each key: what was asked for before it is of no use. */
  #turn = 0

  constructor(host: EditorHost) {
    this.#host = host
    this.#view = new EditorView(host)
  }

  /** Begins another statement, at the beginning of a row. */
  read(prompts: Prompts): void {
    this.#prompts = prompts
    this.#buffer = new EditBuffer()
    this.#search = undefined
    this.#host.write(MARK_PASTES)
    this.#view.begin()
    this.#draw()
  }

  /** Other text was written below what is being edited. */
  redraw(): void {
    this.#view.forget()
    this.#draw()
  }

  /** The window has another size. */
  resize(): void {
    this.#draw()
  }

  type(text: string): void {
    this.#turn++
    if (this.#search) {
      this.#searchFor(this.#search.text + text, -1)
      return
    }
    const isAtEnd = !this.#buffer.after && this.#buffer.row === this.#buffer.rows.length - 1
    if (!this.#buffer.insert(text)) this.#host.write('\x07')
    // Drawn once it has ended: for each of ten thousand rows it would take minutes.
    else if (this.#isPasting) return
    else if (!isAtEnd || text.includes('\n') || !this.#view.append(text)) this.#draw()
  }

  press(key: KeyName): void {
    this.#turn++
    if (this.#isPasting) this.#paste(key)
    else if (this.#search) this.#pressSearching(key, this.#search)
    else this.#press(key)
  }

  #paste(key: KeyName): void {
    if (key === 'pasteEnds' || key === 'interrupt') this.#isPasting = false
    if (key === 'enter') this.type('\n')
    else if (key === 'complete') this.type('\t')
    else if (key === 'interrupt') this.#press(key)
    else if (key === 'pasteEnds') this.#draw()
  }

  #press(key: KeyName): void {
    const buffer = this.#buffer
    switch (key) {
      case 'enter':
        this.#enter()
        return
      case 'interrupt':
        this.#answer('interrupted', '^C')
        return
      case 'deleteOrEnd':
        if (buffer.isEmpty) {
          this.#answer('ended')
          return
        }
        buffer.delete()
        break
      case 'clearScreen':
        this.#host.write('\x1b[2J\x1b[H')
        this.#view.forget()
        break
      case 'previous':
        if (!buffer.up()) this.#recall(1)
        break
      case 'next':
        if (!buffer.down()) this.#recall(-1)
        break
      case 'search':
        this.#search = { text: '', found: '', back: 0 }
        break
      case 'complete':
        this.#complete()
        return
      case 'pasteBegins':
        this.#isPasting = true
        return
      case 'pasteEnds':
      case 'leave':
      case 'pageUp':
      case 'pageDown':
        return
      default:
        buffer[key]()
    }
    this.#draw()
  }

  #enter(): void {
    const buffer = this.#buffer
    const isComplete = this.#host.isComplete(buffer.rows, buffer.firstChanged)
    buffer.firstChanged = buffer.rows.length
    if (!isComplete) {
      buffer.insert('\n')
      this.#draw()
      return
    }
    const { text } = buffer
    this.#history.add(text)
    if (buffer.after || buffer.row < buffer.rows.length - 1) {
      buffer.toEnd()
      this.#draw()
    }
    this.#answer({ text })
  }

  #answer(answer: Answer, mark = ''): void {
    this.#view.end(mark)
    this.#host.write(MARK_NO_PASTES)
    this.#host.answered(answer)
  }

  #recall(direction: 1 | -1): void {
    const found = this.#history.step(direction, this.#buffer.text)
    if (found !== undefined) this.#buffer.set(found)
  }

  #pressSearching(key: KeyName, search: Search): void {
    if (key === 'search') this.#searchFor(search.text, search.back)
    else if (key === 'backspace') this.#searchFor(search.text.slice(0, -1), 0)
    else if (key === 'leave' || key === 'interrupt') this.#endSearch('')
    else if (key !== 'pasteBegins' && key !== 'pasteEnds') {
      this.#endSearch(search.found)
      if (key !== 'complete') this.#press(key)
    }
  }

  /** `before`: so many of the newest are passed by; -1: none, and what is found may stay. */
  #searchFor(text: string, before: number): void {
    const search = this.#search as Search
    const from = before < 0 ? Math.max(0, search.back - 1) : before
    const hit = text ? this.#history.search(text, from) : undefined
    if (!hit && text) this.#host.write('\x07')
    this.#search = hit ? { text, found: hit.entry, back: hit.back } : { ...search, text }
    this.#draw()
  }

  #endSearch(found: string): void {
    this.#search = undefined
    if (found) this.#buffer.set(found)
    this.#draw()
  }

  #complete(): void {
    const buffer = this.#buffer
    if (!buffer.before.trim()) {
      this.type(INDENT)
      return
    }
    const turn = this.#turn
    const text = [...buffer.rows.slice(0, buffer.row), buffer.before].join('\n')
    inBackground(
      this.#host.complete(text).then((found) => {
        if (found && turn === this.#turn && this.#buffer === buffer) this.#offer(found)
      }),
    )
  }

  #offer({ length, candidates }: Completion): void {
    const buffer = this.#buffer
    const typed = buffer.before.slice(buffer.before.length - length)
    const [only, another] = candidates
    if (only === undefined) return
    const common = another === undefined ? (only.endsWith('.') ? only : `${only} `) : commonStart(candidates)
    if (common.length > typed.length || another === undefined) {
      for (let at = 0; at < length; at++) buffer.backspace()
      buffer.insert(common)
    } else {
      this.#view.end()
      this.#host.write(columnsOf(candidates, this.#host.size().cols))
    }
    this.#draw()
  }

  #draw(): void {
    const search = this.#search
    if (!search) {
      this.#view.draw(this.#prompts, this.#buffer)
      return
    }
    const [first = ''] = search.found.split('\n')
    const prompt = `(search)\`${search.text}': `
    this.#view.draw({ first: prompt, more: '' }, { rows: [first], row: 0, before: first, after: '' })
  }
}
