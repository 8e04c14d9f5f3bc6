import type { Patch } from './patch.ts'

/** Larger packets cost more to copy than to pass on in pieces. */
const SMALL_BYTES = 8192

/**
 * ssh2 passes an encrypted packet on as length, body and checksum. For a small one, such as a key
 * or a request about a file, three pieces cost more than their copy in one.
 */
export const smallPackets: Patch = [
  {
    file: 'protocol/crypto.js',
    was: `    cipher.setAAD(lenData);
    this._onWrite(lenData);

    // Encrypt pad length, payload, and padding
    const encrypted = cipher.update(packet.slice(4));
`,
    is: `    cipher.setAAD(lenData);

    // Encrypt pad length, payload, and padding
    const encrypted = cipher.update(packet.slice(4));
    if (encrypted.length <= ${SMALL_BYTES}) {
      cipher.final();
      const whole = Buffer.allocUnsafe(lenData.length + encrypted.length + 16);
      whole.set(lenData);
      whole.set(encrypted, lenData.length);
      whole.set(cipher.getAuthTag(), lenData.length + encrypted.length);
      this._onWrite(whole);
      ivIncrement(this._encIV);
      this.outSeqno = (this.outSeqno + 1) >>> 0;
      return;
    }
    this._onWrite(lenData);
`,
  },
]
