import type { Patch } from './patch.ts'

const CHACHA = 'chacha20-poly1305@openssh.com'
/** Clients that wait for the server's offer get it after so many milliseconds, as it stands. */
const SILENT_MS = 300

/**
 * A client's own order decides which cipher is used (RFC 4253 §7.1), and ssh2 offers the same to
 * all: who should prefer a cipher must be offered no other. With this, a server makes its offer once
 * it knows the client's, of ciphers that the option `ciphersFor` chooses by it. And ChaCha20 is used
 * with strict key exchange alone, on either side: without it, somebody in between may cut off the
 * beginning of what is said (CVE-2023-48795).
 */
export const chosenCiphers: Patch = [
  {
    file: 'server.js',
    was: `    const proto = this._protocol = new Protocol({
      server: true,`,
    is: `    const proto = this._protocol = new Protocol({
      server: true,
      ciphersFor: srvCfg.ciphersFor,`,
  },
  {
    file: 'protocol/Protocol.js',
    was: '    this._offer = offer;\n',
    is: '    this._offer = offer;\n    this._ciphersFor = config.ciphersFor;\n',
  },
  {
    file: 'protocol/Protocol.js',
    was: `        kexinit(this);

        return p + 1 - chunkOffset;`,
    is: `        if (this._ciphersFor)
          setTimeout(() => this._destruct && !this._kex && !this._kexinit && kexinit(this), ${SILENT_MS});
        else
          kexinit(this);

        return p + 1 - chunkOffset;`,
  },
  {
    file: 'protocol/kex.js',
    was: '  const local = self._offer;\n',
    is: `  if (self._ciphersFor && !self._kex && !self._kexinit) {
    const { kex, serverHostKey, cs: { mac, compress } } = self._offer.lists;
    const cs = {
      cipher: self._ciphersFor({ kex: init.kex, ciphers: init.cs.cipher }),
      mac: mac.array,
      compress: compress.array,
      lang: [],
    };
    self._offer = new KexInit({ kex: kex.array, serverHostKey: serverHostKey.array, cs, sc: cs });
    kexinit(self);
  }
  const local = self._offer;
`,
  },
  {
    file: 'protocol/kex.js',
    was: '  self._kex = createKeyExchange(init, self, payload);',
    is: `  if (!self._strictMode && (init.cs.cipher === '${CHACHA}' || init.sc.cipher === '${CHACHA}')) {
    return doFatalError(
      self,
      'Handshake failed: no matching cipher without strict key exchange',
      'handshake',
      DISCONNECT_REASON.KEY_EXCHANGE_FAILED
    );
  }
  self._kex = createKeyExchange(init, self, payload);`,
  },
]
