/** A line to a machine that can be cut at a byte. */
import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'

/** Connections that came over a line, and when they are cut. */
export interface Line {
  port: number
  /** Bytes from here to the machine, by connection since the last reset. */
  sent: number[]
  /**
   * Cuts that connection once so many bytes were passed on; all that follow are refused until `mend`.
   * Says so to `then`.
   */
  cutAt(connection: number, bytes: number, then?: () => void): void
  mend(): void
  close(): Promise<void>
}

export async function openLine(to: number): Promise<Line> {
  const sockets = new Set<Socket>()
  let cut: { connection: number; bytes: number; then: (() => void) | undefined } | undefined
  let isCut = false
  const line = { sent: [] as number[] }
  const server = createServer((socket) => {
    // Bytes that an earlier run still sends do not count.
    const { sent } = line
    const at = sent.push(0) - 1
    const isToCut = () => sent === line.sent && cut?.connection === at
    if (isCut || (isToCut() && cut?.bytes === 0)) {
      if (!isCut) cut?.then?.()
      isCut = true
      return void socket.destroy()
    }
    const machine = connect(to, '127.0.0.1')
    for (const one of [socket, machine]) {
      sockets.add(one)
      one
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(one)
          socket.destroy()
          machine.destroy()
        })
    }
    machine.pipe(socket)
    socket.on('data', (bytes: Buffer) => {
      const before = sent[at] ?? 0
      const left = isToCut() ? (cut?.bytes ?? 0) - before : Number.POSITIVE_INFINITY
      sent[at] = before + Math.min(bytes.length, left)
      machine.write(bytes.subarray(0, left))
      if (bytes.length < left) return
      if (!isCut) cut?.then?.()
      isCut = true
      machine.end(() => socket.destroy())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    get sent() {
      return line.sent
    },
    port: (server.address() as AddressInfo).port,
    cutAt(connection, bytes, then) {
      line.sent = []
      cut = { connection, bytes, then }
      isCut = false
    },
    mend() {
      line.sent = []
      cut = undefined
      isCut = false
    },
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}
