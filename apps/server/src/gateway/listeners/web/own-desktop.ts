import { z } from 'zod'
import type { DesktopSession } from '../../kinds/desktop/desktop-session.ts'
import type { DesktopOwner } from '../../kinds/desktop/streams.ts'
import { MAX_CUT_BYTES } from '../../protocols/rfb/messages.ts'
import { PageDialogue } from './page-dialogue.ts'
import { enter, joinParticipants } from './people-at-line.ts'
import type { Role, TerminalRequest } from './role.ts'
import { type DesktopViewer, viewDesktop } from './view-desktop.ts'

const clipboardSchema = z.object({ text: z.string().max(MAX_CUT_BYTES) })
/** Of the pane that shows it. Targets take even widths, and not less than 200 pixels (MS-RDPBCGR 2.2.1.3.2). */
const sizeSchema = z.object({
  width: z
    .number()
    .int()
    .min(200)
    .max(4096)
    .transform((width) => width & ~3),
  height: z.number().int().min(200).max(2304),
})

/** A desktop of one's own. It ends with its line. */
export class OwnDesktop implements Role {
  readonly #request: TerminalRequest
  readonly #dialogue: PageDialogue
  /** Gives up connecting, and ends the session. */
  readonly #over = new AbortController()
  #live: DesktopSession | undefined
  #viewer: DesktopViewer | undefined

  constructor(request: TerminalRequest) {
    this.#request = request
    this.#dialogue = new PageDialogue(request.line, 'DESKTOP')
    request.line.showsWords = false
  }

  async open(_window: unknown, said: unknown): Promise<void> {
    const size = sizeSchema.safeParse(said)
    const { gateway, line, person, query } = this.#request
    const leave = enter(
      this.#request,
      () => this.#live,
      () => true,
    )
    line.gone.addEventListener('abort', () => {
      leave()
      this.#over.abort()
    })
    const live = await gateway.open(
      {
        kind: 'desktop',
        person,
        language: person.language,
        target: { family: query.family, id: query.target_id },
        systemUserId: query.system_user_id ?? '',
        dialogue: this.#dialogue,
        owner: this.#owner(),
        ...(size.success ? { size: size.data } : {}),
        onCreated: (session) => line.send('TERMINAL_SESSION', { session }),
      },
      this.#over.signal,
    )
    this.#live = live
    joinParticipants(this.#request, live)
    this.#viewer = viewDesktop(this.#request, live, {
      key: (isDown, keysym) => live.key(isDown, keysym),
      pointer: (buttons, x, y) => live.pointer(buttons, x, y),
      resize: (width, height) => live.resize(width, height),
    })
  }

  input(bytes: Buffer): void {
    this.#viewer?.receive(bytes)
  }

  /** A desktop's own size goes with its picture. */
  resize(): void {}

  message(type: string, data: unknown): void {
    if (this.#dialogue.message(type, data) || type !== 'DESKTOP_CLIPBOARD') return
    const clipboard = clipboardSchema.safeParse(data)
    if (clipboard.success) this.#live?.paste(clipboard.data.text)
  }

  leave(): void {
    if (this.#live) void this.#live.end('left')
    else this.#request.line.socket.close()
  }

  #owner(): DesktopOwner {
    const { line, say } = this.#request
    return {
      changed: () => this.#viewer?.audience.changed(),
      copied: (text) => line.send('DESKTOP_CLIPBOARD', { text }),
      bell: () => line.send('DESKTOP_BELL'),
      tell: ({ code, text, values, urgency }) =>
        line.send('DESKTOP_NOTICE', { code, text: say(text, { ...values }), urgency }),
      close: (end) => {
        if (this.#viewer) this.#viewer.audience.close(end)
        else line.finish()
      },
    }
  }
}
