import { createServer, type Socket } from 'node:net'
import { hangUp } from './hang-up.ts'

export interface Entry {
  host: string
  /** 0: any that is free. */
  port: number
  /** Connections at a time; each further one gets `refusal` and is ended. */
  limit: number
  refusal: string | Buffer
  /** Serves a client that has just connected; must not throw. */
  receive(socket: Socket): void
}

/** An entry for plain clients that is open. */
export interface Listener {
  port: number
  /** Takes nobody in any more; those who are here stay. */
  refuse(): void
  /** Ends every connection. */
  close(): void
}

/** Opens an entry for plain clients. Throws where the address is taken. */
export async function listen({ host, port, limit, refusal, receive }: Entry): Promise<Listener> {
  const connections = new Set<Socket>()
  // Nagle would hold back every key and cost a round trip per packet of a file transfer.
  const server = createServer({ noDelay: true, keepAlive: true }, (socket) => {
    socket.on('error', () => {})
    if (connections.size >= limit) return hangUp(socket, refusal)
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
    receive(socket)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return {
    port: (server.address() as { port: number }).port,
    refuse: () => void server.close(),
    close() {
      server.close()
      for (const socket of connections) socket.destroy()
    },
  }
}
