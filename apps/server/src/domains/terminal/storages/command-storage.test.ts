import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  admin,
  as,
  auditor,
  type DomainServer,
  OTHER_ORG_ID,
  openDomainServer,
  otherAdmin,
  superAdmin,
} from '../../../../test/domain-server.ts'
import { registerBuiltinTerminal } from '../builtin-terminal.ts'
import { bringCommandsOut } from '../commands/bring-out.ts'
import { destinationsOf } from '../commands/due.ts'
import {
  type Elasticsearch,
  type FixtureOptions,
  startElasticsearch,
} from '../commands/elastic/elasticsearch-fixture.ts'
import { appendCommands } from '../commands/index.ts'
import { createSession } from '../index.ts'

const STORAGES = '/api/v1/terminal/command-storages/'
const COMMANDS = '/api/v1/terminal/commands/'
const DEFAULT = '00000000-0000-0000-0000-000000000002'
const LOGIN = { username: 'writer', password: 'Cluster-word-1' }
const NOW = Math.floor(Date.UTC(2026, 10, 20, 12) / 1000)
let server: DomainServer
let terminalId: string
let count = 0
let clusters: Elasticsearch[] = []

beforeAll(async () => {
  server = await openDomainServer()
  terminalId = await registerBuiltinTerminal(server.kernel, { type: 'koko', name: 'here', remoteAddress: '10.0.0.1' })
})
beforeEach(() => {
  clusters = []
})
afterEach(async () => {
  await server.pool.query(`UPDATE terminal_terminal SET command_storage = 'default'`)
  await server.pool.query('TRUNCATE terminal_command CASCADE')
  await server.pool.query(`DELETE FROM terminal_command_storage WHERE type = 'es'`)
  for (const cluster of clusters) await cluster.stop()
})
afterAll(() => server?.close())

const call = (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown, who = superAdmin) =>
  server.call(method, path, body, who)

async function cluster(options: FixtureOptions = {}): Promise<Elasticsearch> {
  const started = await startElasticsearch(options)
  clusters.push(started)
  return started
}

/** A storage of that cluster, which this node's terminal stores in. */
async function chosen({ url }: Elasticsearch, meta: Record<string, unknown> = {}) {
  const name = `cluster ${++count}`
  const answer = await call('POST', STORAGES, { name, type: 'es', meta: { HOSTS: [url], INDEX: 'commands', ...meta } })
  expect([answer.status, answer.body]).toEqual([201, expect.anything()])
  expect((await call('PATCH', `/api/v1/terminal/terminals/${terminalId}/`, { command_storage: name })).status).toBe(200)
  return { ...answer.body, url: `${STORAGES}${answer.body.id}/` } as { id: string; name: string; url: string }
}

const session = (org_id = DEFAULT) =>
  createSession(server.db, {
    user: 'Bob(bob)',
    asset: 'web-1(10.0.0.1)',
    system_user: 'root(root)',
    user_id: randomUUID(),
    asset_id: randomUUID(),
    org_id,
    system_user_id: randomUUID(),
    login_from: 'WT',
    remote_addr: '192.0.2.7',
    protocol: 'ssh',
    terminal: terminalId,
  })

interface Typed {
  input: string
  at?: number
  user?: string
  risk_level?: number
  ticket?: string
  org_id?: string
  text?: string
}

/** Commands of a session, as the gateway stores them. */
async function typed(inSession: string, ...commands: Typed[]): Promise<string[]> {
  const rows = commands.map(({ input, at = 0, user = 'Bob(bob)', text, org_id = DEFAULT, ...more }) => ({
    id: randomUUID(),
    org_id,
    user,
    asset: 'web-1(10.0.0.1)',
    system_user: 'root(root)',
    input,
    output: `of ${input}`,
    session: inSession,
    timestamp: NOW + at,
    ...more,
    ...(text ? { statement: { text, bytes: text.length, database: 'shop', program: '' }, outcome: { rows: 3 } } : {}),
  }))
  await appendCommands(server.db, rows)
  return rows.map(({ id }) => id)
}

const bring = () => bringCommandsOut(server.kernel)
const here = async () =>
  (await server.pool.query<{ input: string }>('SELECT input FROM terminal_command ORDER BY timestamp')).rows.map(
    ({ input }) => input,
  )
const listed = async (query: string, who = auditor): Promise<string[]> => {
  const { status, body } = await call('GET', `${COMMANDS}?${query}`, undefined, who)
  expect([status, body]).toEqual([200, expect.any(Array)])
  return body.map(({ input }: { input: string }) => input)
}

