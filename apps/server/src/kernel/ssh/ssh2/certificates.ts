import type { Patch } from './patch.ts'

/**
 * A signature by the key of a certificate bears the name of the key's own algorithm
 * (PROTOCOL.certkeys of OpenSSH); ssh2 writes the name under which the key was offered, and servers
 * refuse it.
 */
export const certifiedLogins: Patch = [
  {
    file: 'protocol/Protocol.js',
    was: `    cbSign(packet, (signature) => {
      signature = convertSignature(signature, keyType);
      if (signature === false)
        throw new Error('Error while converting handshake signature');

      const sigLen = signature.length;
      p = this._packetRW.write.allocStart;
      packet = this._packetRW.write.alloc(
        1 + 4 + userLen + 4 + 14 + 4 + 9 + 1 + 4 + algoLen + 4 + pubKeyLen + 4
          + 4 + algoLen + 4 + sigLen`,
    is: `    const signedBy = keyAlgo.replace(/-cert-v01@openssh\\.com$/, '');
    const signedByLen = Buffer.byteLength(signedBy);
    cbSign(packet, (signature) => {
      signature = convertSignature(signature, signedBy === keyAlgo ? keyType : signedBy);
      if (signature === false)
        throw new Error('Error while converting handshake signature');

      const sigLen = signature.length;
      p = this._packetRW.write.allocStart;
      packet = this._packetRW.write.alloc(
        1 + 4 + userLen + 4 + 14 + 4 + 9 + 1 + 4 + algoLen + 4 + pubKeyLen + 4
          + 4 + signedByLen + 4 + sigLen`,
  },
  {
    file: 'protocol/Protocol.js',
    was: `      packet[p += 9] = 1;

      writeUInt32BE(packet, algoLen, ++p);
      packet.utf8Write(keyAlgo, p += 4, algoLen);

      writeUInt32BE(packet, pubKeyLen, p += algoLen);
      packet.set(pubKey, p += 4);

      writeUInt32BE(packet, 4 + algoLen + 4 + sigLen, p += pubKeyLen);

      writeUInt32BE(packet, algoLen, p += 4);
      packet.utf8Write(keyAlgo, p += 4, algoLen);

      writeUInt32BE(packet, sigLen, p += algoLen);`,
    is: `      packet[p += 9] = 1;

      writeUInt32BE(packet, algoLen, ++p);
      packet.utf8Write(keyAlgo, p += 4, algoLen);

      writeUInt32BE(packet, pubKeyLen, p += algoLen);
      packet.set(pubKey, p += 4);

      writeUInt32BE(packet, 4 + signedByLen + 4 + sigLen, p += pubKeyLen);

      writeUInt32BE(packet, signedByLen, p += 4);
      packet.utf8Write(signedBy, p += 4, signedByLen);

      writeUInt32BE(packet, sigLen, p += signedByLen);`,
  },
]

/**
 * Servers that show a certificate instead of their key alone: ssh2 knows none. What it says is judged
 * by the code that verifies host keys; here the key in it has to have signed the exchange.
 */
