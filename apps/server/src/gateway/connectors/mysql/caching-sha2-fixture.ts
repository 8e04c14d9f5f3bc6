/**
 * A server that signs people in as MySQL 8 does (`caching_sha2_password`): it knows the password by
 * SHA256(SHA256(password)) once it was proven in full, and otherwise only whether it is right. What
 * it answers to statements says the test.
 */
import { constants, createHash, generateKeyPairSync, privateDecrypt, randomBytes } from 'node:crypto'
import { createServer, type Socket } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'
import { makeServerCertificate } from '../../../kernel/nodes/certificate.ts'
import { greetingPacket, NONCE_BYTES } from '../../protocols/mysql/greeting.ts'
import { readLogin } from '../../protocols/mysql/login.ts'
import { PacketStream } from '../../protocols/mysql/packet-stream.ts'
import { CAPABILITY, COMMAND, errorPacket, packet } from '../../protocols/mysql/packets.ts'

const PLUGIN = 'caching_sha2_password'
/** Done, one row changed, nothing else to say. */
export const DONE = Buffer.of(0, 1, 0, 2, 0, 0, 0)
const [KEY_WANTED, PROVEN, GIVE_PASSWORD] = [2, 3, 4]

export interface CachingSha2Server {
  /** How each login was proven. */
  logins: ('fast' | 'clear' | 'encrypted' | 'wrong')[]
  /** Statements and commands that arrived. */
  received: string[]
  close(): Promise<void>
}

export interface CachingSha2Options {
  port: number
  password: string
  tls: boolean
  /** Bodies of what a statement is answered by; `DONE` unless given. */
  answer?(statement: string): readonly Buffer[]
}

export async function startCachingSha2({
  port,
  password,
  tls,
  answer = () => [DONE],
}: CachingSha2Options): Promise<CachingSha2Server> {
  const { certificate, privateKey } = makeServerCertificate()
  const secureContext = createSecureContext({ cert: certificate, key: privateKey })
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const logins: CachingSha2Server['logins'] = []
  const received: string[] = []
  const sockets = new Set<Socket>()
  let known: Buffer | undefined

  /** The password, as the client gives it in full. */
  const inFull = async (packets: PacketStream, socket: Socket, nonce: Buffer, from: number) => {
    socket.write(packet(from, Buffer.of(1, GIVE_PASSWORD)))
    let { sequence, body } = await packets.next()
    if (socket instanceof TLSSocket) return { given: body, how: 'clear' as const, sequence }
    if (!body.equals(Buffer.of(KEY_WANTED))) return { given: body, how: 'wrong' as const, sequence }
    const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' })
    socket.write(packet(sequence + 1, Buffer.of(1), Buffer.from(pem)))
    ;({ sequence, body } = await packets.next())
    const masked = privateDecrypt({ key: rsa.privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING }, body)
    return { given: xor(masked, nonce), how: 'encrypted' as const, sequence }
  }

  const serve = async (plain: Socket) => {
    const nonce = Buffer.from(randomBytes(NONCE_BYTES).map((byte) => 1 + (byte % 127)))
    const all = Object.values(CAPABILITY).reduce((sum, one) => sum | one, 0)
    const capabilities = tls ? all : all & ~CAPABILITY.tls
    plain.write(greetingPacket({ version: '8.0.36', thread: 7, nonce, capabilities, plugin: PLUGIN }))
    let socket = plain
    let packets = new PacketStream(socket)
    let { sequence, body } = await packets.next()
    if (readLogin(body) === 'tls') {
      socket = new TLSSocket(plain, { isServer: true, secureContext })
      socket.on('error', () => {})
      packets = new PacketStream(socket)
      ;({ sequence, body } = await packets.next())
    }
    const login = readLogin(body)
    if (login === 'tls') throw new Error('two requests for TLS')
    if (known && sha256(xor(login.proof, sha256(known, nonce))).equals(known)) {
      logins.push('fast')
      socket.write(packet(++sequence, Buffer.of(1, PROVEN)))
    } else {
      const full = await inFull(packets, socket, nonce, sequence + 1)
      sequence = full.sequence
      const isRight = full.given.equals(Buffer.from(`${password}\0`))
      logins.push(isRight ? full.how : 'wrong')
      if (!isRight) {
        socket.end(errorPacket(sequence + 1, { number: 1045, state: '28000', message: 'Access denied' }))
        return
      }
      known = sha256(sha256(Buffer.from(password)))
    }
    socket.write(packet(sequence + 1, DONE))
    for (;;) {
      const { body: command } = await packets.next()
      if (command[0] === COMMAND.quit) break
      const statement = command.toString('utf8', 1)
      received.push(statement)
      for (const [at, one] of answer(statement).entries()) socket.write(packet(at + 1, one))
    }
    socket.end()
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    serve(socket).catch(() => socket.destroy())
  })
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
  return {
    logins,
    received,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
}

function sha256(...parts: readonly Buffer[]): Buffer {
  const sum = createHash('sha256')
  for (const part of parts) sum.update(part)
  return sum.digest()
}

const xor = (bytes: Buffer, key: Buffer) =>
  Buffer.from(bytes.map((byte, at) => byte ^ (key[at % key.length] as number)))
