import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { judgedAddress } from '../../outbound/judged-lookup.ts'

export const NTP_PORT = 123
/** RFC 5905 §7.3. */
const PACKET_BYTES = 48
const CLIENT_VERSION_4 = 0x23
const SERVER_MODE = 4
/** A server that is itself not synchronized says so by its leap indicator, and by stratum 0 or 16. */
const NOT_SYNCHRONIZED = 3
/** Seconds from 1900 to 1970. */
const EPOCH_SECONDS = 2_208_988_800
/** Where the times of a packet are. */
const ORIGINATE = 24
const RECEIVED = 32
const SENT = 40

/**
 * By how many milliseconds this machine's clock is behind that of a time server: one packet, SNTP of
 * RFC 4330. Rejects when there is no usable answer until `signal` aborts.
 */
export async function clockOffset(host: string, port: number, signal: AbortSignal): Promise<number> {
  const { address, family } = await judgedAddress(host)
  const socket = createSocket(family === 6 ? 'udp6' : 'udp4')
  try {
    socket.connect(port, address)
    await once(socket, 'connect', { signal })
    const request = Buffer.alloc(PACKET_BYTES)
    request[0] = CLIENT_VERSION_4
    const start = Date.now()
    const began = performance.now()
    // The server sends it back: an answer to somebody else's question is none to ours.
    writeTime(request, SENT, start)
    socket.send(request)
    while (true) {
      const [answer] = (await once(socket, 'message', { signal })) as [Buffer]
      const end = start + performance.now() - began
      if (
        answer.length < PACKET_BYTES ||
        !answer.subarray(ORIGINATE, ORIGINATE + 8).equals(request.subarray(SENT, SENT + 8))
      )
        continue
      const [first = 0, stratum = 0] = answer
      if ((first & 7) !== SERVER_MODE || first >> 6 === NOT_SYNCHRONIZED || stratum === 0 || stratum > 15)
        throw new Error('the time server does not know the time itself')
      return (readTime(answer, RECEIVED) - start + (readTime(answer, SENT) - end)) / 2
    }
  } finally {
    socket.close()
  }
}

function writeTime(packet: Buffer, at: number, milliseconds: number): void {
  packet.writeUInt32BE((Math.floor(milliseconds / 1000) + EPOCH_SECONDS) % 2 ** 32, at)
  packet.writeUInt32BE(Math.floor(((milliseconds % 1000) / 1000) * 2 ** 32), at + 4)
}

/** The era that begins in 2036 has small numbers (RFC 4330 §3). */
function readTime(packet: Buffer, at: number): number {
  const seconds = packet.readUInt32BE(at)
  const era = seconds < 2 ** 31 ? 2 ** 32 : 0
  return (seconds + era - EPOCH_SECONDS) * 1000 + (packet.readUInt32BE(at + 4) / 2 ** 32) * 1000
}
