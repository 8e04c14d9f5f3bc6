import { spoken } from '@sallyport/contract/names.ts'
import type { PasteKeys } from '@sallyport/contract/socket/desktop.ts'
import { inBackground } from '../../../kernel/background.ts'
import { LiveSession, type LiveSessionParts, type StreamEnd } from '../../session/live-session.ts'
import { type Notice, notice, wordsOf } from '../../session/notice.ts'
import { isCommand } from './command-keys.ts'
import type { DesktopLog } from './desktop-log.ts'
import { FILES_REFUSED, type SessionFolder } from './files/session-folder.ts'
import { InputTurns } from './input-turns.ts'
import type { Picture } from './picture/picture.ts'
import { type ClipboardRules, MAX_KEPT, type Pasted, SessionClipboard } from './session-clipboard.ts'
import type { DesktopAudience, DesktopOwner, DesktopTarget, ScreenSize } from './streams.ts'

export interface DesktopSessionParts extends LiveSessionParts, ClipboardRules {
  owner: DesktopOwner
  target: DesktopTarget
  recording: DesktopLog
  /** Files that the person and the machine exchange, where they can. */
  files?: SessionFolder | undefined
}

/** Everything shown goes out once for each of them. */
const MAX_WATCHERS = 32
/** Keys that are down at a time: no hand has more fingers, and no keyboard more keys. */
const MAX_PRESSED = 256
/** Characters that are typed by the clipboard at once. */
const MAX_TYPED = 2000

/**
 * A screen with its keyboard and pointer. The gateway holds the picture: the person, watchers and
 * the recording take it as fast as each can, so that none makes another wait.
 */
