import type { Target } from '@sallyport/contract/target.ts'
import type { Credentials, TargetGateway, TargetSystemUser } from '../../domains/assets/index.ts'

/**
 * Everything that a connection needs, whatever its family: which target, where it stands, and as
 * whom. Its secrets are opened, so it lives in memory only.
 */
export interface ConnectionTarget {
  target: Target
  orgId: string
  name: string
  /** Host name or IP; what connectors connect to. */
  address: string
  /** What is spoken there: `ssh/22`. */
  protocols: readonly string[]
  /** Of terminals: `utf-8` or `gbk`. */
  charset: string
  systemUser: TargetSystemUser
  /**
   * Where the identity is to log in with; for manual login mode what the person typed, else empty.
   */
  credentials: Credentials
  /** Ways there, the one to try first first; empty when it is reached directly. */
  gateways: TargetGateway[]
}

/** As session rows and logs name it (contract/terminal.yaml session `asset`). */
export const targetLabel = ({ name, address }: ConnectionTarget): string => (address ? `${name}(${address})` : name)
