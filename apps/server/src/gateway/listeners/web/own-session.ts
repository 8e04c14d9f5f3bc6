import { TERMINAL } from '@sallyport/contract/socket/terminal.ts'
import { inBackground } from '../../../kernel/background.ts'
import { DetachableOwner, type Line } from '../../kinds/terminal/detachable-owner.ts'
import { type ContainerPlace, labelOf, type Owner, type TerminalSize } from '../../kinds/terminal/streams.ts'
import { TerminalDialogue } from '../../kinds/terminal/terminal-dialogue.ts'
import type { TerminalSession } from '../../kinds/terminal/terminal-session.ts'
import { TypeAhead } from '../../kinds/terminal/type-ahead.ts'
import { notYours, type Reattachable, reattachMinutes } from '../../session/reattachments.ts'
import type { SessionSummary } from '../../session/session-summary.ts'
import { type MessageDoor, messageDoor } from './message-door.ts'
import { enter, joinParticipants } from './people-at-line.ts'
import { passOn, type Role, type TerminalQuery, type TerminalRequest } from './role.ts'
import { sharing, sharingRefused } from './share.ts'

/** Terminal type of xterm.js. */
const TERM = 'xterm-256color'

/** A terminal that its person can come back to. */
interface ReattachableTerminal extends Reattachable {
  live: TerminalSession
  held: DetachableOwner
  /**
   * The browser's name for itself, and how many bytes of its input have arrived: it sends the rest
   * again, and nothing twice.
   */
  client: { name: string; received: number }
}

const isTerminal = (one: Reattachable): one is ReattachableTerminal => 'held' in one

/**
 * A new session of one's own. It outlives the connection when the client has said that it can come
 * back.
 */
export class OwnSession implements Role {
  readonly #request: TerminalRequest
  readonly #decoder = new TextDecoder('utf-8')
  readonly #dialogue: TerminalDialogue
  readonly #typedAhead = new TypeAhead()
  /** Gives up connecting. */
  readonly #over = new AbortController()
  /** Minutes in which the client can come back; 0: never. */
  readonly #minutes: number
  readonly #end: ReturnType<typeof lineEnd>
  readonly #held: DetachableOwner | undefined
  readonly #client: ReattachableTerminal['client']
  #live: TerminalSession | undefined
  #reattachable: ReattachableTerminal | undefined
  #size: TerminalSize | undefined
  /** The machine has said something. */
  #answered = false
  /** The last question, while the machine was being reached. */
  #asked: (() => void) | undefined
  readonly message: MessageDoor