test('[A2.42] two command storages are there from the start; a cluster is added by its hosts, and its password is never answered', async () => {
  const built = (await call('GET', STORAGES)).body
  expect(built.map(({ name, type, is_default }: Record<string, unknown>) => [name, type, is_default])).toEqual([
    ['default', 'server', true],
    ['null', 'null', false],
  ])
  const es = await cluster({ login: LOGIN })
  // As other clients write it: name and password in the address.
  const host = es.url.replace('//', `//${LOGIN.username}:${LOGIN.password}@`)
  const made = await chosen(es, { HOSTS: [host] })
  const read = await call('GET', made.url)
  expect(read.body.meta).toEqual({
    HOSTS: [es.url],
    INDEX: 'commands',
    DOC_TYPE: '_doc',
    IGNORE_VERIFY_CERTS: false,
    USERNAME: LOGIN.username,
    INDEX_BY_DATE: false,
  })
  expect(read.raw.toString()).not.toContain(LOGIN.password)
  const { rows } = await server.pool.query('SELECT meta FROM terminal_command_storage')
  expect(JSON.stringify(rows)).not.toContain(LOGIN.password)
  expect(es.indices.get('commands')?.mappings).toMatchObject({
    session: { type: 'keyword' },
    org_id: { type: 'keyword' },
    '@timestamp': { type: 'date' },
    timestamp: { type: 'long' },
  })
  expect((await call('GET', `${STORAGES}?real=true`)).body.map(({ name }: { name: string }) => name)).toEqual([
    made.name,
    'default',
  ])
  expect((await call('GET', STORAGES, undefined, admin)).status).toBe(403)
})

test('[A3.23] hosts without scheme, port or name are refused on their field, and what is no Elasticsearch is not stored', async () => {
  const post = (HOSTS: unknown, more = {}) =>
    call('POST', STORAGES, { name: `new ${++count}`, type: 'es', meta: { HOSTS, ...more } })
  for (const host of ['ftp://es:9200', 'http://es', 'es:9200', 'http://:9200', 'http://es:nine', 'http://es:9200/?x=1'])
    expect([host, (await post([host])).body]).toEqual([
      host,
      { meta: { HOSTS: [expect.stringMatching(/address with its port/)] } },
    ])
  expect((await post([])).body).toEqual({ meta: { HOSTS: [expect.anything()] } })
  const es = await cluster({ login: LOGIN })
  expect((await post([es.url], { INDEX: 'a,b' })).body).toEqual({ meta: { INDEX: [expect.anything()] } })
  const refused = async (url: string) => {
    const { status, body } = await post([url])
    expect(status).toBe(400)
    return [body.code, body.detail]
  }
  expect(await refused(es.url)).toEqual(['invalid_elasticsearch', expect.stringMatching(/401 security_exception/)])
  es.answer = () => ({ status: 200, body: '<html>Welcome</html>' })
  expect(await refused(es.url)).toEqual(['invalid_elasticsearch', expect.stringMatching(/without JSON/)])
  await es.stop()
  expect(await refused(es.url)).toEqual(['invalid_elasticsearch', expect.stringMatching(/no answer/)])
  expect((await call('GET', `${STORAGES}?type=es`)).body).toEqual([])
})

test('a test says in words what is wrong, and who moves a storage enters its password again', async () => {
  const es = await cluster({ login: LOGIN })
  const { url, name } = await chosen(es, { USERNAME: LOGIN.username, PASSWORD: LOGIN.password })
  const tested = async () => (await call('GET', `${url}test-connective/`)).body
  expect(await tested()).toEqual({ is_valid: true, msg: 'The storage can be used' })
  es.answer = () => ({ status: 403, body: JSON.stringify({ error: { type: 'security_exception' }, status: 403 }) })
  expect(await tested()).toMatchObject({ is_valid: false, msg: expect.stringMatching(/name and password/) })
  es.answer = () => ({ status: 502, body: '<html>Bad gateway</html>' })
  expect(await tested()).toEqual({
    is_valid: false,
    msg: 'The storage answers with an error of its own (502 without JSON)',
  })
  es.answer = undefined
  await es.stop()
  expect(await tested()).toEqual({ is_valid: false, msg: 'The storage does not answer' })
  await es.start()
  const other = await cluster()
  const moved = await call('PATCH', url, { meta: { HOSTS: [other.url] } })
  expect([moved.status, Object.keys(moved.body.meta)]).toEqual([400, ['PASSWORD']])
  expect(other.calls).toEqual([])
  expect((await call('PATCH', url, { comment: 'ours', is_default: true })).status).toBe(200)
  expect((await call('PATCH', url, { type: 'server' })).status).toBe(400)
  expect((await call('DELETE', url)).body).toMatchObject({ code: 'in_use' })
  await server.pool.query(`UPDATE terminal_terminal SET command_storage = 'default'`)
  expect((await call('DELETE', url)).status).toBe(204)
  for (const { id } of (await call('GET', `${STORAGES}?search=default`)).body) {
    expect((await call('GET', `${STORAGES}${id}/test-connective/`)).body.is_valid).toBe(true)
    expect((await call('DELETE', `${STORAGES}${id}/`)).body).toMatchObject({ code: 'built_in' })
    await call('PATCH', `${STORAGES}${id}/`, { is_default: true })
  }
  expect(name).toBeTruthy()
})