export class DesktopSession extends LiveSession {
  readonly kind = 'desktop'
  readonly #parts: DesktopSessionParts
  readonly #watchers = new Set<DesktopAudience>()
  readonly #pressed = new Set<number>()
  /** Keys that went down as such, be it that they wait for their turn. */
  readonly #held = new Set<number>()
  /** The participant whose keys and pointer count; undefined: the person's own. */
  #driver: string | undefined
  #buttons = 0
  #at = { x: 0, y: 0 }
  readonly #clipboard: SessionClipboard
  readonly #turns = new InputTurns((error) =>
    this.log.error({ err: error, session: this.id }, 'what a person did at a desktop failed'),
  )
  /** The newest clipboard that waits for its turn. */
  #waitingPaste: { what: Pasted } | undefined
  /**
   * Text to be typed by the clipboard, while nothing has come behind it and it has not gone out.
   */
  #typed: { text: string; by: string | undefined } | undefined
  /** Target of the pointer, while nothing has come behind it and it is not there. */
  #waitingMove: { x: number; y: number } | undefined
  #heldButtons = 0

  constructor(parts: DesktopSessionParts) {
    super(parts)
    this.#parts = parts
    const { target, recording, files } = parts
    this.#clipboard = new SessionClipboard({
      ...parts,
      files,
      isOver: () => this.isOver,
      counts: (by) => this.#counts(by),
      tell: (what) => this.tell(what),
      fault: (error) =>
        this.log.error({ err: error, session: this.id }, 'the right to a clipboard could not be asked for'),
    })
    recording.begin(target.picture)
    if (files) this.#share(files)
    target.start({
      changed: () => this.#changed(),
      copied: (text) => void (text && this.#clipboard.copied(text)),
      copiedFiles: (copied) => this.#clipboard.copiedFiles(copied),
      copiedOther: () => this.#clipboard.copiedOther(),
      bell: () => parts.owner.bell(),
      end: (end) => inBackground(this.#endedByMachine(end)),
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

  /** Files that its person and the machine exchange; undefined where they can't. */
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
    inBackground(files.may())
  }

  /** The keys by which what is typed by the clipboard is pasted; undefined where there is no choice. */
  get pasteKeys(): PasteKeys | undefined {
    return this.#parts.target.pasteKeys
  }

  pasteBy(keys: PasteKeys): void {
    if (this.pasteKeys) this.#parts.target.pasteKeys = keys
  }

  get canResize(): boolean {
    return this.#parts.target.canResize
  }

  /** `by`: a participant, or the person whose session it is. */
  key(isDown: boolean, keysym: number, by?: string): void {
    const character = this.#parts.target.characterByClipboard?.(keysym)
    // One that went down as a key comes up as one; a command is of keys alone.
    if (character !== undefined && !this.#held.has(keysym) && !(isDown && isCommand(this.#held))) {
      if (isDown) this.#typeByClipboard(character, by)
      return
    }
    const press = () => {
      if (isDown && this.#pressed.size >= MAX_PRESSED && !this.#pressed.has(keysym)) return
      // One that is held down repeats itself.
      if (isDown && !this.#pressed.has(keysym)) this.#parts.recording.pressed()
      if (isDown) this.#pressed.add(keysym)
      else this.#pressed.delete(keysym)
      this.#parts.target.key(isDown, keysym)
    }
    if (isDown && this.#input(by, press) && this.#held.size < MAX_PRESSED) this.#held.add(keysym)
    else if (!isDown && this.#counts(by)) this.#input(by, press, this.#held.delete(keysym))
  }

  /** All that come one behind the other go at once, as an input method hands them over. */
  #typeByClipboard(character: string, by: string | undefined): void {
    if (!this.#counts(by)) return
    this.touch()
    this.#parts.recording.pressed()
    this.#waitingMove = undefined
    const before = this.#typed
    if (before && before.by === by && before.text.length < MAX_TYPED) {
      before.text += character
      return
    }
    const typed = { text: character, by }
    this.#typed = typed
    const taken = () => {
      if (this.#typed === typed) this.#typed = undefined
      return typed.text
    }
    if (!this.#turns.take(() => this.#clipboard.type(taken, by))) this.#typed = undefined
  }

  /** See `key`. */
  pointer(buttons: number, x: number, y: number, by?: string): void {
    if (this.#waitingMove && buttons === this.#heldButtons && this.#counts(by)) {
      this.touch()
      Object.assign(this.#waitingMove, { x, y })
      return
    }
    const to = { x, y }
    const move = () => {
      if (this.#waitingMove === to) this.#waitingMove = undefined
      const { width, height } = this.picture
      this.#buttons = buttons
      this.#at = { x: Math.min(to.x, width - 1), y: Math.min(to.y, height - 1) }
      this.#parts.target.pointer(buttons, this.#at.x, this.#at.y)
    }
    if (!this.#input(by, move, this.#heldButtons !== 0 && buttons === 0)) return
    this.#heldButtons = buttons
    if (this.#turns.isBusy) this.#waitingMove = to
  }

  /**
   * Fills the machine's clipboard, where the person may. What they do next waits for it; however many
   * are pasted meanwhile, one waits: the newest.
   */
  paste(what: Pasted): void {
    if (!this.#counts(undefined)) return
    this.touch()
    if (this.#waitingPaste) {
      this.#waitingPaste.what = what
      return
    }
    const waiting = { what }
    this.#waitingPaste = waiting
    this.#typed = undefined
    this.#waitingMove = undefined
    const isTaken = this.#turns.take(() => {
      if (this.#waitingPaste === waiting) this.#waitingPaste = undefined
      return this.#counts(undefined) ? this.#clipboard.paste(waiting.what) : undefined
    })
    if (!isTaken) this.#waitingPaste = undefined
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
   * Gives the keyboard and the pointer to a participant, or back to the person: one at a time has
   * them. Everybody is notified, and the recording names the holder.
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
    this.#forget()
    for (const keysym of this.#pressed) target.key(false, keysym)
    this.#pressed.clear()
    if (this.#buttons) target.pointer(0, this.#at.x, this.#at.y)
    this.#buttons = 0
  }

  protected release(end: StreamEnd): void {
    const { target, owner, files } = this.#parts
    this.#forget()
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

  #counts(by: string | undefined): boolean {
    return this.#isOpen && by === this.#driver
  }

  /** Answers whether it has its turn; what lets go of something always has. */
  #input(by: string | undefined, work: () => void, letsGo = false): boolean {
    if (!this.#counts(by)) return false
    this.touch()
    this.#typed = undefined
    this.#waitingMove = undefined
    return this.#turns.take(() => {
      if (this.#isOpen) work()
      return undefined
    }, letsGo)
  }

  #forget(): void {
    this.#turns.forget()
    this.#waitingPaste = undefined
    this.#typed = undefined
    this.#waitingMove = undefined
    this.#held.clear()
    this.#heldButtons = 0
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
}
