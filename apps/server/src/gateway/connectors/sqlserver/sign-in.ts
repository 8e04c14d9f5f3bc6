import type { Duplex } from 'node:stream'
import { SshError } from '../../../kernel/ssh/connect.ts'
import { ProtocolViolation } from '../../protocols/protocol-violation.ts'
import { type Login, login } from '../../protocols/sqlserver/login.ts'
import { MESSAGE, message, nextMessage, PACKET_BYTES, PacketReader } from '../../protocols/sqlserver/packets.ts'
import { isError } from '../../protocols/sqlserver/sqlserver-wire.ts'
import { CHANGED, type ServerMessage, TokenReader } from '../../protocols/sqlserver/tokens.ts'
import { SessionRefusal } from '../../session/refusal.ts'

/** `Login failed for user`; behind another error, such as of a database, it says nothing of the password. */
const LOGIN_FAILED = 18456

/**
 * Signs in at a SQL Server with a password. Returns its answer to that, for a reader of its
 * answers. Throws SshError for a refused password, SessionRefusal for anything else that it
 * refuses.
 */
export async function signIn(stream: Duplex, as: Omit<Login, 'packetBytes'> & { hop: number }): Promise<Buffer> {
  stream.write(message(MESSAGE.login, login({ ...as, packetBytes: PACKET_BYTES })))
  const { bytes } = await nextMessage(stream)
  const { refused, isSignedIn, isRouted } = readAnswer(bytes)
  if (refused?.number === LOGIN_FAILED) throw new SshError('authentication', as.hop, refused.text)
  if (refused)
    throw new SessionRefusal('The server refused the connection: {{words}}', { words: refused.text.slice(0, 1000) })
  // The server at the other address is not the one whose key is known.
  if (isRouted) throw new SessionRefusal('The server sends its clients to another address: enter that one instead')
  if (!isSignedIn) throw new ProtocolViolation('the sign-in does not end')
  return bytes
}

function readAnswer(bytes: Buffer) {
  const answer = { refused: undefined as ServerMessage | undefined, isSignedIn: false, isRouted: false }
  const tokens = new TokenReader({
    columns() {},
    row() {},
    message(report) {
      if (isError(report)) answer.refused ??= report
    },
    done() {},
    cancelled() {},
    changed(what) {
      if (what === CHANGED.routed) answer.isRouted = true
    },
    signedIn() {
      answer.isSignedIn = true
    },
  })
  new PacketReader(
    (body) => tokens.read(body),
    () => {},
  ).read(bytes)
  return answer
}
