import { z } from 'zod'
import type { StatementSession } from '../../kinds/statements/statement-session.ts'
import type { Notice } from '../../session/notice.ts'
import { KeyBrowser, type KeyQuestion, KeyRefusal } from '../../workbench/redis/key-browser.ts'
import { KINDS, type Kind } from '../../workbench/redis/kinds.ts'
import { SessionTarget } from '../../workbench/session-target.ts'
import { PageDialogue } from './page-dialogue.ts'
import { enter, joinParticipants } from './people-at-line.ts'
import type { Role, TerminalRequest } from './role.ts'

/** A page that asks for more with so much unread does not read at all. */
const UNREAD_MAX = 16 * 1024 * 1024
const KEY_CHARACTERS = 64 * 1024

const key = z.union([
  z.string().max(KEY_CHARACTERS),
  z.tuple([
    z
      .string()
      .max(2 * KEY_CHARACTERS)
      .regex(/^(?:[0-9a-f]{2})+$/),
  ]),
])
const cursor = z.string().regex(/^\d{1,20}$/)
const questionSchema = z.object({
  question: z.number().int().min(0),
  ask: z.discriminatedUnion('about', [
    z.object({ about: z.literal('keys'), cursor, pattern: z.string().max(1024), type: z.string().max(64) }),
    z.object({ about: z.literal('key'), key }),
    z.object({
      about: z.literal('elements'),
      key,
      type: z.enum(Object.keys(KINDS) as [Kind, ...Kind[]]),
      // A place, a cursor, or the id of a stream's entry.
      from: z.string().regex(/^(?:\d{1,20}(?:-\d{1,20})?)?$/),
    }),
  ]),
})

/**
 * The keys of a Redis server in a page: a session of statements whose client is that page. It takes
 * WORKBENCH_ASK (`KeyQuestion`) and WORKBENCH_CANCEL, and answers WORKBENCH_REPLY; WORKBENCH_START goes
 * before them, WORKBENCH_NOTICE beside. It ends with its line: there is nothing to come back to.
 */
export class OwnKeyBrowser implements Role {
  readonly #request: TerminalRequest
  readonly #dialogue: PageDialogue
  /** Gives up connecting, and ends the session. */
  readonly #over = new AbortController()
  #live: StatementSession | undefined
  #browser: KeyBrowser | undefined

  constructor(request: TerminalRequest) {
    this.#request = request
    this.#dialogue = new PageDialogue(request.line, 'WORKBENCH')
    request.line.showsWords = false
  }

  async open(): Promise<void> {
    const { line } = this.#request
    const leave = enter(
      this.#request,
      () => this.#live,
      () => true,
    )
    this.#over.signal.addEventListener('abort', leave)
    line.gone.addEventListener('abort', () => this.#over.abort())
    const target = new SessionTarget({
      // The server itself refuses what takes the place of a refused command.
      refuse() {},
      tell: (what) => this.#tell(what),
    })
    const { gateway, person, query } = this.#request
    const browser = await KeyBrowser.open(async (wire) => {
      this.#live = await gateway.open(
        {
          kind: 'statements',
          person,
          target: { family: query.family, id: query.target_id },
          systemUserId: query.system_user_id ?? '',
          dialogue: this.#dialogue,
          owner: target.owner,
          wire,
          onCreated: (session) => line.send('TERMINAL_SESSION', { session }),
        },
        this.#over.signal,
      )
      target.in(this.#live)
      return target
    })
    await browser.start(() => line.finish())
    const live = this.#live
    if (line.gone.aborted || !live) return
    joinParticipants(this.#request, live)
    this.#browser = browser
    line.send('WORKBENCH_START', { dialect: 'redis', database: browser.database, locked: live.isLocked })
  }

  /** Nothing is typed here. */
  input(): void {}
  resize(): void {}

  message(type: string, data: unknown): void {
    const { socket } = this.#request.line
    if (socket.bufferedAmount > UNREAD_MAX) socket.terminate()
    else if (this.#dialogue.message(type, data)) return
    else if (type === 'WORKBENCH_CANCEL') this.#browser?.cancel()
    else if (type === 'WORKBENCH_ASK') {
      const asked = questionSchema.safeParse(data)
      if (asked.success) void this.#answer(asked.data.question, asked.data.ask)
    }
  }

  leave(): void {
    if (this.#live) void this.#live.end('left')
    else this.#request.line.socket.close()
  }

  #tell({ code, text, values, urgency }: Notice): void {
    const { line, say } = this.#request
    line.send('WORKBENCH_NOTICE', { code, text: say(text, { ...values }), urgency })
  }

  async #answer(question: number, ask: KeyQuestion): Promise<void> {
    const { line, kernel, say } = this.#request
    try {
      const answer = await this.#browser?.ask(ask)
      line.send('WORKBENCH_REPLY', { question, ...(answer ?? { error: say('This can not be asked now') }) })
    } catch (error) {
      if (!(error instanceof KeyRefusal))
        kernel.app.log.error({ err: error, session: this.#live?.id }, 'keys could not be read')
      line.send('WORKBENCH_REPLY', {
        question,
        error: error instanceof KeyRefusal ? error.message : say('The connection failed'),
      })
    }
  }
}
