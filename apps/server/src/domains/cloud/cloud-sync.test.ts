import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTestServer, type TestServer } from '../../../test/server.ts'
import type { CloudInstance } from './providers/cloud.ts'
import { type CloudServer, machinesFrom, startClouds } from './providers/cloud-server-fixture.ts'
import { KEYS, publicCloud } from './providers/public-clouds-fixture.ts'

const TASKS = '/api/v1/xpack/cloud/sync-instance-tasks/'
const ASSETS = '/api/v1/assets/assets/'
const REGION = 'ap-shanghai'

let clouds: CloudServer
let server: TestServer
let account: string
beforeAll(async () => {
  clouds = await startClouds(publicCloud)
  server = await openTestServer({ SALLYPORT_CLOUD_RELAY: clouds.url })
  account = await made('/api/v1/xpack/cloud/accounts/', { name: 'Tencent', provider: 'qcloud', attrs: KEYS })
})
afterAll(async () => {
  await server?.close()
  await clouds?.close()
})
beforeEach(() => {
  clouds.machines.clear()
  clouds.next.length = 0
})

async function made(path: string, draft: object): Promise<string> {
  const { status, body } = await server.admin.post(path, draft)
  expect([status, body]).toEqual([201, expect.anything()])
  return body.id
}

/** A task whose machines go into a node of their own, which keeps tests apart. */
async function aTask(name: string, draft: object = {}): Promise<{ id: string; node: string }> {
  const node = await made('/api/v1/assets/nodes/', { value: name })
  const id = await made(TASKS, { name, account, regions: [REGION], node, is_periodic: false, interval: null, ...draft })
  return { id, node }
}

/** A machine whose name and addresses no other test has. */
const machine = (name: string, ip: string, more: Partial<CloudInstance> = {}): CloudInstance => ({
  id: `ins-${name}`,
  name,
  addresses: [ip],
  publicAddress: '',
  isWindows: false,
  ...more,
})

/** Runs a task to its end; answers its line in the history, and its log. */
async function run(id: string) {
  const { task } = (await server.admin.get(`${TASKS}${id}/run/`)).body
  await ended(task)
  const { body } = await server.admin.get(`${TASKS}${id}/history/?limit=1`)
  expect(body.results[0].id).toBe(task)
  const log = (await server.admin.get(`/api/v1/ops/celery/task/${task}/log/`)).body.data as string
  return { ...body.results[0], log }
}
const ended = (task: string) =>
  expect
    .poll(async () => (await server.admin.get(`/api/v1/ops/celery/task/${task}/result/`)).body.state)
    .toBe('SUCCESS')

const assetsOf = async (node: string) =>
  (await server.admin.get(`${ASSETS}?node=${node}&order=hostname`)).body as Record<string, unknown>[]
const instancesOf = async (task: string) =>
  (await server.admin.get(`${TASKS}${task}/instances/?order=instance_id`)).body as Record<string, unknown>[]

