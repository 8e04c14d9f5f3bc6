import type { Kernel } from '../../../kernel/kernel.ts'
import type { Credentials } from '../../../kernel/secrets/login.ts'
import {
  type ConnectOptions,
  connectPlain,
  connectSsh,
  type HostKeyCheck,
  type PlainConnection,
  type SshConnection,
  SshError,
  type SshHop,
} from '../../../kernel/ssh/connect.ts'
import { type AuthorizedKey, certifiedKeys, noteTrust } from '../authorities/certified-keys.ts'
import { expectedKeys, judgeHostCertificate } from './host-certificate.ts'
import { checkHostKey, type HostKeyScope } from './host-key.ts'
import { noteGatewayHealth, type TargetGateway } from './ways.ts'

/** A server to log in to, and the scope of its host key. */
export interface SshTarget extends Credentials {
  host: string
  port: number
  scope: Omit<HostKeyScope, 'host' | 'port'>
  /** Answers questions that the server asks besides the password. */
  answer?: SshHop['answer']
}

/**
 * Pins the first key that a server shows, and refuses any other (see host-key.ts), unless an authority
 * of the organization vouches for it (host-certificate.ts).
 */
export function hostKeyCheck({ db }: Pick<Kernel, 'db'>, scope: HostKeyScope): HostKeyCheck {
  return {
    expected: () => expectedKeys(db, scope),
    decide: async (key) => {
      const certified = await judgeHostCertificate(db, scope, key)
      if (typeof certified === 'object' && 'accepted' in certified) return certified
      const { state, ...shown } = await checkHostKey(db, scope, certified ?? key)
      return { ...shown, accepted: state === 'pinned' }
    },
  }
}

/** The SSH port of an asset, by its protocols. */
export const sshPort = ({ protocols }: { protocols: readonly string[] }): number =>
  Number(protocols.find((protocol) => protocol.startsWith('ssh/'))?.split('/')[1] ?? 22)

/** A connection to a target; `certifiedBy` is set where a certificate let it in. */
export type TargetConnection = SshConnection & { certifiedBy?: Pick<AuthorizedKey, 'version' | 'isCurrent'> }

/**
 * Logs in to the target, directly or through the first gateway that works. While its secrets are
 * being changed, those that they are changed to are tried where the others are refused. Throws
 * SshError.
 */
export async function throughGateways(
  kernel: Kernel,
  gateways: readonly TargetGateway[],
  target: SshTarget,
  limits: ConnectOptions,
): Promise<TargetConnection> {
  if (target.certificate) return byCertificate(kernel, gateways, target, limits)
  const logIn = (login: SshTarget) => connectThrough(kernel, gateways, hopOf(kernel, login), limits)
  if (!target.candidate) return logIn(target)
  try {
    return await logIn(target)
  } catch (error) {
    const isRefused = error instanceof SshError && error.failure === 'authentication'
    if (!isRefused || error.hop < (gateways.length ? 1 : 0)) throw error
    return logIn({ ...target, ...target.candidate })
  }
}

/** By a new key, which each authority that the machine may trust has certified; by nothing else. */
async function byCertificate(
  kernel: Kernel,
  gateways: readonly TargetGateway[],
  target: SshTarget,
  limits: ConnectOptions,
): Promise<TargetConnection> {
  const { certificate, username, scope } = target
  const keys = certificate ? await certifiedKeys(kernel, username, certificate) : []
  if (!keys.length) throw new SshError('no_authority', gateways.length ? 1 : 0, 'There is no authority')
  let certifiedBy: AuthorizedKey | undefined
  const hop: SshHop = {
    ...hopOf(kernel, { ...target, password: '', privateKey: '' }),
    certifiedKeys: keys,
    onCertified: (key) => {
      certifiedBy = keys.find(({ certificate }) => certificate === key.certificate)
    },
  }
  const connection = await connectThrough(kernel, gateways, hop, limits)
  try {
    if (certifiedBy && scope.asset) await noteTrust(kernel, scope.asset, certifiedBy)
  } catch (error) {
    connection.close()
    throw error
  }
  return { ...connection, ...(certifiedBy ? { certifiedBy } : {}) }
}

/** Logs in to a server whose host key the caller judges, directly or through the first gateway that works. */
export async function connectThrough(
  kernel: Kernel,
  gateways: readonly TargetGateway[],
  last: SshHop,
  limits: ConnectOptions,
): Promise<SshConnection> {
  return overGateways(kernel, gateways, (before) =>
    connectSsh([...before, last], { ...limits, addresses: kernel.targetAddresses }),
  )
}

/**
 * Connects to an address for another protocol, directly or through the first gateway that works.
 * Throws SshError.
 */
export async function throughGatewaysPlain(
  kernel: Kernel,
  gateways: readonly TargetGateway[],
  to: { host: string; port: number },
  limits: ConnectOptions,
): Promise<PlainConnection> {
  return overGateways(kernel, gateways, (before) =>
    connectPlain(before, to, { ...limits, addresses: kernel.targetAddresses }),
  )
}

/**
 * When a gateway does not work, that is stored and the next one is tried; a target that refuses is
 * not asked again.
 */
async function overGateways<T>(
  kernel: Kernel,
  gateways: readonly TargetGateway[],
  connect: (before: readonly SshHop[]) => Promise<T>,
): Promise<T> {
  if (!gateways.length) return connect([])
  let failure: unknown
  for (const gateway of gateways) {
    const hop = hopOf(kernel, { ...gateway, scope: { orgId: gateway.orgId, gateway: gateway.id } })
    try {
      const connection = await connect([hop])
      await noteGatewayHealth(kernel, gateway.id, true)
      return connection
    } catch (error) {
      if (!(error instanceof SshError) || error.hop > 0) throw error
      await noteGatewayHealth(kernel, gateway.id, false)
      failure = error
    }
  }
  throw failure
}

function hopOf(kernel: Kernel, { host, port, username, password, privateKey, scope, answer }: SshTarget): SshHop {
  return {
    host,
    port,
    username,
    password,
    privateKey,
    hostKey: hostKeyCheck(kernel, { ...scope, host, port }),
    ...(answer ? { answer } : {}),
  }
}

export const CERTIFICATE_REFUSED =
  'The machine refused the certificate: push the system user, so that it trusts the authority of this organization'
export const NO_AUTHORITY = 'This organization has no SSH certificate authority: create one first'

/** What went wrong, as an English sentence (a translation key). */
export function sshFailureText(error: unknown): string {
  if (!(error instanceof SshError)) return 'The connection failed'
  switch (error.failure) {
    case 'host_key_changed':
      if (error.hostKey?.fault) return error.hostKey.fault
      if (error.hostKey?.isMoved)
        return 'It was moved and shows another host key: a system administrator must confirm it first'
      return 'The host key has changed: an administrator must trust the new one first'
    case 'authentication':
      return 'The server refused the login'
    case 'certificate':
      return CERTIFICATE_REFUSED
    case 'no_authority':
      return NO_AUTHORITY
    case 'closed':
      return 'This address is closed to connections from this server'
    case 'timeout':
      return 'The connection timed out'
    case 'unreachable':
      return 'The server could not be reached'
    default:
      return error.failure satisfies never
  }
}
