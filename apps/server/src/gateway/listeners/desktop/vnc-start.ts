import type { Socket } from 'node:net'
import { ProtocolViolation } from '../../protocols/protocol-violation.ts'
import { StreamReader } from '../../protocols/read-stream.ts'
import type { Encrypt } from '../clients/encrypted.ts'

/** Ways to sign in (RFC 6143 §7.1.2, VeNCrypt in rfbproto.rst). */
const [NO_WAY, VENCRYPT] = [0, 19]
/** A name and a password inside TLS with a certificate. */
const X509_PLAIN = 262
const [ACCEPTED, REFUSED] = [0, 1]
const MAX_SECRET = 1024

/** A viewer that has said who it is; it waits for an answer. */
export interface StartedViewer {
  socket: Socket
  name: string
  password: string
  /** It shows why it is refused. */
  readsWords: boolean
}

/**
 * Greets a viewer, and reads its login. Only VeNCrypt with a certificate is offered: VNC's own
 * authentication sends everything behind it in clear, and TLS without a certificate is TLS with
 * anybody in between. Throws ProtocolViolation, and what the stream throws.
 */
export async function startOf(plain: Socket, encrypt: Encrypt, isReady: () => void): Promise<StartedViewer> {
  plain.write('RFB 003.008\n')
  const reader = new StreamReader(plain)
  const [, minor] = /^RFB 003\.(\d{3})\n$/.exec((await reader.exactly(12)).toString('latin1')) ?? []
  if (!minor) throw new ProtocolViolation('this is no VNC viewer')
  if (Number(minor) < 7) {
    plain.write(Buffer.concat([Buffer.alloc(4), words(ONLY_VENCRYPT)]))
    throw new ProtocolViolation(ONLY_VENCRYPT)
  }
  plain.write(Buffer.of(1, VENCRYPT))
  await demand(reader, Buffer.of(VENCRYPT))
  // From here on somebody looks at a certificate and types a password.
  isReady()
  plain.write(Buffer.of(0, 2))
  await demand(reader, Buffer.of(0, 2))
  plain.write(Buffer.concat([Buffer.of(ACCEPTED, 1), number(X509_PLAIN)]))
  await demand(reader, number(X509_PLAIN))
  // The other way round than before: 1 is yes.
  plain.write(Buffer.of(1))
  const socket = await encrypt()
  const secure = new StreamReader(socket)
  const lengths = await secure.exactly(8)
  const [ofName, ofPassword] = [lengths.readUInt32BE(0), lengths.readUInt32BE(4)]
  if (ofName > MAX_SECRET || ofPassword > MAX_SECRET) throw new ProtocolViolation('a secret too long')
  const name = (await secure.exactly(ofName)).toString('utf8')
  const password = (await secure.exactly(ofPassword)).toString('utf8')
  return { socket, name, password, readsWords: Number(minor) >= 8 }
}

const ONLY_VENCRYPT = 'This server speaks VeNCrypt with a certificate alone (X509Plain)'

/** It must be what is offered, since there is but one of each. */
async function demand(reader: StreamReader, wanted: Buffer): Promise<void> {
  if (!(await reader.exactly(wanted.length)).equals(wanted)) throw new ProtocolViolation(ONLY_VENCRYPT)
}

/** Has a viewer know that it is let in. */
export const ADMITTED = number(ACCEPTED)

/** Tells a viewer why it is not. */
export const refusalOf = (text: string, { readsWords }: Pick<StartedViewer, 'readsWords'>): Buffer =>
  Buffer.concat([number(REFUSED), readsWords ? words(text) : Buffer.alloc(0)])

/** Message to a viewer that has only just connected. */
export const refusedAtOnce = (text: string): Buffer =>
  Buffer.concat([Buffer.from('RFB 003.008\n'), Buffer.of(NO_WAY), words(text)])

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function words(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([number(bytes.length), bytes])
}
