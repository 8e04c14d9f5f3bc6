import type { WebSocket } from '@fastify/websocket'
import { isClusterName } from '@sallyport/contract/socket/cluster-names.ts'
import { familyOf, TARGET_FAMILIES } from '@sallyport/contract/target.ts'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { signInOf } from '../../../domains/authentication/index.ts'
import { callerOf } from '../../../kernel/access/call.ts'
import { requireSameOrigin } from '../../../kernel/access/same-origin.ts'
import { signedInSockets } from '../../../kernel/access/signed-in-sockets.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { singleValues } from '../../../kernel/resource/query.ts'
import { givesKind } from '../../connectors/index.ts'
import type { Gateway } from '../../gateway.ts'
import { personOf } from '../../session/person.ts'
import { showClusterContents } from './cluster-contents.ts'
import { registerDesktopFiles } from './desktop-files.ts'
import { OwnDesktop, resumeOwnDesktop } from './own-desktop.ts'
import { OwnSession, resumeOwnSession } from './own-session.ts'
import { registerOwnSessions } from './own-sessions.ts'
import { OwnWorkbench } from './own-workbench.ts'
import type { Role, TerminalRequest } from './role.ts'
import { serveSocket } from './serve-socket.ts'
import { byNamedSession } from './session-named.ts'
import { joinByLink } from './share.ts'
import { TerminalSocket } from './terminal-socket.ts'
import { registerTokenTerminal } from './token-terminal.ts'
import { watchSession } from './watch.ts'
import { ownWorkbench } from './workbench-role.ts'

/** Terminals of one person that are about to open. */
const OPENING_A_PERSON = 100

/** A container of a cluster is named by all three. */
const clusterName = z.string().refine(isClusterName).optional()

const querySchema = z.object({
  type: z.string().max(32),
  target_id: z.guid(),
  system_user_id: z.guid().optional(),
  client: z.string().min(1).max(64).optional(),
  namespace: clusterName,
  pod: clusterName,
  container: clusterName,
  view: z.literal('workbench').optional(),
  /** Family, where the protocol does not determine it: a remote app is reached by a machine's. */
  family: z.enum(TARGET_FAMILIES).optional(),
})

/** Roles by `type`; every other type is a protocol, for a session of one's own. */
const ROLES: ReadonlyMap<string, (request: TerminalRequest) => Role> = new Map([
  ['shareroom', watchSession],
  [
    'resume',
    (request: TerminalRequest) => {
      if (request.query.view === 'workbench') return new OwnWorkbench(request)
      const isDesktop = request.gateway.find(request.query.target_id)?.kind === 'desktop'
      return isDesktop ? resumeOwnDesktop(request) : resumeOwnSession(request)
    },
  ],
  ['share', joinByLink],
])

function ownSession(request: TerminalRequest): Role {
  if (request.query.view === 'workbench') return ownWorkbench(request)
  return givesKind(request.query.type, 'desktop')
    ? new OwnDesktop(request, { takesFiles: true })
    : new OwnSession(request)
}

/**
 * Websocket {tg}/ws/terminal/ (docs/rules/web-terminal.md#socket_protocol), and what belongs to it.
 * Which messages there are and what they carry is in `packages/contract/src/socket/`. Beyond what older
 * clients know: query `client` says that the client can come back to its session; `type=resume` with the
 * session as `target_id` goes on with it (a workbench with its `view`, too). With query `view=workbench` a
 * database is no terminal but takes statements and answers rows (`own-workbench.ts`), or shows its keys
 * (`own-key-browser.ts`), and a cluster shows its objects (`own-cluster-browser.ts`).
 */
export function registerWebTerminal(kernel: Kernel, gateway: Gateway): void {
  kernel.app.route({
    method: 'GET',
    url: '/koko/health/',
    config: {
      access: ['anonymous'],
      summary: 'Does the gateway live',
      answers: { fields: plainFields({ status: 'boolean' }) },
    },
    handler: async () => ({ status: true }),
  })
  showClusterContents()
  registerOwnSessions(kernel, gateway)
  registerDesktopFiles(kernel, gateway)
  registerTokenTerminal(kernel, gateway)
  const takeIn = signedInSockets(kernel, OPENING_A_PERSON)
  kernel.app.route({
    method: 'GET',
    url: '/koko/ws/terminal/',
    config: {
      access: ['authenticated'],
      summary: 'Terminal over a websocket',
      carriedBy: (request) => byNamedSession(kernel, request),
      answers: 'socket',
    },
    preHandler: async (request) => {
      // A page of somebody else's must not open terminals with this person's cookie.
      requireSameOrigin(request)
    },
    handler: (_request, reply) => reply.status(426).send({ detail: 'Upgrade Required', code: 'bad_request' }),
    wsHandler: (socket, request) => {
      // Until a session looks after its own sign-in.
      const letGo = takeIn(socket, request)
      if (letGo) serve(kernel, gateway, socket, request, letGo)
    },
  })
}

function serve(
  kernel: Kernel,
  gateway: Gateway,
  socket: WebSocket,
  request: FastifyRequest,
  onOpening: () => void,
): void {
  const { call } = request
  const line = new TerminalSocket(socket)
  const say = (text: string, values?: Record<string, unknown>) => translate(call.language, text, values)
  const asked = querySchema.safeParse(singleValues(request.query))
  const signIn = signInOf(request)
  if (!asked.success || !signIn) {
    line.refuse(say('The address of this terminal is incomplete'))
    return
  }
  serveSocket(
    line,
    (ROLES.get(asked.data.type) ?? ownSession)({
      kernel,
      gateway,
      line,
      call,
      signIn,
      person: personOf(call),
      query: { ...asked.data, family: asked.data.family ?? familyOf(asked.data.type) },
      say,
    }),
    { say, log: request.log, onOpening },
  )
  const { id, name, username } = callerOf(call)
  line.send('CONNECT', { user: { id, name, username }, setting: {} })
}
