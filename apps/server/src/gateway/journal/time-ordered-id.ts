import { randomUUID } from 'node:crypto'

let lastMoment = 0
let count = 0
/** The parts before and behind the count; the second is random. */
let beginning = ''
let ending = ''
/** The upper bits of the moment, which stay the same for a minute, and their digits. */
let upper = -1
let upperDigits = ''

/**
 * A UUID of version 7 that sorts after all earlier ones of this process (RFC 9562 §6.2, method 1):
 * rows of the same millisecond keep their order. Those of a minute share what is random.
 */
export function timeOrderedId(): string {
  const now = Date.now()
  if (now > lastMoment || count === 0xfff) begin(Math.max(now, lastMoment + 1))
  else count++
  return beginning + COUNTED[count] + ending
}

const COUNTED = Array.from({ length: 0x1000 }, (_, n) => n.toString(16).padStart(3, '0'))

function begin(moment: number): void {
  lastMoment = moment
  count = 0
  const lower = moment % 0x10000
  if ((moment - lower) / 0x10000 !== upper) {
    upper = (moment - lower) / 0x10000
    upperDigits = upper.toString(16).padStart(8, '0')
    // Variant and random bits are where they are in version 4, which Node makes from a supply.
    ending = randomUUID().slice(18)
  }
  beginning = `${upperDigits}-${(lower + 0x10000).toString(16).slice(1)}-7`
}
