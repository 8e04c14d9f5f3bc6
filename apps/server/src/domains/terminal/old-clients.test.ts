import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, openTestServer, type TestServer } from '../../../test/server.ts'
import { signed } from '../../../test/signed.ts'
import { appendCommands } from './commands/index.ts'

const METRICS = '/api/v1/prometheus/metrics/'
const TOKEN = 'token-of-the-prometheus'

/** Calls of the API that older clients make, besides those of the console. */
let server: TestServer
let auditor: Caller
/** How a component signs its calls. */
let sign: (path: string, method?: string) => Record<string, string>

beforeAll(async () => {
  server = await openTestServer({ SALLYPORT_METRICS_TOKEN: TOKEN })
  auditor = await server.aPerson('auditor', { orgRoles: ['Auditor'] })
  const { body } = await server.call('POST', '/api/v1/terminal/terminal-registrations/', {
    body: { name: 'gateway of a secret name', type: 'koko' },
    headers: { authorization: 'BootstrapToken bootstrap-token-of-tests' },
  })
  const key = body.service_account.access_key
  sign = (path, method = 'get') => signed(path, key, method)
})
afterAll(() => server?.close())

test('the server itself and its background work are listed beside its gateway, and alive', async () => {
  const { body } = await server.admin.in('root').get('/api/v1/terminal/terminals/?limit=20')
  const own = (body.results as { name: string; type: string; is_alive: boolean; status: string }[]).filter(
    ({ is_alive }) => is_alive,
  )
  const { name } = server.kernel.nodes
  expect(own.map((row) => [row.type, row.name]).sort()).toEqual([
    ['celery', `[Celery]-${name}`],
    ['core', `[Core]-${name}`],
    ['koko', `[KoKo]-${name}`],
  ])
})

test('sessions are listed and stored at the address of a terminal too, whichever it names', async () => {
  const path = '/api/v1/terminal/terminals/00000000-0000-4000-8000-000000000001/sessions/'
  const draft = { user: 'Bob(bob)', asset: 'web(10.0.0.1)', system_user: 'root(root)', protocol: 'ssh' }
  const stored = await server.call('POST', path, {
    body: { ...draft, org_id: DEFAULT_ORG_ID },
    headers: sign(path, 'post'),
  })
  expect(stored).toMatchObject({ status: 201, body: draft })
  const { body } = await server.admin.in('root').get(`${path}?limit=10`)
  expect(body.results.map((row: { id: string }) => row.id)).toContain(stored.body.id)
  expect((await server.admin.post(path, draft)).status).toBe(403)
})

test('[B7.27] OPTIONS tells a component what links to share a session and joins of one take', async () => {
  for (const [path, required] of [
    ['/api/v1/terminal/session-sharings/', ['session']],
    ['/api/v1/terminal/session-join-records/', ['joiner', 'sharing', 'verify_code']],
  ] as const) {
    const { body } = await server.call('OPTIONS', path, { headers: sign(path, 'options') })
    const fields: [string, { required: boolean }][] = Object.entries(body.actions.POST)
    expect(fields.flatMap(([name, field]) => (field.required ? [name] : [])).sort()).toEqual([...required].sort())
  }
})

test('anybody may read how many components there are as Prometheus text, and nothing else of them', async () => {
  const { status, body, headers } = await server.call('GET', METRICS)
  expect(status).toBe(200)
  expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/)
  expect(body).toMatch(/^sallyport_components\{type="koko",status="offline"\} 1$/m)
  expect(body).toMatch(/^sallyport_components_sessions\{type="koko"\} \d+$/m)
  // With this server's own, whose load is the machine's.
  for (const [status, count] of Object.entries({ any: 2, offline: 1 }))
    expect(body).toContain(`\njumpserver_components_status_total{component_type="koko",status="${status}"} ${count}\n`)
  expect(body).not.toMatch(/secret name|cpu_load/)
})

