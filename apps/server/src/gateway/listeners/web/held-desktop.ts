import type { DesktopSession } from '../../kinds/desktop/desktop-session.ts'
import type { DesktopOwner } from '../../kinds/desktop/streams.ts'
import type { Reattachable } from '../../session/reattachments.ts'
import type { SessionSummary } from '../../session/session-summary.ts'
import type { TerminalRequest } from './role.ts'
import { type DesktopViewer, viewDesktop } from './view-desktop.ts'

/** The page at a desktop, with its language. */
export type DesktopPage = Pick<TerminalRequest, 'line' | 'say'>

/**
 * The person's side of a desktop: a page, until its line breaks or another page takes its place.
 * The gateway holds the picture, so that a person who comes back has all of it at once.
 */
export class HeldDesktop implements Reattachable {
  leave: () => void = () => {}
  readonly owner: DesktopOwner
  readonly #elapsed: () => number
  #page: DesktopPage | undefined
  #viewer: DesktopViewer | undefined
  #opened: { session: SessionSummary; live: DesktopSession } | undefined

  constructor(page: DesktopPage, elapsed: () => number) {
    this.#page = page
    this.#elapsed = elapsed
    this.owner = {
      changed: () => this.#viewer?.audience.changed(),
      copied: (text) => text !== undefined && this.#page?.line.send('DESKTOP_CLIPBOARD', { text }),
      filesChanged: () => this.#page?.line.send('DESKTOP_FILES'),
      bell: () => this.#keepsUp && this.#page?.line.send('DESKTOP_BELL'),
      tell: ({ code, text, values, urgency }) =>
        this.#page?.line.send('DESKTOP_NOTICE', { code, text: this.#page.say(text, { ...values }), urgency }),
      close: () => this.#letGo()?.line.finish(),
    }
  }

  /** The machine has let the person in: the page shows it. */
  opened(session: SessionSummary, live: DesktopSession): void {
    this.#opened = { session, live }
    this.#show()
  }

  /** Nobody else has it before it is open. */
  get #open(): { session: SessionSummary; live: DesktopSession } {
    if (!this.#opened) throw new Error('the desktop is not open')
    return this.#opened
  }

  get session(): SessionSummary {
    return this.#open.session
  }
  get live(): DesktopSession {
    return this.#open.live
  }

  /** A page that does not read is not rung for, however often a machine does. */
  get #keepsUp(): boolean {
    return this.#page?.line.hasRoom(() => this.#viewer?.audience.changed()) === true
  }

  isOn(page: DesktopPage): boolean {
    return this.#page === page
  }

  /** Takes the input of the viewer in the page in use. */
  receive(bytes: Buffer): void {
    this.#viewer?.receive(bytes)
  }

  /** The line broke. Answers whether it was the one in use. */
  lost(page: DesktopPage): boolean {
    if (this.#page !== page) return false
    this.#letGo()
    this.live.waitingSince = this.#elapsed()
    // A key that is down stays down until somebody lets it go; and guests look on.
    this.live.handOver(undefined)
    return true
  }

  /** Another page takes its place, and has the picture; the one before is notified. */
  resume(page: DesktopPage): void {
    const before = this.#letGo()
    this.#page = page
    before?.line.send('TERMINAL_MOVED', before.say('You work on in another window.'))
    before?.line.finish()
    this.live.waitingSince = undefined
    this.live.handOver(undefined)
    this.#show()
  }

  #show(): void {
    const { live } = this.#open
    if (!this.#page) return
    this.#viewer = viewDesktop(this.#page, live, {
      key: (isDown, keysym) => live.key(isDown, keysym),
      pointer: (buttons, x, y) => live.pointer(buttons, x, y),
      resize: (width, height) => live.resize({ width, height }),
    })
    if (live.files) this.#page.line.send('DESKTOP_FILES')
  }

  #letGo(): DesktopPage | undefined {
    const page = this.#page
    this.#page = undefined
    this.#viewer?.leave()
    this.#viewer = undefined
    return page
  }
}
