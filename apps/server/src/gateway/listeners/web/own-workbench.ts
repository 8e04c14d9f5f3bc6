import { join } from 'node:path'
import { type CellEdit, WORKBENCH } from '@sallyport/contract/socket/workbench.ts'
import { settingsOf } from '../../../domains/settings/index.ts'
import { noteSessionEvent } from '../../../domains/terminal/index.ts'
import { displayName } from '../../../kernel/access/call.ts'
import { inBackground } from '../../../kernel/background.ts'
import type { StatementSession } from '../../kinds/statements/statement-session.ts'
import { type PermissionQuestion, valueRights } from '../../opening/permission.ts'
import { NOBODY } from '../../repl/answers.ts'
import { ASKED_ROWS_MAX } from '../../repl/ask.ts'
import { PermittedDatabases } from '../../session/permitted-databases.ts'
import { notYours, reattachMinutes } from '../../session/reattachments.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import type { SessionSummary } from '../../session/session-summary.ts'
import { WORKBENCH_DATABASES, type WorkbenchDatabase } from '../../workbench/databases.ts'
import { KeptRows } from '../../workbench/kept-rows.ts'
import { Questions } from '../../workbench/questions.ts'
import type { SessionTarget } from '../../workbench/session-target.ts'
import { type ExportRequest, Workbench } from '../../workbench/workbench.ts'
import { HeldWorkbench, type WorkbenchPage } from './held-workbench.ts'
import { type MessageDoor, messageDoor } from './message-door.ts'
import { PageDialogue } from './page-dialogue.ts'
import { enter, joinParticipants } from './people-at-line.ts'
import type { Role, TerminalRequest } from './role.ts'

/** A page that asks for more with so much unread does not read at all. */
const UNREAD_MAX = 16 * 1024 * 1024
const MEGABYTE = 1024 * 1024

/**
 * A workbench on a database: a session of statements whose client is a page. It takes WORKBENCH_RUN,
 * WORKBENCH_MORE, WORKBENCH_ROWS, WORKBENCH_CANCEL, WORKBENCH_EXPORT, WORKBENCH_EDIT and WORKBENCH_ASK, and answers WORKBENCH
 * (`WorkbenchEvent`), WORKBENCH_REPLY, and the bytes of a file as binary frames; WORKBENCH_START goes before them,
 * WORKBENCH_NOTICE and WORKBENCH_DECIDED beside. It outlives its line when the page has said that it can come back, and goes on with `resume`.
 */
export class OwnWorkbench implements Role {
  readonly #request: TerminalRequest
  readonly #page: WorkbenchPage
  readonly #dialogue: PageDialogue
  /** Gives up connecting, and ends the session. */
  readonly #over = new AbortController()
  #live: StatementSession | undefined
  #held: HeldWorkbench | undefined
  /** Minutes in which the page can come back; 0: never. */
  #staysMinutes = 0
  /** It was begun by another page, and is not this one's to end: where nobody may come back any more, that is seen to. */
  #isResumed = false
  /** For the right to a file. */
  #isAsking = false
  /** The edit whose statement the page was shown last, by its question. */
  #planned: { question: number; text: string; edit: CellEdit } | undefined

  constructor(request: TerminalRequest) {
    this.#request = request
    this.#page = { line: request.line, say: request.say }
    this.#dialogue = new PageDialogue(request.line, 'WORKBENCH')
    request.line.showsWords = false
  }

  open(): Promise<void> {
    return this.#request.query.type === 'resume' ? this.#resume() : this.#begin()
  }

  /** Nothing is typed here. */
  input(): void {}
  resize(): void {}

  readonly message: MessageDoor = (message) => {
    const { socket } = this.#request.line
    if (socket.bufferedAmount <= UNREAD_MAX) return this.#door(message)
    socket.terminate()
    return undefined
  }

  leave(): void {
    const live = this.#current?.live
    if (live) inBackground(live.end('left'))
    else this.#request.line.socket.close()
  }

