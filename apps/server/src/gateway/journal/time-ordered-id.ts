import { randomUUID } from 'node:crypto'

let lastMoment = 0
let count = 0

/**
 * A UUID of version 7 that sorts after all earlier ones of this process (RFC 9562 §6.2, method 1):
 * rows of the same millisecond keep their order.
 */
export function timeOrderedId(): string {
  const now = Math.max(Date.now(), lastMoment)
  count = now === lastMoment ? count + 1 : 0
  lastMoment = count > 0xfff ? now + 1 : now
  if (count > 0xfff) count = 0
  const time = lastMoment.toString(16).padStart(12, '0')
  const counted = count.toString(16).padStart(3, '0')
  // Variant and random bits are where they are in version 4, which Node makes from a supply.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counted}${randomUUID().slice(18)}`
}