  constructor(request: TerminalRequest) {
    const { kernel, gateway, line, query } = request
    this.#request = request
    this.#dialogue = new TerminalDialogue(
      (text) => line.show(Buffer.from(text)),
      undefined,
      () => this.#size?.cols ?? 0,
    )
    this.#client = { name: query.client ?? '', received: 0 }
    this.#minutes = query.client ? reattachMinutes(kernel) : 0
    this.#end = lineEnd(request, () => (this.#isHere ? this.#live : undefined))
    this.#held = this.#minutes > 0 ? new DetachableOwner(this.#end, gateway.elapsed) : undefined
    const on = sharing(request, () => (this.#isHere ? this.#live : undefined))
    this.message = messageDoor(
      TERMINAL.fromClient,
      {
        TERMINAL_SHARE: (wanted) => this.#onceReached(() => on.TERMINAL_SHARE(wanted)),
        TERMINAL_SHARE_USER_REMOVE: (guest) => this.#onceReached(() => on.TERMINAL_SHARE_USER_REMOVE(guest)),
      },
      sharingRefused(request),
    )
  }

  async open(first: TerminalSize): Promise<void> {
    const { gateway, line } = this.#request
    this.#size = first
    const leave = enter(
      this.#request,
      () => this.#live,
      () => this.#isHere,
    )
    this.#over.signal.addEventListener('abort', leave)
    line.gone.addEventListener('abort', () => this.#connectionLost())
    const { live, session } = await this.#begin(first)
    if (this.#held && session) {
      this.#held.started(live)
      this.#reattachable = { session, live, held: this.#held, client: this.#client, leave }
      gateway.reattachments.add(this.#reattachable)
    }
    joinParticipants(this.#request, live)
    // The window may have changed while the machine was being reached.
    live.resize(this.#size)
    this.#deliverTypedAhead()
    this.#asked?.()
    this.#asked = undefined
  }

  input(bytes: Buffer): void {
    if (!this.#isHere) return
    this.#client.received += bytes.length
    if (this.#live) {
      this.#deliverTypedAhead()
      passOn(this.#request.line, this.#live, bytes)
    } else if (this.#dialogue.asked) {
      this.#typedAhead.forget()
      this.#dialogue.input(this.#decoder.decode(bytes, { stream: true }))
    } else this.#typedAhead.add(bytes)
  }

  resize(size: TerminalSize): void {
    this.#size = size
    if (this.#isHere) this.#live?.resize(size)
  }

  #onceReached(work: () => void): void {
    if (this.#live) work()
    else this.#asked = work
  }

  leave(): void {
    if (this.#live && this.#held && this.#isHere) inBackground(this.#live.end('left'))
    else this.#request.line.socket.close()
  }

  /** The session has not moved to another connection. */
  get #isHere(): boolean {
    return !this.#held || this.#held.isOn(this.#end)
  }

  async #begin(size: TerminalSize): Promise<{ live: TerminalSession; session: SessionSummary | undefined }> {
    const { gateway, line, person, query } = this.#request
    let session: SessionSummary | undefined
    const container = containerIn(query)
    const live = await gateway.open(
      {
        kind: 'terminal',
        person,
        target: { family: query.family, id: query.target_id },
        systemUserId: query.system_user_id ?? '',
        program: { terminal: { type: TERM, size }, ...(container ? { container } : {}) },
        ...(container ? { detail: labelOf(container) } : {}),
        dialogue: this.#dialogue,
        owner: this.#owner(),
        onCreated: (created) => {
          session = created
          const minutes = this.#minutes
          line.send('TERMINAL_SESSION', { session: created, ...(minutes ? { reattach: minutes } : {}) })
        },
      },
      this.#over.signal,
    )
    this.#live = live
    line.send('TERMINAL_READY')
    return { live, session }
  }

  #owner(): Owner {
    const end = this.#held ?? this.#end
    return {
      write: (bytes, stream) => {
        const shown = end.write(bytes, stream)
        if (!this.#answered) {
          this.#answered = true
          // The shell is there. Its first words are not to wait for what is done with the input.
          queueMicrotask(() => this.#deliverTypedAhead())
        }
        return shown
      },
      transfer: (running) => end.transfer(running),
      close: (how) => end.close(how),
    }
  }

  #deliverTypedAhead(): void {
    if (!this.#live || !this.#answered) return
    const typed = this.#typedAhead.take()
    if (typed.length) this.#live.input(typed)
  }

  #connectionLost(): void {
    const { gateway, person } = this.#request
    this.#dialogue.close()
    if (!this.#reattachable) this.#over.abort()
    else if (this.#reattachable.held.lost(this.#end)) gateway.reattachments.note(this.#reattachable, 'detached', person)
  }
}

/** The container that is meant; undefined for everything else. */
function containerIn({ namespace, pod, container }: TerminalQuery): ContainerPlace | undefined {
  return namespace && pod && container ? { namespace, pod, container, argv: [] } : undefined
}

/** Goes on with a session of one's own whose line broke, or that is open elsewhere. */
export function resumeOwnSession(request: TerminalRequest): Role {
  const { gateway, line, person, query } = request
  let mine: ReattachableTerminal | undefined
  const end = lineEnd(request, () => current()?.live)
  const current = () => (mine?.held.isOn(end) ? mine : undefined)
  return {
    async open(size) {
      const claimed = await gateway.reattachments.claim(query.target_id, person)
      if (line.gone.aborted) return
      if (!isTerminal(claimed)) throw notYours()
      mine = claimed
      const { held, live, session } = mine
      const known = mine.client.name === query.client
      if (!known) mine.client = { name: query.client ?? '', received: 0 }
      mine.leave()
      mine.leave = enter(
        request,
        () => live,
        () => held.isOn(end),
      )
      line.gone.addEventListener('abort', () => {
        if (mine?.held.lost(end)) gateway.reattachments.note(mine, 'detached', person)
      })
      line.send('TERMINAL_SESSION', {
        session,
        resumed: true,
        received: mine.client.received,
        reattach: gateway.reattachments.minutes,
      })
      gateway.reattachments.note(mine, 'resumed', person)
      joinParticipants(request, live)
      await held.resume(end, size)
    },
    input(bytes) {
      const one = current()
      if (!one) return
      one.client.received += bytes.length
      passOn(line, one.live, bytes)
    },
    resize: (size) => current()?.live.resize(size),
    message: messageDoor(
      TERMINAL.fromClient,
      sharing(request, () => current()?.live),
      sharingRefused(request),
    ),
    leave() {
      const one = current()
      if (one) inBackground(one.live.end('left'))
      else line.socket.close()
    },
  }
}

/** A browser as the end of a session; the session is what waits while the browser is behind. */
function lineEnd({ line, say }: TerminalRequest, session: () => TerminalSession | undefined): Line & Required<Owner> {
  return {
    write: (bytes) => line.write(bytes, () => session()?.ownerDrained()),
    transfer: (running) => line.send('TERMINAL_ACTION', running ? 'ZMODEM_START' : 'ZMODEM_END'),
    close: () => line.finish(),
    moved() {
      line.send('TERMINAL_MOVED', say('You work on in another window.'))
      line.finish()
    },
  }
}
