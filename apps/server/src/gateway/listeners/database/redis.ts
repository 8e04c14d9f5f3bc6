import type { Config } from '../../../kernel/config.ts'
import { errorReply } from '../../protocols/redis/denials.ts'
import { RedisWire } from '../../protocols/redis/redis-wire.ts'
import { wordsOf } from '../../session/notice.ts'
import { beginsWithTls } from '../clients/encrypted.ts'
import type { ProtocolListener } from '../clients/protocol-listener.ts'
import { loginOf, type RedisLogin } from './redis-login.ts'
import { type StatementClient, serveStatements } from './serve-statements.ts'

const violation = (words: string) => errorReply(`ERR Protocol error: ${words}`)

/** Clients of Redis. */
export function redisProtocol({ redisPort }: Config): ProtocolListener {
  return {
    name: 'Redis',
    port: redisPort,
    refusal: (why, words) => (why === 'too many' ? errorReply(`ERR ${words}`) : violation(words)),
    async serve({ socket: plain, encrypt, isReady, serving }) {
      if (!(await beginsWithTls(plain))) {
        plain.end(errorReply('ERR This server speaks TLS alone: connect with --tls'))
        return
      }
      const socket = await encrypt()
      isReady()
      const login = await loginOf(socket)
      if (login) await serveStatements(serving, redisClient(socket, login))
      else socket.end()
    },
  }
}

/** A client of Redis that has said who it is. */
function redisClient(socket: StatementClient['socket'], { name, password, opening }: RedisLogin): StatementClient {
  const wire = new RedisWire(opening)
  return {
    socket,
    wire,
    name,
    password: async () => password,
    // It is answered by what the server says first.
    admitted: () => {},
    refused: (why, words) => void socket.write(why === 'violation' ? violation(words) : errorReply(`NOAUTH ${words}`)),
    // Nobody reads what does not answer anything.
    say: () => {},
    owner: ({ language }) => ({
      // Every command has what takes its place at the server.
      refuse: () => {},
      tell(what) {
        if (what.urgency === 'last' && wire.awaitsAnswer) socket.write(errorReply(`ERR ${wordsOf(what, language)}`))
      },
    }),
    lives: () => () => {},
  }
}
