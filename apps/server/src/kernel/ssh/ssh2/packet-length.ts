import type { Patch } from './patch.ts'

/** OpenSSH's own (`PACKET_MAX_SIZE`), in bytes. */
const PACKET_MAX = 256 * 1024

/**
 * ssh2 takes packets of 35,000 bytes, and hangs up without a word at a longer one. A command is one
 * packet (RFC 4254 §6.5), and OpenSSH takes up to 256 kB; a client that sends more gets the reason.
 */
export const packetLength: Patch = [
  {
    file: 'protocol/crypto.js',
    was: 'const MAX_PACKET_SIZE = 35000;',
    // With the length and the checksum, which some ciphers of ssh2 count as well.
    is: `const MAX_PACKET_SIZE = ${PACKET_MAX + 20};`,
  },
  {
    file: 'server.js',
    was: `          proto.parse(data, 0, data.length);
        } catch (ex) {
`,
    is: `          proto.parse(data, 0, data.length);
        } catch (ex) {
          if (proto._destruct && /^Bad packet length/.test(ex.message))
            proto.disconnect(DISCONNECT_REASON.PROTOCOL_ERROR, 'A packet, such as a command, has at most 256 kB');
`,
  },
  {
    file: 'protocol/Protocol.js',
    was: `  disconnect(reason) {
    const pktLen = 1 + 4 + 4 + 4;`,
    is: `  disconnect(reason, description = '') {
    const pktLen = 1 + 4 + 4 + description.length + 4;`,
  },
  {
    file: 'protocol/Protocol.js',
    was: `    packet.fill(0, p += 4, end);

    this._debug && this._debug(\`Outbound: Sending DISCONNECT`,
    is: `    packet.fill(0, p += 4, end);
    writeUInt32BE(packet, description.length, p);
    packet.latin1Write(description, p + 4, description.length);

    this._debug && this._debug(\`Outbound: Sending DISCONNECT`,
  },
]
