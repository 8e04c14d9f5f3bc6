import { DESKTOP } from '@sallyport/contract/socket/desktop.ts'
import type { Opening } from '@sallyport/contract/socket/line.ts'
import type { Handlers } from '@sallyport/contract/socket/message.ts'
import { inBackground } from '../../../kernel/background.ts'
import type { DesktopSession } from '../../kinds/desktop/desktop-session.ts'
import { notYours, reattachMinutes } from '../../session/reattachments.ts'
import type { SessionSummary } from '../../session/session-summary.ts'
import { HeldDesktop } from './held-desktop.ts'
import { type MessageDoor, messageDoor } from './message-door.ts'
import { PageDialogue } from './page-dialogue.ts'
import { enter, joinParticipants } from './people-at-line.ts'
import type { Role, TerminalRequest } from './role.ts'
import { sharing, sharingRefused } from './share.ts'

/** Targets take even widths, and whole multiples of four best (MS-RDPBCGR 2.2.1.3.2). */
const evenSize = <Size extends { width: number }>(size: Size): Size => ({ ...size, width: size.width & ~3 })

/** A new desktop of one's own. It outlives its line when the page has said that it can come back. */
export class OwnDesktop implements Role {
  readonly #request: TerminalRequest
  readonly #dialogue: PageDialogue
  readonly #held: HeldDesktop
  readonly #takesFiles: boolean
  /** Minutes in which the page can come back; 0: never. */
  readonly #minutes: number
  /** Gives up connecting, and ends the session. */
  readonly #over = new AbortController()
  #live: DesktopSession | undefined
  #isKept = false
  readonly message: MessageDoor

  /** `takesFiles`: the page can give and take files beside the picture. */
  constructor(request: TerminalRequest, { takesFiles }: { takesFiles: boolean }) {
    const { kernel, gateway, line, query } = request
    this.#request = request
    this.#takesFiles = takesFiles
    this.#dialogue = new PageDialogue(line, 'DESKTOP')
    this.#held = new HeldDesktop(request, gateway.elapsed)
    this.#minutes = query.client ? reattachMinutes(kernel) : 0
    line.showsWords = false
    this.message = messageDoor(
      DESKTOP.fromClient,
      {
        ...working(request, () => (this.#held.isOn(request) ? this.#live : undefined)),
        DESKTOP_ANSWER: (reply) => this.#dialogue.answer(reply),
      },
      sharingRefused(request),
    )
  }

  async open({ width, height, scale }: Opening): Promise<void> {
    const { gateway, line, person, query } = this.#request
    const leave = enter(
      this.#request,
      () => this.#live,
      () => this.#held.isOn(this.#request),
    )
    this.#over.signal.addEventListener('abort', leave)
    line.gone.addEventListener('abort', () => this.#lineGone())
    let session: SessionSummary | undefined
    const live = await gateway.open(
      {
        kind: 'desktop',
        person,
        language: person.language,
        target: { family: query.family, id: query.target_id },
        systemUserId: query.system_user_id ?? '',
        dialogue: this.#dialogue,
        owner: this.#held.owner,
        takesFiles: this.#takesFiles,
        ...(width && height ? { size: evenSize({ width, height, scale }) } : {}),
        onCreated: (created) => {
          session = created
          line.send('TERMINAL_SESSION', { session, ...(this.#minutes ? { reattach: this.#minutes } : {}) })
        },
      },
      this.#over.signal,
    )
    this.#live = live
    joinParticipants(this.#request, live)
    this.#held.leave = leave
    this.#held.opened(session as SessionSummary, live)
    this.#isKept = this.#minutes > 0
    if (this.#isKept) gateway.reattachments.add(this.#held)
  }

  input(bytes: Buffer): void {
    if (this.#held.isOn(this.#request)) this.#held.receive(bytes)
  }

  /** A desktop's own size goes with its picture. */
  resize(): void {}

  leave(): void {
    if (this.#live && this.#held.isOn(this.#request)) inBackground(this.#live.end('left'))
    else this.#request.line.socket.close()
  }

  #lineGone(): void {
    const { gateway, person } = this.#request
    if (!this.#isKept) this.#over.abort()
    else if (this.#held.lost(this.#request)) gateway.reattachments.note(this.#held, 'detached', person)
  }
}

/** Goes on with a desktop of one's own whose line broke, or that is open elsewhere. */
export function resumeOwnDesktop(request: TerminalRequest): Role {
  const { gateway, line, person, query } = request
  let held: HeldDesktop | undefined
  const current = () => (held?.isOn(request) ? held : undefined)
  line.showsWords = false
  return {
    async open() {
      const claimed = await gateway.reattachments.claim(query.target_id, person)
      if (line.gone.aborted) return
      if (!(claimed instanceof HeldDesktop)) throw notYours()
      held = claimed
      const { live, session } = held
      held.leave()
      held.leave = enter(
        request,
        () => live,
        () => claimed.isOn(request),
      )
      line.gone.addEventListener('abort', () => {
        if (held?.lost(request)) gateway.reattachments.note(held, 'detached', person)
      })
      line.send('TERMINAL_SESSION', { session, resumed: true, reattach: gateway.reattachments.minutes })
      gateway.reattachments.note(held, 'resumed', person)
      joinParticipants(request, live)
      held.resume(request)
    },
    input: (bytes) => current()?.receive(bytes),
    resize() {},
    message: messageDoor(
      DESKTOP.fromClient,
      // Its session is there: nothing is asked any more.
      { ...working(request, () => current()?.live), DESKTOP_ANSWER() {} },
      sharingRefused(request),
    ),
    leave() {
      const one = current()
      if (one) inBackground(one.live.end('left'))
      else line.socket.close()
    },
  }
}

/**
 * Messages of the person beside keys and pointer: their clipboard, links for others, who has the
 * keys.
 */
function working(
  request: TerminalRequest,
  live: () => DesktopSession | undefined,
): Omit<Handlers<typeof DESKTOP.fromClient>, 'DESKTOP_ANSWER'> {
  return {
    ...sharing(request, live),
    DESKTOP_CLIPBOARD: (clipboard) => live()?.paste('text' in clipboard ? clipboard.text : clipboard.files),
    DESKTOP_PASTE_KEYS: ({ keys }) => live()?.pasteBy(keys),
    DESKTOP_SIZE: (size) => live()?.resize(evenSize(size)),
    DESKTOP_CONTROL({ id }) {
      const session = live()
      const guest = id ? session?.participants.find(id) : undefined
      session?.handOver(guest?.writable && !guest.primary ? guest : undefined)
    },
  }
}
