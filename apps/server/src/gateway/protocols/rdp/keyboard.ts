import type { PasteKeys } from '@sallyport/contract/socket/desktop.ts'
/**
 * Keys of the person, which come by what is on them (X11's keysyms), as a machine with a keyboard
 * from the United States gets them. What such a keyboard does not have goes as a character, so that
 * every layout and every script works, and so do shortcuts.
 */
import { isCommand } from '../../kinds/desktop/command-keys.ts'
import { characterOf } from '../keysyms.ts'
import { characterInput, keyInput } from './input.ts'

const SHIFT = 0x2a
/** Keys of letters and signs by rows: without shift, and with it. */
export const ROWS: readonly (readonly [first: number, plain: string, shifted: string])[] = [
  [0x02, '1234567890-=', '!@#$%^&*()_+'],
  [0x10, 'qwertyuiop[]', 'QWERTYUIOP{}'],
  [0x1e, "asdfghjkl;'`", 'ASDFGHJKL:"~'],
  [0x2b, '\\zxcvbnm,./', '|ZXCVBNM<>?'],
]

interface Printed {
  scanCode: number
  /** Undefined: the same with shift and without. */
  isShifted: boolean | undefined
}

const PRINTED = new Map<number, Printed>([[0x20, { scanCode: 0x39, isShifted: undefined }]])
for (const [first, plain, shifted] of ROWS)
  for (let n = 0; n < plain.length; n++) {
    PRINTED.set(plain.charCodeAt(n), { scanCode: first + n, isShifted: false })
    PRINTED.set(shifted.charCodeAt(n), { scanCode: first + n, isShifted: true })
  }

/** All other keys, by keysym (X11/keysymdef.h) and number (set 1; 0x100: extended). */
export const KEYS: Readonly<Record<number, number>> = {
  ...{ 65288: 0x0e, 65289: 0x0f, 65056: 0x0f, 65293: 0x1c, 65307: 0x01, 65535: 0x153 },
  // Home, left, up, right, down, page up, page down, end, insert.
  ...{ 65360: 0x147, 65361: 0x14b, 65362: 0x148, 65363: 0x14d, 65364: 0x150 },
  ...{ 65365: 0x149, 65366: 0x151, 65367: 0x14f, 65379: 0x152 },
  // Shift, Control, Meta, Alt, Super, AltGr, menu.
  ...{ 65505: 0x2a, 65506: 0x36, 65507: 0x1d, 65508: 0x11d, 65511: 0x15b, 65512: 0x15c },
  ...{ 65513: 0x38, 65514: 0x138, 65515: 0x15b, 65516: 0x15c, 65027: 0x138, 65383: 0x15d },
  // Print, scroll lock; the pad: enter, and its signs.
  ...{ 65377: 0x137, 65300: 0x46, 65421: 0x11c, 65450: 0x37, 65451: 0x4e, 65453: 0x4a, 65455: 0x135 },
  ...Object.fromEntries(Array.from({ length: 10 }, (_, n) => [0xffbe + n, 0x3b + n])),
  ...{ 65480: 0x57, 65481: 0x58 },
}
/** Caps lock and num lock: what comes has been changed by them already. */
const IGNORED: ReadonlySet<number> = new Set([0xffe5, 0xff7f])
/** Signs and digits on the pad, which are sent as their like on the main part. */
const PAD: Readonly<Record<number, string>> = {
  65454: '.',
  65469: '=',
  ...Object.fromEntries(Array.from({ length: 10 }, (_, n) => [0xffb0 + n, String(n)])),
}
/** All keys that are held while others are pressed. */
const MODIFIERS: ReadonlySet<number> = new Set([SHIFT, 0x36, 0x1d, 0x11d, 0x38, 0x138, 0x15b, 0x15c])
const [CONTROL, V, INSERT] = [0x1d, 0x2f, 0x152]
const PASTING: Readonly<Record<PasteKeys, readonly number[]>> = {
  ctrl_v: [CONTROL, V],
  ctrl_shift_v: [CONTROL, SHIFT, V],
  shift_insert: [SHIFT, INSERT],
  none: [],
}

