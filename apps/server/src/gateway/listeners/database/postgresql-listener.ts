import { createServer, type Socket } from 'node:net'
import { matcherOf } from '../../../kernel/access/source-network.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { Gateway } from '../../gateway.ts'
import { report } from '../../protocols/postgresql/messages.ts'
import { ProtocolViolation } from '../../protocols/postgresql/protocol-violation.ts'
import { forwardedAddress, plainAddress } from '../connections/forwarded-address.ts'
import { HeldByPeople } from '../connections/held-by-people.ts'
import { type Unauthenticated, UnauthenticatedConnections } from '../connections/unauthenticated.ts'
import { clientCertificate } from './client-certificate.ts'
import { startOf } from './postgresql-start.ts'
import { type Cancellable, servePostgresql } from './serve-postgresql.ts'

/** https://www.postgresql.org/docs/18/errcodes-appendix.html */
const TOO_MANY_CONNECTIONS = '53300'
const PROTOCOL_VIOLATION = '08P01'

export interface DatabaseListenerOptions {
  /** Milliseconds that a client has to sign in. */
  graceMs?: number
}

export interface DatabaseListener {
  port: number
  /** Takes nobody in any more; those who are here stay. */
  refuse(): void
  /** Ends every connection. */
  close(): void
}

/** The entry for plain clients of PostgreSQL; undefined where it is not switched on. */
export async function openPostgresqlListener(
  kernel: Kernel,
  gateway: Gateway,
  { graceMs }: DatabaseListenerOptions = {},
): Promise<DatabaseListener | undefined> {
  const { config } = kernel
  if (!config.postgresqlPort) return undefined
  const certificate = await clientCertificate(config)
  const connections = new Set<Socket>()
  const held = new HeldByPeople(config.databaseConnectionsOfPerson)
  const cancellable: Cancellable = new Map()
  const unauthenticated = new UnauthenticatedConnections({
    all: config.databaseUnauthenticated,
    ofSource: config.databaseUnauthenticatedOfAddress,
    graceMs,
  })
  const isProxy = matcherOf(config.trustedProxies)
  const receive = async (socket: Socket, client: Unauthenticated) => {
    if (isProxy(client.address)) client.address = (await forwardedAddress(socket)) ?? client.address
    unauthenticated.bound(client)
    const started = await startOf(socket, certificate)
    client.isReady()
    const { address } = client
    const isKnown = () => client.isKnown()
    await servePostgresql({ kernel, gateway, held, cancellable, address, isKnown }, started)
  }
  const listener = createServer({ noDelay: true, keepAlive: true }, (socket) => {
    socket.on('error', () => {})
    if (connections.size >= config.databaseConnections) {
      socket.end(report('FATAL', { code: TOO_MANY_CONNECTIONS, message: 'Too many connections' }))
      return
    }
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
    receive(socket, unauthenticated.add(socket, plainAddress(socket.remoteAddress))).catch((error) => {
      if (error instanceof ProtocolViolation)
        socket.end(report('FATAL', { code: PROTOCOL_VIOLATION, message: error.message }))
      else socket.destroy()
      kernel.app.log.debug({ err: error }, 'a client of PostgreSQL')
    })
  })
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject)
    listener.listen(config.postgresqlPort, config.host, resolve)
  })
  return {
    port: (listener.address() as { port: number }).port,
    refuse: () => void listener.close(),
    close() {
      listener.close()
      for (const socket of connections) socket.destroy()
    },
  }
}
