import type { Kind } from '../kinds/index.ts'
import { SessionRefusal } from '../session/refusal.ts'
import { connectableBy } from '../targets/connectable.ts'
import type { ConnectionTarget } from '../targets/connection-target.ts'
import type { AnyConnector, Connector } from './connector.ts'
import { postgresqlConnector } from './postgresql/postgresql.ts'
import { sshConnector } from './ssh.ts'
import { telnetConnector } from './telnet/telnet.ts'

export type { AnyConnector, Connector } from './connector.ts'

/** The protocols that sessions can use. */
const connectors = new Map<string, AnyConnector>(
  ([sshConnector, telnetConnector, postgresqlConnector] as const).map((connector) => [connector.protocol, connector]),
)

connectableBy(kindOf)

/** Lets sessions use another protocol. */
export function addConnector(connector: AnyConnector): void {
  connectors.set(connector.protocol, connector)
}

/**
 * What kind of session a protocol gives; undefined when it is not supported. Menus and lists ask
 * this before they offer to connect.
 */
export function kindOf(protocol: string): Kind | undefined {
  return connectors.get(protocol)?.kind
}

/**
 * Throws SessionRefusal when the protocol is not supported, or gives another kind of session than
 * is asked for.
 */
export function connectorOf<K extends Kind>(protocol: string, kind: K): Connector<K> {
  const connector = connectors.get(protocol)
  if (connector?.kind !== kind) throw new SessionRefusal('This kind of connection is not supported')
  return connector as Connector<K>
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
