import { type AddressInfo, createServer, type Socket } from 'node:net'

/** A machine on loopback that takes connections and says nothing; `reached` settles with the first. */
export async function startSilentServer() {
  const sockets = new Set<Socket>()
  const first = Promise.withResolvers<void>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    first.resolve()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () => {
    for (const socket of sockets) socket.destroy()
    return new Promise((resolve) => server.close(resolve))
  }
  return { port, reached: first.promise, close }
}
