/** What lies between browser and server, and may be cut. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type Network = Awaited<ReturnType<typeof openNetwork>>

/**
 * Opens a way to the server on that port, or socket, of this computer, at any port if not said
 * otherwise. A slow end slows the other; what is cut stays cut until it is mended.
 */
export async function openNetwork(to: number | { path: string }, at = { host: '127.0.0.1', port: 0 }) {
  const lines = new Set<Socket>()
  let isUp = true
  /** Bytes that get through until the line is cut; undefined for all. */
  let left: number | undefined
  const cut = () => {
    isUp = false
    left = undefined
    for (const line of lines) line.destroy()
  }
  const server = createServer((socket) => {
    if (!isUp) return void socket.destroy()
    const onward = connect(typeof to === 'number' ? { port: to, host: '127.0.0.1' } : to)
    for (const end of [socket, onward]) {
      lines.add(end)
      end
        .on('error', () => {})
        .on('close', () => {
          lines.delete(end)
          socket.destroy()
          onward.destroy()
        })
    }
    socket.on('data', (bytes) => {
      if (left !== undefined && (left -= bytes.length) < 0) cut()
      else if (!onward.write(bytes)) {
        socket.pause()
        onward.once('drain', () => socket.resume())
      }
    })
    onward.pipe(socket)
  })
  await new Promise<void>((resolve) => server.listen(at.port, at.host, resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    port: (server.address() as AddressInfo).port,
    cut,
    /** Cuts once so many bytes have gone to the server. */
    cutAfter: (bytes: number) => {
      left = bytes
    },
    isCut: () => !isUp,
    mend() {
      isUp = true
    },
    close() {
      for (const line of lines) line.destroy()
      server.close()
    },
  }
}
