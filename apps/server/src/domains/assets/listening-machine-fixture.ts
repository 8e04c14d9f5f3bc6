/**
 * A machine on loopback that lets everybody in and keeps its input: the place where secrets arrive.
 */
import { connect, createServer, type Socket } from 'node:net'
import { Server, utils } from '../../kernel/ssh/ssh2/index.ts'

export interface ListeningMachine {
  host: string
  port: number
  /** For another machine that is to show the same. */
  hostKey: string
  /** Passwords that arrived, and kinds of keys that were shown. */
  heard: string[]
  close(): Promise<void>
}

/**
 * Speaks SSH.
 * @param leadsTo as a gateway it forwards to this port of loopback, whatever it is asked for
 */
export async function startListeningMachine({
  host = '127.0.0.1',
  port: wantedPort = 0,
  hostKey = utils.generateKeyPairSync('ed25519').private,
  leadsTo,
}: {
  host?: string
  port?: number
  hostKey?: string
  leadsTo?: number
} = {}): Promise<ListeningMachine> {
  const heard: string[] = []
  const open = new Set<Socket>()
  const server = new Server({ hostKeys: [hostKey] }, (client) => {
    client.on('error', () => {})
    client.on('authentication', (context) => {
      if (context.method === 'none') return context.reject(['password', 'publickey'])
      heard.push(context.method === 'password' ? context.password : context.method)
      context.accept()
    })
    client.on('session', (accept) => {
      accept().on('exec', (yes) => {
        const channel = yes()
        channel.exit(0)
        channel.end()
      })
    })
    client.on('tcpip', (accept, refuse) => {
      if (leadsTo === undefined) return refuse()
      const channel = accept()
      const onward = connect(leadsTo, '127.0.0.1')
      onward.on('error', () => {})
      channel.pipe(onward).pipe(channel)
    })
  })
  const listener = createServer((socket) => {
    open.add(socket.once('close', () => open.delete(socket)))
    server.injectSocket(socket)
  })
  await new Promise<void>((resolve) => listener.listen(wantedPort, host, resolve))
  const { port } = listener.address() as { port: number }
  return {
    host,
    port,
    hostKey,
    heard,
    close() {
      for (const socket of open) socket.destroy()
      return new Promise((resolve) => listener.close(() => resolve()))
    },
  }
}
