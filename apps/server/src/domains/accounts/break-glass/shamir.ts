import { randomBytes } from 'node:crypto'

/**
 * Shares a secret so that any `threshold` of `count` shares give it back and fewer say nothing about
 * it: each byte is the value at 0 of a random polynomial over GF(256), of which a share has one
 * point (A. Shamir, "How to share a secret", 1979). Share number n is the point at n + 1.
 *
 * Own code, as the file that opens shares (deploy/break-glass/open-bundle.mjs) has to do without any
 * package, and both shall do the same arithmetic.
 */
export function splitSecret(secret: Uint8Array, { threshold, count }: { threshold: number; count: number }): Buffer[] {
  if (!(threshold >= 2 && threshold <= count && count <= 255)) throw new RangeError('no such sharing')
  const shares = Array.from({ length: count }, () => Buffer.alloc(secret.length))
  secret.forEach((byte, at) => {
    const polynomial = [byte, ...randomBytes(threshold - 1)]
    shares.forEach((share, number) => {
      // Horner's rule, from the highest power down.
      share[at] = polynomial.reduceRight((value, coefficient) => multiply(value, number + 1) ^ coefficient, 0)
    })
  })
  return shares
}

/** Product in GF(256) modulo x⁸ + x⁴ + x³ + x + 1, in time that does not depend on the values. */
function multiply(a: number, b: number): number {
  let product = 0
  for (let bit = 0; bit < 8; bit++) {
    product ^= -((b >> bit) & 1) & a
    a = (a << 1) ^ (-(a >> 7) & 0x11b)
  }
  return product
}
