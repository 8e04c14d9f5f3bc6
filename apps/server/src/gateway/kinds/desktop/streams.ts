import type { PasteKeys } from '@sallyport/contract/socket/desktop.ts'
import type { Language } from '../../../kernel/i18n/translate.ts'
import type { StreamEnd } from '../../session/live-session.ts'
import type { Notice } from '../../session/notice.ts'
import type { CopiedFiles } from './files/copied-files.ts'
import type { MachineFiles } from './files/machine-files.ts'
import type { Picture } from './picture/picture.ts'

/** Size of a screen, in pixels. */
export interface ScreenSize {
  width: number
  height: number
  /** Per cent by which letters and buttons are to be larger, where the machine can; 100 unless said. */
  scale?: number | undefined
}

/** Events of a target while it runs. */
export interface DesktopListener {
  /** Its picture changed. */
  changed(): void
  /** Its clipboard did. */
  copied(text: string): void
  /** Files are on its clipboard; undefined once something else is. */
  copiedFiles?(files: CopiedFiles | undefined): void
  /** Something that does not go by the clipboard is on it. */
  copiedOther?(): void
  bell(): void
  /** Called once, as the last. */
  end(end: StreamEnd): void
}

/**
 * Outcome of a text that goes by a machine's clipboard: a program has taken it, something did that
 * watches the clipboard, so that a program's taking it is not seen, it is left there, it went by
 * keys of which the machine loses some, the clipboard did not take it, or its person may not type
 * any more.
 */
export type Typed = 'taken' | 'unseen' | 'left' | 'unsure' | 'lost' | 'stopped'

/** A connector's side of a session: the screen of one machine, its keyboard and its pointer. */
export interface DesktopTarget {
  /** The content of its screen, kept up to date. */
  readonly picture: Picture
  /** As the machine calls it. */
  readonly name: string
  /** Its screen can be given another size. */
  readonly canResize: boolean
  /** A folder can be put before it, as a drive. */
  readonly canTakeFiles?: boolean
  serveFiles?(files: MachineFiles): void
  /** Nothing is read before this. */
  start(listener: DesktopListener): void
  /** X11's number of a key. */
  key(isDown: boolean, keysym: number): void
  /** The character of a key that the machine takes by its clipboard alone. */
  characterByClipboard?(keysym: number): string | undefined
  /** Types such characters, if they may be by then. What was on the clipboard comes back there. */
  type?(text: string, mayPress: () => boolean): Promise<Typed>
  /** Keys to press for that, where there is a choice. */
  pasteKeys?: PasteKeys
  /** `buttons`: one bit each, the left is the lowest. */
  pointer(buttons: number, x: number, y: number): void
  /** Fills its clipboard; settles when whatever is pressed next finds that there. */
  paste(text: string): Promise<void> | undefined
  /** Fills it with files, where a folder can be put before it. */
  pasteFiles?(files: CopiedFiles): void
  resize(size: ScreenSize): void
  pause(): void
  resume(): void
  close(): void
}

/** Somebody who sees the picture: the person, or who looks on. */
export interface DesktopAudience {
  /** The picture changed. */
  changed(): void
  tell(what: Notice): void
  close(end: StreamEnd): void
}

/** The person's side of a session. */
export interface DesktopOwner extends DesktopAudience {
  /** The machine's clipboard; undefined where it may not be taken, nor what was there before. */
  copied(text: string | undefined): void
  bell(): void
  /** The files in the session's folder have changed. */
  filesChanged?(): void
}

/** A person's side of a session of this kind. */
export interface DesktopEnd {
  owner: DesktopOwner
  /** Size of the window that it is shown in, in pixels, where that is known. */
  size?: ScreenSize
  /** They can give and take files while it runs. */
  takesFiles?: boolean
  /** In which they are asked for what is missing. */
  language: Language
}
