import { createHash } from 'node:crypto'
import type { Access } from '@sallyport/contract/access.ts'
import { DEFAULT_ORG_ID, ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../database.ts'
import { openTestServer, type TestServer } from '../server.ts'
import { linesOf, readLines, routesOf, writeList } from './access-list.ts'
import { addressOf } from './address-of.ts'

let server: TestServer & { connection: pg.ClientConfig }
/** Callers by name: what they send to be known, and which words of `config.access` they are. */
let callers: Record<string, { headers: () => Record<string, string>; holds: readonly Access[] }>

beforeAll(async () => {
  const database = await createTestDatabase()
  server = Object.assign(await openTestServer({}, database), { connection: database.connection })
  const foreign = await server.anOrg('Elsewhere')
  const member = await server.aPerson('member')
  const auditor = await server.aPerson('auditor', { orgRoles: ['Auditor'] })
  const orgAdmin = await server.aPerson('org-admin', { orgRoles: ['Admin'] })
  const systemAuditor = await server.aPerson('system-auditor', { role: 'Auditor' })
  const foreignAdmin = await server.aPerson('foreign-admin', { orgRoles: ['Admin'], org: foreign })
  const as =
    ({ token }: { token: string }, org = DEFAULT_ORG_ID) =>
    () => ({ authorization: `Bearer ${token}`, 'x-jms-org': org })
  const component = await aComponent()
  const anybody = ['anonymous', 'authenticated'] as const
  callers = {
    nobody: { headers: () => ({}), holds: ['anonymous'] },
    member: { headers: as(member), holds: [...anybody, 'org_member'] },
    auditor: { headers: as(auditor), holds: [...anybody, 'org_member', 'org_auditor'] },
    'administrator of the organization': {
      headers: as(orgAdmin),
      holds: [...anybody, 'org_member', 'org_auditor', 'org_admin'],
    },
    'system auditor': { headers: as(systemAuditor), holds: [...anybody, 'org_member', 'org_auditor'] },
    'system administrator': {
      headers: as(server.admin),
      holds: [...anybody, 'org_member', 'org_auditor', 'org_admin', 'super_admin'],
    },
    'administrator of another organization': { headers: as(foreignAdmin), holds: anybody },
    'administrator of an organization, in root': { headers: as(orgAdmin, ROOT_ORG_ID), holds: anybody },
    component: { headers: component, holds: [...anybody, 'org_member', 'component'] },
  }
})
afterAll(() => server?.close())

/** Registers a component as it does itself; answers how it signs its calls. */
async function aComponent(): Promise<() => Record<string, string>> {
  const { status, body } = await server.call('POST', '/api/v1/terminal/terminal-registrations/', {
    body: { name: 'component' },
    headers: { authorization: 'BootstrapToken bootstrap-token-of-tests' },
  })
  expect(status).toBe(201)
  const { id, secret } = body.service_account.access_key
  return () => {
    const date = new Date().toUTCString()
    const signature = Buffer.from(createHash('md5').update(`${secret}\n${date}`).digest('hex')).toString('base64')
    return { date, authorization: `Sign ${id}:${signature}`, 'x-jms-org': DEFAULT_ORG_ID }
  }
}

/** Calls that end the caller's own sign-in, or the walk. */
const NOT_WALKED = /\/core\/auth\/logout\//

/**
 * Routes that refuse with 403 or 401 by a rule of their own, beyond who may call: named here, so
 * that each is a decision.
 */
const OWN_REFUSALS = [
  '/api/v1/acls/login-acls/', // reading needs ?user=, a member of the organization
  '/api/v1/acls/login-acls/:id/', // the same
  '/api/v1/perms/asset-permissions/user/validate/', // answers 403 for "no"
  '/api/v1/perms/asset-permissions/user/actions/',
  '/api/v1/assets/nodes/', // an organization's root node is not deleted
  '/metrics', // wants a token of its own, which is nobody's sign-in
  '/api/v1/tickets/slack/interactions/', // wants the signature of Slack
  '/api/v1/authentication/wecom/qr/unbind/', // asks for a fresh proof of the password
  '/api/v1/authentication/dingtalk/qr/unbind/',
  '/api/v1/authentication/feishu/qr/unbind/',
  '/api/mcp', // agents are off until a setting turns them on
]

/** Routes that want the token of a provider: nobody who can sign in here has any other way into them. */
const OWN_TOKEN = /^\/scim\/v2\//

test('the callers of each route are those of the golden list', () => {
  const { routes } = server.kernel
  if (process.env.SALLYPORT_WRITE_ACCESS_LIST) writeList(routes)
  const [listed, actual] = [readLines(), linesOf(routes)]
  const differences = [
    ...actual.filter((line) => !listed.includes(line)).map((line) => `+ ${line}`),
    ...listed.filter((line) => !actual.includes(line)).map((line) => `- ${line}`),
  ]
  const advice =
    'access.golden says otherwise than the routes; where a change is meant, write the list again with "npm run access-list"'
  expect(differences, advice).toEqual([])
  const accessOf = (url: string, method: string) =>
    routes.find((route) => route.url === url && route.method === method)?.access
  for (const { method, url, access } of routes)
    if (method === 'HEAD') expect(`${url} ${access}`).toBe(`${url} ${accessOf(url, 'GET')}`)
})

test('[A6.15 A6.39] every route refuses exactly those who may not call it, and never breaks', async () => {
  const routes = readLines().flatMap(routesOf)
  expect(routes.length).toBeGreaterThan(300)
  const wrong: string[] = []
  for (const { method, url, access } of routes) {
    if (NOT_WALKED.test(url)) continue
    for (const [name, { headers, holds }] of Object.entries(callers)) {
      const allowed = access.some((word) => holds.includes(word))
      const answer = await server.call(method, addressOf(url), {
        ...(method === 'GET' || method === 'OPTIONS' ? {} : { body: {} }),
        headers: headers(),
      })
      const line = `${method} ${url} as ${name}: ${answer.status}`
      if (answer.status >= 500 && answer.status !== 503 /* the console has not been built */) wrong.push(line)
      else if (OWN_TOKEN.test(url)) {
        if (answer.status !== 401) wrong.push(`${line}, not refused`)
      } else if (!allowed && answer.status !== (name === 'nobody' ? 401 : 403)) wrong.push(`${line}, not refused`)
      else if (allowed && [401, 403].includes(answer.status) && !OWN_REFUSALS.includes(url))
        wrong.push(`${line}, refused: ${JSON.stringify(answer.body).slice(0, 100)}`)
    }
  }
  expect(wrong).toEqual([])
})

/** The query where a call without one answers little. */
const ASKED: Readonly<Record<string, string>> = { '/api/v1/index/': '?all=1' }
/** Read to find out who calls, so that a lock on them would hold every call there. */
const OF_CALLERS = /^(kernel|users|authentication|orgs|settings|xpack)_/

/**
 * Calls with all tables locked that are read behind the guard; whatever waits there is cut, as often
 * as something does, with all other connections of the server. Processes of the database's own, which
 * vacuum it after a while, are left alone: nobody but a superuser may end them.
 */
async function answersOfLost(calls: readonly string[]): Promise<string[]> {
  const holder = new pg.Client(server.connection)
  const cutter = new pg.Client(server.connection)
  await Promise.all([holder.connect(), cutter.connect()])
  const faults: string[] = []
  try {
    const { rows } = await holder.query<{ name: string; pid: number }>(
      "SELECT tablename AS name, pg_backend_pid() AS pid FROM pg_tables WHERE schemaname = 'public'",
    )
    const names = rows.map(({ name }) => name).filter((name) => !OF_CALLERS.test(name))
    await holder.query(`BEGIN; LOCK TABLE ${names.join(', ')} IN ACCESS EXCLUSIVE MODE`)
    for (const path of calls) {
      const unseen = (error: Error) => faults.push(`${path}: ${error.stack}`)
      process.on('unhandledRejection', unseen)
      let isAnswered = false
      const answered = server.admin.get(path).finally(() => (isAnswered = true))
      while (!isAnswered)
        await cutter.query(
          `WITH client AS (SELECT * FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend')
           SELECT pg_terminate_backend(pid) FROM client WHERE pid NOT IN ($1, pg_backend_pid())
             AND EXISTS (SELECT 1 FROM client WHERE wait_event_type = 'Lock')`,
          [rows[0]?.pid],
        )
      await answered
      // A failure behind it has been reported by then.
      await new Promise(setImmediate)
      process.off('unhandledRejection', unseen)
    }
  } finally {
    await Promise.all([holder.end(), cutter.end()])
  }
  return faults
}

test('a server whose connections to the database are cut during a call, whichever it is, lives on and answers the next', async () => {
  const paths = readLines()
    .flatMap(routesOf)
    .filter(({ method, url }) => method === 'GET' && !NOT_WALKED.test(url))
    .map(({ url }) => `${addressOf(url)}${ASKED[url] ?? ''}`)
  expect(paths.length).toBeGreaterThan(300)
  expect(await answersOfLost(paths)).toEqual([])
  expect((await server.call('GET', '/api/health/')).status).toBe(200)
  expect((await server.admin.get('/api/v1/index/?all=1')).status).toBe(200)
})
