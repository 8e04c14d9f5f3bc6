import { randomInt } from 'node:crypto'
import type { Config } from '../../../kernel/config.ts'
import { errorPacket } from '../../protocols/mysql/packets.ts'
import { ERROR } from '../../protocols/mysql/server-errors.ts'
import type { ProtocolListener } from '../clients/protocol-listener.ts'
import { GreetedVersions } from './greeted-versions.ts'
import { type LiveClients, mysqlClient } from './mysql-client.ts'
import { startOf } from './mysql-start.ts'
import { serveStatements } from './serve-statements.ts'

/** Numbers of connections that are not a server's own, which begin at 1. */
const [FIRST_NUMBER, LAST_NUMBER] = [0x4000_0000, 0x7fff_ffff]
/** Error of servers with `require_secure_transport` (`ER_SECURE_TRANSPORT_REQUIRED`). */
const TLS_REQUIRED = { number: 3159, state: 'HY000' }

/** Clients of MySQL and MariaDB. */
export function mysqlProtocol({ mysqlPort }: Config): ProtocolListener {
  const clients: LiveClients = new Map()
  const versions = new GreetedVersions()
  return {
    name: 'MySQL',
    port: mysqlPort,
    refusal(why, message) {
      return errorPacket(0, { ...(why === 'too many' ? ERROR.tooManyConnections : ERROR.outOfOrder), message })
    },
    async serve({ socket: plain, address, encrypt, isReady, serving }) {
      const number = freeNumber(clients)
      const started = await startOf(plain, encrypt, { version: versions.of(address), thread: number })
      isReady()
      if (started.isEncrypted) {
        const onVersion = (version: string) => versions.seen(address, version)
        return serveStatements(serving, mysqlClient(started, { number, clients, onVersion }))
      }
      const message = 'This server speaks TLS alone: connect with --ssl'
      plain.end(errorPacket(started.sequence, { ...TLS_REQUIRED, message }))
    },
  }
}

function freeNumber(clients: LiveClients): number {
  for (;;) {
    const number = randomInt(FIRST_NUMBER, LAST_NUMBER)
    if (!clients.has(number)) return number
  }
}
