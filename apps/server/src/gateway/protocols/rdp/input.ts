/** Keys and pointer on the fast path (MS-RDPBCGR 2.2.8.1.2). */
import { u16 } from './cursor.ts'

const KEY = 0 << 5
const POINTER = 1 << 5
const FURTHER_BUTTON = 2 << 5
const SYNCHRONIZE = 3 << 5
const CHARACTER = 4 << 5
const RELEASED = 1
const EXTENDED = 2

const MOVED = 0x0800
const DOWN = 0x8000
const WHEEL = 0x0200
const SIDE_WHEEL = 0x0400
/** One notch, and one the other way: 120 units in nine bits. */
const FORWARD = 120
const BACKWARD = 0x0100 | (256 - 120)

/** Buttons as a desktop numbers them, from the lowest bit on: left, middle, right. */
const BUTTONS = [0x1000, 0x4000, 0x2000]
/** Buttons that are a notch of a wheel: up, down, left, right. */
const NOTCHES = [WHEEL | FORWARD, WHEEL | BACKWARD, SIDE_WHEEL | BACKWARD, SIDE_WHEEL | FORWARD]
const FIRST_NOTCH = 3

/** A key by its number; those with 0x100 are of the extended set. */
export function keyInput(isDown: boolean, scanCode: number): Buffer {
  const flags = (isDown ? 0 : RELEASED) | (scanCode & 0x100 ? EXTENDED : 0)
  return message([Buffer.of(KEY | flags, scanCode & 0xff)])
}

/** A character, whatever keys the machine has for it; one unit of UTF-16. */
export function characterInput(isDown: boolean, unit: number): Buffer {
  return message([Buffer.of(CHARACTER | (isDown ? 0 : RELEASED)), u16(unit)])
}

/** Nothing is locked: capitals and digits come as themselves. */
export const unlocked = (): Buffer => message([Buffer.of(SYNCHRONIZE)])

/** Effect of a pointer at that place, given the buttons that were pressed before. */
export function pointerInput(buttons: number, before: number, x: number, y: number): Buffer[] {
  const at = u16(x, y)
  const event = (flags: number) => message([Buffer.of(POINTER), u16(flags), at])
  const all = [event(MOVED)]
  const changed = buttons ^ before
  for (const [n, button] of BUTTONS.entries())
    if (changed & (1 << n)) all.push(event(button | (buttons & (1 << n) ? DOWN : 0)))
  for (const [n, notch] of NOTCHES.entries()) if (changed & buttons & (1 << (n + FIRST_NOTCH))) all.push(event(notch))
  // The two beside, for back and forth.
  const further = changed & 0x80
  if (further) all.push(message([Buffer.of(FURTHER_BUTTON), u16(1 | (buttons & further ? DOWN : 0)), at]))
  return all
}

function message(parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.of(1 << 2, body.length + 2), body])
}
