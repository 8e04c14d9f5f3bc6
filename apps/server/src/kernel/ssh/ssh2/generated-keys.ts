import type { Patch } from './patch.ts'

const START = `// - Attributes (absent for ED25519)

      let pubBin = reader.readString(Ber.BitString, true);
      {
        // Remove leading zero bytes
        let i = 0;
        for (; i < pubBin.length && pubBin[i] === 0x00; ++i);`

/**
 * At the start of the public half of a new ed25519 key, ssh2 cuts off all zeros, not only the one
 * that counts unused bits: nobody can read one key in 256.
 */
export const generatedKeys: Patch = [
  {
    file: 'keygen.js',
    was: START,
    is: START.replace('i < pubBin.length && pubBin[i] === 0x00', 'i < pubBin.length - 32'),
  },
]
