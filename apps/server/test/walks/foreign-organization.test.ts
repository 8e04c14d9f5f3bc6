import { DEFAULT_ORG_ID, ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import type { Field, ResourceDefinition } from '@sallyport/contract/define.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Caller, openTestServer, type TestServer } from '../server.ts'
import { draftOf, isWrittenByPeople, makeOneOfEach, type OneOfEach, ofOrganizations, type Row } from './one-of-each.ts'

let server: TestServer
/** Administrators of two organizations that have nothing to do with each other. */
let ours: Caller
let theirs: Caller
/** One row of every organization-scoped resource, made by `ours`. */
let rows: OneOfEach

beforeAll(async () => {
  server = await openTestServer()
  const elsewhere = await server.anOrg('Elsewhere')
  ours = await server.aPerson('ours', { orgRoles: ['Admin'] })
  theirs = await server.aPerson('theirs', { orgRoles: ['Admin'], org: elsewhere })
  rows = await makeOneOfEach(server, ours)
})
afterAll(() => server?.close())

describe.each(ofOrganizations.map((definition) => [definition.name, definition] as const))('%s', (name, definition) => {
  const address = () => `${definition.path}${rows[name]?.id}/`
  const has = (operation: ResourceDefinition['operations'][number]) => definition.operations.includes(operation)

  test('[A6.15] another organization neither reads, counts, exports, changes nor deletes it', async () => {
    const before = has('retrieve') ? (await ours.get(address())).body : undefined
    if (has('retrieve')) {
      expect((await theirs.get(address())).status).toBe(404)
      expect((await theirs.get(address())).body).toMatchObject({ code: 'object_does_not_exist' })
    }
    for (const query of ['', `ids=${rows[name]?.id}`, 'search=a', `spm=${await selection()}`]) {
      const { body } = await theirs.get(`${definition.path}?limit=100&${query}`)
      expect(body.results.map((row: Row) => row.id)).not.toContain(rows[name]?.id)
      if (query.startsWith('ids')) expect(body.count).toBe(0)
    }
    if (has('export'))
      expect(JSON.stringify((await theirs.get(`${definition.path}?format=csv`)).body)).not.toContain(
        String(rows[name]?.id),
      )
    const refusal = isWrittenByPeople(definition) ? 404 : 403
    if (has('partial_update')) expect((await theirs.patch(address(), { comment: 'taken over' })).status).toBe(refusal)
    if (has('update')) expect((await theirs.put(address(), draftOf(definition, rows, ours))).status).toBe(refusal)
    if (has('bulk_update'))
      expect((await theirs.patch(definition.path, [{ id: rows[name]?.id, comment: 'taken over' }])).status).toBe(
        refusal === 404 ? 400 : 403,
      )
    if (has('destroy')) expect((await theirs.delete(address())).status).toBe(refusal)
    if (has('bulk_destroy'))
      expect((await theirs.delete(`${definition.path}?ids=${rows[name]?.id}`)).status).toBeLessThan(500)
    if (has('retrieve')) expect((await ours.get(address())).body).toEqual(before)
  })

  if (!isWrittenByPeople(definition)) return
  test('[A6.15] another organization cannot refer to what is ours', async () => {
    for (const [field, { to, type, readOnly, by }] of Object.entries(definition.fields as Record<string, Field>)) {
      const target = to === 'user' ? ours.id : rows[to ?? '']?.id
      if (!target || readOnly || by === 'name') continue
      const { status, body } = await theirs.post(definition.path, {
        ...draftOf(definition, rows, ours),
        [field]: type === 'refs' ? [target] : target,
      })
      expect(`${field}: ${status} ${Object.keys(body).includes(field)}`).toBe(`${field}: 400 true`)
    }
  })
})

test.each([
  ['ours', DEFAULT_ORG_ID],
  ['the root organization', ROOT_ORG_ID],
])('[A6.15] no route tells a stranger a row of ours who names %s as theirs', async (_, org) => {
  // Ids that are numbers occur in any answer.
  const ids = Object.values(rows).flatMap(({ id }) => (typeof id === 'string' ? [id] : []))
  const stranger = theirs.in(org)
  const disclosed: string[] = []
  for (const { method, url } of server.kernel.routes) {
    if (method !== 'GET' || /[:*]/.test(url) || url.includes('/auth/logout/')) continue
    for (const address of [url, `${url}?limit=100&oid=${org}`]) {
      const answer = JSON.stringify((await stranger.get(address)).body) ?? ''
      if (ids.some((id) => answer.includes(id))) disclosed.push(address)
    }
  }
  expect(disclosed).toEqual([])
})

test('[A6.15] what members of an organization see, system auditors see in every one, and its own people in it alone', async () => {
  const auditor = await server.aPerson('auditor', { role: 'Auditor', orgRoles: [] })
  const { org_id: elsewhere } = (await theirs.post('/api/v1/assets/domains/', { name: 'theirs' })).body
  const member = await server.aPerson('member')
  const seen = async (caller: Caller) => {
    const statuses = []
    for (const org of [DEFAULT_ORG_ID, elsewhere, ROOT_ORG_ID])
      statuses.push((await caller.in(org).get('/api/v1/assets/assets/suggestions/')).status)
    return statuses
  }
  expect(await seen(auditor)).toEqual([200, 200, 200])
  expect(await seen(server.admin)).toEqual([200, 200, 200])
  expect(await seen(member)).toEqual([200, 403, 403])
})

async function selection(): Promise<string> {
  const { body } = await theirs.post('/api/v1/common/resources/cache/', {
    resources: Object.values(rows).map((row) => String(row.id)),
  })
  return body.spm
}
