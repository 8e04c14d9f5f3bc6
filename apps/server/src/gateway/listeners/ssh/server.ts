import type { Socket } from 'node:net'
import type ssh2 from 'ssh2'
import { BROWSER_SECONDS } from '../../../domains/authentication/browser-sign-in/index.ts'
import { loadHostKey } from '../../../domains/terminal/index.ts'
import { matcherOf } from '../../../kernel/access/source-network.ts'
import { inBackground } from '../../../kernel/background.ts'
import { standardLanguage } from '../../../kernel/i18n/language-of.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { ALGORITHMS, CIPHERS_FOR_ANYBODY, ciphersFor } from '../../../kernel/ssh/algorithms.ts'
import { gatherWrites } from '../../../kernel/ssh/gather-writes.ts'
import { IDENT } from '../../../kernel/ssh/ssh2/end-of-reading.ts'
import { Server } from '../../../kernel/ssh/ssh2/index.ts'
import type { Gateway } from '../../gateway.ts'
import type { Person } from '../../session/person.ts'
import { forwardedAddress, plainAddress } from '../connections/forwarded-address.ts'
import { HeldByPeople } from '../connections/held-by-people.ts'
import { type Listener, listen } from '../connections/listen.ts'
import { type Unauthenticated, UnauthenticatedConnections } from '../connections/unauthenticated.ts'
import { serveConnection } from './connection.ts'
import { ForwardingLimits } from './forwarding/limits.ts'
import { refuseConnection } from './refuse-connection.ts'
import { signInOver, tooManyConnections } from './sign-in.ts'

/** docs/rules/gateway.md#ssh_server */
const ALIVE_MS = 30_000
const ALIVE_TRIES = 3
/** Time to confirm in a browser, and for the answer to arrive. */
const BROWSER_MS = (BROWSER_SECONDS + 5) * 1000

export interface SshListenerOptions {
  /** Milliseconds that a client has to sign in. */
  graceMs?: number
}

/**
 * The SSH entry for plain clients (docs/rules/gateway.md#ssh_server): strict key exchange, modern
 * algorithms only.
 */
export async function openSshListener(
  kernel: Kernel,
  gateway: Gateway,
  { graceMs }: SshListenerOptions = {},
): Promise<Listener> {
  const { host, sshPort, sshConnections, sshUnauthenticated, sshUnauthenticatedOfAddress } = kernel.config
  const unauthenticated = new UnauthenticatedConnections({
    all: sshUnauthenticated,
    ofSource: sshUnauthenticatedOfAddress,
    graceMs,
  })
  const server = await sshServer(kernel, gateway, unauthenticated)
  const isProxy = matcherOf(kernel.config.trustedProxies)
  const receive = async (socket: Socket, client: Unauthenticated) => {
    if (isProxy(client.address)) {
      const address = await forwardedAddress(socket)
      if (address) client.address = address
    }
    unauthenticated.bound(client)
    if (socket.destroyed) return
    Object.defineProperty(socket, 'remoteAddress', { value: client.address })
    gatherWrites(socket)
    server.injectSocket(socket)
  }
  const listener = await listen({
    host,
    port: sshPort,
    limit: sshConnections,
    // A line before the identification (RFC 4253 §4.2), as OpenSSH's server says it.
    refusal: 'Too many connections\r\n',
    receive: (socket) => inBackground(receive(socket, unauthenticated.add(socket, plainAddress(socket.remoteAddress)))),
  })
  kernel.targetAddresses.keep(listener.port)
  return listener
}

/**
 * Speaks SSH. A person who signs in, or waits for reviewers, counts as that person from then on.
 */
async function sshServer(
  kernel: Kernel,
  gateway: Gateway,
  unauthenticated: UnauthenticatedConnections,
): Promise<ssh2.Server> {
  const ofPerson = new HeldByPeople(kernel.config.sshConnectionsOfPerson)
  const forwarding = new ForwardingLimits()
  const serve = (client: ssh2.Connection, { ip, port, header }: ssh2.ClientInfo) => {
    const signInClient = { language: standardLanguage(kernel.app), userAgent: header.versions.software.slice(0, 128) }
    client.on('error', (error) => kernel.app.log.debug({ err: error, ip }, 'SSH client'))
    client.once('handshake', () => unauthenticated.of(ip, port)?.isReady())
    let leave: (() => void) | undefined
    const count = (userId: string): boolean => {
      unauthenticated.of(ip, port)?.isKnown()
      if (leave) return true
      leave = ofPerson.take(userId)
      if (leave) client.once('close', leave)
      return leave !== undefined
    }
    const signedIn = async () => {
      const signIn = await signInOver(kernel, client, signInClient, ip, {
        onWaiting: count,
        onBrowser: () => unauthenticated.of(ip, port)?.mayTake(BROWSER_MS),
      })
      const { id, name, username, signInId } = signIn.user
      const { language } = signIn
      const person: Person = { id, name, username, language, remoteAddress: ip, loginFrom: 'ST', signInId }
      if (count(id)) return serveConnection(kernel, gateway, client, person, signIn, forwarding)
      inBackground(signIn.listed.close())
      refuseConnection(client, tooManyConnections(kernel, person.language))
    }
    inBackground(
      signedIn().catch((error) => {
        client.end()
        throw error
      }),
    )
  }
  const config = {
    hostKeys: [await loadHostKey(kernel)],
    ident: IDENT,
    algorithms: { ...ALGORITHMS, cipher: CIPHERS_FOR_ANYBODY },
    ciphersFor,
    keepaliveInterval: ALIVE_MS,
    keepaliveCountMax: ALIVE_TRIES,
  }
  return new Server(config as ssh2.ServerConfig, serve)
}
