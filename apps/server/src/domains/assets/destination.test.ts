import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type AssetsFixture, admin, as, component, openAssetsFixture } from './assets-fixture.ts'
import { type ListeningMachine, startListeningMachine } from './listening-machine-fixture.ts'

const SECRET = 'the-password-that-is-stored'
const systemAdmin = as({ role: 'Admin' })

let fixture: AssetsFixture
let boss: { id: string }
let home: ListeningMachine
let foreign: ListeningMachine
const machines: ListeningMachine[] = []
let names = 0

beforeAll(async () => {
  fixture = await openAssetsFixture()
  await fixture.kernel.jobs.start()
  boss = await fixture.make('system-users', { name: 'boss', username: 'boss', password: SECRET, type: 'admin' })
})
afterAll(() => fixture?.close())

async function machine(options: Parameters<typeof startListeningMachine>[0] = {}): Promise<ListeningMachine> {
  const started = await startListeningMachine(options)
  machines.push(started)
  return started
}

beforeEach(async () => {
  home = await machine()
  foreign = await machine()
})
afterEach(async () => {
  for (const started of machines.splice(0)) await started.close()
})

const url = (asset: { id: string }, rest = '') => `/api/v1/assets/assets/${asset.id}/${rest}`
const patch = (asset: { id: string }, change: unknown) => fixture.call('PATCH', url(asset), change)

/** An asset where `home` is; it is made active afterwards, so that nothing contacts it by itself. */
async function assetAtHome(more: Record<string, unknown> = {}): Promise<{ id: string }> {
  const made = await fixture.make('assets', {
    hostname: `machine-${++names}`,
    ip: '127.0.0.1',
    platform: 'Linux',
    protocols: [`ssh/${home.port}`],
    admin_user: boss.id,
    is_active: false,
    ...more,
  })
  await patch(made, { is_active: true })
  return made
}

/** Logs in to it as the background jobs do; answers the log of the job. */
async function contact(asset: { id: string }): Promise<string> {
  const { body } = await fixture.call('POST', url(asset, 'tasks/'), { action: 'test' })
  await expect
    .poll(async () => (await fixture.call('GET', `/api/v1/ops/celery/task/${body.task}/result/`)).body.state)
    .toMatch(/SUCCESS|FAILURE/)
  return (await fixture.call('GET', `/api/v1/ops/celery/task/${body.task}/log/`)).body.data
}

test('the password of a moved asset reaches no other machine until a system administrator trusts its key', async () => {
  const asset = await assetAtHome()
  expect(await contact(asset)).toContain('SUCCESS')
  expect(home.heard).toEqual([SECRET])

  await patch(asset, { protocols: [`ssh/${foreign.port}`] })
  expect(await contact(asset)).toContain('a system administrator must confirm it first')
  expect(foreign.heard).toEqual([])
  const keys = (await fixture.call('GET', url(asset, 'host-keys/'))).body
  const shown = keys.find((key: { port: number }) => key.port === foreign.port)
  expect(shown).toMatchObject({ state: 'refused', is_moved: true })

  // The person who moved it may not vouch for it.
  expect((await fixture.call('POST', url(asset, 'host-keys/accept/'), { id: shown.id })).status).toBe(403)
  expect(await contact(asset)).toContain('FAILED')
  expect(foreign.heard).toEqual([])
  expect((await fixture.call('POST', url(asset, 'host-keys/accept/'), { id: shown.id }, systemAdmin)).status).toBe(200)
  expect(await contact(asset)).toContain('SUCCESS')
  expect(foreign.heard).toEqual([SECRET])
  expect((await fixture.call('GET', url(asset, 'destinations/'))).body.unconfirmed).toEqual([])
  expect(await listed(asset, 'is_confirmed=1')).toBe(true)
})

/** Whether a filter of the list lets the asset through. */
async function listed(asset: { id: string }, filter: string): Promise<boolean> {
  const { body } = await fixture.call('GET', `/api/v1/assets/assets/?${filter}`)
  return body.some((one: { id: string }) => one.id === asset.id)
}

