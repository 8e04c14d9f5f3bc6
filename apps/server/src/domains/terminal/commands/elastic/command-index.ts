import { Cluster, ClusterError, type ClusterPlace } from './cluster.ts'
import { type CommandOutside, documentOf, PROPERTIES, rowOf } from './document.ts'
import { type CommandsWanted, queryOf } from './search.ts'

/**
 * Limit of a search of Elasticsearch (docs/rules/terminal.md#command); no cluster goes beyond by
 * itself.
 */
export const MAX_FOUND = 10_000
const MAX_BATCH_BYTES = 5 * 1024 * 1024
/** After a call without an answer, those that somebody waits for are not made for so long. */
const REST_MS = 15_000
/** While no copy of a shard can be written to, the cluster itself waits a minute: longer than we wait for it. */
const SHARD_WAIT = '10s'
const A_DAY = 86_400

export interface IndexPlace extends ClusterPlace {
  index: string
  byDate: boolean
  /** Type of documents, for clusters before 7. */
  type: string
}

/** What became of a batch, by id; what is in neither list is to be brought again. */
export interface Brought {
  stored: string[]
  /** Never taken, whatever is done: with what the cluster says of it. */
  refused: { id: string; reason: string }[]
}

interface Item {
  _id: string
  status: number
  error?: { type?: string }
}

/** By its nature (400, 409, 413): what is wrong with a command, and will be tomorrow. */
const OF_THE_DOCUMENT: ReadonlySet<number> = new Set([400, 409, 413])
/** Answered with 400 as well, but about the index or the cluster: closed, or no more shards allowed. */
const OF_THE_INDEX: ReadonlySet<unknown> = new Set(['index_closed_exception', 'validation_exception'])

/** Everything else passes: a red index, a full disk of the cluster (403 or 429), rights that were withdrawn. */
const isForGood = ({ status, error }: Item) => OF_THE_DOCUMENT.has(status) && !OF_THE_INDEX.has(error?.type)

/** Commands in a cluster: one index, or one for each day (UTC). */
export class CommandIndex {
  readonly #cluster: Cluster
  readonly #place: IndexPlace
  #restsUntil = 0

  constructor(place: IndexPlace) {
    this.#place = place
    this.#cluster = new Cluster(place)
  }

  close(): Promise<void> {
    return this.#cluster.close()
  }

  /** Whether a call that somebody waits for is worth a try. */
  get isResting(): boolean {
    return Date.now() < this.#restsUntil
  }

