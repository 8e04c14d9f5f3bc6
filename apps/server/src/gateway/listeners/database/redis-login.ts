import type { Socket } from 'node:net'
import { ProtocolViolation } from '../../protocols/protocol-violation.ts'
import { StreamReader } from '../../protocols/read-stream.ts'
import { firstCommand } from '../../protocols/redis/command-walker.ts'
import { errorReply } from '../../protocols/redis/denials.ts'
import type { Opening } from '../../protocols/redis/redis-wire.ts'

/** Commands of somebody who does not sign in. */
const MAX_COMMANDS = 100
const VERSIONS = ['2', '3']

/** Login of a client of Redis. */
export interface RedisLogin {
  name: string
  password: string
  opening: Opening
}

/**
 * Answers a client until it signs in, by AUTH or HELLO; undefined when it takes its leave. Throws
 * ProtocolViolation, and what the stream throws.
 */
export async function loginOf(socket: Socket): Promise<RedisLogin | undefined> {
  for (let count = 0; count < MAX_COMMANDS; count++) {
    const command = await new StreamReader(socket).until(firstCommand)
    if (!command.length) continue
    const parts = command.map((part) => part.toString())
    const name = parts[0]?.toLowerCase()
    if (name === 'quit') {
      socket.write('+OK\r\n')
      return undefined
    }
    if (name === 'ping') {
      const [, word] = command
      socket.write(word ? Buffer.concat([Buffer.from(`$${word.length}\r\n`), word, Buffer.from('\r\n')]) : '+PONG\r\n')
      continue
    }
    const found = name === 'auth' ? byAuth(parts) : name === 'hello' ? byHello(parts) : NOT_SIGNED_IN
    if (typeof found !== 'string') return found
    socket.write(errorReply(found))
  }
  throw new ProtocolViolation('sign in first')
}

const NOT_SIGNED_IN = 'NOAUTH Authentication required.'

/** `AUTH name password`, or a token alone in place of the password. Answers an error otherwise. */
function byAuth([, ...given]: readonly string[]): RedisLogin | string {
  const [first = '', second = ''] = given
  if (!given.length || given.length > 2) return "ERR wrong number of arguments for 'auth' command"
  return { name: first, password: second, opening: { version: undefined, program: '' } }
}

/** `HELLO version AUTH name password SETNAME program`. */
function byHello([, version = '', ...options]: readonly string[]): RedisLogin | string {
  if (!VERSIONS.includes(version)) return 'NOPROTO unsupported protocol version'
  let login: { name: string; password: string } | undefined
  let program = ''
  for (let at = 0; at < options.length; ) {
    const option = options[at]?.toLowerCase()
    const [first, second] = options.slice(at + 1)
    if (option === 'auth' && first !== undefined && second !== undefined) {
      login = { name: first, password: second }
      at += 3
    } else if (option === 'setname' && first !== undefined) {
      program = first.slice(0, 128)
      at += 2
    } else return `ERR Syntax error in HELLO option '${String(options[at]).slice(0, 64)}'`
  }
  return login ? { ...login, opening: { version: Number(version), program } } : NOT_SIGNED_IN
}
