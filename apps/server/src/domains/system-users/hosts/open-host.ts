/**
 * Connections of background jobs to machines, for code that runs scripts on them:
 *
 *   const host = await openHost(kernel, { assetId, as: 'admin_user', reason: 'rotation 7' })
 *   try {
 *     const { code, stdout, stderr } = await host.run('read -r secret; …', { stdin: `${secret}\n`, become: 'root' })
 *   } finally {
 *     host.close()
 *   }
 *
 * One connection serves all scripts. It goes by the gateways of the machine's domain, sends secrets
 * to a trusted host key alone, and `reason` names who opened them. Everything that can be wrong with
 * a machine is a HostError, whose message is for people.
 */
import { AppError } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { type Credentials, hasSecret, withNotes } from '../../../kernel/secrets/login.ts'
import { SshError } from '../../../kernel/ssh/connect.ts'
import { ScriptError } from '../../../kernel/ssh/on-channel.ts'
import { runPowerShell } from '../../../kernel/ssh/powershell.ts'
import { type Become, runScript, type ScriptResult } from '../../../kernel/ssh/script.ts'
import type { TargetAsset } from '../../assets/index.ts'
import {
  loadAssetPlace,
  sshFailureText,
  sshPort,
  type TargetGateway,
  throughGateways,
} from '../../assets/networks/index.ts'
import { loadAccountTarget, loadAssetTarget } from '../target.ts'

/** As whom to log in. */
export type HostLogin =
  /** The asset's own privileged system user. */
  | 'admin_user'
  /** A system user, with the person's name where it takes that. */
  | { systemUser: string; username?: string }
  /** An account's own login. */
  | { account: string }
  /** A login that is stored nowhere yet, such as a candidate of a rotation. */
  | Credentials

export interface HostQuestion {
  assetId: string
  as: HostLogin
  /** For whom secrets are opened: a task, plan or person, by id or name. */
  reason: string
  /** For each hop of the login; 10 seconds by default. */
  timeoutMs?: number
  /** Cancels the login and what is run later; its reason is thrown. */
  signal?: AbortSignal
}

export interface RunOptions {
  /** Standard input of the script: the place for secrets. */
  stdin?: string | Buffer
  /** A minute by default. */
  timeoutMs?: number
  /**
   * `'root'`: as root, by `sudo` with the login's own password or none; nothing is switched where the
   * login is root already. Else exactly so. A system user that is switched to from another one is
   * itself reached so, and goes no further.
   */
  become?: 'root' | Become
  signal?: AbortSignal
}

export interface Host {
  readonly asset: TargetAsset
  /** As whom scripts run. */
  readonly username: string
  /** The authority whose certificate let it in, where one did. */
  readonly certifiedBy?: { version: number; isCurrent: boolean }
  /** Somebody else logged in, from whom each script switches to this user: that it can is not known before the first. */
  readonly isSwitched: boolean
  /** Runs a script of the Bourne shell. Throws HostError where it could not run to its end. */
  run(script: string, options?: RunOptions): Promise<ScriptResult>
  /**
   * Runs PowerShell, as the account that logged in; `input` as in `runPowerShell`. Throws
   * HostError.
   */
  runPowerShell(
    script: string,
    options?: Pick<RunOptions, 'timeoutMs' | 'signal'> & { input?: readonly string[] },
  ): Promise<ScriptResult>
  close(): void
}

/** The fault of a machine or its login, as an English sentence (a translation key). */
export class HostError extends Error {
  override name = 'HostError'
  /** The shown host key and the trusted ones, where it was refused. */
  readonly hostKey: SshError['hostKey']
  /** The connection was refused or broken off before anybody was logged in: it may work a little later. */
  readonly isTurnedAway: boolean

  constructor(message: string, options: { cause?: unknown; hostKey?: SshError['hostKey'] } = {}) {
    super(message, { cause: options.cause })
    this.hostKey = options.hostKey
    this.isTurnedAway = options.cause instanceof SshError && options.cause.failure === 'unreachable'
  }
}

const LOGIN_MS = 10_000
const RUN_MS = 60_000

/** Logs in to an asset over SSH. Throws HostError. */
export async function openHost(kernel: Kernel, question: HostQuestion): Promise<Host> {
  const { asset, gateways, credentials, switchFrom } = await loginOf(kernel, question)
  if (!credentials.username) throw new HostError('The login has no user name')
  if (!hasSecret(credentials)) throw new HostError('The system user has no password or key')
  const { id, org_id: orgId, ip: host, domain } = asset
  const place = { host, port: sshPort(asset), scope: { orgId, asset: id, domain } }
  const { timeoutMs = LOGIN_MS, signal } = question
  const limits = { timeoutMs, ...(signal ? { signal } : {}) }
  const login = withNotes(switchFrom ?? credentials, { job: question.reason })
  const connection = await throughGateways(kernel, gateways, { ...login, ...place }, limits).catch((cause) => {
    if (!(cause instanceof SshError)) throw cause
    throw new HostError(sshFailureText(cause), { cause, hostKey: cause.hostKey })
  })
  const { username, password } = credentials
  const switched: Become | undefined = switchFrom && { method: 'su', user: username, password }
  return {
    asset,
    username,
    isSwitched: switched !== undefined,
    ...(connection.certifiedBy ? { certifiedBy: connection.certifiedBy } : {}),
    run: (script, { become, timeoutMs: limit = RUN_MS, ...options } = {}) =>
      runScript(connection.client, script, {
        signal,
        ...options,
        timeoutMs: limit,
        become: switched ?? (become === 'root' ? rootBy(credentials) : become),
      }).catch(asHostError),
    runPowerShell: (script, { timeoutMs: limit = RUN_MS, ...options } = {}) =>
      runPowerShell(connection.client, script, { signal, ...options, timeoutMs: limit }).catch(asHostError),
    close: () => connection.close(),
  }
}

function asHostError(cause: unknown): never {
  throw cause instanceof ScriptError ? new HostError(cause.message, { cause }) : cause
}

const rootBy = ({ username, password }: Credentials): Become | undefined =>
  username === 'root' ? undefined : { method: 'sudo', user: 'root', password }

interface HostTarget {
  asset: TargetAsset
  gateways: TargetGateway[]
  credentials: Credentials
  switchFrom?: Credentials
}

async function loginOf(kernel: Kernel, { assetId, as, reason }: HostQuestion): Promise<HostTarget> {
  const open = kernel.secrets.open('job', `asset ${assetId} for ${reason}`)
  const found = await (async () => {
    if (typeof as === 'object' && 'account' in as) return loadAccountTarget(kernel, as.account, open)
    const place = await loadAssetPlace(kernel, assetId, open)
    if (!place) return undefined
    if (typeof as === 'object' && 'privateKey' in as) return { ...place, credentials: as }
    const systemUserId = as === 'admin_user' ? place.asset.admin_user : as.systemUser
    if (!systemUserId) throw new HostError('The asset has no admin user')
    const person = typeof as === 'object' && as.username ? { username: as.username } : {}
    return loadAssetTarget(kernel, { assetId, systemUserId, checksHostKey: true, ...person }, open)
  })().catch((cause) => {
    throw cause instanceof AppError ? new HostError(translate('en', cause.message, cause.values), { cause }) : cause
  })
  if (!found) throw new HostError('The login is gone')
  return found
}