/** Ways to have connections go elsewhere, for an asset that nobody has connected to yet. */
const MOVES: Readonly<Record<string, (asset: { id: string }) => Promise<unknown>>> = {
  'its port': (asset) => patch(asset, { protocols: [`ssh/${foreign.port}`] }),
  'the port by its old field': (asset) => patch(asset, { port: foreign.port }),
  'a port among several': (asset) => patch(asset, { protocols: ['rdp/3389', `ssh/${foreign.port}`] }),
  async 'its address'(asset) {
    foreign = await machine({ host: '127.0.0.2', port: home.port })
    await patch(asset, { ip: '127.0.0.2' })
  },
  'everything, in bulk': (asset) =>
    fixture.call('PATCH', '/api/v1/assets/assets/', [
      { id: asset.id, ip: 'localhost', protocols: [`ssh/${foreign.port}`] },
    ]),
  async 'its network'(asset) {
    await patch(asset, { domain: (await foreignNetwork()).id })
  },
  async 'its network, by the form of the network'(asset) {
    const { id } = await foreignNetwork()
    await fixture.call('PATCH', `/api/v1/assets/domains/${id}/`, { assets: [asset.id] })
  },
}

/** A network whose gateway leads everybody to `foreign`. */
async function foreignNetwork(): Promise<{ id: string }> {
  const gateway = await machine({ leadsTo: foreign.port })
  const domain = await fixture.make('domains', { name: `network-${++names}` })
  await fixture.make('gateways', {
    name: `gateway-${names}`,
    ip: gateway.host,
    port: gateway.port,
    domain: domain.id,
    username: 'mallory',
    password: 'her own',
  })
  return domain
}

test.each(Object.keys(MOVES))('nothing is sent to an asset before its first connection either: %s', async (move) => {
  const asset = await assetAtHome()
  await MOVES[move]?.(asset)
  expect(await contact(asset)).toContain('It was moved and shows another host key')
  expect(foreign.heard).toEqual([])
  expect((await fixture.call('GET', url(asset, 'destinations/'))).body.unconfirmed).not.toEqual([])
  expect(await listed(asset, 'is_confirmed=0')).toBe(true)
  expect(await listed(asset, 'is_confirmed=1')).toBe(false)
})

test('a machine that takes its host key along is known at its new address', async () => {
  const asset = await assetAtHome()
  await contact(asset)
  const same = await machine({ hostKey: home.hostKey })
  await patch(asset, { protocols: [`ssh/${same.port}`] })
  expect(await contact(asset)).toContain('SUCCESS')
  expect((await fixture.call('GET', url(asset, 'destinations/'))).body).toMatchObject({
    unconfirmed: [],
    confirmed: [{ protocol: `ssh/${same.port}`, address: '127.0.0.1' }],
  })
})

test('an asset that moves back to its confirmed place is itself again', async () => {
  const asset = await assetAtHome()
  await contact(asset)
  await patch(asset, { protocols: [`ssh/${foreign.port}`] })
  await contact(asset)
  await patch(asset, { protocols: [`ssh/${home.port}`] })
  expect(await contact(asset)).toContain('SUCCESS')
})

test('once another key is trusted for a moved asset, the one from before is not any more', async () => {
  const asset = await assetAtHome()
  await contact(asset)
  const confirm = async () =>
    fixture.call(
      'POST',
      url(asset, 'destinations/confirm/'),
      { destinations: (await fixture.call('GET', url(asset, 'destinations/'))).body.unconfirmed },
      systemAdmin,
    )
  await patch(asset, { protocols: [`ssh/${foreign.port}`] })
  expect((await confirm()).status).toBe(200)
  expect(await contact(asset)).toContain('SUCCESS')
  home.heard.length = 0
  await patch(asset, { protocols: [`ssh/${home.port}`] })
  expect(await contact(asset)).toContain('FAILED')

  const keys = (await fixture.call('GET', url(asset, 'host-keys/'))).body
  const shown = keys.find((key: { state: string }) => key.state === 'refused')
  await fixture.call('POST', url(asset, 'host-keys/accept/'), { id: shown.id }, systemAdmin)
  expect(await contact(asset)).toContain('SUCCESS')
  await patch(asset, { protocols: [`ssh/${foreign.port}`] })
  foreign.heard.length = 0
  expect(await contact(asset)).toContain('FAILED')
  expect(foreign.heard).toEqual([])
})

