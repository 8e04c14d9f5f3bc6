import { spoken } from '@sallyport/contract/names.ts'
import { LiveSession, type LiveSessionParts, type StreamEnd } from '../../session/live-session.ts'
import { type Notice, notice, wordsOf } from '../../session/notice.ts'
import type { DesktopLog } from './desktop-log.ts'
import type { CopiedFiles } from './files/copied-files.ts'
import { FILES_REFUSED, type SessionFolder } from './files/session-folder.ts'
import { newestOf } from './newest-of.ts'
import type { Picture } from './picture/picture.ts'
import type { DesktopAudience, DesktopOwner, DesktopTarget, ScreenSize } from './streams.ts'

/** A way that the clipboard goes: from the machine, or to it. */
export type ClipboardWay = 'copy' | 'paste'

/** Text, or the numbers of files that the person has put into the session's folder. */
export type Pasted = string | readonly number[]

export interface DesktopSessionParts extends LiveSessionParts {
  owner: DesktopOwner
  target: DesktopTarget
  recording: DesktopLog
  /** Asked each time: rights may change while a session runs. */
  mayUse(way: ClipboardWay): Promise<boolean>
  /** Whether what goes by the clipboard is kept in the recording, not only how much. Asked each time. */
  keepsText(): boolean
  /** Where the person and the machine give each other files, where they can. */
  files?: SessionFolder | undefined
}

/** Everything shown goes out once for each of them. */
const MAX_WATCHERS = 32
/** What is done while a right is asked for waits, as far as somebody can do that much. */
const MAX_HELD = 2000
/** Keys that are down at a time: no hand has more fingers, and no keyboard more keys. */
const MAX_PRESSED = 256
/** Of a clipboard that is kept: what is looked for stands at its beginning, or it is a file's. */
const MAX_KEPT = 1000
const REFUSED: Readonly<Record<ClipboardWay, string>> = {
  copy: 'You have no permission to copy from this desktop',
  paste: 'You have no permission to paste into this desktop',
}
const TEXT_ALONE = 'Of what is copied on this desktop only text goes to you'
const TEXT_AND_FILES = 'Of what is copied on this desktop only text and files go to you'

/**
 * A screen with its keyboard and pointer. The picture stands on the gateway: the person, watchers
 * and the recording take it as fast as each can, so that none makes another wait.
 */
export class DesktopSession extends LiveSession {
  readonly kind = 'desktop'
  readonly #parts: DesktopSessionParts
  readonly #watchers = new Set<DesktopAudience>()
  readonly #pressed = new Set<number>()
  /** The participant whose keys and pointer count; undefined: the person's own. */
  #driver: string | undefined
  #buttons = 0
  #at = { x: 0, y: 0 }
  /** What comes behind a clipboard whose right is being asked for. */
  #held: (() => void)[] | undefined
  /** The newest clipboard that has its turn among them. */
  #waitingPaste: Pasted | undefined
  readonly #takeText = newestOf((text: string) => this.#copied(text))
  readonly #takeFiles = newestOf((files: CopiedFiles | undefined) => this.#copiedFiles(files))
  #hasToldOther = false
  readonly #refusedBefore = new Set<ClipboardWay>()

  constructor(parts: DesktopSessionParts) {
    super(parts)
    this.#parts = parts
    const { target, recording, files } = parts
    recording.begin(target.picture)
    if (files) this.#share(files)
    target.start({
      changed: () => this.#changed(),
      copied: (text) => void (text && this.#takeText(text)),
      copiedFiles: (copied) => this.#takeFiles(copied),
      copiedOther: () => this.#tellOther(),
      bell: () => parts.owner.bell(),
      end: (end) => void this.#endedByMachine(end),
    })
    this.#changed()
  }

  get picture(): Picture {
    return this.#parts.target.picture
  }

  /** As the machine calls its desktop. */
  get name(): string {
    return this.#parts.target.name
  }

  /** Where its person and the machine give each other files; undefined where they can't. */
  get files(): SessionFolder | undefined {
    return this.#parts.files
  }

  #share(files: SessionFolder): void {
    const { target, owner, recording } = this.#parts
    files.isLocked = () => this.isLocked
    files.onPassed = () => this.touch()
    files.onMoved = (way, name) => recording.mark({ kind: way, text: name.slice(0, MAX_KEPT) })
    files.onChange = () => owner.filesChanged?.()
    files.onRefused = (way) => this.tell(notice('denied', FILES_REFUSED[way]))
    files.onPermitted = () => target.serveFiles?.(files)
    void files.may()
  }