export const certifiedHosts: Patch = [
  {
    file: 'protocol/constants.js',
    was: `const SUPPORTED_SERVER_HOST_KEY = DEFAULT_SERVER_HOST_KEY.concat([
  'ssh-dss',`,
    is: `const SUPPORTED_SERVER_HOST_KEY = DEFAULT_SERVER_HOST_KEY.concat([
  'ssh-ed25519-cert-v01@openssh.com',
  'ecdsa-sha2-nistp256-cert-v01@openssh.com',
  'ecdsa-sha2-nistp384-cert-v01@openssh.com',
  'ecdsa-sha2-nistp521-cert-v01@openssh.com',
  'rsa-sha2-512-cert-v01@openssh.com',
  'rsa-sha2-256-cert-v01@openssh.com',
  'ssh-dss',`,
  },
  {
    file: 'protocol/kex.js',
    was: `            if (hostPubKeyType !== this.negotiated.serverHostKey) {
              // Check if we need to make an exception
              switch (this.negotiated.serverHostKey) {`,
    is: `            if (hostPubKeyType !== this.negotiated.serverHostKey) {
              // Check if we need to make an exception
              switch (this.negotiated.serverHostKey) {
                case 'rsa-sha2-256-cert-v01@openssh.com':
                case 'rsa-sha2-512-cert-v01@openssh.com':
                  if (hostPubKeyType === 'ssh-rsa-cert-v01@openssh.com')
                    break;
                // FALLTHROUGH`,
  },
  {
    file: 'protocol/kex.js',
    was: `        if (sigType !== negotiated.serverHostKey) {`,
    is: `        const plainType = negotiated.serverHostKey.replace(/-cert-v01@openssh\\.com$/, '');
        if (sigType !== plainType) {`,
  },
  {
    file: 'protocol/kex.js',
    was: `          const name = bufferParser.readString(true);
          const hostKey = this._hostKey.slice(bufferParser.pos());`,
    is: `          let name = bufferParser.readString(true);
          if (plainType !== negotiated.serverHostKey) {
            // The nonce of the certificate; the parts of the key follow, as without one.
            bufferParser.readString();
            name = name.replace(/-cert-v01@openssh\\.com$/, '');
          }
          const hostKey = this._hostKey.slice(bufferParser.pos());`,
  },
  {
    file: 'protocol/kex.js',
    was: `        switch (this.negotiated.serverHostKey) {
          case 'rsa-sha2-256': hashAlgo = 'sha256'; break;
          case 'rsa-sha2-512': hashAlgo = 'sha512'; break;
        }

        this._protocol._debug
          && this._protocol._debug('Verifying signature ...');`,
    is: `        switch (plainType) {
          case 'rsa-sha2-256': hashAlgo = 'sha256'; break;
          case 'rsa-sha2-512': hashAlgo = 'sha512'; break;
        }

        this._protocol._debug
          && this._protocol._debug('Verifying signature ...');`,
  },
]

/**
 * People who sign in by a certificate: its name is that of the offer, the signature has the name of
 * the key's own algorithm, and what is accepted is named as it was offered.
 */
export const certifiedPeople: Patch = [
  {
    file: 'protocol/handlers.misc.js',
    was: `      case 'publickey': {
        /*
          boolean   <signature follows public key blob?>
          string    public key algorithm name
          string    public key blob
         [string    signature]
        */
        const hasSig = bufferParser.readBool();
        if (hasSig !== undefined) {
          const keyAlgo = bufferParser.readString(true);
          let realKeyAlgo = keyAlgo;
          const key = bufferParser.readString();
`,
    is: `      case 'publickey': {
        /*
          boolean   <signature follows public key blob?>
          string    public key algorithm name
          string    public key blob
         [string    signature]
        */
        const hasSig = bufferParser.readBool();
        if (hasSig !== undefined) {
          const offered = bufferParser.readString(true);
          const keyAlgo = offered && offered.replace(/-cert-v01@openssh\\.com$/, '');
          let realKeyAlgo = keyAlgo;
          const key = bufferParser.readString();
`,
  },
  {
    file: 'protocol/handlers.misc.js',
    was: `                methodData = {
                  keyAlgo: realKeyAlgo,
                  key,
                  signature,
                  blob,
                  hashAlgo,
                };
              }
            }
          } else {
            methodData = { keyAlgo: realKeyAlgo, key, hashAlgo };
            methodDesc = 'publickey -- check';`,
    is: `                methodData = {
                  keyAlgo: realKeyAlgo,
                  key,
                  signature,
                  blob,
                  hashAlgo,
                };
              }
            }
          } else {
            methodData = { keyAlgo: offered === keyAlgo ? realKeyAlgo : offered, key, hashAlgo };
            methodDesc = 'publickey -- check';`,
  },
]
