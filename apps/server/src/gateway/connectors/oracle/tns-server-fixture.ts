/**
 * A server of Oracle's protocol for tests, as one of 19c speaks it: the listener, the sign-in with a
 * password, statements, their rows in batches, large objects, breaks and resets. What it answers to a
 * statement says the test. The protocol is published nowhere: it was made after what the driver
 * node-oracledb says and understands, and tried with that one alone.
 */
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createSecureContext, TLSSocket } from 'node:tls'
import { freePort } from '../../../../test/free-port.ts'
import { makeServerCertificate } from '../../../kernel/nodes/certificate.ts'
import { converse, type OracleOptions, type Seat } from './conversation-fixture.ts'

export interface TnsServer {
  port: number
  /** Shown to those who connect next; none: it speaks no TLS. */
  certificate: { certificate: string; privateKey: string } | undefined
  /** Address to which the listener sends its clients. */
  redirect: string | undefined
  /** Statements that arrived, in their order. */
  received: string[]
  /** Clients that are signed in. */
  seats: ReadonlySet<Seat>
  /** How often somebody has connected. */
  connections: number
  /** Hangs up on everybody, and listens no more until `start`. */
  crash(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

const PACKET = { connect: 1, accept: 2, refuse: 4, redirect: 5, data: 6 } as const
const VERSION = 318
const SERVICE_UNKNOWN = 12_514
const UNIT_BYTES = 8192

export async function startTnsServer(options: OracleOptions): Promise<TnsServer> {
  const received: string[] = []
  const seats = new Set<Seat>()
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    shown.connections++
    sockets.add(socket)
    socket.on('error', () => {}).once('close', () => sockets.delete(socket))
    if (!shown.certificate) return listen(socket)
    const { certificate, privateKey } = shown.certificate
    const tls = new TLSSocket(socket, {
      isServer: true,
      secureContext: createSecureContext({ cert: certificate, key: privateKey }),
    })
    tls.on('error', () => socket.destroy())
    return listen(tls)
  })
  /** Until the listener has accepted, packets have two bytes of length. */
  const listen = (stream: Duplex) => {
    let pending = Buffer.alloc(0)
    let asked: Buffer | undefined
    const read = (bytes: Buffer) => {
      pending = Buffer.concat([pending, bytes])
      while (pending.length >= 8 && pending.length >= pending.readUInt16BE(0)) {
        const packet = pending.subarray(0, pending.readUInt16BE(0))
        pending = pending.subarray(packet.length)
        if (packet[4] === PACKET.connect) asked = packet.subarray(74)
        else if (packet[4] === PACKET.data && asked) asked = packet.subarray(10)
        else return void stream.destroy()
        if (!asked.length) continue
        stream.off('data', read)
        return answer(stream, asked.toString(), pending)
      }
    }
    stream.on('data', read)
  }
  const answer = (stream: Duplex, asked: string, rest: Buffer) => {
    const service = /SERVICE_NAME=([^)]*)/i.exec(asked)?.[1] ?? ''
    if (shown.redirect) {
      const to = Buffer.from(shown.redirect)
      return void stream.write(packet(PACKET.redirect, Buffer.concat([Buffer.of(0, to.length), to])))
    }
    if (!options.services.includes(service)) {
      const why = Buffer.from(`(DESCRIPTION=(TMP=)(VSNNUM=0)(ERR=${SERVICE_UNKNOWN}))`)
      return void stream.end(packet(PACKET.refuse, Buffer.concat([Buffer.of(0, 0, 0, why.length), why])))
    }
    stream.write(packet(PACKET.accept, accepted()))
    converse(stream, rest, service, { options, received, seats })
  }
  const shown: TnsServer = {
    ...{ port: await freePort(), certificate: undefined, redirect: undefined, connections: 0 },
    ...{ received, seats },
    async crash() {
      for (const socket of sockets) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
    async start() {
      server.listen(shown.port, '127.0.0.1')
      await once(server, 'listening')
    },
    async close() {
      if (server.listening) await shown.crash()
    },
  }
  await shown.start()
  return shown
}

export const aCertificate = makeServerCertificate

function packet(type: number, body: Buffer): Buffer {
  const header = Buffer.alloc(8)
  header.writeUInt16BE(header.length + body.length)
  header[4] = type
  return Buffer.concat([header, body])
}

/** Large packets, and no services of the network besides. */
function accepted(): Buffer {
  const body = Buffer.alloc(37)
  body.writeUInt16BE(VERSION, 0)
  body.writeUInt16BE(UNIT_BYTES, 4)
  body.writeUInt16BE(UNIT_BYTES, 6)
  body[14] = 0x04
  body[15] = 0x08
  body.writeUInt32BE(UNIT_BYTES, 24)
  body.writeUInt32BE(UNIT_BYTES, 28)
  return body
}
