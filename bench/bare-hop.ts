/**
 * What one more process on the way costs at least: ssh2 on both ends, as Sallyport has it, and
 * nothing in between. Each connection is accepted, and the bytes of the SFTP channel are passed on
 * as they come: no rights, no log, nobody looks into a packet.
 */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type ssh2 from 'ssh2'
import { ALGORITHMS, CIPHERS_FOR_ANYBODY, ciphersFor } from '../apps/server/src/kernel/ssh/algorithms.ts'
import { gatherWrites } from '../apps/server/src/kernel/ssh/gather-writes.ts'
import { Client, Server, utils } from '../apps/server/src/kernel/ssh/ssh2/index.ts'

export interface HopTarget {
  port: number
  username: string
  privateKey: string
}

export interface BareHop {
  port: number
  close(): void
}

export async function openBareHop(target: HopTarget): Promise<BareHop> {
  const hostKeys = [utils.generateKeyPairSync('ed25519').private]
  const config = { hostKeys, algorithms: { ...ALGORITHMS, cipher: CIPHERS_FOR_ANYBODY }, ciphersFor }
  const server = new Server(config as ssh2.ServerConfig, (client) => {
    client.on('error', () => {})
    client.on('authentication', (context) => context.accept())
    client.on('session', (accept) => {
      accept().on('subsystem', (yes, no, { name }) => {
        if (name === 'sftp') forward(yes(), target)
        else no()
      })
    })
  })
  const sockets = new Set<Socket>()
  const listener = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).once('close', () => sockets.delete(socket))
    gatherWrites(socket)
    server.injectSocket(socket)
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  return {
    port: (listener.address() as AddressInfo).port,
    close() {
      listener.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function forward(near: ssh2.ServerChannel, { port, username, privateKey }: HopTarget): void {
  const sock = connect({ host: '127.0.0.1', port, noDelay: true })
  gatherWrites(sock)
  const client = new Client()
  client.once('ready', () =>
    client.subsys('sftp', (error, far) => {
      if (error) return client.end()
      passOn(near, far)
      passOn(far, near)
      near.once('end', () => far.end())
      far.once('close', () => {
        near.exit(0)
        near.end()
        client.end()
      })
    }),
  )
  client.on('error', () => near.destroy())
  client.connect({ sock, username, privateKey, algorithms: ALGORITHMS })
}

function passOn(from: Duplex, to: Duplex): void {
  from.on('data', (bytes) => {
    if (to.write(bytes)) return
    from.pause()
    to.once('drain', () => from.resume())
  })
}
