import { createSocket } from 'node:dgram'
import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { judgedAddress, judgedPlace } from '../../../kernel/outbound/judged-lookup.ts'
import type { Format } from './message.ts'

export type Transport = 'udp' | 'tcp' | 'tls'

export interface Destination {
  host: string
  port: number
  transport: Transport
  format: Format
  /** Certificates of authorities that the receiver's is checked with, instead of the system's. */
  ca?: string | undefined
}

const CONNECT_MS = 5_000
/** A receiver that takes nothing for so long is away. */
const SILENCE_MS = 10_000
/** How long a receiver may leave the connection open that has everything. */
const CLOSING_MS = 5_000

/**
 * Delivers messages. Over TCP and TLS one connection carries a batch and is then closed from here: a
 * receiver closes its end when it has read to the last byte, which is the one confirmation that syslog
 * has. Throws where it is not certain that all of them have arrived; over UDP nothing is.
 */
export async function deliver(destination: Destination, messages: readonly string[]): Promise<void> {
  if (destination.transport === 'udp') return deliverByUdp(destination, messages)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const socket = open(destination)
  let closing: NodeJS.Timeout | undefined
  const connecting = setTimeout(() => socket.destroy(new Error('no connection in time')), CONNECT_MS)
  socket.setTimeout(SILENCE_MS, () => socket.destroy(new Error('the receiver takes nothing')))
  socket.once(destination.transport === 'tls' ? 'secureConnect' : 'connect', () => {
    clearTimeout(connecting)
    socket.end(Buffer.concat(messages.map((message) => framed(message, destination.format))))
  })
  socket.once('finish', () => {
    // One that never closes has taken everything all the same.
    closing = setTimeout(() => socket.destroy(), CLOSING_MS)
  })
  socket.on('data', () => {})
  socket.once('error', reject)
  socket.once('close', (failed) => {
    clearTimeout(connecting)
    clearTimeout(closing)
    if (!failed && socket.writableFinished) resolve()
    else reject(new Error('the connection was cut'))
  })
  return promise
}

function open({ host, port, transport, ca }: Destination): Socket {
  const place = judgedPlace({ host, port })
  // Half open: the end of what is sent is not yet the end of the connection.
  if (transport === 'tcp') return connectPlain({ ...place, allowHalfOpen: false })
  return connectTls({ ...place, ...(ca ? { ca } : {}), minVersion: 'TLSv1.2' })
}

/** Octets are counted (RFC 6587, 5425); lines of JSON end as lines do. */
function framed(message: string, format: Format): Buffer {
  if (format === 'json') return Buffer.from(`${message}\n`)
  const bytes = Buffer.from(message)
  return Buffer.concat([Buffer.from(`${bytes.length} `), bytes])
}

async function deliverByUdp({ host, port }: Destination, messages: readonly string[]): Promise<void> {
  const { address, family } = await judgedAddress(host)
  const socket = createSocket(family === 6 ? 'udp6' : 'udp4')
  try {
    for (const message of messages)
      await new Promise<void>((resolve, reject) =>
        socket.send(message, port, address, (error) => (error ? reject(error) : resolve())),
      )
  } finally {
    socket.close()
  }
}