test('[A3.26 A4.03] machines become assets once, under the node, with the admin user and protocols of their kind; what is gone is marked and stays', async () => {
  const unix = await made('/api/v1/assets/admin-users/', {
    name: 'root',
    username: 'root',
    password: 'Secret-of-root-1',
  })
  const windows = await made('/api/v1/assets/admin-users/', {
    name: 'win',
    username: 'Administrator',
    password: 'x-1-Y-2-z',
  })
  const { id, node } = await aTask('first', { unix_admin_user: unix, windows_admin_user: windows })
  clouds.machines.set(REGION, [
    machine('web', '10.2.0.5', { addresses: ['10.2.0.5', '203.0.113.9'], publicAddress: '203.0.113.9' }),
    machine('desk 🚀', '10.2.0.6', { isWindows: true }),
  ])
  const first = await run(id)
  expect(first).toMatchObject({
    summary: { new: 2, unsync: 0, sync: 0, released: 0 },
    status: 1,
    status_display: 'Succeeded',
    reason: null,
    result: { regions: [{ id: REGION, instances: 2 }] },
  })
  expect(first.log).toContain('ins-web | web-0.5(10.2.0.5) | NEW')
  expect(await assetsOf(node)).toMatchObject([
    {
      hostname: 'desk 🚀-0.6',
      ip: '10.2.0.6',
      platform: 'Windows',
      protocols: ['rdp/3389'],
      admin_user: windows,
      nodes: [node],
    },
    {
      hostname: 'web-0.5',
      ip: '10.2.0.5',
      platform: 'Linux',
      protocols: ['ssh/22'],
      admin_user: unix,
      public_ip: '203.0.113.9',
    },
  ])
  expect((await run(id)).summary).toEqual({ new: 0, unsync: 0, sync: 2, released: 0 })
  clouds.machines.set(REGION, [machine('web', '10.2.0.5')])
  expect((await run(id)).summary).toEqual({ new: 0, unsync: 0, sync: 1, released: 1 })
  expect(await instancesOf(id)).toMatchObject([
    { instance_id: 'ins-desk 🚀', status: 3, status_display: 'Released', asset_display: 'desk 🚀-0.6(10.2.0.6)' },
    { instance_id: 'ins-web', status: 2, status_display: 'Synced' },
  ])
  expect(await assetsOf(node)).toHaveLength(2)
  const task = (await server.admin.get(`${TASKS}${id}/`)).body
  expect(task).toMatchObject({
    history_count: 3,
    instance_count: 2,
    account_display: 'Tencent',
    summary: { new: 0, unsync: 0, sync: 1, released: 1 },
  })
  expect(task.date_last_sync).not.toBeNull()
  // A machine is tried in the background once it is an asset.
  const untried = async () => (await assetsOf(node)).map(({ connectivity: _, date_verified: __, ...rest }) => rest)
  const before = await untried()
  const released = await server.admin.delete(`${TASKS}${id}/released-assets/`)
  expect(released.status).toBe(204)
  expect((await assetsOf(node)).map(({ hostname }) => hostname)).toEqual(['web-0.5'])
  expect(await instancesOf(id)).toHaveLength(1)
  // The message after it offers to take it back, by its id.
  const undone = await server.admin.post(`/api/v1/audits/undo/${released.headers['x-change']}/`)
  expect(undone).toMatchObject({ status: 200, body: { total: 1 } })
  expect(await untried()).toEqual(before)
})

test('a machine that comes back is synced again, and one whose asset a person deleted gets another', async () => {
  const { id, node } = await aTask('back')
  clouds.machines.set(REGION, [machine('phoenix', '10.2.1.1')])
  await run(id)
  clouds.machines.clear()
  expect((await run(id)).summary).toMatchObject({ released: 1 })
  clouds.machines.set(REGION, [machine('phoenix', '10.2.1.1')])
  expect((await run(id)).summary).toMatchObject({ new: 0, sync: 1 })
  const [asset] = await assetsOf(node)
  await server.admin.delete(`${ASSETS}${asset?.id}/`)
  expect((await run(id)).summary).toMatchObject({ new: 1, sync: 0 })
})

