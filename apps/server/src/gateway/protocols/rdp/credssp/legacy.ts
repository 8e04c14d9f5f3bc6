/**
 * MD4 (RFC 1320) and RC4, on which NTLM rests. Nothing else may: OpenSSL leaves both out, and TLS is
 * around all that they protect here.
 */

/** The digest of what Windows keeps for a password. */
export function md4(data: Buffer): Buffer {
  const length = data.length
  const padded = Buffer.alloc((((length + 8) >> 6) << 6) + 64)
  data.copy(padded)
  padded[length] = 0x80
  padded.writeUInt32LE((length * 8) >>> 0, padded.length - 8)
  let [a, b, c, d] = [0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476]
  const words = new Int32Array(16)
  for (let at = 0; at < padded.length; at += 64) {
    for (let n = 0; n < 16; n++) words[n] = padded.readInt32LE(at + n * 4)
    const before = [a, b, c, d] as const
    for (const { mix, constant, order, shifts } of ROUNDS)
      for (let n = 0; n < 16; n++) {
        const sum = (a + mix(b, c, d) + (words[order[n] as number] as number) + constant) | 0
        const shift = shifts[n & 3] as number
        ;[a, b, c, d] = [d, (sum << shift) | (sum >>> (32 - shift)), b, c]
      }
    ;[a, b, c, d] = [(a + before[0]) | 0, (b + before[1]) | 0, (c + before[2]) | 0, (d + before[3]) | 0]
  }
  const digest = Buffer.alloc(16)
  for (const [n, word] of [a, b, c, d].entries()) digest.writeInt32LE(word, n * 4)
  return digest
}

const ROUNDS = [
  {
    mix: (x: number, y: number, z: number) => (x & y) | (~x & z),
    constant: 0,
    order: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    shifts: [3, 7, 11, 19],
  },
  {
    mix: (x: number, y: number, z: number) => (x & y) | (x & z) | (y & z),
    constant: 0x5a827999,
    order: [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15],
    shifts: [3, 5, 9, 13],
  },
  {
    mix: (x: number, y: number, z: number) => x ^ y ^ z,
    constant: 0x6ed9eba1,
    order: [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15],
    shifts: [3, 9, 11, 15],
  },
]

/** A stream that goes on with each piece; the same for both ways. */
export function rc4(key: Buffer): (data: Buffer) => Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, n) => n)
  let [i, j] = [0, 0]
  const swap = () => {
    const value = state[i] as number
    state[i] = state[j] as number
    state[j] = value
  }
  for (; i < 256; i++) {
    j = (j + (state[i] as number) + (key[i % key.length] as number)) & 0xff
    swap()
  }
  ;[i, j] = [0, 0]
  return (data) =>
    Buffer.from(
      data.map((byte) => {
        i = (i + 1) & 0xff
        j = (j + (state[i] as number)) & 0xff
        swap()
        return byte ^ (state[((state[i] as number) + (state[j] as number)) & 0xff] as number)
      }),
    )
}
