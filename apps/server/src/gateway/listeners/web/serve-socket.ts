import { LINE, type Opening } from '@sallyport/contract/socket/line.ts'
import { clientEnvelope, type Refusal } from '@sallyport/contract/socket/message.ts'
import type { FastifyBaseLogger } from 'fastify'
import { readMessage } from '../../../kernel/http/read-message.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import { messageDoor } from './message-door.ts'
import type { Role, TerminalRequest } from './role.ts'
import type { TerminalSocket } from './terminal-socket.ts'

/** A client that asks for no terminal within this time is disconnected. */
const INIT_MS = 60_000

/**
 * Opens the role for the person at the socket, and passes on their messages. `onOpening` is called
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
  const open = (opening: Opening) => {
    if (taken) return
    taken = true
    onOpening()
    clearTimeout(idle)
    role.open(opening).catch((error) => {
      if (!(error instanceof SessionRefusal)) log.error({ err: error }, 'session could not be opened')
      line.refuse(
        error instanceof SessionRefusal ? say(error.message, { ...error.values }) : say('The connection failed'),
      )
    })
  }
  const lineDoor = messageDoor(LINE.fromClient, {
    PING: () => line.send('PONG'),
    PONG() {},
    CLOSE: () => role.leave(),
    TERMINAL_INIT: open,
    TERMINAL_DATA: (text) => taken && role.input(Buffer.from(text)),
    TERMINAL_RESIZE: (size) => taken && role.resize(size),
    TERMINAL_TAKEN: ({ bytes }) => line.taken(bytes),
  })
  let isRefusalLogged = false
  const refuse = (why: Refusal, type?: string) => {
    if (!isRefusalLogged) log.info({ type, why }, 'message of a page refused')
    isRefusalLogged = true
  }

  const take = (data: Buffer, isBinary: boolean) => {
    if (isBinary) return taken ? role.input(data) : undefined
    const message = readMessage(clientEnvelope, data)
    if (!message) return refuse('malformed')
    // A message for another line opens nothing here.
    if (message.type === 'TERMINAL_INIT' && message.id !== line.id) return
    const why = Object.hasOwn(LINE.fromClient, message.type)
      ? lineDoor(message)
      : taken
        ? role.message(message)
        : undefined
    if (why) refuse(why, message.type)
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