  /** Unless the session has moved to another page. */
  get #current(): HeldWorkbench | undefined {
    return this.#held?.isOn(this.#page) ? this.#held : undefined
  }

  /** Messages after another page has taken the session change nothing. */
  readonly #door = messageDoor(WORKBENCH.fromClient, {
    WORKBENCH_ANSWER: (reply) => this.#dialogue.answer(reply),
    WORKBENCH_RUN: (wanted) =>
      this.#ifFree(({ held, workbench }) => {
        held.begins(wanted.run, wanted.text)
        workbench.run(wanted)
      }),
    WORKBENCH_MORE: () => this.#current?.workbench.more(),
    WORKBENCH_ROWS: (wanted) => {
      const held = this.#current
      if (held) inBackground(held.again(this.#page, wanted))
    },
    WORKBENCH_EXPORT: (wanted) =>
      this.#ifFree(({ held }) => {
        if (!this.#isAsking) inBackground(this.#export(held, wanted))
      }),
    WORKBENCH_EDIT: (wanted) => {
      const held = this.#current
      if (held) this.#edit(held, wanted)
    },
    WORKBENCH_CANCEL: () => this.#current?.workbench.cancel(),
    WORKBENCH_ASK: ({ question, ask }) => {
      const held = this.#current
      if (!held) return
      const about = ask.about === 'edit' ? () => this.#plan(held, question, ask.edit) : () => held.questions.ask(ask)
      inBackground(this.#answer(held, question, about))
    },
  })

  #ifFree(work: (at: { held: HeldWorkbench; workbench: Workbench }) => void): void {
    const held = this.#current
    if (held && !held.workbench.isFull) work({ held, workbench: held.workbench })
  }

  async #begin(): Promise<void> {
    const { kernel, gateway, line, query } = this.#request
    const database = WORKBENCH_DATABASES.get(query.type)
    if (!database) throw new SessionRefusal('This kind of connection is not supported')
    const minutes = query.client ? reattachMinutes(kernel) : 0
    const held = new HeldWorkbench(this.#page, gateway.elapsed)
    const leave = enter(
      this.#request,
      () => this.#live,
      () => held.isOn(this.#page),
    )
    this.#over.signal.addEventListener('abort', leave)
    line.gone.addEventListener('abort', () => this.#lineGone())
    const { link, target, ...reached } = await this.#connect(database, held, minutes)
    await link.start(() => held.finish())
    if (database.atStart) await link.run(database.atStart, NOBODY, target.ownPassage)
    const rights = () => valueRights(kernel, this.#inSession(reached.session))
    const { mayEdit, mayExport } = await rights()
    if (line.gone.aborted) return
    joinParticipants(this.#request, reached.live)
    held.leave = leave
    const rows = new KeptRows({
      directory: join(kernel.config.dataDirectory, 'kept-rows'),
      limit: Number(settingsOf(kernel).get('TERMINAL_KEPT_ROWS_SIZE')) * MEGABYTE,
      space: gateway.keptRows,
    })
    held.opened({
      ...reached,
      rows,
      workbench: new Workbench({
        database,
        link,
        kept: rows,
        show: (event) => held.show(event),
        send: (bytes, drained) => held.send(bytes, drained),
        mayEdit: async () => (await rights()).mayEdit,
        say: (words) => this.#request.say(words),
        passage: target.ownPassage,
        elapsed: () => gateway.elapsed(),
      }),
      dialect: database.dialect,
      mayEdit: mayEdit && database.edits !== undefined,
      mayExport,
      mayPlan: database.plan !== undefined,
      place: () => ({ version: database.version(link), database: link.wire.place.database }),
    })
    this.#held = held
    this.#staysMinutes = minutes
    if (minutes) gateway.reattachments.add(held)
  }

  async #connect(database: WorkbenchDatabase, held: HeldWorkbench, minutes: number) {
    const { gateway, line, person, query } = this.#request
    let target: SessionTarget | undefined
    let session: SessionSummary | undefined
    let questions: Questions | undefined
    const databases = new PermittedDatabases()
    const link = await database.open(async (wire) => {
      target = database.target(wire, { language: person.language, tell: (what) => held.tell(what) })
      target.onDecided = () => {
        held.decided()
        return undefined
      }
      this.#live = await gateway.open(
        {
          kind: 'statements',
          person,
          target: { family: query.family, id: query.target_id },
          systemUserId: query.system_user_id ?? '',
          dialogue: this.#dialogue,
          databases,
          owner: target.owner,
          wire,
          onCreated(created) {
            session = created
            line.send('TERMINAL_SESSION', { session: created, ...(minutes ? { reattach: minutes } : {}) })
          },
          onReached(again) {
            questions = new Questions(database, again, () => databases.names)
          },
        },
        this.#over.signal,
      )
      target.in(this.#live)
      return target
    })
    return { link, ...({ target, session, questions, live: this.#live } as Reached) }
  }

  /** Goes on with a workbench of one's own whose line broke, or that is open elsewhere. */
  async #resume(): Promise<void> {
    const { gateway, line, person, query } = this.#request
    const held = await gateway.reattachments.claim(query.target_id, person)
    if (line.gone.aborted) return
    if (!(held instanceof HeldWorkbench)) throw notYours()
    this.#held = held
    this.#isResumed = true
    this.#staysMinutes = gateway.reattachments.minutes
    held.leave()
    held.leave = enter(
      this.#request,
      () => held.live,
      () => held.isOn(this.#page),
    )
    line.gone.addEventListener('abort', () => this.#lineGone())
    line.send('TERMINAL_SESSION', { session: held.session, resumed: true, reattach: this.#staysMinutes })
    gateway.reattachments.note(held, 'resumed', person)
    joinParticipants(this.#request, held.live)
    held.resume(this.#page)
  }

  #lineGone(): void {
    const { gateway, person } = this.#request
    if (!this.#held || (!this.#staysMinutes && !this.#isResumed)) this.#over.abort()
    else if (this.#held.lost(this.#page)) gateway.reattachments.note(this.#held, 'detached', person)
  }

  /** The person whose rights are checked, and their target. */
  #inSession({
    target_family: family,
    asset_id: id,
    system_user_id: systemUserId,
  }: SessionSummary): PermissionQuestion {
    return { person: this.#request.person, target: { family, id }, systemUserId }
  }

  /** The right is checked again for each file, and each is noted in the history of the session. */
  async #export({ live, session, workbench }: HeldWorkbench, asked: ExportRequest): Promise<void> {
    const { kernel, person, say } = this.#request
    this.#isAsking = true
    try {
      if (!(await valueRights(kernel, this.#inSession(session))).mayExport)
        throw new SessionRefusal('You have no permission to export from here')
      await noteSessionEvent(kernel, {
        session: live.id,
        org_id: live.orgId,
        event: 'exported',
        user: displayName(person),
      })
      this.#current?.beginsFile(asked.run)
      if (this.#current) workbench.export(asked)
    } catch (error) {
      const isRefused = error instanceof SessionRefusal
      if (!isRefused) kernel.app.log.error({ err: error, session: live.id }, 'a file could not be begun')
      const words = isRefused ? say(error.message) : say('The connection failed')
      this.#current?.show({ run: asked.run, event: 'exported', rows: 0, cut: 0, error: words })
    } finally {
      this.#isAsking = false
    }
  }

  /** The right is checked again for each edit. */
  async #plan(held: HeldWorkbench, question: number, edit: CellEdit): Promise<string[][]> {
    const { session, workbench, questions } = held
    if (!(await valueRights(this.#request.kernel, this.#inSession(session))).mayEdit)
      throw new SessionRefusal('You have no permission to change values here')
    const { text, why } = await workbench.plan(edit, (table) => questions.ask({ about: 'table', table }))
    if (text === undefined) throw new SessionRefusal(why)
    this.#planned = { question, text, edit }
    return [[text]]
  }

  /** A plan on a line that broke is gone with it: the page that waits for its end is notified. */
  #edit(held: HeldWorkbench, { run, question }: { run: number; question: number }): void {
    const { workbench } = held
    const planned = this.#planned?.question === question ? this.#planned : undefined
    if (!planned || workbench.isFull) {
      workbench.refuseEdit(run, this.#request.say('It was not run. Ask for the statement again.'))
      return
    }
    this.#planned = undefined
    held.beginsFile(run)
    workbench.edit(run, planned.text, planned.edit)
  }

  async #answer({ live }: HeldWorkbench, question: number, ask: () => Promise<string[][]> | undefined): Promise<void> {
    const { line, kernel, say } = this.#request
    try {
      // A locked session asks nothing either.
      const rows = live.isLocked ? undefined : await ask()
      const error = rows ? undefined : say('This can not be asked now')
      line.send('WORKBENCH_REPLY', { question, rows: rows ?? [], isCut: rows?.length === ASKED_ROWS_MAX, error })
    } catch (error) {
      kernel.app.log.info({ err: error, session: live.id }, 'a workbench could not ask its database')
      const words =
        error instanceof SessionRefusal ? say(error.message, { ...error.values }) : say('The connection failed')
      line.send('WORKBENCH_REPLY', { question, rows: [], isCut: false, error: words })
    }
  }
}

/** Parts of a session once its server has accepted. */
interface Reached {
  target: SessionTarget
  session: SessionSummary
  questions: Questions
  live: StatementSession
}
