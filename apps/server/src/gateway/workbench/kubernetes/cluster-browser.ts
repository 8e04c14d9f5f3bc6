import type { ClusterQuestion } from '@sallyport/contract/socket/cluster.ts'
import { AS_TABLE, cellText, type WireTable } from '../../connectors/kubernetes/prompt/object-table.ts'
import type { RequestSession } from '../../kinds/requests/request-session.ts'
import type { RequestOutcome } from '../../kinds/requests/streams.ts'
import { readRequest } from '../../protocols/kubernetes/read-request.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import { KINDS, pathOf } from './kinds.ts'
import { type ShownEvent, shownEvents, type WireEvent } from './shown-events.ts'
import { type ShownObject, shownObject, type WireObject } from './shown-object.ts'

export type ClusterAnswer =
  | { names: string[]; isCut: boolean }
  | ObjectPage
  | ShownObject
  /** `isCut`: there are more than are shown. */
  | { events: ShownEvent[]; isCut: boolean }

/** Some rows of a kind. */
export interface ObjectPage {
  /** `isWide`: only shown where there is room. */
  columns: { name: string; isWide: boolean }[]
  rows: { name: string; namespace: string; cells: string[] }[]
  /** Empty behind the last. */
  next: string
  /** How many follow, where the cluster says so. */
  remaining: number | undefined
  /** The cluster's word for the moment of it, from which on it tells what changes; empty where it has none. */
  since: string
}

/** Limit of one question, in milliseconds. */
const ASK_MS = 30_000
/** Rows of one question, so that nobody else waits while they are read; of all namespaces each brings more along. */
const PAGE = 500
const PAGE_EVERYWHERE = 200
const NAMESPACES_MAX = 2000
/** Pages of them: a cluster may say of each that there is another one. */
const PAGES_MAX = 40
const EVENTS_MAX = 200
/** A page that asks more is not heard. */
const WAITING_MAX = 20
const NAMES_ALONE = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json'

interface WireList<Item> {
  items?: Item[]
  metadata?: { continue?: unknown }
}

/** Looks at the objects of a cluster. Each request is judged and recorded as what any client sends. */
export class ClusterBrowser {
  readonly #live: RequestSession
  #waiting = 0

  constructor(live: RequestSession) {
    this.#live = live
  }

  /**
   * Undefined where too much is asked. `dropped` is aborted when nobody waits any more. Throws what
   * a request throws.
   */
  ask(question: ClusterQuestion, dropped: AbortSignal): Promise<ClusterAnswer> | undefined {
    if (this.#waiting >= WAITING_MAX) return undefined
    this.#waiting++
    return this.#answer(question, dropped).finally(() => void this.#waiting--)
  }

  #answer(question: ClusterQuestion, dropped: AbortSignal): Promise<ClusterAnswer> {
    switch (question.about) {
      case 'namespaces':
        return this.#namespaces(dropped)
      case 'list':
        return this.#page(question, dropped)
      case 'object':
        return this.#object(question, dropped)
      case 'events':
        return this.#events(question, dropped)
      default:
        return question satisfies never
    }
  }