  /**
   * Makes the index, and what those of coming days are like, unless they are there. Answers the type
   * of its documents. Throws ClusterError.
   */
  async prepare(): Promise<string> {
    const { index, byDate, type } = this.#place
    const { hasTypes, hasIndexTemplates } = await this.#cluster.version()
    const mappings = hasTypes ? { [type]: { properties: PROPERTIES } } : { properties: PROPERTIES }
    if (byDate) {
      const index_patterns = [`${index}-*.*.*`]
      const name = encodeURIComponent(`sallyport-${index}`)
      if (hasIndexTemplates)
        await this.#cluster.ask('PUT', `/_index_template/${name}`, {
          index_patterns,
          priority: 200,
          template: { mappings },
        })
      else await this.#cluster.ask('PUT', `/_template/${name}`, { index_patterns, order: 200, mappings })
    } else {
      const there = await this.#cluster.ask('HEAD', `/${index}`, undefined, { also: [404] })
      // 400: another made it meanwhile.
      if (there.status === 404) await this.#cluster.ask('PUT', `/${index}`, { mappings }, { also: [400] })
      await this.#cluster.ask('PUT', `/${index}/_mapping${hasTypes ? `/${type}` : ''}`, { properties: PROPERTIES })
    }
    return hasTypes ? type : '_doc'
  }

  /** Whether it answers and lets itself be searched. Throws ClusterError. */
  async check(): Promise<string> {
    const { words } = await this.#cluster.version()
    await this.#cluster.ask('GET', '/')
    await this.count({})
    return words
  }

  /** Writes commands, each under its id, so that one that comes twice is there once. Throws ClusterError. */
  async bring(commands: readonly CommandOutside[]): Promise<Brought> {
    const { hasTypes } = await this.#cluster.version()
    const brought: Brought = { stored: [], refused: [] }
    const send = async (lines: string[]) => {
      const path = `/_bulk?timeout=${SHARD_WAIT}&filter_path=errors,items.*._id,items.*.status,items.*.error.type`
      const { body } = await this.#cluster.ask('POST', path, `${lines.join('\n')}\n`)
      if (!Array.isArray(body?.items)) throw new ClusterError('foreign', 'no list of what was written')
      for (const { index: item } of body.items as { index: Item }[]) {
        if (item.status < 300) brought.stored.push(item._id)
        else if (isForGood(item))
          brought.refused.push({ id: item._id, reason: `${item.status} ${item.error?.type ?? ''}`.trim() })
      }
    }
    let lines: string[] = []
    let bytes = 0
    for (const command of commands) {
      const action = {
        _index: this.#indexOf(command),
        _id: command.id,
        ...(hasTypes ? { _type: this.#place.type } : {}),
      }
      const both = `${JSON.stringify({ index: action })}\n${JSON.stringify(documentOf(command))}`
      if (lines.length && bytes + both.length > MAX_BATCH_BYTES) {
        await send(lines)
        lines = []
        bytes = 0
      }
      lines.push(both)
      bytes += both.length
    }
    if (lines.length) await send(lines)
    return brought
  }

  /** The first `limit` of those wanted from `offset` on, within the first 10,000. Throws ClusterError. */
  async find(
    wanted: CommandsWanted,
    { limit, offset, ascending }: { limit: number; offset: number; ascending: boolean },
  ): Promise<CommandOutside[]> {
    const size = Math.min(limit, MAX_FOUND - offset)
    if (size <= 0) return []
    const order = ascending ? 'asc' : 'desc'
    const hits = await this.#search({
      query: await this.#query(wanted),
      from: offset,
      size,
      sort: [{ timestamp: { order, unmapped_type: 'long' } }, { id: { order, unmapped_type: 'keyword' } }],
    })
    return (hits.hits as { _id: string; _source: Record<string, unknown> }[]).map(({ _id, _source }) =>
      rowOf(_id, _source),
    )
  }

  /** How many there are, beyond what a search reaches as well. Throws ClusterError. */
  async count(wanted: CommandsWanted): Promise<number> {
    const { body } = await this.#asked('_count', { query: await this.#query(wanted) })
    return Number(body?.count) || 0
  }

  /** How many commands, or those of a risk level, each of these sessions has; those with none are left out. Throws ClusterError. */
  async countBySession(sessions: readonly string[], riskLevel?: number): Promise<Map<string, number>> {
    const ofRisk = riskLevel === undefined ? [] : [{ term: { risk_level: riskLevel } }]
    const { body } = await this.#asked('_search', {
      size: 0,
      query: { bool: { filter: [{ terms: { session: sessions } }, ...ofRisk] } },
      aggs: { sessions: { terms: { field: 'session', size: sessions.length } } },
    })
    const buckets = (body?.aggregations?.sessions?.buckets ?? []) as { key: string; doc_count: number }[]
    return new Map(buckets.map(({ key, doc_count }) => [key, doc_count]))
  }

  async #query(wanted: CommandsWanted) {
    return queryOf(wanted, await this.#rested(() => this.#cluster.version()))
  }

  async #search(body: object): Promise<{ hits: unknown[] }> {
    const { body: answer } = await this.#asked('_search', body)
    if (!Array.isArray(answer?.hits?.hits)) throw new ClusterError('foreign', 'no list of what was found')
    return answer.hits
  }

  /** The index and those of its days; what is not there yet holds nothing. */
  #asked(what: string, body: object) {
    const { index } = this.#place
    const path = `/${index},${index}-*.*.*/${what}?ignore_unavailable=true&allow_no_indices=true`
    return this.#rested(() => this.#cluster.ask('POST', path, body))
  }

  async #rested<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof ClusterError && error.fault === 'away') this.#restsUntil = Date.now() + REST_MS
      throw error
    }
  }

  /** From when on commands have another index than those of that second. */
  indexEndsAt(timestamp: number): number {
    return this.#place.byDate ? (Math.floor(timestamp / A_DAY) + 1) * A_DAY : Number.POSITIVE_INFINITY
  }

  #indexOf({ timestamp }: CommandOutside): string {
    const { index, byDate } = this.#place
    return byDate ? `${index}-${new Date(timestamp * 1000).toISOString().slice(0, 10).replaceAll('-', '.')}` : index
  }
}
