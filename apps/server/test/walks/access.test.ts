import { randomUUID } from 'node:crypto'
import type { Access } from '@sallyport/contract/access.ts'
import { DEFAULT_ORG_ID, ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type Caller, openTestServer, type TestServer } from '../server.ts'

let server: TestServer
let callers: Record<string, { caller: Caller | undefined; holds: readonly Access[] }>

beforeAll(async () => {
  server = await openTestServer()
  const foreign = await server.anOrg('Elsewhere')
  const member = await server.aPerson('member')
  const auditor = await server.aPerson('auditor', { orgRoles: ['Auditor'] })
  const orgAdmin = await server.aPerson('org-admin', { orgRoles: ['Admin'] })
  const systemAuditor = await server.aPerson('system-auditor', { role: 'Auditor' })
  const foreignAdmin = await server.aPerson('foreign-admin', { orgRoles: ['Admin'], org: foreign })
  callers = {
    nobody: { caller: undefined, holds: ['anonymous'] },
    member: { caller: member, holds: ['anonymous', 'authenticated'] },
    auditor: { caller: auditor, holds: ['anonymous', 'authenticated', 'org_auditor'] },
    'administrator of the organisation': { caller: orgAdmin, holds: ['anonymous', 'authenticated', 'org_auditor', 'org_admin'] },
    'system auditor': { caller: systemAuditor, holds: ['anonymous', 'authenticated', 'org_auditor'] },
    'system administrator': { caller: server.admin, holds: ['anonymous', 'authenticated', 'org_auditor', 'org_admin', 'super_admin'] },
    'administrator of another organisation': { caller: foreignAdmin.in(DEFAULT_ORG_ID), holds: ['anonymous', 'authenticated'] },
    'administrator of an organisation, in root': { caller: orgAdmin.in(ROOT_ORG_ID), holds: ['anonymous', 'authenticated'] },
  }
})
afterAll(() => server?.close())

/** Calls that end the caller's own sign-in, or the walk. */
const NOT_WALKED = /\/core\/auth\/logout\//

/** Routes that refuse with 403 or 401 by a rule of their own, beyond who may call: named here, so that each is a decision. */
const OWN_REFUSALS = [
  '/api/v1/orgs/orgs/current/', // only members may know an organisation
  '/api/v1/perms/asset-permissions/user/validate/', // answers 403 for "no"
  '/api/v1/perms/asset-permissions/user/actions/',
  '/api/v1/assets/nodes/', // an organisation's root node is not deleted
]

const addressOf = (url: string) => url.replaceAll(/:\w+/g, () => randomUUID()).replace('*', 'x')

test('[A6.15] every route refuses exactly those who may not call it, and never breaks', async () => {
  const { routes } = server.kernel
  expect(routes.length).toBeGreaterThan(300)
  const wrong: string[] = []
  for (const { method, url, access } of routes) {
    if (method === 'HEAD' || NOT_WALKED.test(url)) continue
    for (const [name, { caller, holds }] of Object.entries(callers)) {
      const allowed = access.some((word) => holds.includes(word))
      const answer = await server.call(method, addressOf(url), {
        ...(method === 'GET' || method === 'OPTIONS' ? {} : { body: {} }),
        headers: caller ? { authorization: `Bearer ${caller.token}`, 'x-jms-org': orgOf(name) } : {},
      })
      const line = `${method} ${url} as ${name}: ${answer.status}`
      if (answer.status >= 500 && answer.status !== 503 /* the console has not been built */) wrong.push(line)
      else if (!allowed && answer.status !== (caller ? 403 : 401)) wrong.push(`${line}, not refused`)
      else if (allowed && [401, 403].includes(answer.status) && !OWN_REFUSALS.includes(url))
        wrong.push(`${line}, refused: ${JSON.stringify(answer.body).slice(0, 100)}`)
    }
  }
  expect(wrong).toEqual([])
}, 240_000)

const orgOf = (name: string) => (name.endsWith('in root') ? ROOT_ORG_ID : DEFAULT_ORG_ID)

test('[A6.15] websockets are refused to nobody, and to pages of other origins', async () => {
  const sockets = server.kernel.routes.filter(({ url, method }) => method === 'GET' && /\/ws\//.test(url))
  expect(sockets.length).toBeGreaterThanOrEqual(2)
  const statusOf = (url: string, headers: Record<string, string>) =>
    new Promise<number>((resolve, reject) => {
      const socket = new WebSocket(`${server.url.replace('http', 'ws')}${addressOf(url)}`, { headers })
      socket.once('unexpected-response', (_request, response) => {
        resolve(response.statusCode ?? 0)
        response.destroy()
      })
      socket.once('open', () => {
        socket.close()
        resolve(101)
      })
      socket.once('error', (error) => (/Unexpected server response/.test(error.message) ? undefined : reject(error)))
    })
  for (const { url } of sockets) {
    expect(`${url} ${await statusOf(url, {})}`).toBe(`${url} 401`)
    expect(`${url} ${await statusOf(url, { authorization: `Bearer ${server.admin.token}`, origin: 'http://evil.example' })}`).toBe(
      `${url} 403`,
    )
  }
})
