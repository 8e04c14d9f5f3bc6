import { AS_CODE } from '@sallyport/contract/as-code.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestServer, type TestServer } from '../../test/server.ts'
import { openDemo } from './index.ts'
import { AT_WORK, WAITING } from './work.ts'

const SESSIONS = '/api/v1/terminal/sessions/'
const TICKETS = '/api/v1/tickets/tickets/'

let server: TestServer

beforeAll(async () => {
  server = await openTestServer({}, undefined, true)
})
afterAll(() => server?.close())

const COUNTED = [
  'users/users',
  'users/groups',
  'assets/nodes',
  'assets/assets',
  'assets/labels',
  'assets/domains',
  'assets/gateways',
  'assets/system-users',
  'assets/cmd-filters',
  'acls/login-asset-acls',
  'applications/applications',
  'perms/asset-permissions',
  'perms/application-permissions',
  'audits/login-logs',
  'audits/ftp-logs',
  'terminal/forwarded-connections',
  'xpack/change-auth-plan/plan',
  'xpack/change-auth-plan/app-plan',
  'xpack/gathered-user/tasks',
  'assets/backup',
  'accounts/break-glass-bundles',
  'ops/runbooks',
  'reviews/access-reviews',
  'reviews/proposals',
  'scim/providers',
  'authentication/service-identities',
  'authentication/trust-rules',
  'notifications/webhooks',
  'notifications/webhook-deliveries',
]

async function counts(): Promise<Record<string, number>> {
  const answers = await Promise.all(COUNTED.map((path) => server.admin.get(`/api/v1/${path}/?limit=1`)))
  return Object.fromEntries(COUNTED.map((path, index) => [path, answers[index]?.body.count]))
}

const pastSessions = async () => (await server.admin.get(`${SESSIONS}?is_finished=1&limit=1`)).body.count

async function liveSessions(): Promise<{ id: string; user: string; asset: string; is_success: boolean }[]> {
  return (await server.admin.get(`${SESSIONS}?is_finished=0`)).body.filter(
    (one: { is_success: boolean }) => one.is_success,
  )
}

test('the demo fills a company', async () => {
  const first = await counts()
  expect(first['users/users']).toBeGreaterThan(30)
  expect(first['assets/assets']).toBeGreaterThan(100)
  expect(first['assets/nodes']).toBeGreaterThan(20)
  expect(Object.entries(first).filter(([, count]) => !(count > 0))).toEqual([])
})

test('an agent is at work: the batch command log says for whom and by which client', async () => {
  const runs = async () =>
    (await server.admin.get('/api/v1/audits/command-execution-logs/')).body.filter(
      ({ on_behalf_of }: { on_behalf_of: string | null }) => on_behalf_of?.endsWith(', by agent night-shift/1.0'),
    )
  await expect
    .poll(async () =>
      (await runs()).map((row: Record<string, unknown>) => [row.command, row.is_finished, row.is_success]),
    )
    .toEqual([
      ['df -h', true, true],
      ['uptime', true, true],
    ])
})

test('one person of each role signs in with the password that the sign-in page shows on this machine; auditors find their own sign-ins', async () => {
  const page = await server.call('GET', '/core/auth/login/', { headers: { accept: 'application/json' } })
  const accounts: { username: string; role: string; password: string }[] = page.body.demo_accounts
  expect(accounts.map(({ role }) => role)).toEqual(['Admin', 'Auditor', 'User'])
  for (const { username, password } of accounts) {
    const { status, body } = await server.call('POST', '/api/v1/authentication/tokens/', {
      body: { username, password },
    })
    expect([username, status, typeof body.token]).toEqual([username, 201, 'string'])
  }
  const own = await server.admin.get('/api/v1/audits/login-logs/?username=laura.meijer&limit=1')
  expect(own.body.count).toBeGreaterThan(15)
})

test('the organizations of the demo as files are as they are: an apply of them would change nothing', async () => {
  for (const { id } of (await server.admin.get('/api/v1/orgs/orgs/')).body) {
    const org = server.admin.in(id)
    const { body: documents } = await org.get(AS_CODE.export)
    const { body } = await org.post(AS_CODE.plan, { documents, prune: true })
    expect(body).toMatchObject({ changes: [], errors: [] })
    expect(body.unchanged).toBeGreaterThan(3)
  }
})

test('a webhook of the demo shows messages that were sent, that failed and that wait, and sends none', async () => {
  const [webhook] = (await server.admin.get('/api/v1/notifications/webhooks/')).body
  expect(webhook).toMatchObject({ is_active: false, waiting_amount: 4, failed_amount: 2 })
  expect(new URL(webhook.url).hostname).toMatch(/\.example$/)
  const { body } = await server.admin.get('/api/v1/notifications/webhook-deliveries/')
  expect(new Set(body.map(({ state }: { state: string }) => state))).toEqual(new Set(['sent', 'failed', 'waiting']))
  const { rows } = await server.kernel.pool.query(
    `SELECT count(*)::int AS amount FROM kernel_job WHERE queue = 'notifications.deliver_webhook'`,
  )
  expect(rows).toEqual([{ amount: 0 }])
})

