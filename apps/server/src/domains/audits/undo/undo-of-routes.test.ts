/** Undo of changes by calls beside the generic ones of a resource. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, type Caller, openTestServer, type TestServer } from '../../../../test/server.ts'
import { ok, undoBy } from './undo-fixture.ts'

const SYSTEM_USERS = '/api/v1/assets/system-users/'
const PLANS = '/api/v1/xpack/change-auth-plan/plan/'
const APP_PLANS = '/api/v1/xpack/change-auth-plan/app-plan/'

let server: TestServer
let admin: Caller
beforeAll(async () => {
  server = await openTestServer()
  admin = server.admin
})
afterAll(() => server?.close())

const undo = (answer: Answer) => undoBy(admin, answer)

test('the secrets of a system user that were set or cleared by their own address are sealed as before', async () => {
  const { id } = ok(
    await admin.post(SYSTEM_USERS, {
      ...{ name: 'has-secrets', username: 'root', protocol: 'ssh', login_mode: 'auto', password: 'First-secret-1' },
    }),
  )
  const image = async () =>
    (
      await server.kernel.pool.query(
        "SELECT to_jsonb(t) - 'date_updated' AS image FROM assets_system_user t WHERE id = $1",
        [id],
      )
    ).rows[0].image
  const before = await image()
  const set = await admin.put(`${SYSTEM_USERS}${id}/auth-info/`, { password: 'Second-secret-2' })
  expect((await image()).password_sealed).not.toEqual(before.password_sealed)
  expect((await undo(set)).status).toBe(200)
  expect(await image()).toEqual(before)
  const cleared = await admin.delete(`${SYSTEM_USERS}${id}/auth-info/`)
  expect((await image()).password_sealed).toBeNull()
  expect((await undo(cleared)).status).toBe(200)
  expect(await image()).toEqual(before)
})

test('assets, nodes and system users that were added to a plan, or removed from it, are as before', async () => {
  const machine = ok(
    await admin.post('/api/v1/assets/assets/', { hostname: 'planned', ip: '10.3.0.1', platform: 'Linux' }),
  )
  const node = ok(await admin.post('/api/v1/assets/nodes/children/', { value: 'planned' }))
  const plan = ok(await admin.post(PLANS, { name: 'plan', username: 'deploy', password: 'Planned-secret-1' }))
  const assetsOf = async () => (await admin.get(`${PLANS}${plan.id}/`)).body.assets
  const added = await admin.patch(`${PLANS}${plan.id}/asset/add/`, { assets: [machine.id] })
  expect(await assetsOf()).toEqual([machine.id])
  expect((await undo(added)).status).toBe(200)
  expect(await assetsOf()).toEqual([])
  ok(await admin.patch(`${PLANS}${plan.id}/asset/add/`, { assets: [machine.id] }))
  expect((await undo(await admin.patch(`${PLANS}${plan.id}/asset/remove/`, { assets: [machine.id] }))).status).toBe(200)
  expect(await assetsOf()).toEqual([machine.id])
  const below = await admin.patch(`${PLANS}${plan.id}/nodes/?action=add`, { nodes: [node.id] })
  expect((await undo(below)).status).toBe(200)
  expect((await admin.get(`${PLANS}${plan.id}/`)).body.nodes).toEqual([])
  const user = ok(
    await admin.post(SYSTEM_USERS, { name: 'of-mysql', username: 'root', protocol: 'mysql', login_mode: 'manual' }),
  )
  const ofApps = ok(
    await admin.post(APP_PLANS, { name: 'plan', category: 'db', type: 'mysql', password: 'Planned-secret-1' }),
  )
  const address = `${APP_PLANS}${ofApps.id}/systemusers/`
  expect((await undo(await admin.patch(`${address}?action=add`, { system_users: [user.id] }))).status).toBe(200)
  expect((await admin.get(`${APP_PLANS}${ofApps.id}/`)).body.system_users).toEqual([])
})

test('a rule of a command filter, which is reached through the filter, is as before', async () => {
  const filter = ok(await admin.post('/api/v1/assets/cmd-filters/', { name: 'rules' }))
  const rules = `/api/v1/assets/cmd-filters/${filter.id}/rules/`
  const rule = ok(await admin.post(rules, { type: 'command', content: 'reboot', priority: 50, action: 0 }))
  const changed = await admin.patch(`${rules}${rule.id}/`, { content: 'halt' })
  expect((await undo(changed)).status).toBe(200)
  expect((await admin.get(`${rules}${rule.id}/`)).body.content).toBe('reboot')
  expect((await undo(await admin.delete(`${rules}${rule.id}/`))).status).toBe(200)
  expect((await admin.get(`${rules}${rule.id}/`)).body).toMatchObject({ content: 'reboot', priority: 50 })
})

test('a system administrator takes back who came into another organization than that of the call', async () => {
  const org = await server.anOrg('Of old scripts')
  const person = await server.aPerson('by-script')
  const address = `/api/v1/orgs/orgs/${org}/membership/users/`
  const usersOf = async () => (await admin.get(address)).body.map(({ user }: { user: string }) => user)
  const added = await admin.post(address, { user: person.id })
  expect(await usersOf()).toEqual([person.id])
  expect((await undo(added)).status).toBe(200)
  expect(await usersOf()).toEqual([])
})
