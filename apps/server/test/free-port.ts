import { connect, createServer } from 'node:net'

/**
 * Below the ports that Linux gives to connections and to programs that ask for any (32768 and up,
 * `ip_local_port_range`): one from there may be taken again before its program listens.
 */
const FIRST = 20_000
const LAST = 32_000

let next = FIRST + Math.floor(Math.random() * (LAST - FIRST))

/**
 * A port that nothing listens on, for a program that can't choose one by itself. It is not given
 * twice by this process, and other processes begin elsewhere.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = next
    next = next === LAST ? FIRST : next + 1
    if (await isFree(port)) return port
  }
}

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer().once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })

/** Whether something listens on a port of this machine. */
export const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    }).once('error', () => resolve(false))
  })
