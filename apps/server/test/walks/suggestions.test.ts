import { resources } from '@sallyport/contract/resources/all-fixture.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type Caller, openTestServer, type TestServer } from '../server.ts'
import { makeOneOfEach, type Row } from './one-of-each.ts'

let server: TestServer
let admin: Caller
let member: Caller

beforeAll(async () => {
  server = await openTestServer()
  admin = await server.aPerson('admin-of-org', { orgRoles: ['Admin'] })
  member = await server.aPerson('member')
  await makeOneOfEach(server, admin)
  for (let number = 0; number < 12; number++)
    await admin.post('/api/v1/assets/assets/', {
      hostname: `machine-${number}`,
      ip: '10.0.0.1',
      platform: 'Linux',
      comment: 'rack 7',
    })
})
afterAll(() => server?.close())

const suggesting = resources.filter(({ operations }) => operations.includes('suggestions'))

describe.each(suggesting.map((definition) => [definition.name, definition] as const))(
  '%s',
  (_, { path, suggestions }) => {
    test('suggestions show a member what a request form needs, and administrators whole rows', async () => {
      const seen = await member.get(`${path}suggestions/`)
      expect(seen.status).toBe(200)
      expect(seen.body.length).toBeGreaterThan(0)
      for (const row of seen.body) expect(Object.keys(row).sort()).toEqual([...(suggestions?.fields ?? [])].sort())
      expect(Object.keys((await admin.get(`${path}suggestions/`)).body[0])).toContain('org_id')
    })

    test('suggestions are ten rows at most, a bare array, and a page with limit or offset', async () => {
      expect((await member.get(`${path}suggestions/`)).body.length).toBeLessThanOrEqual(10)
      const page = (await member.get(`${path}suggestions/?limit=1`)).body
      expect(Object.keys(page)).toEqual(['count', 'next', 'previous', 'results'])
      expect(page.results).toHaveLength(1)
      expect((await member.get(`${path}suggestions/?limit=500`)).body.results.length).toBeLessThanOrEqual(10)
      expect((await member.get(`${path}suggestions/?offset=1`)).body).toMatchObject({ previous: expect.any(String) })
    })

    test('suggestions are paged through by their links, each row once', async () => {
      const ids: unknown[] = []
      let link: string | null = `${path}suggestions/?limit=1`
      let count = 0
      while (link) {
        const { body }: Answer = await member.get(link)
        count = body.count
        ids.push(...body.results.map(({ id }: Row) => id))
        link = body.next && new URL(body.next).pathname + new URL(body.next).search
      }
      expect(ids).toHaveLength(count)
      expect(new Set(ids).size).toBe(count)
    })
  },
)

test('[A6.15] people with a system role belong to every organization and to root, others only where they are members', async () => {
  const elsewhere = await server.anOrg('Elsewhere')
  const overseer = await server.aPerson('overseer', { role: 'Auditor' })
  for (const [caller, status] of [
    [server.admin, 200],
    [overseer, 200],
    [admin, 403],
    [member, 403],
  ] as const)
    for (const org of [elsewhere, 'root'])
      expect((await caller.in(org).get('/api/v1/assets/assets/suggestions/')).status).toBe(status)
})

test('a member narrows suggestions by what they are shown, not by what they are not', async () => {
  const names = async (query: string) =>
    (await member.get(`/api/v1/assets/assets/suggestions/?limit=10&${query}`)).body.results.map(
      (row: { hostname: string }) => row.hostname,
    )
  expect(await names('hostname=machine-3')).toEqual(['machine-3'])
  expect(await names('search=machine-1')).toEqual(['machine-1', 'machine-10', 'machine-11'])
  // Somebody else's system users, and an order by a hidden value, change nothing.
  const all = await names('')
  expect(await names('system_users__id=00000000-0000-4000-8000-000000000001')).toEqual(all)
  expect(await names('order=-cpu_cores')).toEqual(all)
})
