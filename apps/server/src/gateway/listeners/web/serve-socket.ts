import type { FastifyBaseLogger } from 'fastify'
import { z } from 'zod'
import { SessionRefusal } from '../../session/refusal.ts'
import type { Role, TerminalRequest } from './role.ts'
import { readJson, readMessage, type TerminalSocket } from './terminal-socket.ts'

/** A client that asks for no terminal within this time is disconnected. */
const INIT_MS = 60_000

const takenSchema = z.object({ bytes: z.number().int().min(0) })
const sizeSchema = z.object({
  cols: z.coerce.number().int().min(1).max(1000),
  rows: z.coerce.number().int().min(1).max(1000),
})

/**
 * Opens the role for whoever is at the socket, and passes on what they send. `onOpening` is called
 * when it opens.
 */
export function serveSocket(
  line: TerminalSocket,
  role: Role,
  { say, log, onOpening }: Pick<TerminalRequest, 'say'> & { log: FastifyBaseLogger; onOpening: () => void },
): void {
  const { socket } = line
  const idle = setTimeout(() => socket.terminate(), INIT_MS)
  line.gone.addEventListener('abort', () => clearTimeout(idle))
  let taken = false
  const open = (data: unknown) => {
    const size = sizeSchema.safeParse(data)
    if (taken || !size.success) return
    taken = true
    onOpening()
    clearTimeout(idle)
    role.open(size.data, data).catch((error) => {
      if (!(error instanceof SessionRefusal)) log.error({ err: error }, 'session could not be opened')
      line.refuse(
        error instanceof SessionRefusal ? say(error.message, { ...error.values }) : say('The connection failed'),
      )
    })
  }
  const resize = (data: unknown) => {
    const size = sizeSchema.safeParse(data)
    if (taken && size.success) role.resize(size.data)
  }

  const take = (data: Buffer, isBinary: boolean) => {
    if (isBinary) return taken ? role.input(data) : undefined
    const message = readMessage(data.toString('utf8'))
    switch (message?.type) {
      case 'PING':
        return line.send('PONG')
      case 'TERMINAL_INIT':
        return message.id === line.id ? open(readJson(message.data)) : undefined
      case 'TERMINAL_DATA':
        return taken ? role.input(Buffer.from(message.data ?? '')) : undefined
      case 'TERMINAL_RESIZE':
        return resize(readJson(message.data))
      case 'TERMINAL_TAKEN': {
        const said = takenSchema.safeParse(readJson(message.data))
        return said.success ? line.taken(said.data.bytes) : undefined
      }
      case 'CLOSE':
        return role.leave()
      default:
        if (message && taken) role.message?.(message.type, readJson(message.data))
    }
  }
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    // A fault of ours in one session must not end all others with it.
    try {
      take(data, isBinary)
    } catch (error) {
      log.error({ err: error }, 'message of a terminal')
      socket.terminate()
    }
  })
}
