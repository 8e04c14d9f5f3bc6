/**
 * A server that answers as Elasticsearch and OpenSearch do, in the shapes of their documentation
 * and as strict as they are: none can be installed from a package registry, so it replaces them in
 * tests. It knows the calls that commands need, evaluates their queries on what was written, and
 * refuses what the version it plays would refuse.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { freePort } from '../../../../../test/free-port.ts'
import { matches } from './query-fixture.ts'

type Body = Record<string, unknown>
export interface IndexOfFixture {
  mappings: Body
  documents: Map<string, Body>
  /** Type of its documents, the same for all; none since 7. */
  type?: string | undefined
}

export interface Elasticsearch {
  url: string
  indices: Map<string, IndexOfFixture>
  templates: Map<string, Body>
  /** What it is asked for, in order: method and path. */
  calls: string[]
  /** Answers instead of its own, while they answer something. */
  answer: ((method: string, path: string) => { status: number; body: string } | undefined) | undefined
  /** Ids that it refuses to index, and with which status. */
  refuses: Map<string, number>
  /**
   * Indices without a primary shard, which make a cluster red: what is written to them is refused item by item once the
   * call's `timeout` is over (a minute without), and a search over them and others is answered by the others.
   */
  red: Set<string>
  /** So many calls end with their connection, as over a kept one that was closed meanwhile. */
  breaks: number
  start(): Promise<void>
  stop(): Promise<void>
}

export interface FixtureOptions {
  version?: string
  distribution?: string
  login?: { username: string; password: string }
}

const WINDOW = 10_000

