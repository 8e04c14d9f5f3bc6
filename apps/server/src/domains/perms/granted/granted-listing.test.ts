import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, openTestServer, type TestServer } from '../../../../test/server.ts'
import { settingsOf } from '../../settings/index.ts'
import { findGrantedAssets, findGrantedNodes, type GrantedAssetsQuestion } from './granted-listing.ts'

let server: TestServer
let person: Caller
let made: Record<string, string>

async function create(path: string, body: unknown, by = server.admin): Promise<string> {
  const answer = await by.post(path, body)
  if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body.id
}

/** A tree of two nodes, with a machine in each, and one that was granted by name. */
beforeAll(async () => {
  server = await openTestServer()
  person = await server.aPerson('lister')
  const { body: roots } = await server.admin.get('/api/v1/assets/nodes/children/')
  const city = await create(`/api/v1/assets/nodes/${roots[0].id}/children/`, { value: '上海' })
  const room = await create(`/api/v1/assets/nodes/${city}/children/`, { value: 'Room 9' })
  const early = await create(`/api/v1/assets/nodes/${city}/children/`, { value: 'Attic' })
  const asset = (hostname: string, ip: string, nodes: string[], more = {}) =>
    create('/api/v1/assets/assets/', { hostname, ip, platform: 'Linux', protocols: ['ssh/22'], nodes, ...more })
  made = {
    root: roots[0].id,
    city,
    room,
    early,
    a: await asset('alpha', '10.0.0.10', [city], { comment: 'first of 100% reliable' }),
    b: await asset('beta', '10.0.0.9', [room], { is_active: false }),
    c: await asset('Gamma', 'gamma.example.com', [roots[0].id]),
    d: await asset('delta', '9.255.0.1', [room]),
    hidden: await asset('hidden', '10.0.0.9', [roots[0].id]),
  }
  const systemUser = await create('/api/v1/assets/system-users/', {
    name: 'walk',
    username: 'walk',
    protocol: 'ssh',
    auto_push: false,
  })
  const grant = { name: 'list', users: [person.id], nodes: [city], assets: [made.c], system_users: [systemUser] }
  await create('/api/v1/perms/asset-permissions/', grant)
})
afterAll(() => server?.close())

async function found(question: Partial<GrantedAssetsQuestion>) {
  const { total, assets } = await findGrantedAssets(server.kernel.db, {
    userId: person.id,
    sort: 'hostname',
    limit: 100,
    ...question,
  })
  return { total, names: assets.map(({ hostname }) => hostname) }
}

test('all that was granted comes by name or by the number of the IP, page by page, with how many there are', async () => {
  expect(await found({})).toEqual({ total: 4, names: expect.arrayContaining(['alpha', 'beta', 'delta', 'Gamma']) })
  expect(await found({ sort: 'ip' })).toEqual({ total: 4, names: ['delta', 'beta', 'alpha', 'Gamma'] })
  expect(await found({ sort: 'ip', limit: 2, offset: 1 })).toEqual({ total: 4, names: ['beta', 'alpha'] })
  expect(await found({ sort: 'ip', limit: 2, offset: 40 })).toEqual({ total: 4, names: [] })
})

test('each word must be found in host name, IP or comment, as it stands', async () => {
  expect(await found({ words: ['ALP'] })).toEqual({ total: 1, names: ['alpha'] })
  expect(await found({ words: ['10.0.0', 'reliable'] })).toEqual({ total: 1, names: ['alpha'] })
  expect(await found({ words: ['100%'] })).toEqual({ total: 1, names: ['alpha'] })
  expect(await found({ words: ['1%0'] })).toEqual({ total: 0, names: [] })
  expect(await found({ words: ['hidden'] })).toEqual({ total: 0, names: [] })
  expect(await found({ words: ['al\0pha'] })).toEqual({ total: 1, names: ['alpha'] })
})

test('a name is a whole host name, IP or id', async () => {
  expect(await found({ named: 'gamma' })).toEqual({ total: 1, names: ['Gamma'] })
  expect(await found({ named: '10.0.0.9' })).toEqual({ total: 1, names: ['beta'] })
  expect(await found({ named: made.a ?? '' })).toEqual({ total: 1, names: ['alpha'] })
  expect(await found({ named: made.hidden ?? '' })).toEqual({ total: 0, names: [] })
  expect(await found({ named: 'gam' })).toEqual({ total: 0, names: [] })
  expect(await found({ named: '%' })).toEqual({ total: 0, names: [] })
})

test('a node holds what is below it and was granted; one of which nothing was granted, or none at all, holds nothing', async () => {
  expect(await found({ nodeId: made.city, sort: 'ip' })).toEqual({ total: 3, names: ['delta', 'beta', 'alpha'] })
  expect(await found({ nodeId: made.room, sort: 'ip' })).toEqual({ total: 2, names: ['delta', 'beta'] })
  expect(await found({ nodeId: made.root, words: ['gam'] })).toEqual({ total: 1, names: ['Gamma'] })
  expect(await found({ nodeId: made.root, words: ['hidden'] })).toEqual({ total: 0, names: [] })
  for (const nodeId of ['nothing', '00000000-0000-4000-8000-000000000000', ''])
    expect(await found({ nodeId })).toEqual({ total: 0, names: [] })
})

