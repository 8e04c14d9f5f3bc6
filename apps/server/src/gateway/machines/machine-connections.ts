import { createHash } from 'node:crypto'
import { throughGateways } from '../../domains/assets/networks/index.ts'
import { awaitedLater, inBackground } from '../../kernel/background.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { SshConnection } from '../../kernel/ssh/connect.ts'
import { type ConnectionTarget, hostKeyScope } from '../targets/connection-target.ts'

const CONNECT_TIMEOUT_MS = 15_000
/** docs/rules/gateway.md#ssh */
const KEEPALIVE_MS = 60_000
/**
 * A connection without a channel is kept so long, so that commands that come one after the other
 * find it.
 */
const IDLE_MS = 30_000
/** OpenSSH's MaxSessions, where nobody changed it; the next one gets a connection of its own. */
const MAX_CHANNELS = 10

export interface SshLogin {
  target: ConnectionTarget
  host: string
  port: number
  /** See ConnectOptions of connectors. */
  answer?(prompt: string, echo: boolean): Promise<string | undefined>
  /** Cancels; its reason is thrown. */
  signal: AbortSignal
}

/**
 * Opens a channel on a machine, where the person is logged in already if `machines` knows of it.
 * Throws SshError, and what `open` throws.
 */
export async function openChannelAt<T>(
  kernel: Kernel,
  machines: MachineConnections | undefined,
  login: SshLogin,
  open: (connection: SshConnection) => Promise<T>,
): Promise<T> {
  if (machines) return machines.channel(login, open)
  const connection = await logIn(kernel, login)
  try {
    return await open(connection)
  } catch (error) {
    connection.close()
    throw error
  }
}

/** Logs in, through gateways of the target's domain where it has some. Throws SshError. */
function logIn(kernel: Kernel, { target, host, port, answer, signal }: SshLogin): Promise<SshConnection> {
  const scope = hostKeyScope(target)
  return throughGateways(
    kernel,
    target.gateways,
    { ...(target.switchFrom ?? target.credentials), host, port, scope, ...(answer ? { answer } : {}) },
    { timeoutMs: CONNECT_TIMEOUT_MS, keepaliveMs: KEEPALIVE_MS, signal },
  )
}

interface Shared {
  connection: SshConnection
  channels: number
  idle: NodeJS.Timeout | undefined
}

/**
 * The machines that one person is logged in to over one connection of theirs: further channels to
 * the same machine, as the same account and with the same secret, cost no further login. Who may
 * open a channel is asked before, each time; whatever ends a session ends its channel alone.
 */
export class MachineConnections {
  readonly #kernel: Kernel
  readonly #shared = new Map<string, Set<Shared>>()
  readonly #connecting = new Map<string, Promise<unknown>>()
  #isClosed = false

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  /**
   * Opens a channel. The connection that `open` gets is its own to close, which leaves it to others.
   * Throws what `open` throws, and SshError.
   */
  async channel<T>(login: SshLogin, open: (connection: SshConnection) => Promise<T>): Promise<T> {
    const key = keyOf(login)
    // A login that is under way is waited for; should it fail, everybody tries for themselves.
    while (!this.#free(key) && this.#connecting.has(key)) {
      await aborted(login.signal, this.#connecting.get(key))
      login.signal.throwIfAborted()
    }
    const known = this.#free(key)
    if (known) {
      try {
        return await this.#open(key, known, open)
      } catch {
        login.signal.throwIfAborted()
        // It takes no more channels, or is dead: no reason to refuse anybody.
      }
    }
    return this.#open(key, await this.#connect(key, login), open)
  }

  /** Each goes with its last channel. */
  close(): void {
    this.#isClosed = true
    for (const all of this.#shared.values())
      for (const { channels, connection } of all) if (!channels) connection.close()
  }

  #free(key: string): Shared | undefined {
    return [...(this.#shared.get(key) ?? [])].find(({ channels }) => channels < MAX_CHANNELS)
  }

  async #connect(key: string, login: SshLogin): Promise<Shared> {
    const connecting = awaitedLater(logIn(this.#kernel, login))
    this.#connecting.set(key, connecting)
    try {
      const connection = await connecting
      const shared: Shared = { connection, channels: 0, idle: undefined }
      const all = this.#shared.get(key) ?? new Set()
      this.#shared.set(key, all.add(shared))
      connection.client.setMaxListeners(0).once('close', () => this.#forget(key, shared))
      return shared
    } finally {
      if (this.#connecting.get(key) === connecting) this.#connecting.delete(key)
    }
  }

  async #open<T>(key: string, shared: Shared, open: (connection: SshConnection) => Promise<T>): Promise<T> {
    clearTimeout(shared.idle)
    shared.channels += 1
    let isLeft = false
    const leave = () => {
      if (isLeft) return
      isLeft = true
      shared.channels -= 1
      if (!shared.channels) this.#rest(key, shared)
    }
    try {
      return await open({ client: shared.connection.client, close: leave })
    } catch (error) {
      leave()
      throw error
    }
  }

  #rest(key: string, shared: Shared): void {
    if (this.#isClosed) {
      shared.connection.close()
      return
    }
    shared.idle = setTimeout(() => {
      this.#forget(key, shared)
      shared.connection.close()
    }, IDLE_MS)
    shared.idle.unref()
  }

  #forget(key: string, shared: Shared): void {
    clearTimeout(shared.idle)
    const all = this.#shared.get(key)
    all?.delete(shared)
    if (all?.size === 0) this.#shared.delete(key)
  }
}

/** Another address, account, secret or way there is another connection. */
function keyOf({ target, host, port }: SshLogin): string {
  const { credentials, switchFrom, gateways, systemUser } = target
  const parts = [target.target, systemUser.id, host, port, credentials, switchFrom, gateways]
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64')
}

/** Settles with the work, however it ends, or when the signal says so. */
function aborted(signal: AbortSignal, work: Promise<unknown> | undefined): Promise<void> {
  const over = Promise.resolve(work).catch(() => {})
  return new Promise((resolve) => {
    const done = () => {
      signal.removeEventListener('abort', done)
      resolve()
    }
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', done)
    inBackground(over.then(done))
  })
}
