import type { PasteKeys } from '@sallyport/contract/socket/desktop.ts'
import type { CopiedFiles } from '../../kinds/desktop/files/copied-files.ts'
import type { DesktopListener, Typed } from '../../kinds/desktop/streams.ts'
import { characterOf } from '../../protocols/keysyms.ts'
import { Clipboard, type ClipboardParts } from '../../protocols/rdp/clipboard.ts'
import { isOnKeyboard, type Keyboard } from '../../protocols/rdp/keyboard.ts'
import { ClipboardTypist } from '../clipboard-typist.ts'

/** Longest clipboard, in bytes of UTF-16. */
const MAX_BYTES = 2 * 1024 * 1024

/** Beyond the basic plane: xrdp's clipboard answers nobody who asks for a text with one, and gives the next one twice. */
const BEYOND_BASIC = /[\u{10000}-\u{10ffff}]/gu

interface Parts extends Pick<ClipboardParts, 'send' | 'room'> {
  keyboard: Keyboard
  press(messages: readonly Buffer[]): void
  listener(): DesktopListener | undefined
  takesFiles: boolean
  isUnix: boolean
}

/** The clipboard of a machine with RDP, by which characters are typed that servers on Unix lose as keys. */
export class MachineClipboard {
  readonly #parts: Parts
  readonly #channel: Clipboard
  readonly #typist: ClipboardTypist
  /** Keys that paste in the program that the person types in. */
  keys: PasteKeys = 'ctrl_v'

  constructor(parts: Parts) {
    const { send, room, listener, keyboard, press, isUnix, takesFiles } = parts
    this.#parts = parts
    this.#channel = new Clipboard({
      ...{ send, room, maxBytes: MAX_BYTES },
      known: () => this.#typist.known(),
      fetched: () => this.#typist.fetched(),
      replaced: (isExpected) => this.#typist.replaced(isExpected),
      copied: (text) => {
        if (this.#typist.copied(text)) listener()?.copied(text)
      },
      ...(takesFiles ? { copiedFiles: (files) => listener()?.copiedFiles?.(files) } : {}),
      copiedOther: () => listener()?.copiedOther?.(),
      ...(isUnix ? { lineEnd: '\n' } : {}),
    })
    this.#typist = new ClipboardTypist({
      offer: (text) => this.#channel.offer(text),
      withdraw: () => this.#channel.withdraw(),
      press: () => {
        const strokes = keyboard.paste(this.keys)
        if (strokes.length) press(strokes)
        return strokes.length > 0
      },
      // xrdp answers first, and then takes the clipboard.
      answers: isUnix ? 2 : 1,
    })
  }

  /** Takes a piece of its channel. Throws ProtocolViolation. */
  receive(piece: Buffer): void {
    this.#channel.receive(piece)
  }

  async paste(text: string): Promise<void> {
    if (this.#channel.isReady) return this.#typist.paste(text)
    // The machine hears of it when it has one.
    this.#typist.stands(text)
    this.#channel.offer(text)
  }

  pasteFiles(files: CopiedFiles): void {
    this.#typist.stands(() => this.#channel.offerFiles(files))
    this.#channel.offerFiles(files)
  }

  /** Servers on Unix take characters by what they say, and lose those that are not on their keyboard. */
  characterByClipboard(keysym: number): string | undefined {
    const character = this.#parts.isUnix ? characterOf(keysym) : undefined
    return character && !isOnKeyboard(character) ? character : undefined
  }

  async type(text: string, mayPress: () => boolean): Promise<Typed> {
    const { press, keyboard } = this.#parts
    if (this.#channel.isReady) {
      const takes = text.replace(BEYOND_BASIC, '')
      const typed = takes ? await this.#typist.type(takes, mayPress) : 'unsure'
      return takes === text || (typed !== 'taken' && typed !== 'unseen') ? typed : 'unsure'
    }
    for (const character of text) press(keyboard.character(character))
    return 'unsure'
  }

  /** The person presses a key or a button. */
  pressed(isButton: boolean): void {
    if (isButton || this.#parts.keyboard.isCommand) this.#typist.mayCopy()
  }

  close(): void {
    this.#channel.close()
    this.#typist.close()
  }
}
