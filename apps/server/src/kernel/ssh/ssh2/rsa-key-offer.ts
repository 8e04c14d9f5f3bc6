import type { Patch } from './patch.ts'

/**
 * To an RSA key that is offered, ssh2 answers with the type of the key instead of the algorithm that
 * was offered (RFC 4252 §7), which Go's clients compare: they do not use the key then.
 */
export const rsaKeyOffer: Patch = [
  {
    file: 'server.js',
    was: 'this._protocol.authPKOK(this.key.algo, this.key.data);',
    is: `const rsa = { sha256: 'rsa-sha2-256', sha512: 'rsa-sha2-512' };
      const isPlain = this.key.algo === 'ssh-rsa';
      this._protocol.authPKOK((isPlain && rsa[this.hashAlgo]) || this.key.algo, this.key.data);`,
  },
]