export async function startElasticsearch({
  version = '8.15.0',
  distribution,
  login,
}: FixtureOptions = {}): Promise<Elasticsearch> {
  const port = await freePort()
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isNew = (since: number, of: number) =>
    distribution !== undefined || major > since || (major === since && minor >= of)
  let server: Server | undefined
  const fixture: Elasticsearch = {
    url: `http://127.0.0.1:${port}`,
    indices: new Map(),
    templates: new Map(),
    calls: [],
    answer: undefined,
    refuses: new Map(),
    red: new Set(),
    breaks: 0,
    async start() {
      if (server) return
      server = createServer((request, response) => void serve(request, response))
      await new Promise<void>((resolve) => server?.listen(port, '127.0.0.1', resolve))
    },
    async stop() {
      const running = server
      if (!running) return
      server = undefined
      const closed = new Promise((resolve) => running.close(resolve))
      running.closeAllConnections()
      await closed
    },
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', socket } = request
    if (fixture.breaks > 0) {
      fixture.breaks--
      return void socket.destroy()
    }
    fixture.calls.push(`${method} ${decodeURIComponent(url)}`)
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const own = fixture.answer?.(method, url)
    const send = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json', 'X-elastic-product': 'Elasticsearch' })
      response.end(method === 'HEAD' ? undefined : typeof body === 'string' ? body : JSON.stringify(body))
    }
    if (own) return send(own.status, own.body)
    if (login && request.headers.authorization !== basic(login)) return send(401, fault(401, 'security_exception'))
    try {
      const { status = 200, body } = handle(method, decodeURIComponent(url), Buffer.concat(parts).toString())
      send(status, body)
    } catch (error) {
      const { status = 400, type = 'parsing_exception', message } = error as { status?: number; type?: string } & Error
      send(status, fault(status, type, message))
    }
  }

  function handle(method: string, url: string, text: string): { status?: number; body: unknown } {
    const { pathname, searchParams } = new URL(url, fixture.url)
    const [, first = '', second = '', third = ''] = pathname.split('/')
    const json = () => JSON.parse(text) as Body
    if (pathname === '/') return { body: greeting(version, distribution) }
    if (first === '_bulk') return { body: filtered(bulk(text, searchParams.get('timeout') ?? '1m'), searchParams) }
    if (first === '_index_template' || first === '_template') {
      if (first === '_index_template' && !isNew(7, 8)) throw refusal(400, 'illegal_argument_exception', 'no handler')
      fixture.templates.set(second, json())
      return { body: { acknowledged: true } }
    }
    if (second === '_search' || second === '_count') {
      const _shards = shardsOf(first)
      if (_shards.failed && !_shards.successful)
        throw refusal(503, 'search_phase_execution_exception', 'all shards failed')
      if (second === '_search') return { body: { ...search(first, json()), _shards } }
      return { body: { count: found(first, json().query).length, _shards } }
    }
    if (second === '_mapping') {
      if (isNew(7, 0) === Boolean(third)) throw refusal(400, 'illegal_argument_exception', 'Types cannot be provided')
      const index = fixture.indices.get(first)
      if (!index) throw refusal(404, 'index_not_found_exception')
      Object.assign(index.mappings, json().properties)
      return { body: { acknowledged: true } }
    }
    if (method === 'HEAD') return { status: fixture.indices.has(first) ? 200 : 404, body: '' }
    if (method === 'PUT' && !second) {
      if (fixture.indices.has(first)) throw refusal(400, 'resource_already_exists_exception')
      makeIndex(first, json().mappings as Body)
      return { body: { acknowledged: true, shards_acknowledged: true, index: first } }
    }
    throw refusal(405, 'illegal_argument_exception', 'no handler found')
  }

  /** Before 7 the fields are under the type of the documents. */
  function makeIndex(name: string, mappings: Body): IndexOfFixture {
    const isTyped = mappings.properties === undefined
    const type = isTyped ? Object.keys(mappings)[0] : undefined
    if (isTyped === isNew(7, 0)) throw refusal(400, 'mapper_parsing_exception', 'Root mapping definition')
    const properties = isTyped ? (Object.values(mappings)[0] as Body).properties : mappings.properties
    const index = { mappings: { ...(properties as Body) }, documents: new Map(), type }
    fixture.indices.set(name, index)
    return index
  }

  const named = (names: string) =>
    [...fixture.indices.keys()].filter((name) => names.split(',').some((pattern) => isLike(name, pattern)))

  function shardsOf(names: string) {
    const all = named(names)
    const failed = all.filter((name) => fixture.red.has(name)).length
    return { total: all.length, successful: all.length - failed, skipped: 0, failed }
  }

  function bulk(text: string, timeout: string): Body {
    if (!text.endsWith('\n')) throw refusal(400, 'illegal_argument_exception', 'must be terminated by a newline')
    const lines = text.trimEnd().split('\n')
    const items = []
    for (let n = 0; n < lines.length; n += 2) {
      const { index: action } = JSON.parse(lines[n] ?? '') as { index: { _index: string; _id: string; _type?: string } }
      if (isNew(8, 0) && action._type) throw refusal(400, 'illegal_argument_exception', 'unknown parameter [_type]')
      if (!isNew(7, 0) && !action._type)
        throw refusal(400, 'action_request_validation_exception', 'Validation Failed: 1: type is missing;')
      const refused = fixture.refuses.get(action._id)
      const { _index, _id } = action
      if (fixture.red.has(_index)) {
        const reason = `[${_index}][0] primary shard is not active Timeout: [${timeout}]`
        items.push({ index: { _index, _id, status: 503, error: { type: 'unavailable_shards_exception', reason } } })
        continue
      }
      if (refused) {
        const type = REFUSALS[refused] ?? 'mapper_parsing_exception'
        items.push({ index: { _index, _id, status: refused, error: { type, reason: 'refused' } } })
        continue
      }
      const index = fixture.indices.get(_index) ?? madeByTemplate(_index)
      if (index.type && action._type !== index.type) {
        const reason = `Rejecting mapping update to [${_index}] as the final mapping would have more than 1 type`
        items.push({ index: { _index, _id, status: 400, error: { type: 'illegal_argument_exception', reason } } })
        continue
      }
      const isThere = index.documents.has(_id)
      index.documents.set(_id, JSON.parse(lines[n + 1] ?? '') as Body)
      const [result, status] = isThere ? ['updated', 200] : ['created', 201]
      items.push({ index: { _index, _id, _version: 1, result, _shards: SHARDS, _seq_no: 0, _primary_term: 1, status } })
    }
    return { took: 1, errors: items.some(({ index }) => index.status >= 300), items }
  }

  function madeByTemplate(name: string): IndexOfFixture {
    for (const { index_patterns, template, mappings } of fixture.templates.values())
      if ((index_patterns as string[]).some((pattern) => isLike(name, pattern)))
        return makeIndex(name, ((template as Body | undefined)?.mappings ?? mappings) as Body)
    return makeIndex(name, isNew(7, 0) ? { properties: {} } : { command: { properties: {} } })
  }

  function found(names: string, query: unknown): { index: string; id: string; source: Body }[] {
    return names
      .split(',')
      .flatMap((pattern) =>
        [...fixture.indices]
          .filter(([name]) => isLike(name, pattern) && !fixture.red.has(name))
          .flatMap(([index, { mappings, documents }]) =>
            [...documents].flatMap(([id, source]) =>
              matches(query as Body, { id, source, mappings, ignoresCase: isNew(7, 10) })
                ? [{ index, id, source }]
                : [],
            ),
          ),
      )
  }

  function search(names: string, { query, from = 0, size = 10, sort = [], aggs }: Body): Body {
    if (Number(from) + Number(size) > WINDOW)
      throw refusal(400, 'search_phase_execution_exception', 'Result window is too large')
    const all = found(names, query)
    const order = (sort as Record<string, { order: string }>[]).flatMap((one) => Object.entries(one))
    all.sort((a, b) => {
      for (const [field, { order: way }] of order) {
        const [x, y] = [a.source[field] as string, b.source[field] as string]
        if (x !== y) return (x < y ? -1 : 1) * (way === 'asc' ? 1 : -1)
      }
      return 0
    })
    const total = Math.min(all.length, WINDOW)
    const relation = all.length > WINDOW ? 'gte' : 'eq'
    const hits = all.slice(Number(from), Number(from) + Number(size))
    return {
      took: 2,
      timed_out: false,
      _shards: SHARDS,
      hits: {
        total: isNew(7, 0) ? { value: total, relation } : total,
        max_score: null,
        hits: hits.map(({ index, id, source }) => ({ _index: index, _id: id, _score: null, _source: source })),
      },
      ...(aggs ? { aggregations: termsOf(aggs as Record<string, Body>, all) } : {}),
    }
  }

  await fixture.start()
  return fixture
}