test('nodes come parents first, brothers by name, with the assets below; favorites and ungrouped ones where there are any', async () => {
  const nodes = async () =>
    (await findGrantedNodes(server.kernel, { userId: person.id, language: 'en' })).map(
      ({ value, assets_amount }) => `${value} ${assets_amount}`,
    )
  expect(await nodes()).toEqual(['Default 4', '上海 3', 'Attic 0', 'Room 9 2'])
  await person.post('/api/v1/assets/favorite-assets/', { asset: made.a })
  await settingsOf(server.kernel).set('PERM_SINGLE_ASSET_TO_UNGROUP_NODE', true)
  expect(await nodes()).toEqual(['Favorite 1', 'Ungrouped 1', 'Default 3', '上海 3', 'Attic 0', 'Room 9 2'])
  expect(await found({ nodeId: 'favorite' })).toEqual({ total: 1, names: ['alpha'] })
  expect(await found({ nodeId: 'ungrouped' })).toEqual({ total: 1, names: ['Gamma'] })
})

test('a person who was granted a whole organization has all of it, counted together with grants of other organizations', async () => {
  const far = await server.anOrg('Far')
  const chief = server.admin.in(far)
  const everywhere = await server.aPerson('everywhere')
  await server.kernel.pool.query(`INSERT INTO orgs_member (org, "user", role) VALUES ($1, $2, 'User')`, [
    far,
    everywhere.id,
  ])
  const { body: roots } = await chief.get('/api/v1/assets/nodes/children/')
  const harbour = await create(`/api/v1/assets/nodes/${roots[0].id}/children/`, { value: 'Harbour' }, chief)
  const machine = (hostname: string, node: string) =>
    create(
      '/api/v1/assets/assets/',
      { hostname, ip: '10.3.0.1', platform: 'Linux', protocols: ['ssh/22'], nodes: [node] },
      chief,
    )
  const [crane, ship] = [await machine('crane', roots[0].id), await machine('ship', harbour)]
  expect([crane, ship]).toEqual([expect.any(String), expect.any(String)])
  // A page that is not all there is, so that they are counted.
  const total = async () => (await found({ userId: everywhere.id, limit: 1 })).total
  const granted = async (what: object, by = chief) => {
    const grant = { name: JSON.stringify(what), users: [everywhere.id], ...what }
    return create('/api/v1/perms/asset-permissions/', grant, by)
  }
  const withdrawn = (id: string) => chief.delete(`/api/v1/perms/asset-permissions/${id}/`)
  const whole = await granted({ nodes: [made.root] }, server.admin)
  expect(await total()).toBe(5)
  // A narrower question is counted by itself.
  for (const narrower of [{ words: ['ta'] }, { nodeId: made.room }])
    expect((await found({ userId: everywhere.id, limit: 1, ...narrower })).total).toBe(2)
  for (const [what, more] of [
    [{ assets: [crane] }, 1],
    [{ nodes: [harbour] }, 1],
    [{ nodes: [roots[0].id] }, 2],
  ] as const) {
    const id = await granted(what)
    expect([what, await total()]).toEqual([what, 5 + more])
    await withdrawn(id)
  }
  await server.admin.delete(`/api/v1/perms/asset-permissions/${whole}/`)
  expect(await total()).toBe(0)
})

test('a tree with more assets than are read at a time has each of them once, in order, in the console and of a person', async () => {
  const MANY = 1234
  const org = await server.anOrg('wide')
  const admin = server.admin.in(org)
  const owner = await server.aPerson('owner', { org })
  const [root] = (await admin.get('/api/v1/assets/nodes/children/')).body
  await server.kernel.pool.query(
    `WITH made AS (INSERT INTO assets_asset (org_id, hostname, ip, platform)
       SELECT $1, 'wide-' || lpad(n::text, 4, '0'), '10.1.1.1', 'Linux' FROM generate_series(1, $2) n RETURNING id)
     INSERT INTO assets_asset_node (asset_id, node_id) SELECT id, $3 FROM made`,
    [org, MANY, root.id],
  )
  const account = { name: 'wide', username: 'wide', protocol: 'ssh', auto_push: false }
  const { body: systemUser } = await admin.post('/api/v1/assets/system-users/', account)
  const grant = { name: 'wide', users: [owner.id], nodes: [root.id], system_users: [systemUser.id] }
  expect((await admin.post('/api/v1/perms/asset-permissions/', grant)).status).toBe(201)
  const all = Array.from({ length: MANY }, (_, n) => `wide-${String(n + 1).padStart(4, '0')}`)
  const level = `?assets=1&key=${root.key}`
  for (const [caller, address, nodes] of [
    [admin, `/api/v1/assets/nodes/children/tree/${level}`, 0],
    [owner, '/api/v1/perms/users/assets/tree/', 0],
    [owner, '/api/v1/perms/users/nodes-with-assets/tree/', 3],
    [owner, `/api/v1/perms/users/nodes/children-with-assets/tree/${level}`, 0],
  ] as const) {
    const { status, body } = await caller.get(address)
    const leaves = body.filter(({ isParent }: { isParent: boolean }) => !isParent)
    expect([status, body.length - leaves.length], address).toEqual([200, nodes])
    expect(
      leaves.map(({ name }: { name: string }) => name),
      address,
    ).toEqual(all)
    expect(leaves[0]).toMatchObject({ meta: { type: 'asset', data: { org_name: 'wide', platform: 'Linux' } } })
  }
  expect((await owner.get('/api/v1/perms/users/assets/tree/?search=wide')).body).toHaveLength(999)
})
