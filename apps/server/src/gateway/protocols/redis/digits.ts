export const ZERO = '0'.charCodeAt(0)

/** The digit in that place; below 0 where none is. */
export function digitAt(bytes: Buffer, at: number): number {
  const digit = (bytes[at] ?? 0) - ZERO
  return digit <= 9 ? digit : -1
}