  async #namespaces(dropped: AbortSignal): Promise<ClusterAnswer> {
    const names: string[] = []
    let next = ''
    for (let page = 0; page < PAGES_MAX && names.length < NAMESPACES_MAX; page++) {
      const query = new URLSearchParams({ limit: String(PAGE), ...(next ? { continue: next } : {}) })
      const list: WireList<WireObject> = await this.#get(`/api/v1/namespaces?${query}`, dropped, NAMES_ALONE)
      names.push(...listOf(list.items).map(({ metadata }) => String(metadata?.name ?? '')))
      next = nextOf(list.metadata)
      if (!next) break
    }
    return { names, isCut: next !== '' }
  }

  async #page(
    { kind, namespace, selector, next }: Extract<ClusterQuestion, { about: 'list' }>,
    dropped: AbortSignal,
  ): Promise<ObjectPage> {
    const isOfOne = namespace !== '' || !KINDS[kind].isNamespaced
    const query = new URLSearchParams({
      limit: String(isOfOne ? PAGE : PAGE_EVERYWHERE),
      ...(selector ? { labelSelector: selector } : {}),
      ...(next ? { continue: next } : {}),
      // The rest of an object is only wanted for its namespace.
      ...(isOfOne ? { includeObject: 'None' } : {}),
    })
    const table: WireTable = await this.#get(`${pathOf(kind, namespace)}?${query}`, dropped, AS_TABLE)
    const columns = listOf(table.columnDefinitions)
    const named = columns.findIndex(({ name, format }) => format === 'name' || name === 'Name')
    return {
      columns: columns.map(({ name, priority = 0 }) => ({ name: String(name ?? ''), isWide: priority > 0 })),
      rows: listOf(table.rows).map(({ cells = [], object }) => ({
        name: String(object?.metadata?.name ?? cells[named] ?? ''),
        namespace: isOfOne ? namespace : String(object?.metadata?.namespace ?? ''),
        cells: listOf(cells).map(cellText),
      })),
      next: nextOf(table.metadata),
      remaining: amountOf(table.metadata?.remainingItemCount),
      since: momentOf(table.metadata?.resourceVersion),
    }
  }

  async #object({ kind, namespace, name }: OfOne, dropped: AbortSignal): Promise<ShownObject> {
    return shownObject(await this.#get(`${pathOf(kind, namespace)}/${name}`, dropped), KINDS[kind])
  }

  async #events({ kind, namespace, name }: OfOne, dropped: AbortSignal): Promise<ClusterAnswer> {
    const query = new URLSearchParams({
      fieldSelector: `involvedObject.kind=${KINDS[kind].kind},involvedObject.name=${name}`,
      limit: String(EVENTS_MAX),
    })
    const list: WireList<WireEvent> = await this.#get(`${pathOf('events', namespace)}?${query}`, dropped)
    return { events: shownEvents(listOf(list.items)), isCut: nextOf(list.metadata) !== '' }
  }

  async #get<Answer>(url: string, dropped: AbortSignal, accept?: string): Promise<Answer> {
    const wanted = readRequest('GET', url)
    const running = await this.#live.begin(wanted, dropped)
    const query = wanted.query.toString()
    try {
      const answer = await this.#live.target.ask(`${wanted.path}${query && `?${query}`}`, {
        ...(accept ? { accept } : {}),
        signal: AbortSignal.any([dropped, running.signal, AbortSignal.timeout(ASK_MS)]),
      })
      running.end({ status: 200 })
      return (answer ?? {}) as Answer
    } catch (error) {
      running.end(outcomeOf(error))
      throw error
    }
  }
}

/** A server may answer anything. */
const listOf = <Item>(items: readonly Item[] | undefined): readonly Item[] => (Array.isArray(items) ? items : [])
const nextOf = (metadata: { continue?: unknown } | undefined): string =>
  typeof metadata?.continue === 'string' ? metadata.continue : ''
/** A version of objects, in which clusters count moments; empty for anything else. */
export const momentOf = (version: unknown): string =>
  typeof version === 'string' && /^\d{1,32}$/.test(version) ? version : ''
const amountOf = (amount: unknown): number | undefined =>
  typeof amount === 'number' && Number.isSafeInteger(amount) ? amount : undefined

type OfOne = Extract<ClusterQuestion, { about: 'object' | 'events' }>

/** Outcome of a request that has failed. */
export function outcomeOf(error: unknown): RequestOutcome {
  if (!(error instanceof SessionRefusal)) return { status: undefined, error: (error as Error).message }
  const { status, message } = error.values
  return status === undefined
    ? { status: undefined, error: error.message }
    : { status: Number(status), error: String(message ?? '') }
}