function termsOf(aggs: Record<string, Body>, all: { source: Body }[]): Body {
  return Object.fromEntries(
    Object.entries(aggs).map(([name, { terms }]) => {
      const { field } = terms as { field: string }
      const groups = Map.groupBy(all, ({ source }) => source[field])
      return [name, { buckets: [...groups].map(([key, rows]) => ({ key, doc_count: rows.length })) }]
    }),
  )
}

/** Reasons of refused items; any other status is about the document. */
const REFUSALS: Readonly<Record<number, string>> = {
  403: 'cluster_block_exception',
  429: 'es_rejected_execution_exception',
}

const SHARDS = { total: 1, successful: 1, skipped: 0, failed: 0 }

const isLike = (name: string, pattern: string) =>
  new RegExp(`^${pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`).test(name)

const basic = ({ username, password }: { username: string; password: string }) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

/** Only what `filter_path` names, as far as tests need it: the first word of each path. */
function filtered(body: Body, query: URLSearchParams): Body {
  const wanted = query.get('filter_path')?.split(',')
  return wanted
    ? Object.fromEntries(Object.entries(body).filter(([key]) => wanted.some((path) => path.split('.')[0] === key)))
    : body
}

const fault = (status: number, type: string, reason = type) => ({
  error: { root_cause: [{ type, reason }], type, reason },
  status,
})

const refusal = (status: number, type: string, message = type) => Object.assign(new Error(message), { status, type })

const greeting = (number: string, distribution?: string) => ({
  name: 'node-1',
  cluster_name: 'docker-cluster',
  cluster_uuid: 'Qj3sVqTKQ6mVwd9A1n8O6A',
  version: {
    ...(distribution ? { distribution } : { build_flavor: 'default' }),
    number,
    build_type: 'docker',
    build_snapshot: false,
    lucene_version: '9.11.1',
  },
  tagline: distribution ? 'The OpenSearch Project: https://opensearch.org/' : 'You Know, for Search',
})