test('[A4.03] only addresses in the networks of the task count, the first of them; names that are taken stay with whom they are', async () => {
  const { id, node } = await aTask('networks', {
    ip_network_segment_group: ['10.3.0.0/24', '192.168.7.1-192.168.7.9'],
    hostname_strategy: 'instance_name',
    protocols: ['ssh/2222', 'telnet/23'],
  })
  await made(ASSETS, { hostname: 'taken', ip: '10.9.9.9', platform: 'Linux' })
  const stands = await made(ASSETS, { hostname: 'stands', ip: '10.3.0.4', platform: 'Linux' })
  clouds.machines.set(REGION, [
    machine('second', '10.4.0.1', { addresses: ['10.4.0.1', '192.168.7.5', '10.3.0.1'] }),
    machine('outside', '10.4.0.2'),
    machine('taken', '10.3.0.3'),
    machine('stands', '10.3.0.4'),
    machine('', '10.3.0.5', { id: 'ins-nameless' }),
    machine('twin', '10.3.0.6', { id: 'ins-twin-1' }),
    machine('twin', '10.3.0.7', { id: 'ins-twin-2' }),
  ])
  expect((await run(id)).summary).toEqual({ new: 3, unsync: 3, sync: 1, released: 0 })
  expect(await instancesOf(id)).toMatchObject([
    { instance_id: 'ins-nameless', status: 1, asset_display: 'ins-nameless(10.3.0.5)' },
    {
      instance_id: 'ins-outside',
      status: 0,
      asset: null,
      reason: 'None of its addresses is in the networks of the task',
    },
    { instance_id: 'ins-second', status: 1, asset_display: 'second(192.168.7.5)' },
    { instance_id: 'ins-stands', status: 2, asset: stands },
    {
      instance_id: 'ins-taken',
      status: 0,
      asset: null,
      reason: 'Another asset has its name: choose names with the end of the address',
    },
    { instance_id: 'ins-twin-1', status: 1 },
    { instance_id: 'ins-twin-2', status: 0 },
  ])
  expect((await assetsOf(node)).map(({ protocols }) => protocols)).toEqual(Array(3).fill(['ssh/2222', 'telnet/23']))
})

test('renames and new addresses are followed where the task says so, and stored secrets wait for the machine’s host key or a confirmation', async () => {
  const { id, node } = await aTask('follow', { is_always_update: true })
  const { id: still, node: quiet } = await aTask('still')
  clouds.machines.set(REGION, [machine('mover', '10.5.0.1')])
  await run(id)
  const [before] = await assetsOf(node)
  expect((await server.admin.get(`${ASSETS}${before?.id}/destinations/`)).body.unconfirmed).toEqual([])
  clouds.machines.set(REGION, [
    machine('renamed', '10.5.0.2', { id: 'ins-mover', isWindows: true }),
    machine('resting', '10.5.1.1'),
  ])
  const { log } = await run(id)
  expect(log).toContain('mover-0.1(10.5.0.1) | CHANGED | hostname=renamed-0.2 ip=10.5.0.2 platform=Windows')
  const [, after] = await assetsOf(node).then((all) => all.toSorted((a) => (a.id === before?.id ? 1 : -1)))
  expect(after).toMatchObject({ id: before?.id, hostname: 'renamed-0.2', ip: '10.5.0.2', platform: 'Windows' })
  expect((await server.admin.get(`${ASSETS}${before?.id}/destinations/`)).body.unconfirmed).toMatchObject([
    { protocol: 'ssh/22', address: '10.5.0.2' },
  ])
  // A task that does not say so leaves all as it is.
  clouds.machines.set(REGION, [machine('calm', '10.5.2.1')])
  await run(still)
  clouds.machines.set(REGION, [machine('changed', '10.5.2.2', { id: 'ins-calm' })])
  expect((await run(still)).summary).toMatchObject({ sync: 1 })
  expect(await assetsOf(quiet)).toMatchObject([{ hostname: 'calm-2.1', ip: '10.5.2.1' }])
})

test('two tasks that see one machine name the same asset, which one of them keeps; it goes only once both have lost it', async () => {
  const one = await aTask('one', { is_always_update: true })
  const other = await aTask('other', { is_always_update: true, hostname_strategy: 'instance_name' })
  clouds.machines.set(REGION, [machine('shared', '10.6.0.1')])
  const runs = await Promise.all(
    [one, other].map(async ({ id }) => (await server.admin.get(`${TASKS}${id}/run/`)).body.task),
  )
  for (const task of runs) await ended(task)
  const [mine, its] = await Promise.all([instancesOf(one.id), instancesOf(other.id)])
  expect(mine[0]?.asset).toBe(its[0]?.asset)
  expect([mine[0]?.status, its[0]?.status].toSorted()).toEqual([1, 2])
  const hostname = async () => (await server.admin.get(`${ASSETS}${mine[0]?.asset}/`)).body.hostname
  const name = await hostname()
  for (const { id } of [one, other, one]) await run(id)
  expect(await hostname()).toBe(name)
  clouds.machines.clear()
  await run(one.id)
  await server.admin.delete(`${TASKS}${one.id}/released-assets/`)
  expect(await hostname()).toBe(name)
  await run(other.id)
  await server.admin.delete(`${TASKS}${other.id}/released-assets/`)
  expect((await server.admin.get(`${ASSETS}${mine[0]?.asset}/`)).status).toBe(404)
})

