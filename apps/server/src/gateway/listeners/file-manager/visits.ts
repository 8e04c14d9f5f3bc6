import { lapsedSignIns, type SignIn } from '../../../domains/authentication/index.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { FileConnections } from '../../files/file-connections.ts'
import { GrantedTree } from '../../files/granted-tree.ts'
import type { Person } from '../../types.ts'
import { HeldUploads } from './held-uploads.ts'

/** Signed-out people are noticed this often: their transfers end within 5 seconds. */
const CHECK_MS = 2000
const IDLE_MS = 10 * 60_000
/** Browsers that have files open on one node. */
const MAX_VISITS = 1000

interface Visit extends SignIn {
  tree: GrantedTree
  connections: FileConnections
  uploads: HeldUploads
  /** Requests that are under way. */
  underWay: number
  lastUsed: number
}

/** The machines behind each browser: kept from one request to the next, closed when the browser is idle or signed out. */
export class FileVisits {
  readonly #kernel: Kernel
  readonly #visits = new Map<string, Visit>()
  readonly #timer: NodeJS.Timeout
  #checking = false

  constructor(kernel: Kernel) {
    this.#kernel = kernel
    this.#timer = setInterval(() => void this.check(), CHECK_MS)
  }

  /** What this browser finds at `/`. `done` must be called once the request is over. Undefined when there are too many browsers. */
  enter(signIn: SignIn, person: Person): { tree: GrantedTree; uploads: HeldUploads; done(): void } | undefined {
    const key = [signIn.source, signIn.key.toString('hex'), person.language, person.remoteAddress].join(' ')
    const visit = this.#visits.get(key) ?? this.#open(key, signIn, person)
    if (!visit) return undefined
    visit.underWay += 1
    let isDone = false
    const done = () => {
      if (isDone) return
      isDone = true
      visit.underWay -= 1
      visit.lastUsed = Date.now()
    }
    return { tree: visit.tree, uploads: visit.uploads, done }
  }

  #open(key: string, signIn: SignIn, person: Person): Visit | undefined {
    if (this.#visits.size >= MAX_VISITS) return undefined
    // Lists leave hidden names out unless they are asked for.
    const connections = new FileConnections(this.#kernel, { person, view: 'folder', showHidden: true })
    const tree = new GrantedTree(this.#kernel, person, connections)
    const visit: Visit = { ...signIn, tree, connections, uploads: new HeldUploads(), underWay: 0, lastUsed: Date.now() }
    this.#visits.set(key, visit)
    return visit
  }

  /** Closes what belongs to nobody any more. Runs by itself. */
  async check(): Promise<void> {
    if (this.#checking || !this.#visits.size) return
    this.#checking = true
    try {
      const lapsed = new Set(await lapsedSignIns(this.#kernel, [...this.#visits.values()]))
      for (const [key, visit] of this.#visits) {
        const isIdle = !visit.underWay && Date.now() - visit.lastUsed > IDLE_MS
        if (!isIdle && !lapsed.has(visit)) continue
        this.#visits.delete(key)
        void visit.connections.close()
      }
    } catch (error) {
      this.#kernel.app.log.warn({ err: error }, 'sign-ins of file managers could not be checked')
    } finally {
      this.#checking = false
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    const all = [...this.#visits.values()]
    this.#visits.clear()
    await Promise.all(all.map(({ connections }) => connections.close()))
  }
}
