/** A VNC viewer that signs in by VeNCrypt with a certificate, as TigerVNC's does. */
import { once } from 'node:events'
import { connect as connectSocket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { StreamReader } from '../../protocols/read-stream.ts'

export interface SignedIn {
  socket: TLSSocket
  /** Output since then, as a viewer of the browser would have had it, greeting and all. */
  output(): Buffer
  /** Its end was seen. */
  closed: Promise<unknown>
}

/** Answers the server's words where it is refused. `early`: sent before there is an answer. */
export async function openViewer(
  port: number,
  name: string,
  password = '',
  early = Buffer.alloc(0),
): Promise<SignedIn | string> {
  const plain = connectSocket(port, '127.0.0.1')
  const reader = new StreamReader(plain)
  await reader.exactly(12)
  plain.write('RFB 003.008\n')
  const [count = 0] = await reader.exactly(1)
  if (!count) {
    const reply = await words(reader)
    plain.destroy()
    return reply
  }
  await reader.exactly(count)
  plain.write(Buffer.of(19))
  await reader.exactly(2)
  plain.write(Buffer.of(0, 2))
  await reader.exactly(2 + 4)
  plain.write(Buffer.of(0, 0, 1, 6))
  await reader.exactly(1)
  const socket = connectTls({ socket: plain, rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const [user, secret] = [Buffer.from(name), Buffer.from(password)]
  const lengths = Buffer.alloc(8)
  lengths.writeUInt32BE(user.length, 0)
  lengths.writeUInt32BE(secret.length, 4)
  socket.write(Buffer.concat([lengths, user, secret, early]))
  const secure = new StreamReader(socket)
  if ((await secure.exactly(4)).readUInt32BE()) {
    const reply = await words(secure)
    socket.destroy()
    return reply
  }
  socket.write(Buffer.of(1))
  const chunks: Buffer[] = [Buffer.alloc(12 + 2 + 4)]
  const closed = new Promise((done) => socket.once('close', done))
  socket.on('data', (bytes: Buffer) => void chunks.push(bytes)).on('error', () => {})
  return { socket, output: () => Buffer.concat(chunks), closed }
}

async function words(reader: StreamReader): Promise<string> {
  return (await reader.exactly((await reader.exactly(4)).readUInt32BE())).toString()
}