test('operators read the figures of each living component, by both names; sessions of those that are silent count no more', async () => {
  const own = '/api/v1/terminal/terminals/status/'
  const figures = { sessions: [], cpu_load: 6.5, memory_used: 40, disk_used: 21 }
  expect((await server.call('POST', own, { body: figures, headers: sign(own, 'post') })).status).toBe(201)
  const headers = { authorization: `Bearer ${TOKEN}` }
  const read = async () => (await server.call('GET', METRICS, { headers })).body as string
  const labels = '{component_type="koko",component="gateway of a secret name"}'
  const seen = await read()
  const live = Number(/session_active_total\{component_type="koko"\} (\d+)/.exec(seen)?.[1])
  expect(live).toBeGreaterThan(0)
  for (const [names, value] of [
    [['cpu_load', 'system_cpu_load_1'], 6.5],
    [['memory_used', 'system_memory_used_percent'], 40],
    [['disk_used', 'system_disk_used_percent'], 21],
    [['session_online', 'session_active_count'], live],
  ] as const)
    for (const name of names) expect(seen).toContain(`\njumpserver_components_${name}${labels} ${value}\n`)
  await server.kernel.pool.query(`UPDATE terminal_terminal SET date_last_seen = now() - interval '1 hour'`)
  const later = await read()
  expect(later).not.toContain('secret name')
  expect(later).toContain('\njumpserver_components_session_active_total{component_type="koko"} 0\n')
})

test('old addresses in the singular lead to those of now, with method and question', async () => {
  for (const [old, now] of [
    ['audits/ftp-log/?limit=1', 'audits/ftp-logs/?limit=1'],
    ['perms/asset-permission/?limit=1', 'perms/asset-permissions/?limit=1'],
    ['perms/application-permission/1/', 'perms/application-permissions/1/'],
    ['perms/user/1/assets/', 'perms/users/1/assets/'],
    ['perms/user-group/1/nodes/', 'perms/user-groups/1/nodes/'],
    ['orgs/org/', 'orgs/orgs/'],
    ['terminal/terminal/x/', 'terminal/terminals/x/'],
    ['terminal/command/?limit=1', 'terminal/commands/?limit=1'],
  ])
    for (const method of ['GET', 'POST']) {
      const { status, headers } = await server.call(method, `/api/v1/${old}`)
      expect([method, old, status, headers.location]).toEqual([method, old, 307, `/api/v1/${now}`])
    }
})

test('the addresses at which generators of clients look for the document of the API lead to it', async () => {
  for (const address of ['/api/swagger.json', '/api/swagger/', '/api/redoc/', '/docs/', '/redoc', '//docs//']) {
    const answer = await fetch(`${server.url}${address}`)
    const { openapi, paths } = (await answer.json()) as Record<string, unknown>
    expect([address, answer.status, openapi]).toEqual([address, 200, '3.1.0'])
    expect(paths).toHaveProperty('/api/v1/users/users/')
  }
})

test('the report of commands is a page to keep, of what the filters name, of the last five days', async () => {
  const now = Math.floor(Date.now() / 1000)
  const command = {
    org_id: DEFAULT_ORG_ID,
    user: 'Bob(bob)',
    asset: 'web',
    system_user: 'root',
  }
  const session = '00000000-0000-4000-8000-000000000002'
  await appendCommands(server.kernel.db, [
    { ...command, session, input: 'echo <script>', output: '"&', timestamp: now },
    { ...command, session, input: 'echo other', timestamp: now, user: 'Ann(ann)' },
    { ...command, session, input: 'echo old', timestamp: now - 6 * 86_400 },
  ])
  const path = '/api/v1/terminal/commands/export/'
  const report = await auditor.get(`${path}?user=Bob`)
  expect(report.status).toBe(200)
  expect(report.headers['content-type']).toMatch(/^text\/html/)
  expect(report.headers['content-disposition']).toMatch(/^attachment; filename\*=UTF-8''command-report-\d+\.html$/)
  expect(report.body).toContain('echo &lt;script&gt;')
  expect(report.body).toContain('&quot;&amp;')
  expect(report.body).not.toMatch(/echo other|echo old|<script>/)
  expect((await auditor.get(`${path}?date_from=${now - 7 * 86_400}`)).body).toContain('echo old')
  const elsewhere = await server.anOrg('Elsewhere')
  const foreign = await server.aPerson('foreign', { orgRoles: ['Auditor'], org: elsewhere })
  expect((await foreign.get(path)).body).not.toContain('echo')
  const { body: log } = await server.admin.get('/api/v1/audits/operate-logs/?limit=1&action=export')
  expect(log.results[0]).toMatchObject({ resource_type: 'Command', resource: '3 (html)' })
})

test('the old page of the output of a background task leads to the console', async () => {
  const path = '/core/ops/celery/task/00000000-0000-4000-8000-000000000003/log/'
  const { status, headers } = await auditor.get(path)
  expect([status, headers.location]).toEqual([302, '/ui/ops/celery/task/00000000-0000-4000-8000-000000000003/log/'])
})
