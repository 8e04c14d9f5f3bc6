/** Undo of every resource of organizations: a changed row and a deleted one are again as they were, column by column. */
import { resources } from '@sallyport/contract/resources/all-fixture.ts'
import { getTableName } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { resourcesOf } from '../../src/kernel/resource/registry.ts'
import { type Answer, openTestServer, type TestServer } from '../server.ts'
import { isWrittenByPeople, makeOneOfEach, type OneOfEach, ofOrganizations } from './one-of-each.ts'

/** Resources whose deletion is refused here, or of which nothing is kept, and why. */
const LEFT_OUT: readonly (readonly [RegExp, string])[] = [
  [/^(ftp_log|session|ticket|apply_\w+|access_review)$/, 'evidence'],
  [/^(command_execution|change_auth_plan_execution|app_change_auth_plan_execution)$/, 'a run'],
  [/^site_message$/, 'a message'],
  [/^service_(key|identity)$/, 'keys that were withdrawn stay so'],
  [/_permission_\w+_relation$/, 'links, which are those of their permission (undo-in-parts.test.ts)'],
  [/^cloud_account$/, 'the task of this walk uses it'],
]

let server: TestServer
let own: OneOfEach
beforeAll(async () => {
  // Without the jobs, which would write to the same rows.
  server = await openTestServer({ SALLYPORT_ROLES: 'api,gateway' })
  const person = await server.aPerson('to-be-deleted')
  own = { ...(await makeOneOfEach(server, server.admin)), user: { id: person.id } }
})
afterAll(() => server?.close())

const tableOf = (name: string) => {
  const resource = resourcesOf(server.kernel).find(name)
  if (!resource) throw new Error(`${name} is not mounted`)
  return getTableName(resource.mount.table)
}
async function image(name: string, id: unknown): Promise<Record<string, unknown> | undefined> {
  const { rows } = await server.kernel.pool.query(
    `SELECT to_jsonb(t) - 'date_updated' AS image FROM ${tableOf(name)} t WHERE id::text = $1`,
    [String(id)],
  )
  return rows[0]?.image
}
const changeOf = ({ headers }: Answer) => headers['x-change']
const undo = (change: unknown) => server.admin.post(`/api/v1/audits/undo/${change}/`)

const walked = resources.filter(
  ({ name, operations, path }) =>
    (name === 'user' || ofOrganizations.some((one) => one.name === name)) &&
    operations.includes('destroy') &&
    !path.includes(':') &&
    !LEFT_OUT.some(([pattern]) => pattern.test(name)),
)

test('a changed row is as it was, in every resource that has a text to change', async () => {
  const faults: string[] = []
  let count = 0
  for (const { name, path, fields, operations } of walked.filter(isWrittenByPeople)) {
    const id = own[name]?.id
    const field = ['comment', 'name', 'value'].find((one) => fields[one] && !fields[one].readOnly)
    if (!id || !field || !operations.includes('partial_update')) continue
    const before = await image(name, id)
    const changed = await server.admin.patch(`${path}${id}/`, { [field]: 'changed-by-walk' })
    if (changed.status !== 200) continue
    count++
    const undone = await undo(changeOf(changed))
    const after = await image(name, id)
    if (undone.status !== 200) faults.push(`${name}: ${undone.status} ${JSON.stringify(undone.body)}`)
    else if (JSON.stringify(after) !== JSON.stringify(before)) faults.push(`${name}: ${differences(before, after)}`)
  }
  expect(faults).toEqual([])
  expect(count).toBeGreaterThan(15)
})

test('a deleted row comes back with its id and every column, sealed secrets included, and is answered as before', async () => {
  const faults: string[] = []
  let count = 0
  for (const { name, path, operations } of walked.filter(isWrittenByPeople)) {
    const id = own[name]?.id
    const before = id ? await image(name, id) : undefined
    if (!before) continue
    const read = async () =>
      operations.includes('retrieve') ? (await server.admin.get(`${path}${id}/`)).body : undefined
    const wire = await read()
    const gone = await server.admin.delete(`${path}${id}/`)
    if (gone.status !== 204) {
      faults.push(`${name} cannot be deleted: ${JSON.stringify(gone.body)}`)
      continue
    }
    count++
    const undone = await undo(changeOf(gone))
    const after = await image(name, id)
    if (undone.status !== 200) faults.push(`${name}: ${undone.status} ${JSON.stringify(undone.body)}`)
    else if (JSON.stringify(after) !== JSON.stringify(before)) faults.push(`${name}: ${differences(before, after)}`)
    else if (JSON.stringify(await read()) !== JSON.stringify(wire))
      faults.push(`${name} is answered otherwise: ${differences(wire, await read())}`)
  }
  expect(faults).toEqual([])
  expect(count).toBeGreaterThan(20)
})

function differences(before: Record<string, unknown> = {}, after: Record<string, unknown> = {}): string {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((name) => `${name} ${JSON.stringify(before[name])} → ${JSON.stringify(after[name])}`)
    .join(', ')
}
