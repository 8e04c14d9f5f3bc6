import type { Patch } from './patch.ts'

/**
 * ssh2 makes a new AES-GCM context for each packet, while the other side waits for it; that is half of
 * what its encryption takes. Here the context of the next packet is made once everything that this
 * turn has to send is sent. Its nonce is the counter as it stands then, which nothing but a packet
 * moves, and each context is used once (RFC 5647 §7.1): a packet that comes sooner makes its own. GCM
 * pads nothing, so that need not be said each time.
 */
export const preparedCiphers: Patch = [
  {
    file: 'protocol/crypto.js',
    was: '    this._encKey = enc.cipherKey;\n',
    is: `    this._encKey = enc.cipherKey;
    this._prepare = () => {
      this._isPreparing = false;
      if (!this._dead) this._prepared = createCipheriv(this._encSSLName, this._encKey, this._encIV);
    };
`,
  },
  {
    file: 'protocol/crypto.js',
    was: `    const cipher = createCipheriv(this._encSSLName, this._encKey, this._encIV);
    cipher.setAutoPadding(false);
`,
    is: `    const cipher = this._prepared || createCipheriv(this._encSSLName, this._encKey, this._encIV);
    this._prepared = undefined;
    if (!this._isPreparing) {
      this._isPreparing = true;
      setImmediate(this._prepare);
    }
`,
  },
  {
    file: 'protocol/crypto.js',
    was: '    this._decipherKey = dec.decipherKey;\n',
    is: `    this._decipherKey = dec.decipherKey;
    this._prepare = () => {
      this._isPreparing = false;
      // The counter must still move for a packet that has begun meanwhile.
      if (this._lenBytes < 4)
        this._prepared = createDecipheriv(this._decipherSSLName, this._decipherKey, this._decipherIV);
    };
`,
  },
  {
    file: 'protocol/crypto.js',
    was: `        this._decipherInstance = createDecipheriv(
          this._decipherSSLName,
          this._decipherKey,
          this._decipherIV
        );
        this._decipherInstance.setAutoPadding(false);
`,
    is: `        this._decipherInstance =
          this._prepared || createDecipheriv(this._decipherSSLName, this._decipherKey, this._decipherIV);
        this._prepared = undefined;
`,
  },
  {
    file: 'protocol/crypto.js',
    was: '      ivIncrement(this._decipherIV);\n',
    is: `      ivIncrement(this._decipherIV);
      if (!this._isPreparing) {
        this._isPreparing = true;
        setImmediate(this._prepare);
      }
`,
  },
]
