import { awaitedLater, inBackground } from '../../kernel/background.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { MachineConnections } from '../machines/machine-connections.ts'
import type { Person } from '../session/person.ts'
import { SessionRefusal } from '../session/refusal.ts'
import type { AssetFiles, PathView } from './asset-files.ts'
import { openAssetFiles } from './open-asset-files.ts'

/** Machines that one person's connection may be connected to at a time. */
const MAX_MACHINES = 16
const IDLE_MS = 5 * 60_000
const CHECK_MS = 30_000

interface Connection {
  files: Promise<AssetFiles>
  /** Set once it is connected. */
  ready?: AssetFiles
}

export interface FileConnectionsOptions {
  person: Person
  view: PathView
  showHidden: boolean
  /** See FilesQuestion. */
  inBulk?: boolean
  /** Machines where the same connection of the person is logged in. */
  machines?: MachineConnections | undefined
}

/** All of this node, so that they can be closed in order. */
const everybodys = new WeakMap<Kernel, Set<FileConnections>>()

/** Ends all transfers of this node; settles when those it interrupted are logged. */
export async function closeFileConnections(kernel: Kernel): Promise<void> {
  await Promise.all([...(everybodys.get(kernel) ?? [])].map((one) => one.close()))
}

/**
 * The connections to machines on behalf of one person's connection: made when first needed, closed
 * when idle or with it, bounded in number.
 */
export class FileConnections {
  readonly #kernel: Kernel
  readonly #options: FileConnectionsOptions
  readonly #connections = new Map<string, Connection>()
  readonly #gone = new AbortController()
  readonly #check: NodeJS.Timeout

  constructor(kernel: Kernel, options: FileConnectionsOptions) {
    this.#kernel = kernel
    this.#options = options
    this.#check = setInterval(() => this.#closeIdle(), CHECK_MS)
    const all = everybodys.get(kernel) ?? new Set()
    everybodys.set(kernel, all.add(this))
  }

  /** Throws SessionRefusal. */
  async to(assetId: string, systemUserId: string): Promise<AssetFiles> {
    if (this.#gone.signal.aborted) throw new SessionRefusal('Cancelled')
    const key = `${assetId} ${systemUserId}`
    const known = this.#connections.get(key)
    if (known) return known.files
    this.#makeRoom()
    const files = awaitedLater(
      openAssetFiles(this.#kernel, { ...this.#options, assetId, systemUserId, signal: this.#gone.signal }),
    )
    const connection: Connection = { files }
    this.#connections.set(key, connection)
    const forget = () => {
      if (this.#connections.get(key) === connection) this.#connections.delete(key)
    }
    files.then((ready) => {
      connection.ready = ready
      inBackground(ready.closed.then(forget))
    }, forget)
    return files
  }

  /** Closes the one that has been idle longest. */
  #makeRoom(): void {
    if (this.#connections.size < MAX_MACHINES) return
    const [oldest] = [...this.#connections]
      .filter(([, { ready }]) => ready && !ready.openFiles)
      .sort(([, a], [, b]) => (a.ready?.lastUsed ?? 0) - (b.ready?.lastUsed ?? 0))
    if (!oldest) throw new SessionRefusal('Too many machines at the same time')
    this.#close(...oldest)
  }

  #closeIdle(): void {
    for (const [key, connection] of this.#connections) {
      const { ready } = connection
      if (ready && !ready.openFiles && Date.now() - ready.lastUsed > IDLE_MS) this.#close(key, connection)
    }
  }

  #close(key: string, { ready }: Connection): void {
    this.#connections.delete(key)
    inBackground(ready?.close())
  }

  /** Closes all; settles when interrupted transfers are logged. */
  async close(): Promise<void> {
    clearInterval(this.#check)
    this.#gone.abort(new SessionRefusal('Cancelled'))
    const all = [...this.#connections.values()]
    this.#connections.clear()
    await Promise.allSettled(all.map(async ({ files }) => (await files).close()))
    everybodys.get(this.#kernel)?.delete(this)
  }
}
