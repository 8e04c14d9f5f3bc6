import type { Duplex } from 'node:stream'
import { SshError } from '../../../kernel/ssh/connect.ts'
import { ProtocolViolation } from '../../protocols/protocol-violation.ts'
import { StreamReader } from '../../protocols/read-stream.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import type { TlsAnswer } from '../server-connection.ts'
import { challengeAnswer } from './des-answer.ts'

/** Ways to sign in (RFC 6143 §7.1.2, VeNCrypt in rfbproto.rst). */
const NONE = 1
const VNC = 2
const VENCRYPT = 19

type Inner = 'none' | 'password' | 'account'

/** Security types of VeNCrypt, the better first: a server with a certificate can be known again. */
const SUBTYPES: readonly { type: number; inner: Inner; tls: TlsAnswer }[] = [
  { type: 262, inner: 'account', tls: true },
  { type: 261, inner: 'password', tls: true },
  { type: 260, inner: 'none', tls: true },
  { type: 259, inner: 'account', tls: 'anonymous' },
  { type: 258, inner: 'password', tls: 'anonymous' },
  { type: 257, inner: 'none', tls: 'anonymous' },
]

const MAX_WORDS = 4096
const MAX_NAME = 4096

/** Agreement of a server and the gateway. */
export interface Agreement {
  /** 3, 7 or 8, of `RFB 003.00x`. */
  version: number
  inner: Inner
  tls: TlsAnswer
}

export interface ServerScreen {
  width: number
  height: number
  name: string
}

/** Secrets that prove the account; asked for only where the server wants them. */
export interface Secrets {
  account(): Promise<{ username: string; password: string }>
  password(): Promise<string>
}

/**
 * Agrees with a server on a way to sign in; `hasAccount`: there is a name to sign in with. Where
 * that is encrypted, TLS begins next. No password is sent. Throws ProtocolViolation and
 * SessionRefusal.
 */
export async function agree(stream: Duplex, hasAccount: boolean): Promise<Agreement> {
  const version = await agreeOnVersion(stream)
  if (version === 3) {
    const type = (await exactly(stream, 4)).readUInt32BE()
    if (type === NONE) return { version, inner: 'none', tls: false }
    if (type === VNC) return { version, inner: 'password', tls: false }
    throw type === 0 ? await serverWords(stream) : notSupported()
  }
  const [count = 0] = await exactly(stream, 1)
  if (!count) throw await serverWords(stream)
  const offered = new Set(await exactly(stream, count))
  const choice = [VENCRYPT, VNC, NONE].find((type) => offered.has(type))
  if (!choice) throw notSupported()
  stream.write(Buffer.of(choice))
  if (choice === VENCRYPT) return { version, ...(await agreeOnVencrypt(stream, hasAccount)) }
  return { version, inner: choice === VNC ? 'password' : 'none', tls: false }
}

async function agreeOnVersion(stream: Duplex): Promise<number> {
  const greeting = (await exactly(stream, 12)).toString('latin1')
  const [, major, minor] = /^RFB (\d{3})\.(\d{3})\n$/.exec(greeting) ?? []
  if (!major) throw new ProtocolViolation('this is no VNC server')
  const number = Number(major) * 1000 + Number(minor)
  if (number < 3003) throw new ProtocolViolation('a VNC server that is too old')
  // Apple says 003.889, others 004.001 and 005.000: they all speak 003.008.
  const version = number >= 3008 ? 8 : number === 3007 ? 7 : 3
  stream.write(`RFB 003.00${version}\n`)
  return version
}

async function agreeOnVencrypt(stream: Duplex, hasAccount: boolean): Promise<Omit<Agreement, 'version'>> {
  const version = await exactly(stream, 2)
  if (version.readUInt16BE() < 2) throw notSupported()
  stream.write(Buffer.of(0, 2))
  if ((await exactly(stream, 1))[0] !== 0) throw notSupported()
  const [count = 0] = await exactly(stream, 1)
  const list = await exactly(stream, count * 4)
  const offered = new Set(Array.from({ length: count }, (_, n) => list.readUInt32BE(n * 4)))
  const fitting = SUBTYPES.filter(({ type }) => offered.has(type))
  const choice = fitting.find(({ inner }) => hasAccount || inner !== 'account') ?? fitting[0]
  if (!choice) throw notSupported()
  const asked = Buffer.alloc(4)
  asked.writeUInt32BE(choice.type)
  stream.write(asked)
  // The other way round than before: 1 is yes.
  if ((await exactly(stream, 1))[0] !== 1) throw notSupported()
  return { inner: choice.inner, tls: choice.tls }
}

/**
 * Signs in and takes a seat beside others who are there. Throws SshError for a login that is
 * refused, ProtocolViolation and SessionRefusal.
 */
export async function signIn(
  stream: Duplex,
  { version, inner }: Agreement,
  secrets: Secrets,
  hop: number,
): Promise<ServerScreen> {
  if (inner === 'password') stream.write(challengeAnswer(await exactly(stream, 16), await secrets.password()))
  if (inner === 'account') stream.write(accountMessage(await secrets.account()))
  if (inner !== 'none' || version === 8) await demandAdmission(stream, version, hop)
  stream.write(Buffer.of(1))
  const head = await exactly(stream, 24)
  const length = head.readUInt32BE(20)
  if (length > MAX_NAME) throw new ProtocolViolation('the name of a desktop is too long')
  return {
    width: head.readUInt16BE(0),
    height: head.readUInt16BE(2),
    name: (await exactly(stream, length)).toString('utf8'),
  }
}

async function demandAdmission(stream: Duplex, version: number, hop: number): Promise<void> {
  const result = (await exactly(stream, 4)).readUInt32BE()
  if (result === 0) return
  const words = version === 8 ? await readWords(stream).catch(() => '') : ''
  throw new SshError('authentication', hop, words || 'The VNC server refused the password')
}

function accountMessage({ username, password }: { username: string; password: string }): Buffer {
  const [name, secret] = [Buffer.from(username), Buffer.from(password)]
  const head = Buffer.alloc(8)
  head.writeUInt32BE(name.length, 0)
  head.writeUInt32BE(secret.length, 4)
  return Buffer.concat([head, name, secret])
}

function notSupported(): SessionRefusal {
  return new SessionRefusal('This desktop offers no way to sign in that is supported here')
}

async function serverWords(stream: Duplex): Promise<SessionRefusal> {
  return new SessionRefusal('The machine refused the connection: {{words}}', { words: await readWords(stream) })
}

async function readWords(stream: Duplex): Promise<string> {
  const length = (await exactly(stream, 4)).readUInt32BE()
  if (length > MAX_WORDS) throw new ProtocolViolation('the words of a server are too long')
  return (await exactly(stream, length)).toString('utf8')
}

const exactly = (stream: Duplex, bytes: number) => new StreamReader(stream).exactly(bytes)