test('components get no secrets of a moved asset, and nobody but a system administrator confirms its address', async () => {
  const asset = await assetAtHome()
  const ask = () =>
    fixture.call('GET', `/api/v1/assets/system-users/${boss.id}/assets/${asset.id}/auth-info/`, undefined, component)
  expect((await ask()).body.password).toBe(SECRET)
  await patch(asset, { ip: '127.0.0.9' })
  const refused = await ask()
  expect(refused.status).toBe(400)
  expect(refused.body.code).toBe('destination_unconfirmed')
  // No protocol of the identity is left to compare, and the address is still another.
  await patch(asset, { protocols: ['vnc/5900'] })
  expect((await ask()).status).toBe(400)

  const { unconfirmed } = (await fixture.call('GET', url(asset, 'destinations/'))).body
  expect(unconfirmed).toEqual([{ protocol: 'vnc/5900', address: '127.0.0.9', domain: null, gateway: null }])
  const confirm = (headers: Record<string, string>) =>
    fixture.call('POST', url(asset, 'destinations/confirm/'), { destinations: unconfirmed }, headers)
  expect((await confirm(admin)).status).toBe(403)
  await patch(asset, { ip: '127.0.0.10' })
  expect((await confirm(systemAdmin)).body).toEqual({ destinations: ['The asset has moved meanwhile'] })
  await patch(asset, { ip: '127.0.0.9' })
  expect((await confirm(systemAdmin)).body.unconfirmed).toEqual([])
  expect(fixture.operations.at(-1)).toMatchObject({
    resourceType: 'Asset destination',
    resource: `machine-${names} vnc/5900 127.0.0.9`,
  })
  expect((await ask()).body.password).toBe(SECRET)
})

test('a protocol without host keys asks for every gateway that would read along', async () => {
  const domain = await fixture.make('domains', { name: 'desktops' })
  const gateway = (name: string, port: number) =>
    fixture.make('gateways', { name, ip: '127.0.0.1', port, domain: domain.id, username: 'x', password: 'x' })
  await gateway('ours', 2201)
  const viewer = await fixture.make('system-users', {
    name: 'viewer',
    username: 'viewer',
    password: SECRET,
    protocol: 'vnc',
  })
  const asset = await assetAtHome({ domain: domain.id, protocols: ['vnc/5900'] })
  await gateway('theirs', 2202)
  const { unconfirmed } = (await fixture.call('GET', url(asset, 'destinations/'))).body
  expect(unconfirmed).toEqual([
    { protocol: 'vnc/5900', address: '127.0.0.1', domain: domain.id, gateway: '127.0.0.1:2202' },
  ])
  const ask = () =>
    fixture.call('GET', `/api/v1/assets/system-users/${viewer.id}/assets/${asset.id}/auth-info/`, undefined, component)
  expect((await ask()).status).toBe(200)
  const ours = (await fixture.call('GET', `/api/v1/assets/gateways/?name=ours`)).body[0]
  await fixture.call('PATCH', `/api/v1/assets/gateways/${ours.id}/`, { is_active: false })
  expect((await ask()).status).toBe(400)
})

test('the secrets of a gateway stay where they were entered for: they are sent along when it is moved', async () => {
  const domain = await fixture.make('domains', { name: 'moving' })
  const gateway = await fixture.make('gateways', {
    name: 'moving',
    ip: '127.0.0.1',
    port: home.port,
    domain: domain.id,
    username: 'way',
    password: SECRET,
  })
  const own = `/api/v1/assets/gateways/${gateway.id}/`
  const reach = (port?: number) => fixture.call('POST', `${own}test-connective/`, { port })
  expect((await reach()).status).toBe(400)
  expect(home.heard).toEqual([SECRET])

  for (const change of [{ port: foreign.port }, { ip: 'localhost' }]) {
    expect((await fixture.call('PATCH', own, change)).body).toEqual({
      password: ['The gateway was moved: enter its password or key again'],
    })
    expect((await fixture.call('PATCH', '/api/v1/assets/gateways/', [{ id: gateway.id, ...change }])).status).toBe(400)
  }
  expect((await fixture.call('PATCH', own, { comment: 'stays', port: home.port })).status).toBe(200)

  expect((await fixture.call('PATCH', own, { port: foreign.port, password: 'new one' })).status).toBe(200)
  await reach()
  expect(foreign.heard).toEqual(['new one'])
  // What reaches the database by another way loses the secrets.
  await fixture.pool.query('UPDATE assets_gateway SET port = $2 WHERE id = $1', [gateway.id, home.port])
  home.heard.length = 0
  await reach()
  expect(home.heard).not.toContain('new one')
})

test('the test of a gateway sends its secrets to no other program on that machine', async () => {
  const way = await machine({ leadsTo: foreign.port })
  const domain = await fixture.make('domains', { name: 'tested' })
  const gateway = await fixture.make('gateways', {
    name: 'tested',
    ip: way.host,
    port: way.port,
    domain: domain.id,
    username: 'way',
    password: SECRET,
  })
  const { status } = await fixture.call('POST', `/api/v1/assets/gateways/${gateway.id}/test-connective/`, {
    port: foreign.port,
  })
  expect(status).toBe(400)
  expect(way.heard).toEqual([SECRET])
  expect(foreign.heard).toEqual([])
})
