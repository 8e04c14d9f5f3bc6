import type { WebSocket } from '@fastify/websocket'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { inBackground } from '../background.ts'
import { callerOf } from './call.ts'
import type { SignIn, SignIns } from './sign-in.ts'

/** How soon a socket is closed after its sign-in ended. */
const CHECK_MS = 2000
const POLICY_VIOLATION = 1008

interface Held extends SignIn {
  user: string
  socket: WebSocket
}

/**
 * Sockets of one kind, none of which outlives the sign-in that opened it: when that is over, the
 * socket is closed with 1008 (RFC 6455 §7.4.1). The returned function takes in a new socket and
 * answers how to let go of it; undefined when it was closed because this person has `mostPerPerson`
 * already.
 */
export function signedInSockets(
  kernel: { app: FastifyInstance; signIns: SignIns },
  mostPerPerson: number,
): (socket: WebSocket, request: FastifyRequest) => (() => void) | undefined {
  const open = new Set<Held>()
  let isChecking = false
  const check = async () => {
    if (isChecking || !open.size) return
    isChecking = true
    try {
      for (const { socket } of await kernel.signIns.lapsed([...open])) socket.close(POLICY_VIOLATION)
    } catch (error) {
      kernel.app.log.warn({ err: error }, 'sign-ins of open sockets could not be checked')
    } finally {
      isChecking = false
    }
  }
  const timer = setInterval(() => inBackground(check()), CHECK_MS)
  kernel.app.addHook('onClose', async () => clearInterval(timer))
  return (socket, request) => {
    const user = callerOf(request.call).id
    const signIn = kernel.signIns.behind(request)
    if (!signIn || [...open].filter((one) => one.user === user).length >= mostPerPerson) {
      socket.close(POLICY_VIOLATION)
      return undefined
    }
    const held = { ...signIn, user, socket }
    open.add(held)
    const letGo = () => void open.delete(held)
    socket.on('close', letGo)
    return letGo
  }
}