test('[A2.38] commands go where their terminal stores, leave the server, and are listed, searched, counted and exported from there', async () => {
  const es = await cluster()
  const { id } = await chosen(es)
  const [one, other] = [await session(), await session(OTHER_ORG_ID)]
  const [, statement = ''] = await typed(
    one,
    { input: 'ls -la', at: 1 },
    { input: 'SELECT 1', at: 2, text: 'SELECT 1 FROM orders WHERE city = 7' },
    { input: 'rm *', at: 3, risk_level: 5, user: 'Ann(ann)', ticket: randomUUID() },
    { input: 'rm -rf', at: 4 },
  )
  await typed(other, { input: 'whoami', org_id: OTHER_ORG_ID })
  // Until then they wait, and are listed with it all the same.
  expect(await listed(`command_storage_id=${id}`)).toEqual(['rm -rf', 'rm *', 'SELECT 1', 'ls -la'])
  await bring()
  expect(await here()).toEqual([])
  expect(es.indices.get('commands')?.documents.size).toBe(5)
  const of = (query: string, who = auditor) => listed(`command_storage_id=${id}&${query}`, who)
  expect(await of('order=timestamp')).toEqual(['ls -la', 'SELECT 1', 'rm *', 'rm -rf'])
  expect(await of('', otherAdmin)).toEqual(['whoami'])
  expect(await of('', superAdmin)).toHaveLength(5)
  expect(await of('input=RM *')).toEqual(['rm *'])
  expect(await of('input=orders')).toEqual(['SELECT 1'])
  expect(await of('user=ann')).toEqual(['rm *'])
  expect(await of('risk_level=5')).toEqual(['rm *'])
  expect(await of('confirmed=1')).toEqual(['rm *'])
  expect(await of('confirmed=0')).toHaveLength(3)
  expect(await of(`date_from=${NOW + 2}&date_to=${NOW + 3}`)).toEqual(['rm *', 'SELECT 1'])
  expect(await of('asset=web-1(10.0.0.1)&system_user=root(root)')).toHaveLength(4)
  expect(await of('asset=web-1')).toEqual([])
  expect(await listed(`session_id=${one}&order=timestamp`)).toEqual(['ls -la', 'SELECT 1', 'rm *', 'rm -rf'])
  const page = (await call('GET', `${COMMANDS}?command_storage_id=${id}&limit=1&offset=2`, undefined, auditor)).body
  expect(page).toMatchObject({
    count: 4,
    results: [{ id: statement, statement_length: 35, database: 'shop', rows: 3, remote_addr: '192.0.2.7' }],
  })
  const whole = await call('GET', `${COMMANDS}${statement}/statement/`, undefined, auditor)
  expect(whole.body).toMatchObject({ text: 'SELECT 1 FROM orders WHERE city = 7', bytes: 35 })
  expect((await call('GET', `${COMMANDS}${statement}/statement/`, undefined, otherAdmin)).status).toBe(404)
  const file = await call('GET', `${COMMANDS}?command_storage_id=${id}&format=csv`, undefined, auditor)
  expect(file.raw.toString().trim().split('\n')).toHaveLength(5)
  const spm = (await call('POST', '/api/v1/common/resources/cache/', { resources: [statement] }, auditor)).body.spm
  expect(await of(`spm=${spm}`)).toEqual(['SELECT 1'])
  const report = await call('GET', `${COMMANDS}export/?date_from=${NOW}`, undefined, auditor)
  expect(report.raw.toString()).toContain('<pre>rm -rf</pre>')
  const amount = (await call('GET', `/api/v1/terminal/sessions/${one}/`, undefined, auditor)).body.command_amount
  expect(amount).toBe(4)
  const tree = (await call('GET', `${STORAGES}tree/?real=1&input=rm`, undefined, auditor)).body
  expect(tree.map(({ name }: { name: string }) => name)).toEqual([
    'Command storages',
    'default(server)(0)',
    expect.stringMatching(/\(es\)\(2\)$/),
  ])
})