  get canResize(): boolean {
    return this.#parts.target.canResize
  }

  /** `by`: a participant, or the person whose session it is. */
  key(isDown: boolean, keysym: number, by?: string): void {
    this.#input(by, () => {
      if (isDown && this.#pressed.size >= MAX_PRESSED && !this.#pressed.has(keysym)) return
      // One that is held down repeats itself.
      if (isDown && !this.#pressed.has(keysym)) this.#parts.recording.pressed()
      if (isDown) this.#pressed.add(keysym)
      else this.#pressed.delete(keysym)
      this.#parts.target.key(isDown, keysym)
    })
  }

  /** See `key`. */
  pointer(buttons: number, x: number, y: number, by?: string): void {
    this.#input(by, () => {
      const { width, height } = this.picture
      this.#buttons = buttons
      this.#at = { x: Math.min(x, width - 1), y: Math.min(y, height - 1) }
      this.#parts.target.pointer(buttons, this.#at.x, this.#at.y)
    })
  }

  /** Fills the machine's clipboard, where the person may. What they do next waits for it. */
  paste(what: Pasted): void {
    if (!this.#isOpen || this.#driver !== undefined) return
    this.touch()
    if (this.#held) return void this.#pasteLater(this.#held, what)
    this.#held = []
    const pasting = typeof what === 'string' ? this.#pasteText(what) : this.#pasteFiles(what)
    void pasting.finally(() => this.#goOn())
  }

  async #pasteText(text: string): Promise<void> {
    const may = await this.#may('paste')
    // Somebody else may have the keys by now.
    if (!this.#isOpen || this.#driver !== undefined) return
    this.#noteClipboard('paste', { characters: text.length }, may, text)
    if (may) this.#parts.target.paste(text)
  }

  /** They go the way of the clipboard, and are files: both rights are needed. */
  async #pasteFiles(ids: readonly number[]): Promise<void> {
    const { files, target } = this.#parts
    if (!files || !target.pasteFiles) return
    const may = await this.#may('paste')
    const given = may ? await files.give(ids) : undefined
    if (!this.#isOpen || this.#driver !== undefined) return
    const much = { files: given?.files.length ?? ids.length }
    if (!may) this.#noteClipboard('paste', much, false)
    else this.#parts.recording.mark({ kind: 'paste', ...much, ...(given ? {} : { refused: true }) })
    if (given) target.pasteFiles(given)
  }

  /** However many are pasted meanwhile, one waits: the newest. */
  #pasteLater(held: (() => void)[], what: Pasted): void {
    const hasTurn = this.#waitingPaste !== undefined
    this.#waitingPaste = what
    if (hasTurn) return
    held.push(() => {
      const waiting = this.#waitingPaste
      this.#waitingPaste = undefined
      if (waiting !== undefined) this.paste(waiting)
    })
  }

  /** Does what was held; what is behind another clipboard waits for that one. */
  #goOn(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const [n, one] of held.entries()) {
      one()
      if (!this.#held) continue
      this.#held = held.slice(n + 1)
      return
    }
  }

  /** Asks the machine for another size of its screen. */
  resize(size: ScreenSize): void {
    if (this.isOver || !this.canResize || !size.width || !size.height) return
    this.#parts.target.resize(size)
  }

  /**
   * Shows the session to somebody else. Answers how to stop; undefined when there is no room, or no
   * session any more.
   */
  watch(watcher: DesktopAudience): (() => void) | undefined {
    if (this.isOver || this.#watchers.size >= MAX_WATCHERS) return undefined
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  /** The participant whose keys and pointer count; undefined: the person's own. */
  get driver(): string | undefined {
    return this.#driver
  }

  /**
   * Keys and pointer are a participant's from now on, or the person's again: one at a time has them.
   * Everybody is told, and the recording says who.
   */
  handOver(to: { id: string; user: string } | undefined): void {
    if (this.isOver) return
    this.#letGo()
    if (this.#driver === to?.id) return
    this.#driver = to?.id
    this.participants.tell({ event: 'control', id: to?.id ?? '' })
    this.tell(
      to
        ? notice('control', '{{user}} has the keys and the pointer now', { user: spoken(to.user) })
        : notice('control', 'The keys and the pointer are back with whoever the session belongs to'),
    )
  }

  settle(): void {}

  protected say(what: Notice): void {
    this.#parts.recording.mark({ kind: 'notice', text: wordsOf(what, this.person.language) })
    this.#parts.owner.tell(what)
    for (const watcher of this.#watchers) watcher.tell(what)
  }

  protected onLocked(): void {
    this.#letGo()
  }

  /** Nothing stays pressed on the machine, and what waits is forgotten. */
  #letGo(): void {
    const { target } = this.#parts
    this.#held = this.#held && []
    this.#waitingPaste = undefined
    for (const keysym of this.#pressed) target.key(false, keysym)
    this.#pressed.clear()
    if (this.#buttons) target.pointer(0, this.#at.x, this.#at.y)
    this.#buttons = 0
  }

  protected release(end: StreamEnd): void {
    const { target, owner, files } = this.#parts
    this.#held = undefined
    this.#waitingPaste = undefined
    target.close()
    files
      ?.close()
      .catch((error: unknown) => this.log.error({ err: error, session: this.id }, 'files of a desktop stay'))
    owner.close(end)
    for (const watcher of this.#watchers) watcher.close(end)
    this.#watchers.clear()
  }

  get #isOpen(): boolean {
    return !this.isOver && !this.isLocked
  }

  #input(by: string | undefined, work: () => void): void {
    if (!this.#isOpen || by !== this.#driver) return
    this.touch()
    if (!this.#held) work()
    else if (this.#held.length < MAX_HELD) this.#held.push(() => this.#isOpen && work())
  }

  #changed(): void {
    if (this.isOver) return
    this.#parts.recording.changed(() => this.hold('disk'))
    this.#parts.owner.changed()
    for (const watcher of this.#watchers) watcher.changed()
  }

  #endedByMachine(end: StreamEnd): Promise<void> {
    return end.message ? this.end('closed', notice('closed', end.message), end) : this.endedByTarget(end)
  }

  async #copied(text: string): Promise<void> {
    if (this.isOver) return
    const may = await this.#may('copy')
    if (this.isOver) return
    this.#noteClipboard('copy', { characters: text.length }, may, text)
    this.#parts.owner.copied(may ? text : undefined)
  }

  /** They go the way of the clipboard, and are files: both rights are needed. */
  async #copiedFiles(copied: CopiedFiles | undefined): Promise<void> {
    const { files } = this.#parts
    if (this.isOver || !files) return
    const mayCopy = copied !== undefined && (await this.#may('copy'))
    const may = await files.offer(mayCopy ? copied : undefined)
    if (!copied || this.isOver) return
    if (!mayCopy) this.#noteClipboard('copy', { files: copied.files.length }, false)
    else this.#parts.recording.mark({ kind: 'copy', files: copied.files.length, ...(may ? {} : { refused: true }) })
  }

  /** Once: whoever copies on is not told each time. */
  #tellOther(): void {
    if (this.#hasToldOther || this.isOver) return
    this.#hasToldOther = true
    this.tell(notice('denied', this.#parts.files ? TEXT_AND_FILES : TEXT_ALONE))
  }

  /** While rights can't be asked for, nothing is taken over. */
  #may(way: ClipboardWay): Promise<boolean> {
    return this.#parts.mayUse(way).catch((error: unknown) => {
      this.log.error({ err: error, session: this.id }, 'the right to a clipboard could not be asked for')
      return false
    })
  }

  /**
   * How much went where; what, only where that is kept, and never what was refused. A person is told
   * once of each way that is closed to them.
   */
  #noteClipboard(kind: ClipboardWay, much: { characters: number } | { files: number }, may: boolean, text = ''): void {
    if (this.isOver) return
    const { recording, keepsText } = this.#parts
    const kept = may && text && keepsText() ? { text: text.slice(0, MAX_KEPT) } : {}
    recording.mark({ kind, ...much, ...kept, ...(may ? {} : { refused: true }) })
    if (may) this.#refusedBefore.delete(kind)
    else if (!this.#refusedBefore.has(kind)) {
      this.#refusedBefore.add(kind)
      this.tell(notice('denied', REFUSED[kind]))
    }
  }
}