/** Whether an American keyboard has a key for it. */
export const isOnKeyboard = (character: string): boolean => PRINTED.has(character.codePointAt(0) as number)

/** A keyboard at a machine, with what is pressed on it. */
export class Keyboard {
  readonly #takesUnicode: boolean
  /** By keysym, how to let it go. */
  readonly #down = new Map<number, Buffer[]>()
  readonly #held = new Set<number>()

  constructor(takesUnicode: boolean) {
    this.#takesUnicode = takesUnicode
  }

  /** Bytes to send for a key that is pressed, repeated or let go. */
  key(isDown: boolean, keysym: number): Buffer[] {
    if (IGNORED.has(keysym)) return []
    if (!isDown) {
      const release = this.#down.get(keysym) ?? []
      this.#down.delete(keysym)
      const scanCode = KEYS[keysym]
      if (scanCode !== undefined) this.#held.delete(scanCode)
      return release
    }
    const { press, release } = this.#strokes(keysym)
    if (press.length) this.#down.set(keysym, release)
    return press
  }

  /** Whether what is pressed next is a command, and no character. */
  get isCommand(): boolean {
    return isCommand(this.#down)
  }

  /** Keys that paste, whatever is held meanwhile. */
  paste(by: PasteKeys): Buffer[] {
    const held = [...this.#held].filter((key) => MODIFIERS.has(key))
    const keys = PASTING[by]
    if (!keys.length) return []
    return [
      ...held.map((key) => keyInput(false, key)),
      ...keys.map((key) => keyInput(true, key)),
      ...keys.toReversed().map((key) => keyInput(false, key)),
      ...held.map((key) => keyInput(true, key)),
    ]
  }

  /** A character that is typed at once, whatever keys there are. */
  character(character: string): Buffer[] {
    const { press, release } = this.#character(character)
    return [...press, ...release]
  }

  #strokes(keysym: number): { press: Buffer[]; release: Buffer[] } {
    const scanCode = KEYS[keysym]
    if (scanCode !== undefined) {
      this.#held.add(scanCode)
      return both((isDown) => [keyInput(isDown, scanCode)])
    }
    const character = PAD[keysym] ?? characterOf(keysym)
    if (!character) return { press: [], release: [] }
    const printed = PRINTED.get(character.codePointAt(0) as number)
    // With a command, machines would type it over what is selected.
    if (!printed) return this.isCommand ? { press: [], release: [] } : this.#character(character)
    const isKey = printed.isShifted === undefined || printed.isShifted === this.#isShifted || this.isCommand
    if (isKey) return both((isDown) => [keyInput(isDown, printed.scanCode)])
    return this.#takesUnicode ? this.#character(character) : this.#withShift(printed)
  }

  #character(character: string): { press: Buffer[]; release: Buffer[] } {
    if (!this.#takesUnicode) return { press: [], release: [] }
    const units = [...Array(character.length).keys()].map((n) => character.charCodeAt(n))
    return both((isDown) => units.map((unit) => characterInput(isDown, unit)))
  }

  /** A key of which the person's keyboard has the other half: shift is turned round for a moment. */
  #withShift({ scanCode, isShifted }: Printed): { press: Buffer[]; release: Buffer[] } {
    const held = [SHIFT, 0x36].filter((key) => this.#held.has(key))
    const turn = (isDown: boolean) =>
      isShifted ? [keyInput(isDown, SHIFT)] : held.map((key) => keyInput(!isDown, key))
    const press = [...turn(true), keyInput(true, scanCode), keyInput(false, scanCode), ...turn(false)]
    return { press, release: [] }
  }

  get #isShifted(): boolean {
    return this.#held.has(SHIFT) || this.#held.has(0x36)
  }
}

const both = (strokes: (isDown: boolean) => Buffer[]) => ({ press: strokes(true), release: strokes(false) })
