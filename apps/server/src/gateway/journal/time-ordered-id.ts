import { randomUUID } from 'node:crypto'

let lastMoment = 0
let count = 0
/** The parts before and behind the count: rebuilt for each millisecond. */
let beginning = ''
let ending = ''

/**
 * A UUID of version 7 that sorts after all earlier ones of this process (RFC 9562 §6.2, method 1):
 * rows of the same millisecond keep their order, and share what is random.
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
  const time = moment.toString(16).padStart(12, '0')
  beginning = `${time.slice(0, 8)}-${time.slice(8)}-7`
  // Variant and random bits are where they are in version 4, which Node makes from a supply.
  ending = randomUUID().slice(18)
}
