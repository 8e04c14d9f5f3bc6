import { lapsedSignIns } from '../../../domains/authentication/index.ts'
import type { SignIn } from '../../../kernel/access/sign-in.ts'
import { inBackground } from '../../../kernel/background.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { FileConnections } from '../../files/file-connections.ts'
import { GrantedTree } from '../../files/granted-tree.ts'
import type { Person } from '../../session/person.ts'
import { PendingUploads } from './pending-uploads.ts'

/** How often sign-ins are checked: transfers of people who sign out end within 5 seconds. */
const CHECK_MS = 2000
const IDLE_MS = 10 * 60_000
/** Browsers with open files on one node. */
const MAX_BROWSERS = 1000

interface OpenBrowser extends SignIn {
  tree: GrantedTree
  connections: FileConnections
  uploads: PendingUploads
  /** Requests in progress. */
  underWay: number
  lastUsed: number
}

/**
 * The connections to machines for each browser: kept from one request to the next, closed when the
 * browser is idle or signed out.
 */
export class BrowserFiles {
  readonly #kernel: Kernel
  readonly #browsers = new Map<string, OpenBrowser>()
  readonly #timer: NodeJS.Timeout
  #checking = false

  constructor(kernel: Kernel) {
    this.#kernel = kernel
    this.#timer = setInterval(() => inBackground(this.check()), CHECK_MS)
  }

  /**
   * Files of this browser at `/`. `done` must be called at the end of the request. Undefined when
   * there are too many browsers.
   */
  enter(signIn: SignIn, person: Person): { tree: GrantedTree; uploads: PendingUploads; done(): void } | undefined {
    const key = [signIn.source, signIn.key.toString('hex'), person.language, person.remoteAddress].join(' ')
    const browser = this.#browsers.get(key) ?? this.#open(key, signIn, person)
    if (!browser) return undefined
    browser.underWay += 1
    let isDone = false
    const done = () => {
      if (isDone) return
      isDone = true
      browser.underWay -= 1
      browser.lastUsed = Date.now()
    }
    return { tree: browser.tree, uploads: browser.uploads, done }
  }

  #open(key: string, signIn: SignIn, person: Person): OpenBrowser | undefined {
    if (this.#browsers.size >= MAX_BROWSERS) return undefined
    // The lists themselves leave hidden names out, unless they are asked for.
    const connections = new FileConnections(this.#kernel, { person, view: 'folder', showHidden: true })
    const tree = new GrantedTree(this.#kernel, person, connections)
    const browser: OpenBrowser = {
      ...signIn,
      tree,
      connections,
      uploads: new PendingUploads(),
      underWay: 0,
      lastUsed: Date.now(),
    }
    this.#browsers.set(key, browser)
    return browser
  }

  /** Closes connections of browsers that are idle or signed out. Called by the timer. */
  async check(): Promise<void> {
    if (this.#checking || !this.#browsers.size) return
    this.#checking = true
    try {
      const lapsed = new Set(await lapsedSignIns(this.#kernel, [...this.#browsers.values()]))
      for (const [key, browser] of this.#browsers) {
        const isIdle = !browser.underWay && Date.now() - browser.lastUsed > IDLE_MS
        if (!isIdle && !lapsed.has(browser)) continue
        this.#browsers.delete(key)
        inBackground(browser.connections.close())
      }
    } catch (error) {
      this.#kernel.app.log.warn({ err: error }, 'sign-ins of file managers could not be checked')
    } finally {
      this.#checking = false
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    const all = [...this.#browsers.values()]
    this.#browsers.clear()
    await Promise.all(all.map(({ connections }) => connections.close()))
  }
}
