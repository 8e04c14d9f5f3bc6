import type { Patch } from './patch.ts'

const SUPPLY_BYTES = 4096

/**
 * ssh2 asks OpenSSL for the random padding of each packet (RFC 4253 §6), which takes longer than to
 * encrypt a small one, and a system call. Padding is taken from a supply of random bytes instead,
 * each byte once.
 */
export const paddingSupply: Patch = [
  {
    file: 'protocol/crypto.js',
    was: ` randomFillSync, timingSafeEqual
} = require('crypto');
`,
    is: ` timingSafeEqual, ...random
} = require('crypto');

const paddingSupply = Buffer.alloc(${SUPPLY_BYTES});
let paddingUsed = ${SUPPLY_BYTES};
function randomFillSync(packet, at, length) {
  if (paddingUsed + length > ${SUPPLY_BYTES}) {
    random.randomFillSync(paddingSupply);
    paddingUsed = 0;
  }
  packet.set(paddingSupply.subarray(paddingUsed, paddingUsed += length), at);
}
`,
  },
]
