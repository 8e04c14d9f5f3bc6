import type { WebSocket } from '@fastify/websocket'
import { SHARING } from '@sallyport/contract/socket/room.ts'
import type { FastifyRequest } from 'fastify'
import { admitByToken, holderOfToken, openConnection } from '../../../domains/authentication/index.ts'
import { sourceNetwork } from '../../../kernel/access/source-network.ts'
import { inBackground } from '../../../kernel/background.ts'
import { userAgentOf } from '../../../kernel/http/client-name.ts'
import { becomesKnown } from '../../../kernel/http/connection-limits.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { singleValues } from '../../../kernel/resource/query.ts'
import { Slots } from '../../../kernel/slots.ts'
import { givesKind } from '../../connectors/index.ts'
import type { Gateway } from '../../gateway.ts'
import { OwnDesktop } from './own-desktop.ts'
import { OwnSession } from './own-session.ts'
import type { Role, TerminalRequest } from './role.ts'
import { serveSocket } from './serve-socket.ts'
import { TerminalSocket } from './terminal-socket.ts'
import { ownWorkbench } from './workbench-role.ts'

const PATH = '/koko/ws/token/'
/** Terminals of one person that may be opening by token on this node. */
const OPENING_A_PERSON = 20
const TOKEN_LENGTH = 128
/** Tokens that are looked up at a time: a client that brings thousands leaves others their turn. */
const LOOKED_UP = 4
const lookedUp = new Slots(LOOKED_UP)

/**
 * WebSocket {tg}/ws/token/ (docs/rules/gateway.md#token_page): instead of a sign-in, a connection
 * token as `target_id` says who connects to what. The terminal is listed among the person's
 * sign-ins; the bearer of the token can neither share it nor come back to it. With `view=workbench`
 * a database is shown in one; a desktop is, with `view=desktop`, which DESKTOP_VIEW asks for.
 */
export function registerTokenTerminal(kernel: Kernel, gateway: Gateway): void {
  const opening = new Map<TerminalSocket, string>()
  kernel.app.route({
    method: 'GET',
    url: PATH,
    config: { access: ['anonymous'], summary: 'Terminal of a connection token over a websocket', answers: 'socket' },
    handler: (_request, reply) => reply.status(426).send({ detail: 'Upgrade Required', code: 'bad_request' }),
    wsHandler: (socket, request) => {
      serve(kernel, gateway, socket, request, opening).catch((error) => {
        request.log.error({ err: error }, 'terminal of a connection token')
        socket.terminate()
      })
    },
  })
}

async function serve(
  kernel: Kernel,
  gateway: Gateway,
  socket: WebSocket,
  request: FastifyRequest,
  opening: Map<TerminalSocket, string>,
): Promise<void> {
  const { call, log } = request
  const line = new TerminalSocket(socket)
  const say = (text: string, values?: Record<string, unknown>) => translate(call.language, text, values)
  const { target_id: token = '', view } = singleValues(request.query)
  // A page that does not know yet what it shows comes again: the token is not used up.
  const lookUp = <T>(work: () => Promise<T>) =>
    token.length <= TOKEN_LENGTH ? lookedUp.use(work, sourceNetwork(call.remoteAddress)) : undefined
  const holder = await lookUp(() => holderOfToken(kernel, token, call.remoteAddress))
  if (holder && givesKind(holder.protocol, 'desktop') && view !== 'desktop') {
    line.send('DESKTOP_VIEW')
    return line.finish()
  }
  const admitted = await lookUp(() => admitByToken(kernel, token, call.remoteAddress))
  if (!admitted) return line.refuse(say('The connection token is unknown, has expired or was used'))
  becomesKnown(request)
  const { user, target, systemUserId, protocol } = admitted
  const waiting = [...opening.values()].filter((id) => id === user.id).length
  if (waiting >= OPENING_A_PERSON) return line.refuse(say('Too many terminals are being opened, try again later'))
  opening.set(line, user.id)
  const letGo = () => void opening.delete(line)
  line.gone.addEventListener('abort', letGo)
  const listed = await openConnection(kernel, {
    kind: 'connection_token',
    userId: user.id,
    remoteAddress: call.remoteAddress,
    userAgent: userAgentOf(request),
  })
  const close = () => inBackground(listed.close())
  if (line.gone.aborted) {
    letGo()
    return close()
  }
  line.gone.addEventListener('abort', close)
  const isDesktop = givesKind(protocol, 'desktop')
  const isWorkbench = !isDesktop && view === 'workbench'
  const asked: TerminalRequest = {
    kernel,
    gateway,
    line,
    call,
    signIn: listed.signIn,
    person: { ...user, language: call.language, remoteAddress: call.remoteAddress, loginFrom: 'WT' },
    query: {
      ...{ type: isDesktop || isWorkbench ? protocol : 'token', family: target.family },
      ...{ target_id: target.id, system_user_id: systemUserId },
    },
    say,
  }
  const own = isDesktop
    ? new OwnDesktop(asked, { takesFiles: false })
    : isWorkbench
      ? ownWorkbench(asked)
      : new OwnSession(asked)
  // Role of a terminal, without the messages beside it: these sessions are not shared.
  const role: Role = {
    open: (opening) => own.open(opening),
    input: (bytes) => own.input(bytes),
    resize: (size) => own.resize(size),
    leave: () => own.leave(),
    message: (message) => (Object.hasOwn(SHARING, message.type) ? 'unknown' : own.message(message)),
  }
  serveSocket(line, role, { say, log, onOpening: letGo })
  line.send('CONNECT', { user, setting: {} })
}
