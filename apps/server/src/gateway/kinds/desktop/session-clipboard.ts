import { type Notice, notice } from '../../session/notice.ts'
import type { DesktopLog } from './desktop-log.ts'
import type { CopiedFiles } from './files/copied-files.ts'
import type { SessionFolder } from './files/session-folder.ts'
import { newestOf } from './newest-of.ts'
import type { DesktopOwner, DesktopTarget, Typed } from './streams.ts'

/** A way that the clipboard goes: from the machine, or to it. */
export type ClipboardWay = 'copy' | 'paste'
/**
 * Refused actions: a way, or to type by the clipboard, for its person or for a guest who has the
 * keys.
 */
type Refusal = ClipboardWay | 'type' | 'guest'

/** Text, or the numbers of files that the person has put into the session's folder. */
export type Pasted = string | readonly number[]

export interface ClipboardRules {
  /** Asked each time: rights may change while a session runs. */
  mayUse(way: ClipboardWay): Promise<boolean>
  /** Whether what goes by the clipboard is kept in the recording, not only how much. Asked each time. */
  keepsText(): boolean
}

interface Parts extends ClipboardRules {
  owner: DesktopOwner
  target: DesktopTarget
  recording: DesktopLog
  files: SessionFolder | undefined
  isOver(): boolean
  /** Whether what a participant does counts, or the person: theirs are the keys, and nothing is locked. */
  counts(by: string | undefined): boolean
  tell(what: Notice): void
  fault(error: unknown): void
}

/**
 * Limit of a clipboard that is kept, in characters: searches look for its beginning, or the text is
 * a file's.
 */
export const MAX_KEPT = 1000
const REFUSED: Readonly<Record<Refusal, string>> = {
  copy: 'You have no permission to copy from this desktop',
  paste: 'You have no permission to paste into this desktop',
  type: 'What this machine has no keys for reaches it by its clipboard alone, which needs the permission to paste. It was left out.',
  guest:
    'What this machine has no keys for reaches it by its clipboard alone, which guests do not have. It was left out: ask whoever the session belongs to.',
}
/** Messages to a person about text that they typed by the clipboard. */
const TYPED: Readonly<Partial<Record<Typed, string>>> = {
  left: 'What this machine has no keys for is on its clipboard: paste it there, as the program does that',
  unseen:
    'It cannot be seen here whether the program took what this machine has no keys for. If it is missing, as in terminals, choose under Paste keys how the program pastes.',
  unsure: 'This machine has neither keys nor a clipboard for some of what was typed. It may be missing.',
  lost: 'The clipboard of this machine did not take what it has no keys for. It may be missing.',
}
const TEXT_ALONE = 'Only text copied on this desktop goes to you'
const TEXT_AND_FILES = 'Only text and files copied on this desktop go to you'

