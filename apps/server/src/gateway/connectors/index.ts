import type { ConnectionTarget } from '../../domains/assets/index.ts'
import type { Kind } from '../kinds/index.ts'
import { SessionRefusal } from '../session/refusal.ts'
import type { AnyConnector, Connector } from './connector.ts'
import { sshConnector } from './ssh.ts'
import { telnetConnector } from './telnet/telnet.ts'

export type { AnyConnector, Connector } from './connector.ts'

/** Every protocol that sessions are spoken in. */
const CONNECTORS: readonly AnyConnector[] = [sshConnector, telnetConnector]

/**
 * Which kind of session comes of a protocol; undefined: none can be had. Menus and lists ask this
 * before they offer to connect.
 */
export function kindOf(protocol: string): Kind | undefined {
  return CONNECTORS.find((one) => one.protocol === protocol)?.kind
}

/** What a gateway can connect to; refuses everything else. */
export class ConnectorRegistry {
  readonly #byProtocol: ReadonlyMap<string, AnyConnector>

  constructor(connectors: readonly AnyConnector[] = CONNECTORS) {
    this.#byProtocol = new Map(connectors.map((one) => [one.protocol, one]))
  }

  /**
   * Throws SessionRefusal where the protocol is not spoken here, or leads to another kind of
   * session than is asked for.
   */
  connectorOf<K extends Kind>(protocol: string, kind: K): Connector<K> {
    const connector = this.#byProtocol.get(protocol)
    if (connector?.kind !== kind) throw new SessionRefusal('This kind of connection is not supported')
    return connector as Connector<K>
  }
}

/**
 * The port of the system user's protocol on the asset. Throws SessionRefusal where the asset does
 * not speak it.
 */
export function portOf({ asset, systemUser }: ConnectionTarget): number {
  const found = asset.protocols?.find((entry) => entry.startsWith(`${systemUser.protocol}/`))
  const port = Number(found?.split('/')[1])
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port
  throw new SessionRefusal('This kind of connection is not supported')
}
