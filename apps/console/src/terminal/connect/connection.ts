import type { SocketTarget } from '../screen/socket.ts'

/** A container of a cluster. */
export interface ContainerPlace {
  namespace: string
  pod: string
  container: string
}

/** The target of a terminal: an asset or application, and the system user that signs in there. */
export interface Connection {
  targetId: string
  /** Host name of the asset, or name of the application. */
  targetName: string
  systemUserId: string
  /** Empty when the page was opened by address alone. */
  systemUserName: string
  /** Protocol of the system user. */
  protocol: string
  /** Where the protocol does not tell what it is: of a remote app. */
  family?: 'application' | undefined
  /** Where in a cluster; its shell, unless said. */
  place?: ContainerPlace | undefined
  /** How it is shown; as a terminal or a picture, unless said. */
  view?: 'workbench' | undefined
  /** Where one begins to look at the objects of a cluster. */
  namespace?: string | undefined
  /** A line for its prompt, typed as if by the person as soon as the session begins. */
  firstLine?: string | undefined
}

/** The connection alone, of what holds more. */
export function connectionOf(of: Connection): Connection {
  const { targetId, targetName, systemUserId, systemUserName, protocol, family, place, view, namespace, firstLine } = of
  return {
    ...{ targetId, targetName, systemUserId, systemUserName, protocol },
    ...(family ? { family } : {}),
    ...(place ? { place } : {}),
    ...(view ? { view } : {}),
    ...(namespace ? { namespace } : {}),
    ...(firstLine ? { firstLine } : {}),
  }
}

/** A connection as the gateway is asked for it. */
export function socketTargetOf({ protocol, targetId, systemUserId, family, place, view }: Connection): SocketTarget {
  const shown = { ...(family ? { family } : {}), ...(view ? { view } : {}) }
  return { type: protocol, target_id: targetId, system_user_id: systemUserId, ...place, ...shown }
}
