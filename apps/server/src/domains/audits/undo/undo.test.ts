import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, type Caller, openTestServer, type TestServer } from '../../../../test/server.ts'
import { changeOf, ok, undoBy } from './undo-fixture.ts'

const UNDO = '/api/v1/audits/undo/'
const ASSETS = '/api/v1/assets/assets/'
const LABELS = '/api/v1/assets/labels/'
const GROUPS = '/api/v1/users/groups/'
const GRANTS = '/api/v1/perms/asset-permissions/'
const SYSTEM_USERS = '/api/v1/assets/system-users/'

let server: TestServer
let admin: Caller
beforeAll(async () => {
  server = await openTestServer()
  admin = server.admin
})
afterAll(() => server?.close())

const asset = (hostname: string, more = {}) =>
  admin.post(ASSETS, { hostname, ip: '10.1.0.1', platform: 'Linux', ...more }).then(ok)
const undo = (answer: Answer | string, body: unknown = {}, caller = admin) => undoBy(caller, answer, body)
const image = async (table: string, id: string) =>
  (await server.kernel.pool.query(`SELECT to_jsonb(t) AS image FROM ${table} t WHERE id = $1`, [id])).rows[0]?.image

test('a deleted object comes back with its id, its links and its sealed secrets, by the column', async () => {
  const group = ok(await admin.post(GROUPS, { name: 'web people' }))
  const user = ok(
    await admin.post(SYSTEM_USERS, {
      name: 'root-of-web',
      username: 'root',
      protocol: 'ssh',
      login_mode: 'auto',
      password: 'Very-secret-1',
    }),
  )
  const machine = await asset('web-1')
  const grant = ok(
    await admin.post(GRANTS, { name: 'web', assets: [machine.id], user_groups: [group.id], system_users: [user.id] }),
  )
  const before = await Promise.all([image('assets_system_user', user.id), image('assets_asset', machine.id)])
  const links = (await admin.get(`${GRANTS}${grant.id}/`)).body
  const gone = [await admin.delete(`${SYSTEM_USERS}${user.id}/`), await admin.delete(`${ASSETS}${machine.id}/`)]
  expect((await admin.get(`${GRANTS}${grant.id}/`)).body).toMatchObject({ assets: [], system_users: [] })
  for (const answer of gone) expect(await undo(answer)).toMatchObject({ status: 200, body: { is_possible: true } })
  expect(await Promise.all([image('assets_system_user', user.id), image('assets_asset', machine.id)])).toEqual(before)
  expect((await admin.get(`${GRANTS}${grant.id}/`)).body).toEqual(links)
  expect((before[0] as Record<string, string>).password_sealed).toMatch(/^\\x/)
  const log = (await admin.get(`/api/v1/audits/operate-logs/?object_id=${machine.id}`)).body
  expect(log.map(({ action }: { action: string }) => action)).toEqual(['create', 'delete', 'create'])
  // And the undo is a change itself.
  const [again] = log
  expect((await undo(again.id)).status).toBe(200)
  expect((await admin.get(`${ASSETS}${machine.id}/`)).status).toBe(404)
  expect((await undo(changeOf(gone[1] as Answer))).status).toBe(200)
  expect(await image('assets_asset', machine.id)).toEqual(before[1])
})

test('an update is taken back field by field; what else has changed since stays', async () => {
  const { id } = await asset('web-2', { comment: 'first' })
  const answer = await admin.patch(`${ASSETS}${id}/`, { comment: 'second', is_active: false })
  ok(await admin.patch(`${ASSETS}${id}/`, { ip: '10.1.0.9' }))
  const answered = (await admin.get(`${UNDO}${changeOf(answer)}/`)).body
  expect(answered).toMatchObject({ is_possible: true, total: 1, objects: [{ action: 'update', conflicts: [] }] })
  expect(answered.objects[0].changes).toEqual([
    expect.objectContaining({ field: 'is_active', before: 'No', after: 'Yes' }),
    expect.objectContaining({ field: 'comment', before: 'second', after: 'first' }),
  ])
  expect((await admin.get(`${ASSETS}${id}/`)).body.comment).toBe('second')
  expect((await undo(answer)).status).toBe(200)
  expect((await admin.get(`${ASSETS}${id}/`)).body).toMatchObject({ comment: 'first', is_active: true, ip: '10.1.0.9' })
  expect(await undo(answer)).toMatchObject({ status: 409, body: { detail: 'It has been taken back already.' } })
})