test('people of the demo see what they were granted, and nobody else has a password that is known', async () => {
  const { body } = await server.admin.get('/api/v1/users/users/?username=zhangwei')
  const granted = await server.admin.get(`/api/v1/perms/users/${body[0].id}/assets/?limit=1`)
  expect(granted.body.count).toBeGreaterThan(50)
  for (const password of ['demo', 'zhangwei', 'password', '']) {
    expect(
      (await server.call('POST', '/api/v1/authentication/tokens/', { body: { username: 'limin', password } })).status,
    ).toBe(400)
  }
})

test('recordings of the past are sealed as any: they replay, are whole, and are found by their text', async () => {
  const newest = async () => (await server.admin.get(`${SESSIONS}?is_finished=1&limit=5`)).body.results
  await expect.poll(async () => (await newest()).every((one: { has_replay: boolean }) => one.has_replay)).toBe(true)
  const [session] = await newest()
  const { body: index } = await server.admin.get(`${SESSIONS}${session.id}/replay/index/`)
  expect(index.duration).toBeGreaterThan(20)
  expect((await server.admin.get(`${SESSIONS}${session.id}/replay/integrity/`)).body).toMatchObject({ intact: true })
  const { body: commands } = await server.admin.get(`/api/v1/terminal/commands/?session_id=${session.id}`)
  expect(commands.length).toBeGreaterThan(2)
  const words = encodeURIComponent(commands[0].input.slice(0, 20))
  const { body: found } = await server.admin.get(`${SESSIONS}${session.id}/replay/search/?q=${words}`)
  expect(found.hits.length).toBeGreaterThan(0)
})

test('people are connected through the gateway now, and an administrator can end what they do', async () => {
  await expect.poll(async () => (await liveSessions()).length).toBe(AT_WORK.length)
  const [first] = await liveSessions()
  const row = (await server.admin.get(`${SESSIONS}${first?.id}/`)).body
  expect(row).toMatchObject({ can_terminate: true, can_join: true, is_finished: false })
  await server.admin.post('/api/v1/terminal/tasks/kill-session/', [row.id])
  await expect
    .poll(async () => (await server.admin.get(`${SESSIONS}${row.id}/`)).body)
    .toMatchObject({
      is_finished: true,
      has_replay: true,
    })
})

test('tickets wait for the administrator; who is let in begins to work', async () => {
  const mine = `${TICKETS}?status=open&assignees__id=${server.admin.id}`
  await expect.poll(async () => (await server.admin.get(mine)).body.length).toBe(4)
  const waiting = (await server.admin.get(`${mine}&type=login_asset_confirm`)).body[0]
  expect(waiting.applicant_display).toContain(WAITING.username)
  expect((await server.admin.put(`${TICKETS}${waiting.id}/approve/`)).status).toBe(200)
  const theirs = async () => (await liveSessions()).some(({ asset }) => asset.startsWith(WAITING.machine))
  await expect.poll(theirs).toBe(true)
})

test('machines of the demo answer their connection test, but for those that are meant not to', async () => {
  const states = async () => {
    const { body } = await server.admin.get('/api/v1/assets/assets/?hostname=pg-01')
    const { body: silent } = await server.admin.get('/api/v1/assets/assets/?connectivity=failed')
    return [body[0].connectivity, silent.map(({ hostname }: { hostname: string }) => hostname)]
  }
  await expect.poll(states).toEqual(['ok', ['pg-05']])
})

test('accounts of the databases were read and changed by the first run of their plans, but on the machine that is meant not to answer', async () => {
  const run = async () => (await server.admin.get('/api/v1/xpack/change-auth-plan/plan-execution/')).body[0]
  await expect.poll(run).toMatchObject({ is_finished: true, result_summary: { total: 5, succeed: 4, failed: 1 } })
  const found = async () => (await server.admin.get('/api/v1/assets/gathered-users/?username=j.vandijk')).body
  await expect.poll(async () => (await found()).length).toBe(4)
  expect((await found())[0]).toMatchObject({ owners: [], unexplained_keys: 1, is_admin: true })
})

test('a second run adds nothing', async () => {
  const before = { ...(await counts()), past: await pastSessions() }
  const again = await openDemo(server.kernel, undefined)
  await again.begin()
  await again.close()
  expect({ ...(await counts()), past: await pastSessions() }).toEqual(before)
})
