import type { StatementSession } from '../../kinds/statements/statement-session.ts'
import { MysqlWire } from '../../protocols/mysql/mysql-wire.ts'
import { errorPacket } from '../../protocols/mysql/packets.ts'
import { ERROR, errorOfRefusal } from '../../protocols/mysql/server-errors.ts'
import { wordsOf } from '../../session/notice.ts'
import { acceptProof, askPassword, type StartedClient } from './mysql-start.ts'
import type { StatementClient } from './serve-statements.ts'

/** Sessions by the number with which their clients were greeted, and cancel statements. */
export type LiveClients = Map<number, { live: StatementSession; wire: MysqlWire }>

interface Parts {
  /** With which it was greeted. */
  number: number
  clients: LiveClients
  /** Called with what its server calls itself. */
  onVersion(version: string): void
}

/** A client of MySQL or MariaDB that has said who it is, over TLS. */
export function mysqlClient(client: StartedClient, { number, clients, onVersion }: Parts): StatementClient {
  const { socket, login } = client
  const wire = new MysqlWire(login)
  let isAsked = false
  return {
    socket,
    wire,
    name: login.username,
    password() {
      isAsked = true
      return askPassword(client)
    },
    admitted() {
      if (!isAsked) acceptProof(client)
      wire.sequence = client.sequence
    },
    refused(why, message) {
      const error = why === 'violation' ? ERROR.outOfOrder : ERROR.accessDenied
      socket.write(errorPacket(client.sequence, { ...error, message }))
    },
    // There is no way to tell a client anything that it has not asked for.
    say: () => {},
    owner({ language }) {
      wire.exchange.onOwn = (bytes) => void socket.write(bytes)
      return {
        refuse(statement, why) {
          wire.refuse(statement, { ...errorOfRefusal(why.code), message: wordsOf(why, language) })
        },
        tell(what) {
          if (what.urgency !== 'last') return
          const bytes = wire.lastWords({ ...ERROR.shutdown, message: wordsOf(what, language) })
          if (bytes) socket.write(bytes)
        },
      }
    },
    lives(live) {
      clients.set(number, { live, wire })
      onVersion(wire.version)
      wire.ownConnection = (other) => {
        const found = clients.get(other)
        if (found?.live.person.id !== live.person.id) return undefined
        return { thread: found.wire.thread, cancelHeld: () => found.live.cancelHeld() }
      }
      return () => void clients.delete(number)
    },
  }
}