test('a field that has changed since is shown side by side and asked about: it stays, or goes back as well', async () => {
  const { id } = await asset('web-3', { comment: 'first' })
  const answer = await admin.patch(`${ASSETS}${id}/`, { comment: 'second', hostname: 'web-3b' })
  ok(await admin.patch(`${ASSETS}${id}/`, { comment: 'third' }))
  const refused = await undo(answer)
  expect(refused).toMatchObject({
    status: 409,
    body: {
      code: 'conflict',
      objects: [
        { conflicts: [{ field: 'comment', label: 'Comment', before: 'first', after: 'second', now: 'third' }] },
      ],
    },
  })
  expect((await admin.get(`${ASSETS}${id}/`)).body).toMatchObject({ comment: 'third', hostname: 'web-3b' })
  const kept = await undo(answer, { keep: ['comment'] })
  expect(kept.status).toBe(200)
  expect((await admin.get(`${ASSETS}${id}/`)).body).toMatchObject({ comment: 'third', hostname: 'web-3' })
  expect((await undo(kept)).status).toBe(200)
  expect((await undo(answer, { force: true })).status).toBe(200)
  expect((await admin.get(`${ASSETS}${id}/`)).body).toMatchObject({ comment: 'first', hostname: 'web-3' })
})

test('a new object is deleted again, and the answer says what would go with it', async () => {
  const answer = await admin.post(LABELS, { name: 'env', value: 'prod' })
  const { id } = answer.body
  expect((await undo(answer)).status).toBe(200)
  expect((await admin.get(`${LABELS}${id}/`)).status).toBe(404)
  const network = await admin.post('/api/v1/assets/domains/', { name: 'far away' })
  const gateway = { name: 'door', ip: '10.1.0.200', port: 22, domain: network.body.id, username: 'root', password: 'x' }
  ok(await admin.post('/api/v1/assets/gateways/', gateway))
  const answered = (await admin.get(`${UNDO}${changeOf(network)}/`)).body
  expect(answered.objects[0]).toMatchObject({ action: 'delete', notes: ['Deleted with it: Gateway (1)'] })
})

test('a name that is taken since is refused in words, and nothing comes back', async () => {
  const group = ok(await admin.post(GROUPS, { name: 'taken' }))
  const gone = await admin.delete(`${GROUPS}${group.id}/`)
  ok(await admin.post(GROUPS, { name: 'taken' }))
  expect((await admin.get(`${UNDO}${changeOf(gone)}/`)).body).toMatchObject({
    is_possible: false,
    reason: expect.stringMatching(/already|unique|exists/i),
  })
  expect((await undo(gone)).status).toBe(400)
  expect((await admin.get(`${GROUPS}${group.id}/`)).status).toBe(404)
})

test('a person who undoes needs the right to do the same by hand; foreign organizations find nothing', async () => {
  const answer = await admin.post(LABELS, { name: 'role', value: 'db' })
  const elsewhere = await server.anOrg('Elsewhere')
  const auditor = await server.aPerson('reads-only', { orgRoles: ['Auditor'] })
  const user = await server.aPerson('works', { orgRoles: ['User'] })
  const other = await server.aPerson('other-admin', { orgRoles: ['Admin'], org: elsewhere })
  expect((await undo(answer, {}, auditor)).status).toBe(403)
  expect((await auditor.get(`${UNDO}${changeOf(answer)}/`)).body).toMatchObject({ is_possible: false })
  for (const who of [user, other, admin.in(elsewhere)]) {
    expect((await undo(answer, {}, who)).status).toBe(404)
    expect((await who.get(`${UNDO}${changeOf(answer)}/`)).status).toBe(404)
  }
  expect((await admin.get(`${LABELS}${answer.body.id}/`)).status).toBe(200)
  for (const id of ['no-id', '00000000-0000-4000-8000-000000000001'])
    expect((await admin.get(`${UNDO}${id}/`)).status).toBe(404)
})

