import { COMMAND_RULES_CHANGED, type CommandSituation, commandRulesOf } from '../../domains/command-filters/index.ts'
import { inBackground } from '../../kernel/background.ts'
import { RECONNECTED } from '../../kernel/events/events.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { RuleSet } from './rule-set.ts'

/** How long is waited until rules that could not be read are asked for again. */
const RETRY_MS = 1000

/** The rules of a situation, as far as they are known. */
interface Entry {
  situation: CommandSituation
  /** How many guards hold it. */
  holders: number
  known: RuleSet | undefined
  /** Told as soon as rules are known. */
  waiting: ((known: RuleSet) => void)[]
  /** Told when they have been read by a query that begins from now on. */
  refreshing: (() => void)[]
}

/** A place in the shared memory, held until it is released. */
export interface HeldRules {
  /** Undefined until they were read once. */
  readonly known: RuleSet | undefined
  /** Settles as soon as they are known, perhaps never. */
  whenKnown(): Promise<RuleSet>
  /** Settles when they have been read again, perhaps never. */
  refresh(): Promise<void>
  release(): void
}

/**
 * The rules of all situations in which there are sessions on this node, shared by sessions in the
 * same situation. They are read again, all at once, whenever one of them may have changed. Commands
 * cause no query.
 */
export class SessionRules {
  readonly #kernel: Kernel
  readonly #entries = new Map<string, Entry>()
  /** To be read with the next query. */
  readonly #due = new Set<Entry>()
  #isReading = false

  constructor(kernel: Kernel) {
    this.#kernel = kernel
    for (const news of [COMMAND_RULES_CHANGED, RECONNECTED])
      kernel.events.subscribe(news, () => {
        for (const entry of this.#entries.values()) this.#due.add(entry)
        inBackground(this.#read())
      })
  }

  hold(situation: CommandSituation): HeldRules {
    const { userId, systemUserId, target } = situation
    const key = [userId, systemUserId, target?.family, target?.id].join(' ')
    const entry = this.#entries.get(key) ?? { situation, holders: 0, known: undefined, waiting: [], refreshing: [] }
    entry.holders++
    if (!this.#entries.has(key)) {
      this.#entries.set(key, entry)
      this.#due.add(entry)
      inBackground(this.#read())
    }
    return {
      get known() {
        return entry.known
      },
      whenKnown: () =>
        entry.known ? Promise.resolve(entry.known) : new Promise((known) => void entry.waiting.push(known)),
      refresh: () =>
        new Promise((read) => {
          entry.refreshing.push(read)
          this.#due.add(entry)
          inBackground(this.#read())
        }),
      release: () => {
        if (--entry.holders > 0) return
        this.#entries.delete(key)
        this.#due.delete(entry)
      },
    }
  }

  /** One query at a time: an older answer must not take the place of a newer one. */
  async #read(): Promise<void> {
    if (this.#isReading) return
    this.#isReading = true
    while (this.#due.size) {
      const entries = [...this.#due]
      this.#due.clear()
      const refreshed = entries.map(({ refreshing }) => refreshing.splice(0))
      try {
        const answers = await commandRulesOf(
          this.#kernel.db,
          entries.map(({ situation }) => situation),
        )
        for (const [at, entry] of entries.entries()) {
          entry.known = new RuleSet(answers[at] ?? [])
          for (const tell of entry.waiting.splice(0)) tell(entry.known)
          for (const tell of refreshed[at] ?? []) tell()
        }
      } catch (error) {
        // The known rules stay in force: nobody can change rules while the database is away.
        this.#kernel.app.log.error({ err: error }, 'command rules could not be read')
        for (const [at, entry] of entries.entries()) {
          entry.refreshing.unshift(...(refreshed[at] ?? []))
          if (entry.holders) this.#due.add(entry)
        }
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref())
      }
    }
    this.#isReading = false
  }
}
