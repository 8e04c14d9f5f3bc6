import { z } from 'zod'
import { inBackground } from '../../../kernel/background.ts'
import type { DesktopSession } from '../../kinds/desktop/desktop-session.ts'
import { MAX_ENTRIES } from '../../kinds/desktop/files/shared-folder.ts'
import { PASTE_KEYS } from '../../kinds/desktop/streams.ts'
import { MAX_CUT_BYTES } from '../../protocols/rfb/messages.ts'
import { notYours, reattachMinutes } from '../../session/reattachments.ts'
import type { SessionSummary } from '../../session/session-summary.ts'
import { HeldDesktop } from './held-desktop.ts'
import { PageDialogue } from './page-dialogue.ts'
import { enter, joinParticipants } from './people-at-line.ts'
import type { Role, TerminalRequest } from './role.ts'
import { shareMessage } from './share.ts'

/** Text, or files of those that the person has put into the session's folder, by their numbers. */
const clipboardSchema = z.union([
  z.object({ text: z.string().max(MAX_CUT_BYTES) }),
  z.object({ files: z.array(z.number().int().min(1)).min(1).max(MAX_ENTRIES) }),
])
/** Of the pane that shows it. Targets take even widths, and not less than 200 pixels (MS-RDPBCGR 2.2.1.3.2). */
const sizeSchema = z.object({
  width: z
    .number()
    .int()
    .min(200)
    .max(4096)
    .transform((width) => width & ~3),
  height: z.number().int().min(200).max(2304),
  scale: z.number().int().min(100).max(500).optional(),
})

const controlSchema = z.object({ id: z.string().max(64) })
const pasteKeysSchema = z.object({ keys: z.enum(PASTE_KEYS) })

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

  /** `takesFiles`: the page can give and take files beside the picture. */
  constructor(request: TerminalRequest, { takesFiles }: { takesFiles: boolean }) {
    const { kernel, gateway, line, query } = request
    this.#request = request
    this.#takesFiles = takesFiles
    this.#dialogue = new PageDialogue(line, 'DESKTOP')
    this.#held = new HeldDesktop(request, gateway.elapsed)
    this.#minutes = query.client ? reattachMinutes(kernel) : 0
    line.showsWords = false
  }

  async open(_window: unknown, said: unknown): Promise<void> {
    const size = sizeSchema.safeParse(said)
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
        ...(size.success ? { size: size.data } : {}),
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

  message(type: string, data: unknown): void {
    if (this.#dialogue.message(type, data) || !this.#live || !this.#held.isOn(this.#request)) return
    ownMessage(this.#request, this.#live, type, data)
  }

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
    message(type, data) {
      const one = current()
      if (one) ownMessage(request, one.live, type, data)
    },
    leave() {
      const one = current()
      if (one) inBackground(one.live.end('left'))
      else line.socket.close()
    },
  }
}

/** What the person says beside keys and pointer: their clipboard, links for others, who has the keys. */
function ownMessage(request: TerminalRequest, live: DesktopSession, type: string, data: unknown): void {
  if (type === 'DESKTOP_CLIPBOARD') {
    const clipboard = clipboardSchema.safeParse(data)
    if (clipboard.success) live.paste('text' in clipboard.data ? clipboard.data.text : clipboard.data.files)
  } else if (type === 'DESKTOP_SIZE') {
    const size = sizeSchema.safeParse(data)
    if (size.success) live.resize(size.data)
  } else if (type === 'DESKTOP_PASTE_KEYS') {
    const wanted = pasteKeysSchema.safeParse(data)
    if (wanted.success) live.pasteBy(wanted.data.keys)
  } else if (type === 'DESKTOP_CONTROL') {
    const control = controlSchema.safeParse(data)
    const guest = control.success && control.data.id ? live.participants.find(control.data.id) : undefined
    if (control.success) live.handOver(guest?.writable && !guest.primary ? guest : undefined)
  } else shareMessage(request, live, type, data)
}
