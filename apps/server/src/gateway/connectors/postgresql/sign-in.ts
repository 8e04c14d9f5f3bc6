import type { Duplex } from 'node:stream'
import { SshError } from '../../../kernel/ssh/connect.ts'
import {
  CLIENT,
  errorFields,
  HEADER_BYTES,
  int32,
  message,
  needText,
  SERVER,
} from '../../protocols/postgresql/messages.ts'
import { md5Proof, ScramProof } from '../../protocols/postgresql/password-proof.ts'
import { startupPacket } from '../../protocols/postgresql/startup.ts'
import { ProtocolViolation } from '../../protocols/protocol-violation.ts'
import { StreamReader } from '../../protocols/read-stream.ts'
import { SessionRefusal } from '../../session/refusal.ts'

/** Limit of a server's messages until it is ready, in bytes. */
const MAX_BYTES = 256 * 1024
/** Kinds of AuthenticationRequest (§53.7). */
const [OK, CLEAR, MD5, SASL, SASL_CONTINUE, SASL_FINAL] = [0, 3, 5, 10, 11, 12] as const
const SCRAM = 'SCRAM-SHA-256'
/** Errors that are about who signs in: classes 28 and the name of the role. */
const REFUSED_LOGIN = /^28/

export interface Login {
  parameters: Iterable<readonly [string, string]>
  username: string
  password: string
  isEncrypted: boolean
  /** Place of this server on the way, for errors. */
  hop: number
}

/** A server that is ready for its first statement. */
export interface SignedIn {
  /** All that it said after the login, for the client. */
  greeting: Buffer
  /** Key that cancels a statement there. */
  cancel: { process: number; key: Buffer } | undefined
  /** Whether it wanted to know the password. */
  isPasswordAsked: boolean
}

/**
 * Signs in at a PostgreSQL server with a password, in clear over TLS alone. Throws SshError for a
 * login that is refused, SessionRefusal in the server's words for anything else that it refuses.
 */
export async function signIn(stream: Duplex, login: Login): Promise<SignedIn> {
  const messages = new ServerMessages(stream)
  stream.write(startupPacket(login.parameters))
  const isPasswordAsked = await prove(stream, messages, login)
  const greeting: Buffer[] = []
  let cancel: SignedIn['cancel']
  for (;;) {
    const bytes = await messages.next()
    const type = bytes[0]
    if (type === SERVER.errorResponse) throw refusal(bytes, login)
    if (type === SERVER.backendKeyData && bytes.length >= HEADER_BYTES + 8)
      cancel = { process: bytes.readInt32BE(HEADER_BYTES), key: Buffer.from(bytes.subarray(HEADER_BYTES + 4)) }
    greeting.push(bytes)
    if (type === SERVER.readyForQuery) return { greeting: Buffer.concat(greeting), cancel, isPasswordAsked }
  }
}

/** Answers whether the server wanted to know the password. */
async function prove(stream: Duplex, messages: ServerMessages, login: Login): Promise<boolean> {
  const { username, password, isEncrypted } = login
  let scram: ScramProof | undefined
  let isAsked = false
  const answer = (...body: (Buffer | string)[]) => void stream.write(message(CLIENT.password, ...body))
  for (;;) {
    const bytes = await messages.next()
    if (bytes[0] === SERVER.errorResponse) throw refusal(bytes, login)
    if (bytes[0] === SERVER.negotiateProtocolVersion || bytes[0] === SERVER.noticeResponse) continue
    if (bytes[0] !== SERVER.authentication || bytes.length < HEADER_BYTES + 4)
      throw new ProtocolViolation('expected an authentication request')
    const body = bytes.subarray(HEADER_BYTES + 4)
    const kind = bytes.readInt32BE(HEADER_BYTES)
    if (kind === OK) return isAsked
    isAsked = true
    switch (kind) {
      case CLEAR:
        if (!isEncrypted)
          throw new SessionRefusal('The server asks for the password in clear without TLS: it was not sent')
        answer(password)
        break
      case MD5:
        answer(md5Proof(username, password, body.subarray(0, 4)))
        break
      case SASL: {
        if (!mechanisms(body).includes(SCRAM)) throw unknownWay()
        scram = new ScramProof(password)
        const first = Buffer.from(scram.first())
        answer(SCRAM, int32(first.length), first)
        break
      }
      case SASL_CONTINUE:
        if (!scram) throw unknownWay()
        answer(Buffer.from(await scram.final(body.toString())))
        break
      case SASL_FINAL:
        if (!scram) throw unknownWay()
        scram.verify(body.toString())
        break
      default:
        throw unknownWay()
    }
  }
}

const unknownWay = () => new SessionRefusal('The server asks for a way to sign in that is not supported')

function mechanisms(body: Buffer): string[] {
  const names: string[] = []
  for (let at = 0; body[at]; ) {
    const { text, end } = needText(body, at)
    names.push(text.toString())
    at = end
  }
  return names
}

function refusal(bytes: Buffer, { hop }: Login): Error {
  const { code, message: words } = errorFields(bytes)
  if (REFUSED_LOGIN.test(code)) return new SshError('authentication', hop, words)
  return new SessionRefusal('The server refused the connection: {{words}}', { words: words.slice(0, 1000) })
}

/** Whole messages, one after the other. */
class ServerMessages {
  readonly #reader: StreamReader
  #bytes = 0

  constructor(stream: Duplex) {
    this.#reader = new StreamReader(stream)
  }

  next(): Promise<Buffer> {
    return this.#reader.until((bytes) => {
      if (bytes.length < HEADER_BYTES) return undefined
      const end = 1 + bytes.readInt32BE(1)
      if (end < HEADER_BYTES || this.#bytes + end > MAX_BYTES) throw new ProtocolViolation('invalid message length')
      if (bytes.length < end) return undefined
      this.#bytes += end
      return { value: bytes.subarray(0, end), end }
    })
  }
}
