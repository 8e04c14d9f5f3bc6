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
