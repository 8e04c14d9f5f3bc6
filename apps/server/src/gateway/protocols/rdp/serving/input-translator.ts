import type { ViewerInput } from '../../rfb/viewer.ts'
import { KEYS, ROWS } from '../keyboard.ts'
import type { InputListener } from './client-input.ts'

type Desktop = Pick<ViewerInput, 'key' | 'pointer'>

const [MOVED, DOWN, WHEEL, SIDE_WHEEL, BACKWARD] = [0x0800, 0x8000, 0x0200, 0x0400, 0x0100]
const NOTCH = 120
/** Left, middle, right, from the lowest bit on. */
const BUTTONS = [0x1000, 0x4000, 0x2000]
const PLACED = BUTTONS.reduce((all, button) => all | button, MOVED)
/** Up, down, left, right. */
const NOTCHES = { up: 1 << 3, down: 1 << 4, left: 1 << 5, right: 1 << 6 } as const
/** Notches of one message: a wheel does not turn faster. */
const MAX_NOTCHES = 8
/** The first of the two beside. */
const [FURTHER, FURTHER_BUTTON] = [0x0001, 0x80]

const [CAPS_LOCK, NUM_LOCK] = [0x3a, 0x45]
const [NUM_LOCKED, CAPS_LOCKED] = [2, 4]
const SHIFTS: ReadonlySet<number> = new Set([0x2a, 0x36])
/** Digits and the point of the pad, by the key's number: keysyms `KP_0` and on. */
const PAD = new Map([0x52, 0x4f, 0x50, 0x51, 0x4b, 0x4c, 0x4d, 0x47, 0x48, 0x49].map((code, n) => [code, 0xffb0 + n]))
PAD.set(0x53, 0xffae)

const PLAIN = new Map<number, number>([[0x39, 0x20]])
const SHIFTED = new Map<number, number>([[0x39, 0x20]])
for (const [first, plain, shifted] of ROWS)
  for (let n = 0; n < plain.length; n++) {
    PLAIN.set(first + n, plain.charCodeAt(n))
    SHIFTED.set(first + n, shifted.charCodeAt(n))
  }
/** The highest of several keysyms of a key is the common one. */
const OTHERS = new Map(Object.entries(KEYS).map(([keysym, code]) => [code, Number(keysym)]))

/**
 * Keys by their number, and a pointer, as clients of RDP have them, for desktops, which take keys by
 * what is on them: on a keyboard from the United States.
 */
export class InputTranslator implements InputListener {
  readonly #desktop: Desktop
  /** Keysym of each pressed key when it was pressed. */
  readonly #down = new Map<number, number>()
  #locked = 0
  #buttons = 0
  #turned = { up: 0, side: 0 }
  /** The first half of a character outside of the basic plane. */
  #half: string | undefined

  constructor(desktop: Desktop) {
    this.#desktop = desktop
  }

  key(isDown: boolean, scanCode: number): void {
    if (!isDown) {
      const keysym = this.#down.get(scanCode)
      this.#down.delete(scanCode)
      if (keysym !== undefined) this.#desktop.key(false, keysym)
      return
    }
    if (scanCode === CAPS_LOCK && !this.#down.has(scanCode)) this.#locked ^= CAPS_LOCKED
    if (scanCode === NUM_LOCK && !this.#down.has(scanCode)) this.#locked ^= NUM_LOCKED
    const keysym = this.#keysymOf(scanCode)
    // Keys that lock are known to be down, and mean nothing else.
    this.#down.set(scanCode, keysym ?? 0)
    if (keysym) this.#desktop.key(true, keysym)
  }

  /** It is there at once, and nobody holds it. */
  character(isDown: boolean, unit: number): void {
    if (!isDown) return
    const text = (this.#half ?? '') + String.fromCharCode(unit)
    if (unit >= 0xd800 && unit < 0xdc00) this.#half = text.slice(-1)
    else {
      this.#half = undefined
      const point = text.codePointAt(0) as number
      const keysym = point <= 0xff ? point : 0x0100_0000 + point
      if (point < 0x20) return
      this.#desktop.key(true, keysym)
      this.#desktop.key(false, keysym)
    }
  }

  pointer(flags: number, x: number, y: number): void {
    if (flags & (WHEEL | SIDE_WHEEL)) this.#wheel(flags, x, y)
    for (const [n, button] of BUTTONS.entries())
      if (flags & button) this.#buttons = flags & DOWN ? this.#buttons | (1 << n) : this.#buttons & ~(1 << n)
    if (flags & PLACED) this.#desktop.pointer(this.#buttons, x, y)
  }

  furtherButton(flags: number, x: number, y: number): void {
    if (!(flags & FURTHER)) return
    this.#buttons = flags & DOWN ? this.#buttons | FURTHER_BUTTON : this.#buttons & ~FURTHER_BUTTON
    this.#desktop.pointer(this.#buttons, x, y)
  }

  locks(toggled: number): void {
    this.#locked = toggled
  }

  #keysymOf(scanCode: number): number | undefined {
    const isShifted = [...SHIFTS].some((shift) => this.#down.has(shift))
    if (this.#locked & NUM_LOCKED && !isShifted && PAD.has(scanCode)) return PAD.get(scanCode)
    // Without the lock, the pad has the keys that are beside it.
    if (PAD.has(scanCode)) return OTHERS.get(scanCode | 0x100)
    const plain = PLAIN.get(scanCode)
    if (plain === undefined) return OTHERS.get(scanCode)
    const isLetter = plain >= 0x61 && plain <= 0x7a
    const isUpper = isLetter && this.#locked & CAPS_LOCKED ? !isShifted : isShifted
    return (isUpper ? SHIFTED : PLAIN).get(scanCode)
  }

  /** A wheel that turns in small steps moves on when they make a notch. */
  #wheel(flags: number, x: number, y: number): void {
    const way = flags & WHEEL ? 'up' : 'side'
    this.#turned[way] += flags & BACKWARD ? (flags & 0xff) - 0x100 : flags & 0xff
    const turned = Math.trunc(this.#turned[way] / NOTCH)
    if (!turned) return
    this.#turned[way] %= NOTCH
    const notch = way === 'up' ? (turned > 0 ? NOTCHES.up : NOTCHES.down) : turned > 0 ? NOTCHES.right : NOTCHES.left
    for (let n = 0; n < Math.min(Math.abs(turned), MAX_NOTCHES); n++) {
      this.#desktop.pointer(this.#buttons | notch, x, y)
      this.#desktop.pointer(this.#buttons, x, y)
    }
  }
}
