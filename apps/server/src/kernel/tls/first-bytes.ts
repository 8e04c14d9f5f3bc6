import type { Socket } from 'node:net'

/** First byte of a client that speaks TLS (RFC 8446 §5.1). */
const HANDSHAKE = 0x16
/** Type, version and length in front of each record. */
const RECORD_HEAD = 5
/** The longest record (RFC 8446 §5.1), with its head. */
const MOST_BYTES = RECORD_HEAD + 16_384

/** The beginning of a client: HTTP in clear, or TLS with its first record. */
export type Beginning = { isTls: false } | { isTls: true; hello: Buffer }

/**
 * The beginning of a client, which is still to be read afterwards. Undefined when it has left, or
 * has not sent as much in time.
 */
export function firstBytes(socket: Socket, limitMs: number): Promise<Beginning | undefined> {
  let bytes: Buffer = Buffer.alloc(0)
  return new Promise<Beginning | undefined>((resolve) => {
    const end = (beginning: Beginning | undefined) => {
      clearTimeout(timer)
      socket.off('readable', look)
      socket.off('close', leave)
      socket.off('end', leave)
      socket.off('error', leave)
      if (bytes.length) socket.unshift(bytes)
      resolve(beginning)
    }
    const leave = () => end(undefined)
    const look = () => {
      for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) bytes = Buffer.concat([bytes, chunk])
      if (!bytes.length) return
      if (bytes[0] !== HANDSHAKE) return end({ isTls: false })
      const length = bytes.length < RECORD_HEAD ? MOST_BYTES : RECORD_HEAD + bytes.readUInt16BE(3)
      if (bytes.length >= Math.min(length, MOST_BYTES)) end({ isTls: true, hello: bytes })
    }
    const timer = setTimeout(leave, limitMs)
    socket.on('readable', look)
    socket.once('close', leave)
    socket.once('end', leave)
    socket.on('error', leave)
    look()
  })
}
