import { numbered } from '@sallyport/contract/socket/asking.ts'
import type { CLUSTER } from '@sallyport/contract/socket/cluster.ts'
import type { KEYS } from '@sallyport/contract/socket/keys.ts'
import type { SentMessageOf } from '@sallyport/contract/socket/message.ts'
import { inBackground } from '../../../kernel/background.ts'
import { readMessage } from '../../../kernel/http/read-message.ts'
import type { LiveSession } from '../../session/live-session.ts'
import type { Notice } from '../../session/notice.ts'
import type { MessageDoor } from './message-door.ts'
import { PageDialogue } from './page-dialogue.ts'
import { enter, joinParticipants } from './people-at-line.ts'
import type { Role, TerminalRequest } from './role.ts'

/** A page that asks for more with so much unread does not read at all. */
const UNREAD_MAX = 16 * 1024 * 1024

/** Facts for its page at the start. */
type Start = Extract<
  SentMessageOf<typeof KEYS.fromGateway> | SentMessageOf<typeof CLUSTER.fromGateway>,
  { type: 'WORKBENCH_START' }
>['data']

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
  #isOpen = false

  constructor(request: TerminalRequest) {
    this.request = request
    this.dialogue = new PageDialogue(request.line, 'WORKBENCH')
    request.line.showsWords = false
  }

  /** Opens the session, which is `live` from then on; answers what the page learns at the start. */
  protected abstract connect(): Promise<Start>
  /** Takes what this page may say. */
  protected abstract readonly door: MessageDoor
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

  readonly message: MessageDoor = (message) => {
    const { socket } = this.request.line
    if (socket.bufferedAmount <= UNREAD_MAX) return this.door(message)
    socket.terminate()
    return undefined
  }

  /** Messages that every such page may send. */
  protected readonly asking = {
    WORKBENCH_ANSWER: (reply: { text?: string | undefined }) => this.dialogue.answer(reply),
    WORKBENCH_CANCEL: () => this.#isOpen && this.cancel(),
    WORKBENCH_ASK: ({ question, ask }: { question: number; ask: Question }) => {
      if (this.#isOpen) inBackground(this.#answer(question, ask))
    },
  }

  /** A malformed question is refused at once. */
  protected readonly refused = {
    WORKBENCH_ASK: (sent: string) => {
      const { line, say } = this.request
      const asked = this.#isOpen ? readMessage(numbered, sent) : undefined
      if (asked) line.send('WORKBENCH_REPLY', { question: asked.question, error: say('This can not be asked') })
    },
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
