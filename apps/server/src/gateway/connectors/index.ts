import type { Kind } from '../kinds/index.ts'
import { SessionRefusal } from '../session/refusal.ts'
import { connectorKinds } from '../targets/connectable.ts'
import type { ConnectionTarget } from '../targets/connection-target.ts'
import type { AnyConnector, Connector } from './connector.ts'
import { databaseTerminals } from './database-terminal.ts'
import { kubernetesApiConnector } from './kubernetes/kubernetes.ts'
import { kubernetesTerminalConnector } from './kubernetes/terminal.ts'
import { mariadbConnector, mysqlConnector } from './mysql/mysql.ts'
import { oracleConnector } from './oracle/oracle.ts'
import { postgresqlConnector } from './postgresql/postgresql.ts'
import { rdpConnector } from './rdp/rdp.ts'
import { redisConnector } from './redis/redis.ts'
import { sqlServerConnector } from './sqlserver/sqlserver.ts'
import { sshConnector } from './ssh.ts'
import { telnetConnector } from './telnet/telnet.ts'
import { vncConnector } from './vnc/vnc.ts'

export type { AnyConnector, Connector } from './connector.ts'

/** The protocols that sessions can use. */
const connectors = new Map<string, AnyConnector>()
for (const connector of [
  ...[sshConnector, telnetConnector],
  ...[postgresqlConnector, mysqlConnector, mariadbConnector, redisConnector],
  // Their workbench is the only client: they have no listener.
  ...[sqlServerConnector, oracleConnector],
  ...databaseTerminals,
  ...[kubernetesApiConnector, kubernetesTerminalConnector],
  ...[rdpConnector, vncConnector],
])
  addConnector(connector)

connectorKinds.provide(givesKind)

/** Lets sessions use another protocol, or one of these for another kind of session. */
export function addConnector(connector: AnyConnector): void {
  connectors.set(keyOf(connector), connector)
}

/**
 * Whether a protocol gives sessions of that kind. Menus and lists ask this before they offer to
 * connect.
 */
export function givesKind(protocol: string, kind: string): boolean {
  return connectors.has(keyOf({ protocol, kind }))
}

/**
 * Throws SessionRefusal when the protocol is not supported, or gives another kind of session than
 * is asked for.
 */
export function connectorOf<K extends Kind>(protocol: string, kind: K): Connector<K> {
  const connector = connectors.get(keyOf({ protocol, kind }))
  if (!connector) throw new SessionRefusal('This kind of connection is not supported')
  return connector as unknown as Connector<K>
}

/** A protocol may give several kinds: a database has its clients, and a terminal of our own. */
function keyOf({ protocol, kind }: { protocol: string; kind: string }): string {
  return `${kind} ${protocol}`
}

/**
 * The port of the system user's protocol on the target. Throws SessionRefusal when the target does
 * not have that protocol.
 */
export function portOf({ protocols, systemUser }: ConnectionTarget): number {
  const found = protocols.find((entry) => entry.startsWith(`${systemUser.protocol}/`))
  const port = Number(found?.split('/')[1])
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port
  throw new SessionRefusal('This kind of connection is not supported')
}
