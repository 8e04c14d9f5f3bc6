import type { Kernel } from '../../../kernel/kernel.ts'
import { SshError } from '../../../kernel/ssh/connect.ts'
import { type Host, HostError, type HostLogin, openHost } from '../../system-users/index.ts'
import { policyRefusal } from './password-policy.ts'
import type { Secrets, Target } from './protocol.ts'
import { CHANGE_SCRIPT, CHANGED, CHECK_SCRIPT, PROVE_SCRIPT } from './root-scripts.ts'
import { RotationError } from './rotation-error.ts'

const TIMEOUT_MS = 15_000
/** Names that mean something else to a tool, or to a line of a password file. */
const USERNAME = /^[^\s\-:/'"\\%&|][^\s:/'"\\%&|]*$/
/** By which the key is found again that the next one replaces. */
const KEY_MARK = 'sallyport'

/** The account of a machine. */
export interface MachineAccount {
  asset: string
  username: string
  /** The task: for the log of who opens secrets. */
  task: string
  /** The plan's treatment of other keys of the account. */
  keyStrategy: string
  /** As the candidate will be, for asking the machine's policy; undefined where no password changes. */
  example: string | undefined
}

export const isMachineUsername = (name: string): boolean => USERNAME.test(name)

/** A machine over SSH, whose admin user changes an account. To be closed. */
export class SshMachine implements Target {
  readonly #kernel: Kernel
  readonly #of: MachineAccount
  #admin: Host | undefined

  constructor(kernel: Kernel, account: MachineAccount) {
    this.#kernel = kernel
    this.#of = account
  }

  async preflight(): Promise<void> {
    const admin = await this.#logInAsAdmin()
    // By what the machine says, as there are many ways not to become root.
    const { code, stdout } = await this.#asRoot(admin, CHECK_SCRIPT, []).catch((error) => {
      throw error instanceof HostError ? new RotationError('not_root', error.message, error) : error
    })
    if (code === 20) throw new RotationError('not_root')
    if (code !== 0) throw new RotationError('no_tools')
    const refusal = this.#of.example && policyRefusal(this.#of.example, stdout)
    if (refusal) throw new RotationError('weak', refusal)
  }

  async change({ password = '', public_key = '' }: Secrets): Promise<void> {
    const admin = await this.#logInAsAdmin()
    const key = public_key && `${public_key.trim()} ${KEY_MARK}`
    const lines = [this.#of.username, password, key, this.#of.keyStrategy]
    const { code, stdout } = await this.#asRoot(admin, CHANGE_SCRIPT, lines).catch((error) => {
      throw error instanceof HostError ? new RotationError('data_not_sent', '', error) : error
    })
    if (code === 0) return
    const isKnown = code !== undefined && !stdout.includes(CHANGED)
    throw new RotationError(
      isKnown ? 'refused' : 'data_not_sent',
      lastLine(password ? stdout.replaceAll(password, '…') : stdout),
    )
  }

  /**
   * A login with each secret alone. A password that SSH refuses is tried by `su` as well, since
   * accounts such as root often may not log in there.
   */
  async works({ password = '', private_key: privateKey = '' }: Secrets): Promise<boolean> {
    if (!password && !privateKey) return false
    if (privateKey && !(await this.#logsIn({ password: '', privateKey }))) return false
    return !password || (await this.#logsIn({ password, privateKey: '' })) || this.#isProven(password)
  }

  close(): void {
    this.#admin?.close()
    this.#admin = undefined
  }

  async #logsIn(secrets: { password: string; privateKey: string }): Promise<boolean> {
    try {
      const host = await this.#open({ username: this.#of.username, ...secrets })
      host.close()
      return true
    } catch (error) {
      if (isRefusal(error)) return false
      throw inWords(error)
    }
  }

  async #isProven(password: string): Promise<boolean> {
    try {
      const { code } = await this.#asRoot(await this.#logInAsAdmin(), PROVE_SCRIPT, [this.#of.username, password])
      return code === 0
    } catch (error) {
      if (error instanceof HostError || error instanceof RotationError) return false
      throw error
    }
  }

  /** A broken connection is opened again: by then the admin's own secret may have changed. */
  async #asRoot(admin: Host, script: string, lines: readonly string[]) {
    try {
      return await admin.run(script, { stdin: [...lines, ''].join('\n'), become: 'root' })
    } catch (error) {
      this.close()
      throw error
    }
  }

  async #logInAsAdmin(): Promise<Host> {
    this.#admin ??= await this.#open('admin_user').catch((error) => {
      throw inWords(error)
    })
    if (!this.#admin.asset.is_active) throw new RotationError('not_contactable')
    return this.#admin
  }

  #open(as: HostLogin): Promise<Host> {
    const { asset, task } = this.#of
    return openHost(this.#kernel, { assetId: asset, as, reason: `change ${task}`, timeoutMs: TIMEOUT_MS })
  }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof HostError && error.cause instanceof SshError && error.cause.failure === 'authentication'

function inWords(error: unknown): unknown {
  if (!(error instanceof HostError)) return error
  if (isRefusal(error)) return new RotationError('wrong_password', '', error)
  return new RotationError(error.hostKey ? 'host_key' : 'unreachable', error.message, error)
}

const lastLine = (output: string): string => output.trim().split('\n').at(-1)?.slice(0, 200) ?? ''
