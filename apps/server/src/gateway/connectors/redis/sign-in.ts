import type { Duplex } from 'node:stream'
import { SshError } from '../../../kernel/ssh/connect.ts'
import { ProtocolViolation } from '../../protocols/protocol-violation.ts'
import { StreamReader } from '../../protocols/read-stream.ts'
import { commandBytes } from '../../protocols/redis/command-walker.ts'
import type { Opening } from '../../protocols/redis/redis-wire.ts'
import { type Reply, ReplyWalker } from '../../protocols/redis/reply-walker.ts'
import { SessionRefusal } from '../../session/refusal.ts'

/** Limit of a server's messages until it is ready, in bytes. */
const MAX_BYTES = 64 * 1024
/** Errors that are about who signs in. */
const REFUSED_LOGIN = /^(?:WRONGPASS|NOAUTH|ERR invalid password|ERR Client sent AUTH)/
/** The user that has no name of its own: before Redis 6 there was no other. */
const DEFAULT_USER = 'default'

export interface Login {
  username: string
  password: string
  /** Number of a database; empty for the server's first. */
  database: string
  opening: Opening
  /** Place of this server on the way, for errors. */
  hop: number
}

/**
 * Signs in at a Redis server, and chooses the database. Returns the answer to the client's own
 * sign-in. Throws SshError for a login that is refused, SessionRefusal in the server's words for
 * anything else that it refuses.
 */
export async function signIn(stream: Duplex, { username, password, database, opening, hop }: Login): Promise<Buffer> {
  const isNamed = username !== '' && username !== DEFAULT_USER
  if (isNamed) await need(stream, ['AUTH', username, password], hop)
  else if (password) await need(stream, ['AUTH', password], hop)
  const { version, program } = opening
  if (database) await need(stream, ['SELECT', database], hop)
  if (version === undefined) {
    // A login without a password learns of other trouble here.
    await need(stream, ['PING'], hop)
    return Buffer.from('+OK\r\n')
  }
  const named = program ? ['SETNAME', program] : []
  return (await need(stream, ['HELLO', String(version), ...named], hop)).bytes
}

async function need(stream: Duplex, command: readonly string[], hop: number): ReturnType<typeof ask> {
  const answer = await ask(stream, command)
  if (answer.reply.error !== undefined) throw refusal(answer.reply.error, hop)
  return answer
}

/** A server says nothing but the answer. */
export async function ask(stream: Duplex, command: readonly string[]): Promise<{ bytes: Buffer; reply: Reply }> {
  let reply: Reply | undefined
  const walker = new ReplyWalker({
    instead: () => undefined,
    reply(given) {
      reply = given
    },
  })
  const reader = new StreamReader(stream)
  stream.write(commandBytes(command))
  const pieces: Buffer[] = []
  for (let length = 0; !reply; ) {
    const piece = await reader.next()
    length += piece.length
    if (length > MAX_BYTES) throw new ProtocolViolation('an answer is too long')
    walker.read(piece)
    pieces.push(piece)
  }
  return { bytes: Buffer.concat(pieces), reply }
}

function refusal(words: string, hop: number): Error {
  if (REFUSED_LOGIN.test(words)) return new SshError('authentication', hop, words)
  return new SessionRefusal('The server refused the connection: {{words}}', { words: words.slice(0, 1000) })
}
