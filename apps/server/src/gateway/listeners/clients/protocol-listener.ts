import type { Socket } from 'node:net'
import { matcherOf } from '../../../kernel/access/source-network.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { ClientCertificate } from '../../../kernel/tls/certificates.ts'
import type { Gateway } from '../../gateway.ts'
import { ProtocolViolation } from '../../protocols/protocol-violation.ts'
import { forwardedAddress, plainAddress } from '../connections/forwarded-address.ts'
import { HeldByPeople } from '../connections/held-by-people.ts'
import { type Listener, listen } from '../connections/listen.ts'
import { type Unauthenticated, UnauthenticatedConnections } from '../connections/unauthenticated.ts'
import { type Encrypt, encrypted } from './encrypted.ts'
import type { ListenerContext } from './serve-client.ts'

/** How clients of one protocol are received: of databases, clusters or desktops. */
export interface ProtocolListener {
  /** For people and the log. */
  name: string
  /** 0: there is no entry for it. */
  port: number
  /** Certificate for its clients where the site names none. */
  certificate?: ClientCertificate
  /** Message to a client before it has signed in. */
  refusal(why: 'too many' | 'violation', words: string): Buffer
  /** Serves a client to its end. Throws ProtocolViolation, and what its stream throws. */
  serve(client: NewClient): Promise<void>
}

/** A client that has just connected. */
export interface NewClient {
  socket: Socket
  address: string
  /** Speaks TLS with it from now on. */
  encrypt: Encrypt
  /** The other end speaks the protocol: it has more time to sign in. */
  isReady(): void
  serving: ListenerContext
}

export interface ProtocolListenerOptions {
  /** Milliseconds that a client has to sign in. */
  graceMs?: number
}

/** The entry for clients of a protocol; undefined where it is not switched on. */
export async function openProtocolListener(
  kernel: Kernel,
  gateway: Gateway,
  protocol: ProtocolListener,
  { graceMs }: ProtocolListenerOptions = {},
): Promise<Listener | undefined> {
  const { config, certificates } = kernel
  if (!protocol.port) return undefined
  const held = new HeldByPeople(config.databaseConnectionsOfPerson)
  const unauthenticated = new UnauthenticatedConnections({
    all: config.databaseUnauthenticated,
    ofSource: config.databaseUnauthenticatedOfAddress,
    graceMs,
  })
  const isProxy = matcherOf(config.trustedProxies)
  /** `secured` is called when the client hears messages from then on. */
  const receive = async (socket: Socket, client: Unauthenticated, secured: (socket: Socket) => void) => {
    if (isProxy(client.address)) client.address = (await forwardedAddress(socket)) ?? client.address
    unauthenticated.bound(client)
    const { address } = client
    const serving = { kernel, gateway, held, protocol: protocol.name, address, isKnown: () => client.isKnown() }
    const encrypt: Encrypt = async (protocols) => {
      const secure = await encrypted(socket, await certificates.contextForClients(protocol.certificate), protocols)
      secured(secure)
      return secure
    }
    await protocol.serve({ socket, address, encrypt, isReady: () => client.isReady(), serving })
  }
  const listener = await listen({
    host: config.host,
    port: protocol.port,
    limit: config.databaseConnections,
    refusal: protocol.refusal('too many', 'Too many connections'),
    receive(socket) {
      let line = socket
      const client = unauthenticated.add(socket, plainAddress(socket.remoteAddress))
      receive(socket, client, (secure) => {
        line = secure
      }).catch((error) => {
        if (error instanceof ProtocolViolation) line.end(protocol.refusal('violation', error.message))
        else socket.destroy()
        kernel.app.log.debug({ err: error }, `a client of ${protocol.name}`)
      })
    },
  })
  kernel.targetAddresses.keep(listener.port)
  return listener
}