/** The clipboard of a session, each way by the rights of that moment, and in the recording as how much went. */
export class SessionClipboard {
  /** The newest content that the machine has put there. */
  readonly copied = newestOf((text: string) => this.#copied(text))
  readonly copiedFiles = newestOf((files: CopiedFiles | undefined) => this.#copiedFiles(files))
  readonly #parts: Parts
  readonly #refusedBefore = new Set<Refusal>()
  /** The guest who was last notified that they can't type by it. */
  #refusedGuest: string | undefined
  readonly #reportedTyped = new Set<Typed>()
  #hasReportedOther = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** A copy that goes no way. Reported once, not at each further copy. */
  copiedOther(): void {
    if (this.#hasReportedOther || this.#parts.isOver()) return
    this.#hasReportedOther = true
    this.#parts.tell(notice('denied', this.#parts.files ? TEXT_AND_FILES : TEXT_ALONE))
  }

  /** Fills the machine's, where the person may. */
  paste(what: Pasted): Promise<void> {
    return typeof what === 'string' ? this.#pasteText(what) : this.#pasteFiles(what)
  }

  /** Types by it what the machine has no keys for; `taken` gives it, once the right is known. */
  async type(taken: () => string, by: string | undefined): Promise<void> {
    const { target } = this.#parts
    // A guest who has the keys has no clipboard.
    const may = by === undefined && (await this.#may('paste'))
    const text = taken()
    if (!this.#parts.counts(by)) return
    if (by === undefined) this.#note('type', may)
    else this.#noteGuest(by)
    // Meanwhile it may be locked, or somebody else may have the keys.
    const typed = may ? await target.type?.(text, () => this.#parts.counts(by)) : undefined
    if (typed && !this.#parts.isOver()) this.#reportTyped(typed)
  }

  /** Once each; that it is left there again once something was taken meanwhile. */
  #reportTyped(typed: Typed): void {
    if (typed === 'taken') this.#reportedTyped.delete('left')
    const text = TYPED[typed]
    if (!text || this.#reportedTyped.has(typed)) return
    this.#reportedTyped.add(typed)
    this.#parts.tell(notice('typed', text))
  }

  #noteGuest(id: string): void {
    if (this.#refusedGuest === id) return
    this.#refusedGuest = id
    this.#parts.tell(notice('denied', REFUSED.guest))
  }

  async #pasteText(text: string): Promise<void> {
    const may = await this.#may('paste')
    // Somebody else may have the keys by now.
    if (!this.#parts.counts(undefined)) return
    this.#mark('paste', { characters: text.length }, may, text)
    if (may) await this.#parts.target.paste(text)
  }

  /** They go the way of the clipboard, and are files: both rights are needed. */
  async #pasteFiles(ids: readonly number[]): Promise<void> {
    const { files, target, recording } = this.#parts
    if (!files || !target.pasteFiles) return
    const may = await this.#may('paste')
    const given = may ? await files.give(ids) : undefined
    if (!this.#parts.counts(undefined)) return
    const much = { files: given?.files.length ?? ids.length }
    if (!may) this.#mark('paste', much, false)
    else recording.mark({ kind: 'paste', ...much, ...(given ? {} : { refused: true }) })
    if (given) target.pasteFiles(given)
  }

  async #copied(text: string): Promise<void> {
    if (this.#parts.isOver()) return
    const may = await this.#may('copy')
    if (this.#parts.isOver()) return
    this.#mark('copy', { characters: text.length }, may, text)
    this.#parts.owner.copied(may ? text : undefined)
  }

  /** They go the way of the clipboard, and are files: both rights are needed. */
  async #copiedFiles(copied: CopiedFiles | undefined): Promise<void> {
    const { files, recording, isOver } = this.#parts
    if (isOver() || !files) return
    const mayCopy = copied !== undefined && (await this.#may('copy'))
    const may = await files.offer(mayCopy ? copied : undefined)
    if (!copied || isOver()) return
    if (!mayCopy) this.#mark('copy', { files: copied.files.length }, false)
    else recording.mark({ kind: 'copy', files: copied.files.length, ...(may ? {} : { refused: true }) })
  }

  /** While rights can't be asked for, nothing is taken over. */
  #may(way: ClipboardWay): Promise<boolean> {
    return this.#parts.mayUse(way).catch((error: unknown) => {
      this.#parts.fault(error)
      return false
    })
  }

  /** How much went where; what, only where that is kept, and never what was refused. */
  #mark(kind: ClipboardWay, much: { characters: number } | { files: number }, may: boolean, text = ''): void {
    const { recording, keepsText } = this.#parts
    const kept = may && text && keepsText() ? { text: text.slice(0, MAX_KEPT) } : {}
    recording.mark({ kind, ...much, ...kept, ...(may ? {} : { refused: true }) })
    this.#note(kind, may)
  }

  /** A person is notified once of each way that is closed to them. */
  #note(way: Refusal, may: boolean): void {
    if (may) this.#refusedBefore.delete(way)
    else if (!this.#refusedBefore.has(way)) {
      this.#refusedBefore.add(way)
      this.#parts.tell(notice('denied', REFUSED[way]))
    }
  }
}