test('while the cluster is away commands wait and are read from here, each of them arrives once, and no page fails but its own', async () => {
  const es = await cluster()
  const { id, url } = await chosen(es)
  const own = await session()
  await typed(own, { input: 'first', at: 1 })
  await bring()
  await es.stop()
  await typed(own, { input: 'second', at: 2 })
  await bring()
  expect(await here()).toEqual(['second'])
  expect((await call('GET', url)).body.waiting).toBe(1)
  const failed = await call('GET', `${COMMANDS}?command_storage_id=${id}`, undefined, auditor)
  expect([failed.status, failed.body.code]).toEqual([400, 'storage_invalid'])
  expect(await listed(`session_id=${own}`)).toEqual(['second'])
  const tree = (await call('GET', `${STORAGES}tree/`, undefined, auditor)).body
  expect(tree.find((node: { id: string }) => node.id === id)).toMatchObject({
    name: expect.stringMatching(/\*Invalid$/),
    valid: false,
  })
  await server.pool.query(`UPDATE terminal_terminal SET command_storage = 'default'`)
  expect((await call('DELETE', url)).body).toMatchObject({ code: 'in_use' })
  await es.start()
  await bring()
  await bring()
  expect([await here(), (await call('GET', url)).body.waiting]).toEqual([[], 0])
  expect([...(es.indices.get('commands')?.documents.values() ?? [])].map(({ input }) => input)).toEqual([
    'first',
    'second',
  ])
})

test('a command that a cluster defers is sent again, and one that it never takes stays with the server', async () => {
  const es = await cluster()
  const { id } = await chosen(es)
  const own = await session()
  const [busy = '', never = '', full = ''] = await typed(
    own,
    { input: 'busy', at: 1 },
    { input: 'never', at: 2 },
    { input: 'full', at: 3 },
    { input: 'fine', at: 4 },
  )
  // 403: the cluster's disk is nearly full, and it lets its indices be read alone.
  es.refuses.set(busy, 429).set(never, 400).set(full, 403)
  await bring()
  expect(await here()).toEqual(['busy', 'never', 'full'])
  es.refuses.delete(busy)
  es.refuses.delete(full)
  await bring()
  expect(await here()).toEqual(['never'])
  expect(await listed(`command_storage_id=${id}`)).toEqual(['fine', 'full', 'busy'])
  expect(await listed(`session_id=${own}`)).toEqual(['fine', 'full', 'never', 'busy'])
  // Beyond what may wait, commands are the server's own.
  const where = await destinationsOf(server.db, [own], 0)
  expect([...where.values()]).toEqual([undefined])
})

test('a red cluster loses nothing and says so: what it cannot take waits here, and what it can search in part is no answer', async () => {
  const es = await cluster()
  const { id, url } = await chosen(es, { INDEX_BY_DATE: true })
  const own = await session()
  await typed(own, { input: 'stored', at: 1 }, { input: 'next day', at: 86_400 })
  await bring()
  es.red.add('commands-2026.11.20')
  await typed(own, { input: 'waits', at: 2 }, { input: 'goes on', at: 86_401 })
  await bring()
  expect(await here()).toEqual(['waits'])
  // Without it a call would hang for a minute.
  expect(es.calls.filter((one) => one.includes('_bulk'))).toEqual(Array(2).fill(expect.stringContaining('timeout=10s')))
  for (const [status, type] of [
    [503, 'cluster_block_exception'],
    [429, 'circuit_breaking_exception'],
    [403, 'security_exception'],
  ] as const) {
    const body = JSON.stringify({ error: { type }, status })
    es.answer = (_, path) => (path.startsWith('/_bulk') ? { status, body } : undefined)
    await bring()
    expect([type, await here()]).toEqual([type, ['waits']])
  }
  es.answer = undefined
  const failed = await call('GET', `${COMMANDS}?command_storage_id=${id}`, undefined, auditor)
  expect([failed.status, failed.body]).toEqual([
    400,
    { code: 'storage_invalid', detail: 'A part of this storage cannot be reached now' },
  ])
  expect(await listed(`session_id=${own}`)).toEqual(['waits'])
  const tested = async () => (await call('GET', `${url}test-connective/`)).body
  const partly = (answer: string) => ({ is_valid: false, msg: `A part of the storage cannot be reached (${answer})` })
  expect(await tested()).toEqual(partly('1 of 2 shards failed'))
  es.red.add('commands-2026.11.21')
  expect(await tested()).toEqual(partly('503 search_phase_execution_exception'))
  es.red.clear()
  await bring()
  expect(await here()).toEqual([])
  expect(await listed(`command_storage_id=${id}`)).toEqual(['goes on', 'next day', 'waits', 'stored'])
  expect((await tested()).is_valid).toBe(true)
})

