import { z } from 'zod'
import { noteSessionEvent } from '../../../domains/terminal/index.ts'
import { displayName } from '../../../kernel/access/call.ts'
import { REASONS } from '../../files/file-rights.ts'
import type { StatementSession } from '../../kinds/statements/statement-session.ts'
import { mayDownload } from '../../permission.ts'
import { NOBODY } from '../../repl/answers.ts'
import { ASKED_ROWS_MAX } from '../../repl/ask.ts'
import type { Link } from '../../repl/link.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import { WORKBENCH_DATABASES, type WorkbenchDatabase } from '../../workbench/databases.ts'
import { type Question, Questions } from '../../workbench/questions.ts'
import type { SessionTarget } from '../../workbench/session-target.ts'
import { type ExportRequest, Workbench } from '../../workbench/workbench.ts'
import { PageDialogue } from './page-dialogue.ts'
import { enter, joinParticipants } from './people-at-line.ts'
import type { Role, TerminalRequest } from './role.ts'

const TEXT_MAX = 512 * 1024
const NAME_MAX = 256
/** A page that asks for more with so much unread does not read at all. */
const UNREAD_MAX = 16 * 1024 * 1024
const number = z.number().int().min(0)
const name = z.string().max(NAME_MAX)
const runSchema = z.object({ run: number, text: z.string().max(TEXT_MAX), at: number.optional() })
const exportSchema = runSchema.extend({ format: z.enum(['csv', 'json']) })
const askSchema = z.object({
  question: number,
  ask: z.discriminatedUnion('about', [
    z.object({ about: z.literal('schemas') }),
    z.object({ about: z.literal('relations'), schema: name }),
    z.object({ about: z.literal('columns'), schema: name, relation: name }),
    z.object({ about: z.literal('completion'), before: z.string().max(TEXT_MAX), database: name }),
  ]),
})

/**
 * A workbench on a database: a session of statements whose client is a page. It takes WORKBENCH_RUN,
 * WORKBENCH_MORE, WORKBENCH_CANCEL, WORKBENCH_EXPORT and WORKBENCH_ASK, and answers WORKBENCH
 * (`WorkbenchEvent`), WORKBENCH_REPLY, and the bytes of a file as binary frames; WORKBENCH_START goes before them, WORKBENCH_NOTICE beside. It ends with its line.
 */
export class OwnWorkbench implements Role {
  readonly #request: TerminalRequest
  readonly #dialogue: PageDialogue
  /** Gives up connecting, and ends the session. */
  readonly #over = new AbortController()
  #live: StatementSession | undefined
  #questions: Questions | undefined
  #workbench: Workbench | undefined
  /** For the right to a file. */
  #isAsking = false

  constructor(request: TerminalRequest) {
    this.#request = request
    this.#dialogue = new PageDialogue(request.line, 'WORKBENCH')
    request.line.showsWords = false
  }

  async open(): Promise<void> {
    const { gateway, line, query } = this.#request
    const database = WORKBENCH_DATABASES[query.type]
    if (!database) throw new SessionRefusal('This kind of connection is not supported')
    const leave = enter(
      this.#request,
      () => this.#live,
      () => true,
    )
    line.gone.addEventListener('abort', () => {
      leave()
      this.#over.abort()
    })
    const { link, target } = await this.#connect(database)
    await link.start(() => {
      this.#questions?.close()
      line.finish()
    })
    if (this.#live) joinParticipants(this.#request, this.#live)
    if (database.atStart) await link.run(database.atStart, NOBODY, target.ownPassage)
    this.#workbench = new Workbench({
      database,
      link,
      show: (event) => line.send('WORKBENCH', event),
      send: (bytes, drained) => line.write(bytes, drained),
      elapsed: () => gateway.elapsed(),
    })
    line.send('WORKBENCH_START', {
      dialect: database.dialect,
      database: link.wire.place.database,
      version: database.version(link),
      locked: this.#live?.isLocked === true,
    })
  }

  /** Nothing is typed here. */
  input(): void {}
  resize(): void {}

  message(type: string, data: unknown): void {
    const { socket } = this.#request.line
    if (socket.bufferedAmount > UNREAD_MAX) socket.terminate()
    else if (!this.#dialogue.message(type, data)) this.#asked(type, data)
  }

  #asked(type: string, data: unknown): void {
    if (type === 'WORKBENCH_RUN') {
      const asked = runSchema.safeParse(data)
      if (asked.success) this.#workbench?.run(asked.data)
    } else if (type === 'WORKBENCH_MORE') this.#workbench?.more()
    else if (type === 'WORKBENCH_EXPORT') {
      const asked = exportSchema.safeParse(data)
      if (asked.success && !this.#isAsking && this.#workbench?.isFull === false) void this.#export(asked.data)
    } else if (type === 'WORKBENCH_CANCEL') this.#workbench?.cancel()
    else if (type === 'WORKBENCH_ASK') {
      const asked = askSchema.safeParse(data)
      if (asked.success) void this.#answer(asked.data.question, asked.data.ask)
    }
  }

  leave(): void {
    if (this.#live) void this.#live.end('left')
    else this.#request.line.socket.close()
  }

  async #connect(database: WorkbenchDatabase): Promise<{ link: Link; target: SessionTarget }> {
    const { gateway, line, person, query, say } = this.#request
    let target: SessionTarget | undefined
    const link = await database.open(async (wire) => {
      target = database.target(wire, {
        language: person.language,
        tell: ({ code, text, values, urgency }) =>
          line.send('WORKBENCH_NOTICE', { code, text: say(text, { ...values }), urgency }),
      })
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
          onReached: (again) => {
            this.#questions = new Questions(database, again)
          },
        },
        this.#over.signal,
      )
      target.in(this.#live)
      return target
    })
    return { link, target: target as SessionTarget }
  }

  /** The right is asked for anew for each file, and each is noted in the history of the session. */
  async #export(asked: ExportRequest): Promise<void> {
    const { kernel, line, person, query, say } = this.#request
    const live = this.#live
    if (!live) return
    this.#isAsking = true
    try {
      const target = { family: query.family, id: query.target_id }
      if (!(await mayDownload(kernel, { person, target, systemUserId: query.system_user_id ?? '' })))
        throw new SessionRefusal(REASONS.download_file)
      await noteSessionEvent(kernel, {
        session: live.id,
        org_id: live.orgId,
        event: 'exported',
        user: displayName(person),
      })
      this.#workbench?.export(asked)
    } catch (error) {
      const isRefused = error instanceof SessionRefusal
      if (!isRefused) kernel.app.log.error({ err: error, session: live.id }, 'a file could not be begun')
      const words = isRefused ? say(error.message) : say('The connection failed')
      line.send('WORKBENCH', { run: asked.run, event: 'exported', rows: 0, cut: 0, error: words })
    } finally {
      this.#isAsking = false
    }
  }

  async #answer(question: number, ask: Question): Promise<void> {
    const { line, kernel, say } = this.#request
    try {
      // A locked session asks nothing either.
      const rows = this.#live?.isLocked ? undefined : await this.#questions?.ask(ask)
      const error = rows ? undefined : say('This can not be asked now')
      line.send('WORKBENCH_REPLY', { question, rows: rows ?? [], isCut: rows?.length === ASKED_ROWS_MAX, error })
    } catch (error) {
      kernel.app.log.info({ err: error, session: this.#live?.id }, 'a workbench could not ask its database')
      const words =
        error instanceof SessionRefusal ? say(error.message, { ...error.values }) : say('The connection failed')
      line.send('WORKBENCH_REPLY', { question, rows: [], isCut: false, error: words })
    }
  }
}
