/** Undo of changes that are no single row: imports, moves in the tree, links, secrets, people. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, type Caller, openTestServer, type TestServer } from '../../../../test/server.ts'
import { settingsOf } from '../../settings/index.ts'
import { changeOf, ok, undoBy } from './undo-fixture.ts'

const UNDO = '/api/v1/audits/undo/'
const ASSETS = '/api/v1/assets/assets/'
const NODES = '/api/v1/assets/nodes/'
const LABELS = '/api/v1/assets/labels/'
const USERS = '/api/v1/users/users/'
const GRANTS = '/api/v1/perms/asset-permissions/'

let server: TestServer
let admin: Caller
beforeAll(async () => {
  server = await openTestServer()
  admin = server.admin
})
afterAll(() => server?.close())

const undo = (answer: Answer | string, body: unknown = {}, caller = admin) => undoBy(caller, answer, body)
const fullValue = async (id: string) => (await admin.get(`${NODES}${id}/`)).body.full_value

test('all of one import is taken back by its id: what it made goes, what it replaced is as it was', async () => {
  const old = ok(await admin.post(LABELS, { name: 'imported', value: 'old', comment: 'before' }))
  const jobs = `${LABELS}import-jobs/`
  const carriedOut = async (mode: string, rows: unknown[]) => {
    const { id } = ok(await admin.post(jobs, { mode, rows }))
    await expect.poll(async () => (await admin.get(`${jobs}${id}/`)).body).toMatchObject({ finished: true, failed: 0 })
    return id as string
  }
  const updated = await carriedOut('update', [{ id: old.id, name: 'imported', value: 'old', comment: 'by file' }])
  const created = await carriedOut(
    'create',
    [1, 2, 3].map((n) => ({ name: 'imported', value: `n${n}` })),
  )
  expect(await undo(created)).toMatchObject({ status: 200, body: { total: 3, left: 0 } })
  expect(await undo(updated)).toMatchObject({ status: 200, body: { total: 1 } })
  const left = (await admin.get(`${LABELS}?name=imported`)).body
  expect(left.map(({ value, comment }: Record<string, string>) => [value, comment])).toEqual([['old', 'before']])
})

test('rows of a file that are sent one by one are one import too, of that person alone', async () => {
  const other = await server.aPerson('imports-too', { orgRoles: ['Admin'] })
  const chosen = '0192aaaa-0000-7000-8000-000000000001'
  const send = ({ token }: Caller, value: string) =>
    server.call('POST', LABELS, {
      body: { name: 'by row', value },
      headers: {
        authorization: `Bearer ${token}`,
        'x-jms-org': '00000000-0000-0000-0000-000000000002',
        'x-import': chosen,
      },
    })
  const first = changeOf(await send(admin, 'one'))
  expect(changeOf(await send(admin, 'two'))).toBe(first)
  expect(changeOf(await send(other, 'three'))).not.toBe(first)
  expect(await undo(first)).toMatchObject({ status: 200, body: { total: 2 } })
  const left = (await admin.get(`${LABELS}?name=by row`)).body
  expect(left.map(({ value }: { value: string }) => value)).toEqual(['three'])
})

test('a node that was moved goes back with what has come below it since; links of assets go back, and none is without a node', async () => {
  const [one, two] = await Promise.all(
    ['one', 'two'].map((value) => admin.post(`${NODES}children/`, { value }).then(ok)),
  )
  const inner = ok(await admin.post(`${NODES}${one.id}/children/`, { value: 'inner' }))
  const moved = await admin.put(`${NODES}${two.id}/children/add/`, { nodes: [inner.id] })
  const late = ok(await admin.post(`${NODES}${inner.id}/children/`, { value: 'late' }))
  expect(await fullValue(late.id)).toBe('/Default/two/inner/late')
  expect((await undo(moved)).status).toBe(200)
  expect(await Promise.all([fullValue(inner.id), fullValue(late.id)])).toEqual([
    '/Default/one/inner',
    '/Default/one/inner/late',
  ])
  const machine = ok(
    await admin.post(ASSETS, { hostname: 'moves', ip: '10.2.0.1', platform: 'Linux', nodes: [one.id] }),
  )
  const nodesOf = async () => (await admin.get(`${ASSETS}${machine.id}/`)).body.nodes
  const replaced = await admin.put(`${NODES}${two.id}/assets/replace/`, { assets: [machine.id] })
  expect(await nodesOf()).toEqual([two.id])
  expect((await undo(replaced)).body).toMatchObject({ is_possible: true })
  expect(await nodesOf()).toEqual([one.id])
  const removed = await admin.put(`${NODES}${one.id}/assets/remove/`, { assets: [machine.id] })
  ok(await admin.put(`${NODES}${two.id}/assets/replace/`, { assets: [machine.id] }))
  expect((await undo(removed)).status).toBe(200)
  expect((await nodesOf()).sort()).toEqual([one.id, two.id].sort())
  const [row] = (await admin.get(`/api/v1/audits/operate-logs/?object_id=${one.id}`)).body
  expect(row.changes).toEqual([expect.objectContaining({ label: 'Assets', added: ['moves(10.2.0.1)'] })])
})

test('links of a permission that were added or removed by a call of their own are as before', async () => {
  const machine = ok(await admin.post(ASSETS, { hostname: 'linked', ip: '10.2.0.2', platform: 'Linux' }))
  const grant = ok(await admin.post(GRANTS, { name: 'links' }))
  const added = await admin.post('/api/v1/perms/asset-permissions-assets-relations/', [
    { assetpermission: grant.id, asset: machine.id },
  ])
  expect((await admin.get(`${GRANTS}${grant.id}/`)).body.assets).toEqual([machine.id])
  expect((await undo(added)).status).toBe(200)
  expect((await admin.get(`${GRANTS}${grant.id}/`)).body.assets).toEqual([])
  const links = '/api/v1/perms/asset-permissions-assets-relations/'
  const [link] = ok(await admin.post(links, [{ assetpermission: grant.id, asset: machine.id }]))
  expect((await undo(await admin.delete(`${links}${link.id}/`))).status).toBe(200)
  expect((await admin.get(`${GRANTS}${grant.id}/`)).body.assets).toEqual([machine.id])
})

test('a secret comes back sealed as it was; one that has changed since stays, and one whose address stays does not come back', async () => {
  const machine = ok(await admin.post(ASSETS, { hostname: 'secret', ip: '10.2.0.3', platform: 'Linux' }))
  const accounts = '/api/v1/assets/accounts/'
  const account = ok(await admin.post(accounts, { asset: machine.id, username: 'root', password: 'First-secret-1' }))
  const sealed = async (table: string, id: string) =>
    (await server.kernel.pool.query(`SELECT password_sealed FROM ${table} WHERE id = $1`, [id])).rows[0].password_sealed
  const first = await sealed('assets_account', account.id)
  const second = await admin.patch(`${accounts}${account.id}/`, { password: 'Second-secret-2' })
  expect((await undo(second)).status).toBe(200)
  expect(await sealed('assets_account', account.id)).toEqual(first)
  const third = await admin.patch(`${accounts}${account.id}/`, { password: 'Third-secret-3', comment: 'third' })
  ok(await admin.patch(`${accounts}${account.id}/`, { password: 'Fourth-secret-4' }))
  const fourth = await sealed('assets_account', account.id)
  expect((await undo(third)).body.objects[0].notes).toEqual(['A secret has been changed since. It stays as it is.'])
  expect(await sealed('assets_account', account.id)).toEqual(fourth)

  const network = ok(await admin.post('/api/v1/assets/domains/', { name: 'secret places' }))
  const gateways = '/api/v1/assets/gateways/'
  const door = {
    name: 'door',
    ip: '10.2.0.200',
    port: 22,
    domain: network.id,
    username: 'root',
    password: 'Door-secret-1',
  }
  const gateway = ok(await admin.post(gateways, door))
  const away = await admin.patch(`${gateways}${gateway.id}/`, { ip: '10.66.66.66', password: 'Other-secret-2' })
  const other = await sealed('assets_gateway', gateway.id)
  expect((await undo(away, { keep: ['ip'] })).status).not.toBe(500)
  expect((await admin.get(`${gateways}${gateway.id}/`)).body.ip).toBe('10.66.66.66')
  expect(await sealed('assets_gateway', gateway.id)).toEqual(other)
})

test('nobody gains by undo what they could not set by hand: roles, and people who were deleted by others', async () => {
  const orgAdmin = await server.aPerson('only-here', { orgRoles: ['Admin'] })
  const mighty = await server.aPerson('was-mighty', { role: 'Admin' })
  const demoted = await admin.patch(`${USERS}${mighty.id}/`, { role: 'User' })
  const roleOf = async () => (await admin.get(`${USERS}${mighty.id}/`)).body.role
  await undo(demoted, {}, orgAdmin)
  expect(await roleOf()).toBe('User')
  expect((await undo(demoted, { force: true })).status).toBe(200)
  expect(await roleOf()).toBe('Admin')
  const plain = await server.aPerson('plain-here')
  const hash = async () =>
    (await server.kernel.pool.query('SELECT password_hash FROM users_user WHERE id = $1', [plain.id])).rows[0]
  const renewed = await admin.patch(`${USERS}${plain.id}/`, { password: 'Another-person-2', comment: 'renewed' })
  const now = await hash()
  const partly = await undo(renewed, {}, orgAdmin)
  expect(partly.body.objects[0].notes).toEqual([expect.stringMatching(/^A system administrator, or the person/)])
  expect(await hash()).toEqual(now)
  const left = await admin.delete(`${USERS}${plain.id}/`)
  expect((await undo(left, {}, orgAdmin)).status).toBe(403)
  const gone = await admin.delete(`${USERS}${mighty.id}/`)
  expect((await undo(gone, {}, orgAdmin)).status).toBe(403)
  const secret = async () =>
    (await server.kernel.pool.query('SELECT password_hash FROM users_user WHERE id = $1', [mighty.id])).rows
  expect(await secret()).toEqual([])
  expect((await undo(gone)).status).toBe(200)
  expect(await roleOf()).toBe('Admin')
  await expect(server.signIn('was-mighty', 'Plain-person-1')).resolves.toMatchObject({ id: mighty.id })
})

test('why not is said in words: what was taken along, evidence, and what is older than the setting', async () => {
  const log = async (row: Record<string, unknown>) => {
    const { rows } = await server.kernel.pool.query(
      `INSERT INTO audits_operate_log ("user", action, resource_type, resource, org_id, object_type, datetime)
       VALUES ('a', $1, 'Asset', 'web', '00000000-0000-0000-0000-000000000002', $2, now() - make_interval(days => $3)) RETURNING id`,
      [row.action, row.type, row.days ?? 0],
    )
    return (await admin.get(`${UNDO}${rows[0].id}/`)).body
  }
  expect(await log({ action: 'export', type: 'asset' })).toMatchObject({
    is_possible: false,
    reason: 'What was taken along cannot be taken back.',
  })
  expect((await log({ action: 'update', type: 'session' })).reason).toBe('A session is evidence: it is not taken back.')
  expect((await log({ action: 'update', type: 'asset', days: 31 })).reason).toBe(
    'Changes can be taken back for 30 days.',
  )
})

test('settings are taken back page by page, a secret sealed as it was; nobody but a system administrator does that', async () => {
  const path = '/api/v1/settings/setting/?category=email'
  const settings = settingsOf(server.kernel)
  const save = (body: object) => admin.patch(path, body)
  ok(await save({ EMAIL_HOST: 'mail.example.com', EMAIL_HOST_PASSWORD: 'first-word' }))
  const saved = await save({ EMAIL_SUBJECT_PREFIX: '[other]', EMAIL_HOST_PASSWORD: 'second-word' })
  const look = await admin.get(`${UNDO}${changeOf(saved)}/`)
  expect(look.body).toMatchObject({ is_possible: true, total: 2 })
  expect(JSON.stringify(look.body)).not.toMatch(/(first|second)-word/)
  const orgAdmin = await server.aPerson('sets-nothing', { orgRoles: ['Admin'] })
  expect((await undo(saved, {}, orgAdmin)).status).toBe(404)
  const undone = await undo(saved)
  ok(undone)
  expect(settings.get('EMAIL_HOST_PASSWORD')).toBe('first-word')
  expect(
    [settings.get('EMAIL_SUBJECT_PREFIX'), settings.isSet('EMAIL_SUBJECT_PREFIX')],
    'as nobody had set it',
  ).toEqual([settings.base().EMAIL_SUBJECT_PREFIX, false])
  ok(await undo(undone))
  expect([settings.get('EMAIL_HOST_PASSWORD'), settings.get('EMAIL_SUBJECT_PREFIX')]).toEqual([
    'second-word',
    '[other]',
  ])
})

test('a setting that has changed since is asked about; a secret never comes to another address than it was for', async () => {
  const path = '/api/v1/settings/setting/?category=email'
  const settings = settingsOf(server.kernel)
  ok(await admin.patch(path, { EMAIL_HOST: 'mail.example.com', EMAIL_HOST_PASSWORD: 'first-word' }))
  const cleared = await admin.patch(path, { EMAIL_HOST: '', EMAIL_SUBJECT_PREFIX: '[none]' })
  ok(cleared)
  expect(settings.get('EMAIL_HOST_PASSWORD'), 'it is for nobody').toBe('')
  ok(await admin.patch(path, { EMAIL_HOST: 'elsewhere.example.com' }))
  const refused = await undo(cleared)
  expect([refused.status, refused.body.code]).toEqual([409, 'conflict'])
  expect(refused.body.objects.flatMap(({ conflicts }: { conflicts: object[] }) => conflicts)).toMatchObject([
    { field: 'EMAIL_HOST', before: 'mail.example.com', after: null, now: 'elsewhere.example.com' },
  ])
  ok(await undo(cleared, { keep: ['EMAIL_HOST'] }))
  expect([settings.get('EMAIL_HOST'), settings.get('EMAIL_HOST_PASSWORD')]).toEqual(['elsewhere.example.com', ''])
})
