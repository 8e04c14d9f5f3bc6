import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { inBackground } from '../../../kernel/background.ts'
import type { Config } from '../../../kernel/config.ts'
import type { RunningRequest } from '../../kinds/requests/request-session.ts'
import { BadRequest, type ClusterRequest, readRequest } from '../../protocols/kubernetes/read-request.ts'
import { notice } from '../../session/notice.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import type { ProtocolListener } from '../clients/protocol-listener.ts'
import type { ListenerContext } from '../clients/serve-client.ts'
import { answerFailure, failureOf, RefusedBefore, refuseUpgrade } from './answer.ts'
import { type ClientSession, ClientSessions } from './client-sessions.ts'
import { credentialsOf } from './credentials.ts'
import { checkBody, passRequest } from './pass-request.ts'
import { RecentRefusals } from './recent-refusals.ts'
import { checkProgramClient, serveProgram } from './serve-program.ts'

/** Upgrades of HTTP/2's kind have no place for `exec`. */
const ALPN = 'http/1.1'
const MAX_HEADERS = 64 * 1024
const MAX_AGENT = 128

/** Headers by which a client would be somebody else to the cluster. */
/** Some proxies in front of clusters read an underscore as a hyphen. */
const IMPERSONATION = /^(?:impersonate[-_]|x[-_]remote[-_])/
/** By which servers of other kinds take a request for one of another method. */
const OVERRIDES = /^x[-_](?:http[-_])?method(?:[-_]override)?$/
const OVERRIDDEN = notice(
  'denied',
  'A request that says another method in a header is not permitted through Sallyport',
  {},
  'urgent',
)
const IMPERSONATES = notice('denied', 'Acting as somebody else is not permitted through Sallyport', {}, 'urgent')

/** Clients of Kubernetes. */
export function kubernetesProtocol({ kubernetesPort }: Config): ProtocolListener {
  let front: Front | undefined
  return {
    name: 'Kubernetes',
    port: kubernetesPort,
    certificate: 'kubernetes',
    // Before TLS there is nothing that a client would understand.
    refusal: () => Buffer.alloc(0),
    async serve({ encrypt, isReady, serving }) {
      const socket = await encrypt([ALPN])
      isReady()
      front ??= new Front(serving)
      front.take(socket, serving)
    },
  }
}

/** State of a connection. */
interface Line extends ListenerContext {
  /** Counted among those of this person. */
  heldFor?: string
}

/** Speaks HTTP with everybody on this node. */
class Front {
  readonly #server: Server
  readonly #sessions: ClientSessions
  readonly #lines = new WeakMap<Duplex, Line>()
  readonly #refused = new RecentRefusals()

  constructor({ kernel, gateway }: ListenerContext) {
    this.#sessions = new ClientSessions(kernel, gateway)
    this.#server = createServer({
      maxHeaderSize: MAX_HEADERS,
      keepAliveTimeout: 60_000,
      requestTimeout: 0,
      noDelay: true,
    })
    this.#server.timeout = 0
    this.#server.on('request', (request, response) => inBackground(this.#answer(request, response)))
    this.#server.on('upgrade', (request, socket, head) => inBackground(this.#upgrade(request, socket, head)))
    // Go's client waits for no permission to send a body; a client that does gets it.
    this.#server.on('checkContinue', (request, response) => {
      response.writeContinue()
      this.#server.emit('request', request, response)
    })
    this.#server.on('clientError', (_error, socket) => void socket.destroy())
  }

  take(socket: Duplex, serving: ListenerContext): void {
    this.#lines.set(socket, { ...serving })
    this.#server.emit('connection', socket)
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    let session: ClientSession | undefined
    const { kernel } = this.#lineOf(request)
    const failed = (error: unknown) => failureOf(kernel, error, session?.signIn.person.language)
    try {
      const wanted = this.#read(request)
      session = await this.#enter(request)
      if (wanted.program) throw new BadRequest('Programs in containers are run over WebSocket')
      const running = await session.live.begin(wanted, gone.signal)
      const method = request.method ?? 'GET'
      await passRequest({ ...wanted, method }, session.live.target, running, request, response, failed)
    } catch (error) {
      if (!response.destroyed) answerFailure(request, response, failed(error))
    }
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => {})
    const { kernel, gateway } = this.#lineOf(request)
    const gone = new AbortController()
    socket.once('close', () => gone.abort())
    let session: ClientSession | undefined
    let running: RunningRequest | undefined
    try {
      const wanted = this.#read(request)
      session = await this.#enter(request)
      if (!wanted.program && !wanted.forbidden) throw new BadRequest('Only programs in containers can be connected to')
      if (!wanted.forbidden) this.#checkProgram(request)
      running = await session.live.begin(wanted, gone.signal)
      await serveProgram({ gateway, session, wanted, running, request, socket, head })
      running.end({ status: 101 })
    } catch (error) {
      const failure = failureOf(kernel, error, session?.signIn.person.language)
      running?.end({ status: failure.code, error: failure.words })
      this.#refused.note(request, failure)
      refuseUpgrade(socket, failure)
    }
  }

  /**
   * A client that was refused over WebSocket tries SPDY, and is to hear why. Throws BadRequest, or
   * the reason.
   */
  #checkProgram(request: IncomingMessage): void {
    const before = this.#refused.of(request)
    if (before) throw new RefusedBefore(before)
    checkProgramClient(request)
  }

  #read(request: IncomingMessage): ClusterRequest {
    checkBody(request.headers)
    const wanted = readRequest(request.method, request.url)
    const names = Object.keys(request.headers)
    if (names.some((name) => IMPERSONATION.test(name))) return { ...wanted, forbidden: IMPERSONATES }
    return names.some((name) => OVERRIDES.test(name)) ? { ...wanted, forbidden: OVERRIDDEN } : wanted
  }

  /** Signs the client in, or finds it in its session. Throws NoCredentials and SessionRefusal. */
  async #enter(request: IncomingMessage): Promise<ClientSession> {
    const line = this.#lineOf(request)
    const agent = String(request.headers['user-agent'] ?? '').slice(0, MAX_AGENT)
    const session = await this.#sessions.of(credentialsOf(request.headers), line.address, agent)
    this.#count(request, line, session)
    return session
  }

  /** A connection counts as its first person's. Throws SessionRefusal when they have as many as they may. */
  #count({ socket }: IncomingMessage, line: Line, { signIn }: ClientSession): void {
    if (line.heldFor === signIn.person.id) return
    const leave = line.held.take(signIn.person.id)
    const limit = line.kernel.config.databaseConnectionsOfPerson
    if (!leave)
      throw new SessionRefusal('You have {{limit}} connections, which is the limit: close one first', { limit })
    line.heldFor = signIn.person.id
    line.isKnown()
    socket.once('close', leave)
  }

  #lineOf({ socket }: IncomingMessage): Line {
    const line = this.#lines.get(socket)
    if (!line) throw new Error('a connection that nobody has received')
    return line
  }
}
