import { type PreparedStep, type Statement, withRow } from '../../kinds/statements/streams.ts'

/** Texts that are kept of prepared statements, and of portals; those prepared, or bound, longest ago go first. */
const MAX_BYTES = 8 * 1024 * 1024
const MAX_NAMES = 10_000
/**
 * Limit of the texts that one name may have until the server has reported which counts; more are
 * not told apart.
 */
const MAX_OF_NAME = 16
/**
 * Time within which a statement that was judged when it was prepared may run once, in milliseconds.
 */
const FRESH_MS = 30_000
/** Length of a name that the server looks at, in bytes (`NAMEDATALEN`). */
const NAME_BYTES = 63

/** A statement that the client has had prepared, or is having prepared. */
export interface Prepared {
  name: string
  text: string
  others: readonly string[] | undefined
  isCut: boolean
  /** When the server had it, in milliseconds; undefined before. */
  since: number | undefined
  /** As it was prepared, until it is run or its batch ends: what runs has its row. */
  fresh: Statement | undefined
  isRun: boolean
}

interface Portal {
  prepared: readonly Prepared[]
  /** The statement that runs in it. */
  statement: Statement | undefined
}

/** The statement of an Execute, as far as it can be known here. */
export interface Execution {
  text: string
  others?: readonly string[] | undefined
  isCut: boolean
  /** It was known, and is not any more. */
  isForgotten?: boolean
  step: PreparedStep | undefined
}

/**
 * The texts behind the names in messages: a client prepares a statement, binds it to a portal and
 * executes that, each in a message of its own. A name that is reused has both texts until the
 * server has reported which counts.
 */
export class PreparedStatements {
  readonly #byName = new Map<string, Prepared[]>()
  readonly #portals = new Map<string, Portal>()
  readonly #now: () => number
  /** Prepared in the batch that is being read. */
  readonly #ofBatch = new Set<Prepared>()
  #bytes = 0
  #bytesOfPortals = 0
  /** Not all that was prepared is known any more. */
  #hasForgotten = false

  /** `now`: milliseconds of a clock that nobody sets. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** `fresh`: the statement that prepares it. */
  prepare(nameBytes: Buffer, fresh: Statement, isCut: boolean): Prepared {
    const name = nameOf(nameBytes)
    const { text, others } = fresh
    const prepared: Prepared = { name, text, others, isCut, since: undefined, fresh, isRun: false }
    const all = [...(this.#byName.get(name) ?? []), prepared]
    if (all.length > MAX_OF_NAME) all.splice(0, 2, unknown(name))
    this.#forget(name)
    this.#byName.set(name, all)
    this.#ofBatch.add(prepared)
    this.#bytes += bytesOf(all)
    while (this.#bytes > MAX_BYTES || this.#byName.size > MAX_NAMES) {
      const oldest = this.#byName.keys().next().value
      if (oldest === undefined || oldest === name) break
      this.#forget(oldest)
      this.#hasForgotten = true
    }
    return prepared
  }

  /** The server has it: what had the name before is gone. */
  isPrepared(prepared: Prepared): void {
    prepared.since = this.#now()
    const { name } = prepared
    const at = this.#byName.get(name)?.indexOf(prepared) ?? -1
    if (at >= 0) this.#keep(name, (_, other) => other >= at)
  }

  /** The server does not have it: its name has its former text again. */
  isNotPrepared(prepared: Prepared): void {
    this.#keep(prepared.name, (one) => one !== prepared)
  }

  /** The last statement prepared by the name. */
  last(nameBytes: Buffer): Prepared | undefined {
    return this.#byName.get(nameOf(nameBytes))?.at(-1)
  }

  /** The statement bound to the portal. */
  boundTo(portal: Buffer): Prepared | undefined {
    return this.#portals.get(nameOf(portal))?.prepared.at(-1)
  }

  /** The server has closed it, and what had the name before; what was prepared since is not concerned. */
  isClosed(closed: Prepared): void {
    const at = this.#byName.get(closed.name)?.indexOf(closed) ?? -1
    if (at >= 0) this.#keep(closed.name, (_, other) => other > at)
  }

  bind(portal: Buffer, nameBytes: Buffer): void {
    const name = nameOf(portal)
    this.#leave(name)
    const all = this.#byName.get(nameOf(nameBytes)) ?? []
    const last = all.at(-1)
    // See `endBatch`.
    const prepared = last && this.#ofBatch.has(last) ? [last] : all
    this.#portals.set(name, { prepared, statement: undefined })
    this.#bytesOfPortals += bytesOf(prepared)
    while (this.#bytesOfPortals > MAX_BYTES || this.#portals.size > MAX_NAMES) {
      const oldest = this.#portals.keys().next().value
      if (oldest === undefined || oldest === name) break
      this.#leave(oldest)
      this.#hasForgotten = true
    }
  }

  /** The statement of the portal. `runs` must get the one that comes of it. */
  execution(portal: Buffer): Execution {
    const { prepared = [], statement } = this.#portals.get(nameOf(portal)) ?? {}
    const [last] = prepared.slice(-1)
    if (!last) {
      const isForgotten = this.#hasForgotten
      return { text: `portal ${portal}`, isCut: true, isForgotten, step: statement && { is: 'part', of: statement } }
    }
    const isFresh = last.since !== undefined && this.#now() - last.since < FRESH_MS
    const isJudged = prepared.length === 1 && isFresh && !last.isRun
    const rowed = statement ?? last.fresh
    return {
      text: prepared.map(({ text }) => text).join(';\n'),
      others: prepared.flatMap(({ others = [] }) => others),
      isCut: prepared.some(({ isCut }) => isCut),
      step: rowed ? { is: 'part', of: rowed } : isJudged ? { is: 'judgedRun' } : undefined,
    }
  }

  runs(portalName: Buffer, statement: Statement): void {
    const portal = this.#portals.get(nameOf(portalName))
    if (!portal) return
    portal.statement = withRow(statement)
    for (const one of portal.prepared) {
      one.isRun = true
      one.fresh = undefined
    }
  }

  /**
   * The client has ended its batch. Within it, a run statement is the prepared one, since the
   * server leaves out whatever follows an error; from here on a name may have another text.
   */
  endBatch(): void {
    for (const prepared of this.#ofBatch) prepared.fresh = undefined
    this.#ofBatch.clear()
  }

  #keep(name: string, isKept: (one: Prepared, at: number) => boolean): void {
    const all = this.#byName.get(name)
    if (!all) return
    const rest = all.filter(isKept)
    this.#bytes += bytesOf(rest) - bytesOf(all)
    if (rest.length) this.#byName.set(name, rest)
    else this.#byName.delete(name)
  }

  #forget(name: string): void {
    this.#bytes -= bytesOf(this.#byName.get(name) ?? [])
    this.#byName.delete(name)
  }

  #leave(portal: string): void {
    this.#bytesOfPortals -= bytesOf(this.#portals.get(portal)?.prepared ?? [])
    this.#portals.delete(portal)
  }
}

/** One for all that are not told apart any more. */
const unknown = (name: string): Prepared => ({
  ...{ name, text: `statement ${name}`, others: undefined, isCut: true, since: undefined, fresh: undefined },
  isRun: true,
})

const bytesOf = (prepared: readonly Prepared[]): number => prepared.reduce((sum, { text }) => sum + text.length, 0)

/** As the server reads it. */
export const nameOf = (bytes: Buffer): string => bytes.toString('latin1', 0, NAME_BYTES)
