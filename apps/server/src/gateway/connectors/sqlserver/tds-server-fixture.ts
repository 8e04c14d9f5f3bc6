/**
 * A server of [MS-TDS] 7.4 for tests: what is said before a login, TLS within its packets, LOGIN7,
 * batches, attention, and answers of tokens. What it answers to a batch says the test. It was tried
 * with tedious 20 and FreeTDS 1.3, clients of others'.
 */
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'
import { freePort } from '../../../../test/free-port.ts'
import { makeServerCertificate } from '../../../kernel/nodes/certificate.ts'
import { HEADER_BYTES, MESSAGE, message, PacketReader, readHeader } from '../../protocols/sqlserver/packets.ts'
import { ENCRYPTION, encryptionIn, preLogin } from '../../protocols/sqlserver/pre-login.ts'
import { WrappedHandshake } from '../../protocols/sqlserver/wrapped-handshake.ts'
import { changed, done, error, loginAck } from './tokens-fixture.ts'

/** A client that has signed in. */
export interface Seat {
  username: string
  database: string
  program: string
  /** Eight bytes; zeros where none is open. */
  transaction: Buffer
}

export interface TdsOptions {
  /** Undefined lets the person in; otherwise tokens that say why not. */
  refuse(login: { username: string; password: string; database: string }): Buffer | undefined
  /** Tokens that answer a batch; a promise may wait for what aborts it. */
  answer(batch: string, seat: Seat, cancelled: AbortSignal): Promise<Buffer> | Buffer
}

export interface TdsServer {
  port: number
  /** Certificate for the next clients. */
  certificate: { certificate: string; privateKey: string }
  /** Its answer to that. */
  encryption: number
  /** Batches that arrived, in their order. */
  received: string[]
  /** Clients that are signed in. */
  seats: ReadonlySet<Seat>
  /** Hangs up on everybody, and listens no more until `start`. */
  crash(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

const SECOND_PACKET_BYTES = 4096

export async function startTdsServer(options: TdsOptions): Promise<TdsServer> {
  const received: string[] = []
  const seats = new Set<Seat>()
  const sockets = new Set<Socket>()
  const shown: TdsServer = {
    port: await freePort(),
    certificate: makeServerCertificate(),
    encryption: ENCRYPTION.all,
    received,
    seats,
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
  const serve = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).once('close', () => sockets.delete(socket))
    const reader = messages((type, body) => {
      if (type !== MESSAGE.preLogin || encryptionIn(body) === ENCRYPTION.none) return socket.destroy()
      socket.removeListener('data', read)
      const { certificate, privateKey } = shown.certificate
      const context = createSecureContext({ cert: certificate, key: privateKey, maxVersion: 'TLSv1.2' })
      socket.write(message(MESSAGE.answer, preLogin(shown.encryption, Buffer.of(16, 0, 16, 53, 0, 0))))
      const tls = new TLSSocket(new WrappedHandshake(socket), { isServer: true, secureContext: context })
      tls.on('error', () => socket.destroy())
      converse(tls, options, { received, seats })
      return undefined
    })
    const read = (bytes: Buffer) => reader(bytes)
    socket.on('data', read)
  }
  const server: Server = createServer(serve)
  await shown.start()
  return shown
}

/** Gathers messages. */
function messages(onMessage: (type: number, body: Buffer) => void): (bytes: Buffer) => void {
  let type = 0
  let body: Buffer[] = []
  let pending = Buffer.alloc(0)
  const packets = new PacketReader(
    (bytes) => void body.push(bytes),
    () => {
      const whole = Buffer.concat(body)
      body = []
      onMessage(type, whole)
    },
  )
  return (bytes) => {
    pending = Buffer.concat([pending, bytes])
    while (pending.length >= HEADER_BYTES) {
      const header = readHeader(pending)
      if (pending.length < header.length) return
      type = header.type
      const packet = pending.subarray(0, header.length)
      pending = pending.subarray(header.length)
      packets.read(packet)
    }
  }
}

/** A client, from its login to its end. */
function converse(
  stream: TLSSocket,
  { refuse, answer }: TdsOptions,
  { received, seats }: { received: string[]; seats: Set<Seat> },
): void {
  let seat: Seat | undefined
  let running: AbortController | undefined
  const send = (tokens: Buffer) => void stream.write(message(MESSAGE.answer, tokens, SECOND_PACKET_BYTES))
  const signIn = (body: Buffer) => {
    const login = readLogin(body)
    const refusal = refuse(login)
    if (refusal) {
      send(Buffer.concat([refusal, done({ isError: true })]))
      return void stream.end()
    }
    seat = { ...login, database: login.database || 'master', transaction: Buffer.alloc(8) }
    seats.add(seat)
    send(
      Buffer.concat([
        changed.database(seat.database, 'master'),
        changed.collation(),
        loginAck('Microsoft SQL Server', [16, 0, 16, 53]),
        changed.packetBytes(SECOND_PACKET_BYTES),
        done({}),
      ]),
    )
    return undefined
  }
  const runBatch = async (body: Buffer, one: Seat) => {
    const headers = body.readUInt32LE()
    const text = body.toString('utf16le', headers)
    received.push(text)
    const cancelled = new AbortController()
    running = cancelled
    // A real one refuses a batch that does not say in which transaction it is.
    const tokens = body.subarray(10, 18).equals(one.transaction)
      ? await answer(text, one, cancelled.signal)
      : Buffer.concat([error(3989, 'New request is not allowed to start.'), done({ isError: true })])
    running = undefined
    if (!stream.destroyed) send(tokens)
    if (cancelled.signal.aborted) send(done({ isCancelled: true }))
  }
  const read = messages((type, body) => {
    if (type === MESSAGE.login && !seat) signIn(body)
    else if (type === MESSAGE.batch && seat) void runBatch(body, seat)
    else if (type === MESSAGE.attention && running) running.abort()
    else if (type === MESSAGE.attention) send(done({ isCancelled: true }))
    else stream.destroy()
  })
  stream.on('data', read)
  stream.once('close', () => {
    running?.abort()
    if (seat) seats.delete(seat)
  })
}

/** LOGIN7 (§2.2.6.4); the password as it was before it was made hard to read. */
export function readLogin(body: Buffer): { username: string; password: string; database: string; program: string } {
  const text = (at: number, show = (bytes: Buffer) => bytes) => {
    const from = body.readUInt16LE(at)
    return show(body.subarray(from, from + body.readUInt16LE(at + 2) * 2)).toString('utf16le')
  }
  const shown = (bytes: Buffer) =>
    Buffer.from(bytes.map((byte) => (((byte ^ 0xa5) >> 4) | ((byte ^ 0xa5) << 4)) & 0xff))
  return { username: text(40), password: text(44, shown), database: text(68), program: text(48) }
}