test('rows of one bulk call are taken back all together, or one alone', async () => {
  const made = await admin.post(
    LABELS,
    ['a', 'b', 'c'].map((value) => ({ name: 'bulk', value, comment: 'new' })),
  )
  const ids = made.body.map(({ id }: { id: string }) => id)
  const changed = await admin.patch(
    LABELS,
    ids.map((id: string) => ({ id, comment: 'changed' })),
  )
  const [one] = (await admin.get(`/api/v1/audits/operate-logs/?object_id=${ids[0]}`)).body
  expect((await undo(one.id)).status).toBe(200)
  const comments = async () =>
    (await admin.get(`${LABELS}?name=bulk`)).body.map(({ comment }: { comment: string }) => comment)
  expect((await comments()).sort()).toEqual(['changed', 'changed', 'new'])
  expect(await undo(changed)).toMatchObject({ status: 200, body: { total: 2, left: 0 } })
  expect(await comments()).toEqual(['new', 'new', 'new'])
  const gone = await admin.delete(`${LABELS}?name=bulk`)
  expect(await comments()).toEqual([])
  expect(await undo(gone)).toMatchObject({ status: 200, body: { total: 3 } })
  expect(await comments()).toEqual(['new', 'new', 'new'])
  expect(await undo(made)).toMatchObject({ status: 200, body: { total: 3 } })
  expect(await comments()).toEqual([])
})

test('an object that is erased for good cannot be brought back, and the operate log says that it was', async () => {
  const group = ok(await admin.post(GROUPS, { name: 'to be forgotten', comment: 'very private' }))
  const gone = await admin.delete(`${GROUPS}${group.id}/`)
  const kept = async () =>
    (await server.kernel.pool.query("SELECT FROM kernel_undo_row WHERE key ->> 'id' = $1", [group.id])).rowCount
  expect(await kept()).toBe(2)
  const auditor = await server.aPerson('reads-too', { orgRoles: ['Auditor'] })
  expect((await auditor.delete(`${UNDO}${changeOf(gone)}/`)).status).toBe(403)
  expect((await admin.delete(`${UNDO}${changeOf(gone)}/`)).status).toBe(204)
  expect(await kept()).toBe(0)
  expect(await undo(gone)).toMatchObject({ status: 409, body: { detail: expect.stringContaining('nothing was kept') } })
  const [row] = (await admin.get(`/api/v1/audits/operate-logs/?object_id=${group.id}`)).body
  expect(row).toMatchObject({ action: 'delete', changes: [{ label: 'Kept for undo', before: 'User group' }] })
})

test('trying an undo out reports it to nobody: mails, jobs and events wait for the commit of the real one', async () => {
  const { body: person } = await admin.post('/api/v1/users/users/', {
    name: 'Tried out',
    username: 'tried.out',
    email: 'tried.out@example.com',
  })
  const answer = await admin.patch(`/api/v1/users/users/${person.id}/`, { is_active: false })
  const events: string[] = []
  const { publish } = server.kernel.events
  server.kernel.events.publish = async (name, message) => {
    events.push(name)
    return publish.call(server.kernel.events, name, message)
  }
  try {
    expect((await admin.get(`${UNDO}${changeOf(answer)}/`)).body.is_possible).toBe(true)
    expect(events).toEqual([])
    expect((await undo(answer)).status).toBe(200)
    expect(events).toContain('users.changed')
  } finally {
    server.kernel.events.publish = publish
  }
})