test('a region that cannot be read to its end loses nothing, and the run says why; wrong keys fail it all', async () => {
  const { id } = await aTask('broken')
  clouds.machines.set(REGION, machinesFrom(150, 5000))
  await run(id)
  clouds.machines.set(REGION, machinesFrom(150, 5000))
  // The second page is none.
  clouds.next.push('pass', { status: 200, body: '<html>sign in</html>' })
  const failed = await run(id)
  expect(failed).toMatchObject({
    status: 0,
    reason: `${REGION}: What answers there is not this cloud (200, not JSON)`,
    summary: { new: 0, sync: 100, unsync: 0, released: 0 },
  })
  const wrong = await made('/api/v1/xpack/cloud/accounts/', {
    name: 'Wrong',
    provider: 'qcloud',
    attrs: { ...KEYS, access_key_secret: 'no' },
  })
  await server.admin.patch(`${TASKS}${id}/`, { account: wrong })
  expect(await run(id)).toMatchObject({
    status: 0,
    summary: { released: 0 },
    reason: expect.stringContaining('does not take these keys'),
  })
  expect((await server.admin.delete(`/api/v1/xpack/cloud/accounts/${wrong}/`)).body.code).toBe('in_use')
})

test('an unknown region, network, protocol or admin user is refused at its field, and other organizations see nothing', async () => {
  const { id, node } = await aTask('refused')
  const user = await made('/api/v1/assets/system-users/', { name: 'common', username: 'deploy', protocol: 'ssh' })
  const refused = async (change: object) => {
    const { status, body } = await server.admin.patch(`${TASKS}${id}/`, change)
    return [status, ...Object.keys(body)]
  }
  expect(await refused({ regions: ['evil.example.com/'] })).toEqual([400, 'regions'])
  expect(await refused({ regions: [] })).toEqual([400, 'regions'])
  expect(await refused({ ip_network_segment_group: ['10.0.0.1/8'] })).toEqual([400, 'ip_network_segment_group'])
  expect(await refused({ protocols: ['ssh/0'] })).toEqual([400, 'protocols'])
  expect(await refused({ unix_admin_user: user })).toEqual([400, 'unix_admin_user'])
  expect(await refused({ is_periodic: true, crontab: '* *' })).toEqual([400, 'crontab'])
  const elsewhere = server.admin.in(await server.anOrg('Elsewhere'))
  const person = await server.aPerson('walker')
  for (const call of ['run/', 'history/', 'instances/', '']) {
    expect((await elsewhere.get(`${TASKS}${id}/${call}`)).status).toBe(404)
    expect((await person.get(`${TASKS}${id}/${call}`)).status).toBe(403)
  }
  expect((await elsewhere.delete(`${TASKS}${id}/released-assets/`)).status).toBe(404)
  // Without its node a run fails, and says so.
  expect((await server.admin.delete(`/api/v1/assets/nodes/${node}/`)).status).toBe(204)
  expect((await run(id)).reason).toBe('The node of the task does not exist any more: choose another')
})

test('runs are forgotten after as many days as the setting says, and what a task knows of its machines is not', async () => {
  const { id } = await aTask('kept')
  clouds.machines.set(REGION, [machine('kept', '10.7.0.1')])
  await run(id)
  const { id: old } = await run(id)
  await server.kernel.pool.query("UPDATE cloud_sync_run SET date_sync = now() - interval '31 days' WHERE id = $1", [
    old,
  ])
  await server.kernel.jobs.send('cloud.forget_old', {})
  await expect.poll(async () => (await server.admin.get(`${TASKS}${id}/`)).body.history_count).toBe(1)
  expect(await instancesOf(id)).toMatchObject([{ instance_id: 'ins-kept', status: 2 }])
})