test('a day whose index is red waits by itself: more of it than a batch holds up no other day, and leaves room for the next', async () => {
  const es = await cluster()
  const { id, url } = await chosen(es, { INDEX_BY_DATE: true })
  const own = await session()
  const many = (count: number, input: string, at: number) =>
    typed(own, ...Array.from({ length: count }, (_, n) => ({ input: `${input} ${n}`, at: at + n })))
  const stored = () => [...es.indices].map(([name, { documents }]) => [name, documents.size])
  await typed(own, { input: 'day before', at: -86_400 })
  es.red.add('commands-2026.11.20').add('commands-2026.11.22')
  await many(1200, 'red', 0)
  await many(700, 'next', 86_400)
  await many(3, 'red as well', 2 * 86_400)
  await many(2, 'last', 3 * 86_400)
  await bring()
  expect(stored()).toEqual([
    ['commands-2026.11.19', 1],
    ['commands-2026.11.21', 700],
    ['commands-2026.11.23', 2],
  ])
  expect((await call('GET', url)).body.waiting).toBe(1203)
  // They are read from here meanwhile, and a later round tries each red index once, however many wait for it.
  expect((await here()).slice(0, 2)).toEqual(['red 0', 'red 1'])
  es.calls.length = 0
  await bring()
  expect(es.calls.filter((one) => one.includes('_bulk'))).toHaveLength(2)
  es.red.clear()
  await bring()
  expect([await here(), (await listed(`command_storage_id=${id}&input=red as`)).length]).toEqual([[], 3])
  expect(stored().map(([, size]) => size)).toEqual([1, 700, 2, 1200, 3])
  // Half of what may wait is for one day: today's fill it, yesterday's leave the other half.
  const today = Math.floor(Date.now() / 86_400_000) * 86_400 - NOW
  const isFull = async () => [...(await destinationsOf(server.db, [own], 5)).values()][0] === undefined
  await many(3, 'yesterday', today - 86_400)
  expect(await isFull()).toBe(false)
  await server.pool.query('TRUNCATE terminal_command CASCADE')
  // Commands of both days, should it be midnight just now.
  await many(2, 'today', today)
  await many(2, 'tomorrow', today + 86_400)
  expect(await isFull()).toBe(true)
})

test('a call whose connection the cluster ends is made once more, and not again', async () => {
  const es = await cluster()
  const { id } = await chosen(es)
  await typed(await session(), { input: 'once' })
  es.breaks = 1
  await bring()
  expect([await here(), es.indices.get('commands')?.documents.size]).toEqual([[], 1])
  es.breaks = 1
  expect(await listed(`command_storage_id=${id}`)).toEqual(['once'])
  es.breaks = 2
  const failed = await call('GET', `${COMMANDS}?command_storage_id=${id}`, undefined, auditor)
  expect([failed.status, failed.body.detail]).toEqual([400, 'This storage does not answer'])
})

test('an index a day is made by a template, and both vendors and old versions are spoken to in their way', async () => {
  for (const options of [
    { version: '8.15.0' },
    { version: '2.11.0', distribution: 'opensearch' },
    { version: '7.2.1' },
    { version: '6.8.23' },
  ]) {
    const es = await cluster(options)
    const { id } = await chosen(es, { INDEX_BY_DATE: true })
    const own = await session()
    await typed(own, { input: `Day ${count}` }, { input: 'next', at: 86_400 })
    await bring()
    expect([options, [...es.indices.keys()]]).toEqual([options, ['commands-2026.11.20', 'commands-2026.11.21']])
    expect(es.indices.get('commands-2026.11.21')?.mappings).toMatchObject({ session: { type: 'keyword' } })
    expect([...es.templates.keys()]).toEqual(['sallyport-commands'])
    expect(await listed(`command_storage_id=${id}&input=Day`)).toEqual([`Day ${count}`])
    const page = (await call('GET', `${COMMANDS}?command_storage_id=${id}&limit=1`, undefined, auditor)).body
    expect([page.count, page.results.length]).toEqual([2, 1])
  }
})

