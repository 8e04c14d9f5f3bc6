import { z } from 'zod'
import { inBackground } from '../../../kernel/background.ts'
import type { LiveSession } from '../../session/live-session.ts'
import type { Notice } from '../../session/notice.ts'
import { PageDialogue } from './page-dialogue.ts'
import { enter, joinParticipants } from './people-at-line.ts'
import type { Role, TerminalRequest } from './role.ts'

/** A page that asks for more with so much unread does not read at all. */
const UNREAD_MAX = 16 * 1024 * 1024
/** What is needed for an answer, whatever was asked. */
const numberedSchema = z.object({ question: z.number().int().min(0) })

/**
 * A page that looks around in something by asking: it takes WORKBENCH_ASK and WORKBENCH_CANCEL, and
 * answers WORKBENCH_REPLY; WORKBENCH_START goes before them, WORKBENCH_NOTICE beside. Its session
 * ends with its line: there is nothing to come back to.
 */
export abstract class OwnBrowser<Question> implements Role {
  protected readonly request: TerminalRequest
  protected readonly dialogue: PageDialogue
  /** Gives up connecting, and ends the session. */
  protected readonly over = new AbortController()
  protected live: LiveSession | undefined
  readonly #asked: z.ZodType<{ question: number; ask: Question }>
  #isOpen = false

  constructor(request: TerminalRequest, asked: z.ZodType<{ question: number; ask: Question }>) {
    this.request = request
    this.dialogue = new PageDialogue(request.line, 'WORKBENCH')
    this.#asked = asked
    request.line.showsWords = false
  }

  /** Opens the session, which is `live` from then on; answers what the page learns at the start. */
  protected abstract connect(): Promise<Record<string, unknown>>
  /** Undefined where too much is asked. */
  protected abstract ask(question: Question): Promise<object> | undefined
  /** Nobody waits any more for what was asked. */
  protected abstract cancel(): void
  /** Why there is no answer, in the person's language; undefined for a fault of ours. */
  protected abstract wordsOf(error: unknown): string | undefined

  async open(): Promise<void> {
    const { line } = this.request
    const leave = enter(
      this.request,
      () => this.live,
      () => true,
    )
    this.over.signal.addEventListener('abort', leave)
    line.gone.addEventListener('abort', () => this.over.abort())
    const start = await this.connect()
    if (line.gone.aborted || !this.live) return
    joinParticipants(this.request, this.live)
    this.#isOpen = true
    line.send('WORKBENCH_START', { ...start, locked: this.live.isLocked })
  }

  /** Nothing is typed here. */
  input(): void {}
  resize(): void {}

  message(type: string, data: unknown): void {
    const { socket } = this.request.line
    if (socket.bufferedAmount > UNREAD_MAX) socket.terminate()
    else if (this.dialogue.message(type, data) || !this.#isOpen) return
    else if (type === 'WORKBENCH_CANCEL') this.cancel()
    else if (type === 'WORKBENCH_ASK') {
      const asked = this.#asked.safeParse(data)
      if (asked.success) inBackground(this.#answer(asked.data.question, asked.data.ask))
      else this.#refuse(data)
    }
  }

  /** Whoever asks what is no question waits for nothing. */
  #refuse(data: unknown): void {
    const { line, say } = this.request
    const numbered = numberedSchema.safeParse(data)
    if (numbered.success)
      line.send('WORKBENCH_REPLY', { question: numbered.data.question, error: say('This can not be asked') })
  }

  leave(): void {
    if (this.live) inBackground(this.live.end('left'))
    else this.request.line.socket.close()
  }

  protected tell({ code, text, values, urgency }: Notice): void {
    const { line, say } = this.request
    line.send('WORKBENCH_NOTICE', { code, text: say(text, { ...values }), urgency })
  }

  async #answer(question: number, ask: Question): Promise<void> {
    const { line, kernel, say } = this.request
    try {
      const answer = await this.ask(ask)
      line.send('WORKBENCH_REPLY', { question, ...(answer ?? { error: say('This can not be asked now') }) })
    } catch (error) {
      const words = this.wordsOf(error)
      if (words === undefined) kernel.app.log.error({ err: error, session: this.live?.id }, 'a page had no answer')
      line.send('WORKBENCH_REPLY', { question, error: words ?? say('The connection failed') })
    }
  }
}
