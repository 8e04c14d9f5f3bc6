import { createSocket } from 'node:dgram'
import { judgedAddress } from '../../../kernel/outbound/judged-lookup.ts'
import { accessRequest, MAX_NAME_BYTES, MAX_PASSWORD_BYTES, type RadiusReply, readAnswer } from './radius-packet.ts'

export interface RadiusServer {
  host: string
  port: number
  secret: string
}

/** How often the packet is sent, since it may get lost. */
const TRIES = 3
const PAUSE_MS = 3000

/**
 * Checks a password at a RADIUS server (PAP). Throws when the server can't be reached or does not
 * answer; forged answers are ignored.
 */
export async function askRadius(
  server: RadiusServer,
  username: string,
  password: string,
  pauseMs = PAUSE_MS,
): Promise<RadiusReply> {
  const { host, port, secret } = server
  if (!secret) throw new Error('there is no secret for the RADIUS server')
  const fits = Buffer.byteLength(username) <= MAX_NAME_BYTES && Buffer.byteLength(password) <= MAX_PASSWORD_BYTES
  // Servers cut a password at a NUL.
  if (!username || !password || !fits || password.includes('\0')) return { answer: 'reject', classes: [] }
  const { address, family } = await judgedAddress(host)
  const request = accessRequest(username, password, secret)
  const socket = createSocket(family === 6 ? 'udp6' : 'udp4')
  return new Promise<RadiusReply>((resolve, reject) => {
    let tries = 0
    let timer: NodeJS.Timeout | undefined
    const end = (settle: () => void) => {
      clearTimeout(timer)
      socket.close()
      settle()
    }
    const send = () => {
      if (tries++ === TRIES)
        return end(() => reject(new Error('the RADIUS server does not answer, or with another secret')))
      socket.send(request.packet)
      timer = setTimeout(send, pauseMs)
    }
    socket.on('message', (packet) => {
      const answer = readAnswer(packet, request, secret)
      if (answer) end(() => resolve(answer))
    })
    socket.on('error', (error) => end(() => reject(error)))
    // A connected socket receives packets of this server alone.
    socket.connect(port, address, send)
  })
}
