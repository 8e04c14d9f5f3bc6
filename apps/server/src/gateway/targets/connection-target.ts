import type { Device } from '@sallyport/contract/resources/assets/platform.ts'
import type { Target } from '@sallyport/contract/target.ts'
import type { ApplicationTarget, RemoteProgram } from '../../domains/applications/index.ts'
import type { TargetGateway } from '../../domains/assets/networks/index.ts'
import type { TargetSystemUser } from '../../domains/system-users/index.ts'
import { type Credentials, withNotes } from '../../kernel/secrets/login.ts'

/**
 * Everything that a connection needs, for targets of any family: which target, its address, and as
 * whom. Its secrets are opened, so it is kept in memory alone.
 */
export interface ConnectionTarget {
  target: Target
  orgId: string
  /** The network whose gateways lead there; undefined for targets that are in none. */
  domain?: string | null
  name: string
  /** Place in it, as the session's row says. */
  detail?: string | undefined
  /** Host name or IP to connect to. */
  address: string
  /** Protocols and ports: `ssh/22`. */
  protocols: readonly string[]
  /** The name of what it runs on, such as `Linux`; undefined where nothing is known. */
  platform?: string
  /** Network equipment, whose prompt is known. */
  device?: Device
  /** Charset of terminals: `utf-8` or `gbk`. */
  charset: string
  /** How its platform has remote desktops: protected by what, which session is meant, and whether it is a kind of Unix. */
  rdp?: { security: string; isAdmin: boolean; isUnix: boolean }
  /** Type and attributes of applications, such as the database that is meant. */
  application?: ApplicationTarget['application']
  /** Id of the asset of a remote app, with its program. */
  machine?: string
  remoteProgram?: RemoteProgram
  /** Program that runs there instead of a whole desktop, as a line of Windows. */
  shell?: string
  /** Databases of the server that the person may use now; undefined: all. */
  databases?(): readonly string[] | undefined
  systemUser: TargetSystemUser
  /** Credentials to log in with; in manual mode those that the person typed, else empty. */
  credentials: Credentials
  /** Login of the first system user, where the target's is switched to from it by `su`. */
  switchFrom?: Credentials
  /** Gateways in the order to try them; empty when the target is reached directly. */
  gateways: TargetGateway[]
}

/** Scope in which the host key of a target is kept. */
export const hostKeyScope = ({ orgId, target, machine, domain = null }: ConnectionTarget) => ({
  orgId,
  asset: machine ?? target.id,
  domain,
})

/** As session rows and logs name it (docs/rules/terminal.md#session). */
export function targetLabel({ target, name, address, detail }: ConnectionTarget): string {
  const within = target.family === 'asset' ? address : detail
  return (within ? `${name}(${within})` : name).slice(0, MAX_LABEL)
}

const MAX_LABEL = 128

/** The same target; certificates of its logins have these notes as well. */
export const withCertificate = (
  target: ConnectionTarget,
  notes: Readonly<Record<string, string | undefined>>,
): ConnectionTarget => ({
  ...target,
  credentials: withNotes(target.credentials, notes),
  ...(target.switchFrom ? { switchFrom: withNotes(target.switchFrom, notes) } : {}),
})
