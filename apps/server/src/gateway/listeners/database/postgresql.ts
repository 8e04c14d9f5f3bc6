import type { Config } from '../../../kernel/config.ts'
import { report } from '../../protocols/postgresql/messages.ts'
import type { ProtocolListener } from '../clients/protocol-listener.ts'
import {
  type Cancellable,
  cancel,
  PROTOCOL_VIOLATION,
  postgresqlClient,
  TOO_MANY_CONNECTIONS,
} from './postgresql-client.ts'
import { startOf } from './postgresql-start.ts'
import { serveStatements } from './serve-statements.ts'

/** Clients of PostgreSQL. */
export function postgresqlProtocol({ postgresqlPort }: Config): ProtocolListener {
  const cancellable: Cancellable = new Map()
  return {
    name: 'PostgreSQL',
    port: postgresqlPort,
    refusal(why, message) {
      return report('FATAL', { code: why === 'too many' ? TOO_MANY_CONNECTIONS : PROTOCOL_VIOLATION, message })
    },
    async serve({ socket: plain, encrypt, isReady, serving }) {
      const started = await startOf(plain, encrypt)
      isReady()
      const { socket, packet } = started
      if (packet.kind === 'cancel') {
        cancel(cancellable, packet.process, packet.key)
        socket.destroy()
        return
      }
      if (packet.negotiation) socket.write(packet.negotiation)
      const end = postgresqlClient(socket, packet.parameters, cancellable)
      const words = unwanted(started.isEncrypted, packet.parameters)
      if (words) {
        await end.refused('refusal', words)
        socket.end()
      } else await serveStatements(serving, end)
    },
  }
}

/** Reason why a client of any person can't be served. */
function unwanted(isEncrypted: boolean, parameters: ReadonlyMap<string, string>): string | undefined {
  if (!isEncrypted) return 'This server speaks TLS alone: connect with sslmode=require'
  return isOn(parameters.get('replication')) ? 'Replication is not possible here' : undefined
}

const isOn = (value: string | undefined) => value !== undefined && !/^(?:|f|false|off|no|n|0)$/i.test(value)
