import type { Dialogue, Progress } from '../../session/dialogue.ts'
import type { TerminalSocket } from './terminal-socket.ts'

/** An unanswered question must not hold a connection for ever. */
const ANSWER_MS = 3 * 60_000

/** Talks with a person before their session is there, by messages that the page makes dialogs of. */
export class PageDialogue implements Dialogue {
  readonly #line: TerminalSocket
  readonly #prefix: 'DESKTOP' | 'WORKBENCH'
  #answer: ((text: string | undefined) => void) | undefined
  #leave: (() => void) | undefined

  /** `prefix`: what the names of the messages begin with. */
  constructor(line: TerminalSocket, prefix: 'DESKTOP' | 'WORKBENCH') {
    this.#line = line
    this.#prefix = prefix
    line.gone.addEventListener('abort', () => this.#close())
  }

  progress(text: string): Progress {
    const show = (shown: string) => this.#line.send(`${this.#prefix}_PROGRESS`, shown)
    show(text)
    return { pause: () => show(''), goOn: () => show(text), end: () => show('') }
  }

  ask(prompt: string, { echo }: { echo: boolean }): Promise<string | undefined> {
    if (this.#line.gone.aborted) return Promise.resolve(undefined)
    this.#line.send(`${this.#prefix}_ASK`, { text: prompt.trim(), echo })
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#answer?.(undefined), ANSWER_MS)
      this.#answer = (text) => {
        clearTimeout(timer)
        this.#answer = undefined
        resolve(text)
      }
    })
  }

  wait(heading: string, _text: string, signal: AbortSignal): Promise<'over' | 'left'> {
    if (this.#line.gone.aborted) return Promise.resolve('left')
    this.#line.send(`${this.#prefix}_WAIT`, { text: heading })
    return new Promise((resolve) => {
      const finish = (how: 'over' | 'left') => {
        signal.removeEventListener('abort', over)
        this.#leave = undefined
        this.#line.send(`${this.#prefix}_WAIT`, { text: '' })
        resolve(how)
      }
      const over = () => finish('over')
      this.#leave = () => finish('left')
      if (signal.aborted) over()
      else signal.addEventListener('abort', over)
    })
  }

  /** Takes the page's answer; without a text the person gives up. */
  answer({ text }: { text?: string | undefined }): void {
    if (this.#leave) this.#leave()
    else this.#answer?.(text)
  }

  #close(): void {
    this.#leave?.()
    this.#answer?.(undefined)
  }
}