test('to look at what undo would do asks no cluster; undo itself does, and is refused where it does not answer', async () => {
  const [first, second] = [await cluster(), await cluster()]
  const storage = await chosen(first)
  const moved = await call('PATCH', storage.url, { meta: { HOSTS: [second.url], INDEX: 'commands' } })
  const undo = `/api/v1/audits/undo/${moved.headers['x-change']}/`
  const asked = () => first.calls.length + second.calls.length
  const before = asked()
  const { status, body } = await call('GET', undo)
  expect([status, body.is_possible, body.objects[0].changes[0].field]).toEqual([200, true, 'meta.HOSTS'])
  expect(asked(), 'nothing was asked').toBe(before)
  await first.stop()
  expect((await call('POST', undo)).status).toBe(400)
  expect((await call('GET', storage.url)).body.meta.HOSTS).toEqual([second.url])
})

test('[B9.26] where nothing else is said the index is jumpserver, and its documents are of the type command where a cluster has types', async () => {
  for (const [version, type] of [
    ['6.8.23', 'command'],
    ['8.15.0', '_doc'],
  ] as const) {
    const es = await cluster({ version })
    const { url } = await chosen(es, { INDEX: undefined })
    expect((await call('GET', url)).body.meta).toMatchObject({ INDEX: 'jumpserver', DOC_TYPE: type })
    await typed(await session(), { input: version })
    await bring()
    const { type: indexType, documents } = es.indices.get('jumpserver') ?? {}
    expect([version, indexType, [...(documents?.values() ?? [])].map(({ input }) => input), await here()]).toEqual([
      version,
      type === 'command' ? type : undefined,
      [version],
      [],
    ])
  }
})

test('a terminal of null keeps no commands', async () => {
  await server.pool.query(`UPDATE terminal_terminal SET command_storage = 'null'`)
  const [id = ''] = await typed(await session(), { input: 'gone' })
  expect(await here()).toEqual([])
  // Its alarms are sent all the same.
  const rows = await appendCommands(server.db, [
    {
      id,
      org_id: DEFAULT,
      user: 'b',
      asset: 'a',
      system_user: 's',
      input: 'x',
      session: await session(),
      timestamp: NOW,
    },
  ])
  expect([...rows]).toEqual([id])
})

test('a component gets the storage that it is to use, with its password, which leaves a row', async () => {
  const registered = await server.call(
    'POST',
    '/api/v1/terminal/terminal-registrations/',
    { name: 'far' },
    { authorization: 'BootstrapToken letmein' },
  )
  const far = as({
    role: 'App',
    user: registered.body.service_account.id,
    org: '00000000-0000-0000-0000-000000000000',
  })
  const es = await cluster({ login: LOGIN })
  const { name } = await chosen(es, { USERNAME: LOGIN.username, PASSWORD: LOGIN.password, IGNORE_VERIFY_CERTS: true })
  const storageOf = async (storage: string) => {
    await server.pool.query('UPDATE terminal_terminal SET command_storage = $1 WHERE id = $2', [
      storage,
      registered.body.id,
    ])
    return (await call('GET', '/api/v1/terminal/terminals/config/', undefined, far)).body.TERMINAL_COMMAND_STORAGE
  }
  expect(await storageOf(name)).toEqual({
    TYPE: 'es',
    HOSTS: [es.url.replace('//', `//${LOGIN.username}:${LOGIN.password}@`)],
    INDEX: 'commands',
    DOC_TYPE: '_doc',
    OTHER: { IGNORE_VERIFY_CERTS: true },
  })
  expect(await storageOf('null')).toEqual({ TYPE: 'null' })
  expect(await storageOf('nobody')).toEqual({ default: { TYPE: 'server' } })
  const { rows } = await server.pool.query(
    `SELECT how, owner FROM kernel_secret_look WHERE owner_kind = 'command_storage'`,
  )
  expect(rows).toEqual([{ how: 'component', owner: name }])
  // What it sends here stays here, whatever its setting is.
  await server.pool.query('UPDATE terminal_terminal SET command_storage = $1 WHERE id = $2', [name, registered.body.id])
  const its = await session()
  await server.pool.query('UPDATE terminal_session SET terminal = $1 WHERE id = $2', [registered.body.id, its])
  await typed(its, { input: 'theirs' })
  await bring()
  expect(await here()).toEqual(['theirs'])
})
