import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  ANN,
  admin,
  BOB,
  bob,
  component,
  type DomainServer,
  OTHER_ORG_ID,
  openDomainServer,
  otherAdmin,
  superAdmin,
} from '../../../test/domain-server.ts'
import { settingsOf } from '../settings/index.ts'
import { connectableAssets } from './may-connect.ts'

let server: DomainServer
const ids: Record<string, string> = {}
const PERMISSIONS = '/api/v1/perms/asset-permissions/'

beforeAll(async () => {
  server = await openDomainServer()
  const { make, call } = server
  const root = (await call('GET', '/api/v1/assets/nodes/')).body[0]
  ids.root = root.id
  ids.web = (await call('POST', `/api/v1/assets/nodes/${root.id}/children/`, { value: 'Web' })).body.id
  ids.front = (await call('POST', `/api/v1/assets/nodes/${ids.web}/children/`, { value: 'Front' })).body.id
  ids.db = (await call('POST', `/api/v1/assets/nodes/${root.id}/children/`, { value: 'Database' })).body.id
  for (const [name, node] of [
    ['web-1', 'web'],
    ['front-1', 'front'],
    ['front-2', 'front'],
    ['db-1', 'db'],
    ['db-2', 'db'],
  ] as const) {
    ids[name] = (
      await make('assets/assets', {
        hostname: name,
        ip: `10.0.0.${name.length}`,
        platform: 'Linux',
        protocols: ['ssh/22'],
        nodes: [ids[node]],
      })
    ).id
  }
  ids.rootUser = (
    await make('assets/system-users', { name: 'root', username: 'root', protocol: 'ssh', login_mode: 'manual' })
  ).id
  ids.deploy = (
    await make('assets/system-users', { name: 'deploy', username: 'deploy', protocol: 'ssh', login_mode: 'manual' })
  ).id
  ids.rdp = (
    await make('assets/system-users', { name: 'desktop', username: 'desktop', protocol: 'rdp', login_mode: 'manual' })
  ).id
  ids.group = (await make('users/groups', { name: 'Operators', users: [BOB] })).id
})
afterAll(() => server?.close())

/** As nobody can: the database refuses it. */
const moveSystemUser = (org: string) =>
  server.pool.query(`ALTER TABLE assets_system_user DISABLE TRIGGER USER;
    UPDATE assets_system_user SET org_id = '${org}' WHERE id = '${ids.rootUser}';
    ALTER TABLE assets_system_user ENABLE TRIGGER USER`)

test('[A2.32 A2.63] a permission on a node shows its whole subtree to its people at once, and nothing after it is switched off', async () => {
  const { call, make } = server
  const permission = await make('perms/asset-permissions', {
    name: 'web',
    users: [BOB],
    nodes: [ids.web],
    system_users: [ids.rootUser, ids.rdp],
    actions: ['connect', 'upload_file'],
  })
  expect(permission).toMatchObject({
    actions: ['connect', 'upload_file'],
    users_display: ['bob'],
    nodes_display: ['/Default/Web'],
    nodes_amount: 1,
    is_valid: true,
    is_expired: false,
  })
  const mine = await call('GET', '/api/v1/perms/users/assets/?limit=2&offset=0', undefined, bob)
  expect(mine.body).toMatchObject({
    count: 3,
    results: [{ hostname: 'front-1', protocols: ['ssh/22'], platform: 'Linux' }, { hostname: 'front-2' }],
  })
  expect(
    (await call('GET', '/api/v1/perms/users/assets/?search=web', undefined, bob)).body.map(
      (row: { hostname: string }) => row.hostname,
    ),
  ).toEqual(['web-1'])
  const empty = (await call('POST', `/api/v1/assets/nodes/${ids.web}/children/`, { value: 'Empty' })).body.id
  const below = (node: string | undefined) => call('GET', `/api/v1/perms/users/nodes/${node}/assets/`, undefined, bob)
  expect(await below(empty), 'granted, with nothing in it').toMatchObject({ status: 200, body: [] })
  expect((await below(ids.db)).status, 'nothing below it was granted').toBe(404)
  const child = async (parent: string | undefined, value: string) =>
    (await call('POST', `/api/v1/assets/nodes/${parent}/children/`, { value })).body.id
  const outer = await child(ids.db, 'Outer')
  const inner = await server.make('perms/asset-permissions', {
    name: 'inner',
    users: [BOB],
    nodes: [await child(outer, 'Inner')],
  })
  expect(await below(outer), 'on the way to a granted one').toMatchObject({ status: 200, body: [] })
  await call('DELETE', `${PERMISSIONS}${inner.id}/`)
  await server.pool.query("DELETE FROM assets_node WHERE value IN ('Inner', 'Outer')")
  await call('DELETE', `/api/v1/assets/nodes/${empty}/`)
  // Only system users whose protocol the asset speaks.
  const usable = await call('GET', `/api/v1/perms/users/assets/${ids['web-1']}/system-users/`, undefined, bob)
  expect(usable.body).toMatchObject([{ name: 'root', login_mode: 'manual', actions: ['connect', 'upload_file'] }])
  expect((await call('GET', `/api/v1/perms/users/assets/${ids['db-1']}/system-users/`, undefined, bob)).status).toBe(
    404,
  )
  await call('PATCH', `${PERMISSIONS}${permission.id}/`, { is_active: false })
  expect((await call('GET', '/api/v1/perms/users/assets/', undefined, bob)).body).toEqual([])
  await call('PATCH', `${PERMISSIONS}${permission.id}/`, { is_active: true })
})

test('[B7.28] the count of a search is that of the rows found, also for people who were granted everything', async () => {
  const { call, make } = server
  const count = async (query: string) =>
    (await call('GET', `/api/v1/perms/users/assets/?limit=1&offset=0${query}`, undefined, bob)).body.count
  const everything = await make('perms/asset-permissions', { name: 'everything', users: [BOB], nodes: [ids.root] })
  expect(await count('')).toBeGreaterThan(2)
  expect(await count('&search=front')).toBe(2)
  await call('DELETE', `${PERMISSIONS}${everything.id}/`)
})

test('[A2.63] the tree shows favorites, the way down, and counts', async () => {
  const { call } = server
  await server.make('perms/asset-permissions', {
    name: 'one database',
    user_groups: [ids.group],
    assets: [ids['db-1']],
    system_users: [ids.deploy],
  })
  await call('POST', '/api/v1/assets/favorite-assets/', { asset: ids['front-1'] }, bob)
  const top = (await call('GET', '/api/v1/perms/users/nodes/children/tree/', undefined, bob)).body
  expect(top.map((item: { name: string }) => item.name)).toEqual(['Favorite (1)', 'Default (4)'])
  expect(top).toMatchObject([
    { pId: '', open: false },
    { pId: '', open: true },
  ])
  const below = (
    await call('GET', `/api/v1/perms/users/nodes/children-with-assets/tree/?key=${top[1].id}`, undefined, bob)
  ).body
  expect(below.map((item: { name: string; pId: string }) => [item.name, item.pId])).toEqual([
    ['Database (1)', top[1].id],
    ['Web (3)', top[1].id],
  ])
  const database = (
    await call('GET', `/api/v1/perms/users/nodes/children-with-assets/tree/?key=${below[0].id}`, undefined, bob)
  ).body
  expect(database).toMatchObject([
    {
      id: ids['db-1'],
      name: 'db-1',
      pId: below[0].id,
      isParent: false,
      iconSkin: 'linux',
      chkDisabled: false,
      meta: { type: 'asset', data: { org_name: 'Default' } },
    },
  ])
  expect(
    (await call('GET', `/api/v1/perms/users/nodes/${ids.db}/assets/`, undefined, bob)).body.map(
      (row: { hostname: string }) => row.hostname,
    ),
  ).toEqual(['db-1'])
  expect(
    (await call('GET', `/api/v1/perms/users/nodes/favorite/assets/`, undefined, bob)).body.map(
      (row: { hostname: string }) => row.hostname,
    ),
  ).toEqual(['front-1'])
  expect(
    (await call('GET', `/api/v1/perms/users/nodes/ungrouped/assets/`, undefined, bob)).body.map(
      (row: { hostname: string }) => row.hostname,
    ),
  ).toEqual(['db-1'])
  const whole = (await call('GET', '/api/v1/perms/users/nodes-with-assets/tree/', undefined, bob)).body
  expect(whole.filter((item: { meta: { type: string } }) => item.meta.type === 'asset')).toHaveLength(5) // four, one of them also a favorite
  const asDeploy = (
    await call('GET', `/api/v1/perms/users/nodes-with-assets/tree/?system_user=${ids.deploy}`, undefined, bob)
  ).body
  expect(
    asDeploy
      .filter((item: { meta: { type: string } }) => item.meta.type === 'asset')
      .map((item: { name: string }) => item.name),
  ).toEqual(['db-1'])
  expect((await call('GET', '/api/v1/perms/users/assets/tree/?search=db', undefined, bob)).body).toMatchObject([
    { name: 'db-1', pId: '' },
  ])
  await server.pool.query("UPDATE assets_asset SET comment = 'rack 7' WHERE id = $1", [ids['web-1']])
  const found = async (word: string) =>
    (await call('GET', `/api/v1/perms/users/assets/tree/?search=${word}`, undefined, bob)).body.map(
      (item: { name: string }) => item.name,
    )
  expect([await found('10.0.0.7'), await found('rack')]).toEqual([['front-1', 'front-2'], ['web-1']])
  const favorites = await call(
    'GET',
    `/api/v1/perms/users/nodes/children-with-assets/tree/?key=${top[0].id}`,
    undefined,
    bob,
  )
  expect(favorites.body).toMatchObject([{ name: 'front-1', pId: top[0].id }])
  const byId = async (id: string | undefined) =>
    (await call('GET', `/api/v1/perms/users/nodes/children-with-assets/tree/?id=${id}`, undefined, bob)).body.map(
      (item: { name: string; isParent: boolean; open: boolean }) => [item.name, item.isParent, item.open],
    )
  expect(await byId(ids.web)).toEqual([
    ['Front (2)', true, false],
    ['web-1', false, false],
  ])
  expect(await byId('x')).toEqual([])
  for (const [id, names] of [
    [ids['db-1'], ['db-1']],
    ['x', []],
  ] as const) {
    const { body } = await call('GET', `/api/v1/perms/users/assets/tree/?id=${id}`, undefined, bob)
    expect(body.map((item: { name: string }) => item.name)).toEqual(names)
  }
  // A search answers no more than a tree can show; what a browser loads as a whole is whole.
  await server.pool.query(
    `WITH made AS (INSERT INTO assets_asset (org_id, hostname, ip, platform)
       SELECT org_id, 'many-' || n, '10.9.0.1', 'Linux' FROM assets_asset, generate_series(1, 1000) n WHERE id = $1 RETURNING id)
     INSERT INTO perms_permission_target (permission, asset)
       SELECT permission, made.id FROM made, perms_permission_target WHERE asset = $2`,
    [ids['db-1'], ids['db-1']],
  )
  expect(await found('many')).toHaveLength(999)
  expect(await found('')).toHaveLength(1004)
  await server.pool.query("DELETE FROM assets_asset WHERE hostname LIKE 'many-%'")
  expect(await found('')).toHaveLength(4)
})

test('[A2.63] with the setting, what was granted by name is a folder of its own, and nothing is in it without', async () => {
  const { call, kernel } = server
  const tree = async (path: string) =>
    (await call('GET', `/api/v1/perms/users/${path}`, undefined, bob)).body.map(({ name }: { name: string }) => name)
  const folder = async () => ({
    top: await tree('nodes/children/tree/'),
    inside: await tree('nodes/children-with-assets/tree/?key=ungrouped'),
    flat: await tree('ungroup/assets/tree/'),
  })
  expect(await folder()).toEqual({ top: ['Favorite (1)', 'Default (4)'], inside: [], flat: [] })
  await settingsOf(kernel).set('PERM_SINGLE_ASSET_TO_UNGROUP_NODE', true)
  expect(await folder()).toEqual({
    top: ['Favorite (1)', 'Ungrouped (1)', 'Default (3)'],
    inside: ['db-1'],
    flat: ['db-1'],
  })
  expect(await tree('nodes/children/tree/?key=ungrouped')).toEqual([])
  await settingsOf(kernel).set('PERM_SINGLE_ASSET_TO_UNGROUP_NODE', false)
})

test('an administrator sees what a user and a group were granted; another organization sees neither', async () => {
  const { call } = server
  const hostnames = (body: { hostname: string }[]) => body.map((row) => row.hostname)
  expect(hostnames((await call('GET', `/api/v1/perms/users/${BOB}/assets/`)).body)).toEqual([
    'db-1',
    'front-1',
    'front-2',
    'web-1',
  ])
  expect(hostnames((await call('GET', `/api/v1/perms/user-groups/${ids.group}/assets/`)).body)).toEqual(['db-1'])
  expect((await call('GET', `/api/v1/perms/user-groups/${ids.group}/nodes/children/tree/`)).body).toMatchObject([
    { name: 'Default' },
  ])
  expect(
    (await call('GET', `/api/v1/perms/user-groups/${ids.group}/assets/${ids['db-1']}/system-users/`)).body,
  ).toMatchObject([{ name: 'deploy', actions: expect.arrayContaining(['all', 'connect']) }])
  expect((await call('GET', `/api/v1/perms/user-groups/${ids.group}/assets/x/system-users/`)).status).toBe(404)
  for (const path of [
    `users/${BOB}/assets/`,
    `users/${BOB}/nodes/`,
    `user-groups/${ids.group}/assets/`,
    `user-groups/${ids.group}/nodes/`,
  ]) {
    expect([path, (await call('GET', `/api/v1/perms/${path}`, undefined, otherAdmin)).status]).toEqual([path, 404])
    expect([path, (await call('GET', `/api/v1/perms/${path}`, undefined, bob)).status]).toEqual([path, 403])
  }
  expect((await call('GET', `/api/v1/assets/assets/${ids['db-1']}/perm-users/`)).body).toMatchObject([
    { username: 'bob' },
  ])
  expect((await call('GET', `/api/v1/assets/assets/${ids['db-1']}/perm-user-groups/`)).body).toMatchObject([
    { name: 'Operators' },
  ])
  expect(
    (await call('GET', `/api/v1/assets/assets/${ids['front-1']}/perm-users/${BOB}/permissions/`)).body,
  ).toMatchObject([{ name: 'web' }])
})

test('[A2.32] gateways ask who may connect: combined actions, 403 with the same body when not', async () => {
  const { call } = server
  const ask = (asset: string | undefined, systemUser: string | undefined, action = 'connect') =>
    call(
      'GET',
      `${PERMISSIONS}user/validate/?user_id=${BOB}&asset_id=${asset}&system_user_id=${systemUser}&action_name=${action}`,
      undefined,
      component,
    )
  expect(await ask(ids['web-1'], ids.rootUser)).toMatchObject({
    status: 200,
    body: { has_permission: true, actions: ['connect', 'upload_file'] },
  })
  // Permissions of other organizations are not disclosed.
  const asked = `user_id=${BOB}&asset_id=${ids['web-1']}&system_user_id=${ids.rootUser}`
  expect(await call('GET', `${PERMISSIONS}user/validate/?${asked}`, undefined, otherAdmin)).toMatchObject({
    status: 403,
    body: { has_permission: false, actions: [] },
  })
  expect(await ask(ids['web-1'], ids.rootUser, 'download_file')).toMatchObject({
    status: 403,
    body: { has_permission: false },
  })
  expect(await ask(ids['web-1'], ids.rdp)).toMatchObject({ status: 403, body: { has_permission: false, actions: [] } })
  expect(await ask(ids['db-2'], ids.deploy)).toMatchObject({
    status: 403,
    body: { has_permission: false, actions: [] },
  })
  const named = [`user_id=${BOB}`, `asset_id=${ids['web-1']}`, `system_user_id=${ids.rootUser}`]
  for (const left of named)
    expect(
      await call(
        'GET',
        `${PERMISSIONS}user/validate/?${named.filter((one) => one !== left).join('&')}`,
        undefined,
        component,
      ),
      `without ${left}`,
    ).toMatchObject({
      status: 200,
      body: { has_permission: false, actions: [], expire_at: expect.closeTo(Date.now() / 1000, -2) },
    })
  // Batch commands ask for many machines at once.
  const atOnce = { userId: BOB, systemUserId: ids.rootUser ?? '', assetIds: [ids['web-1'] ?? '', ids['db-2'] ?? ''] }
  const batch = () => connectableAssets(server.db, atOnce)
  expect(await batch()).toEqual([ids['web-1']])
  const ofDesktops = { ...atOnce, systemUserId: ids.rdp ?? '' }
  expect(await connectableAssets(server.db, ofDesktops), 'of another protocol').toEqual([])
  await moveSystemUser(OTHER_ORG_ID)
  expect((await ask(ids['web-1'], ids.rootUser)).status, 'a system user of another organization').toBe(403)
  expect(await batch()).toEqual([])
  await moveSystemUser(DEFAULT_ORG_ID)
  expect(await batch()).toEqual([ids['web-1']])
  await server.pool.query('UPDATE assets_asset SET is_active = false WHERE id = $1', [ids['web-1']])
  expect((await ask(ids['web-1'], ids.rootUser)).status).toBe(403)
  expect(await batch()).toEqual([])
  await server.pool.query('UPDATE assets_asset SET is_active = true WHERE id = $1', [ids['web-1']])
  await server.pool.query('UPDATE users_user SET is_active = false WHERE id = $1', [BOB])
  expect((await ask(ids['web-1'], ids.rootUser)).status).toBe(403)
  expect(await batch()).toEqual([])
  await server.pool.query('UPDATE users_user SET is_active = true WHERE id = $1', [BOB])
  await server.pool.query("UPDATE users_user SET date_expired = now() - interval '1 second' WHERE id = $1", [BOB])
  expect((await ask(ids['web-1'], ids.rootUser)).status).toBe(403)
  await server.pool.query("UPDATE users_user SET date_expired = now() + interval '1 day' WHERE id = $1", [BOB])
  expect((await ask(ids['web-1'], ids.rootUser)).status).toBe(200)
  const actions = async (who: typeof admin, asset = ids['web-1']) =>
    (
      await call(
        'GET',
        `${PERMISSIONS}user/actions/?user_id=${BOB}&asset_id=${asset}&system_user_id=${ids.rootUser}`,
        undefined,
        who,
      )
    ).body
  expect(await actions(admin)).toEqual({ actions: ['connect', 'upload_file'] })
  expect(await actions(superAdmin), 'in root').toEqual({ actions: ['connect', 'upload_file'] })
  expect(await actions(otherAdmin), 'granted by another organization').toEqual({ actions: null })
  expect((await ask(ids['web-1'], ids.rootUser, 'fly')).status, 'no such action').toBe(403)
  for (const [asset, systemUser] of [
    ['x', ids.rootUser],
    [ids['web-1'], 'x'],
  ] as const) {
    const { status, body } = await ask(asset, systemUser)
    expect([status, body], 'what can be no id').toEqual([
      403,
      { has_permission: false, actions: [], expire_at: expect.closeTo(Date.now() / 1000, -2) },
    ])
  }
  const only = { users: [ANN], assets: [ids['db-2']], system_users: [ids.deploy], actions: ['connect'] }
  const brief = await server.make('perms/asset-permissions', { name: 'connect only', ...only })
  const asAnn = `user_id=${ANN}&asset_id=${ids['db-2']}&system_user_id=${ids.deploy}`
  expect((await call('GET', `${PERMISSIONS}user/validate/?${asAnn}`, undefined, component)).body).toMatchObject({
    has_permission: true,
    actions: ['connect'],
  })
  await call('DELETE', `${PERMISSIONS}${brief.id}/`)
  const unnamed = await call('GET', `${PERMISSIONS}user/actions/?user_id=${BOB}&asset_id=${ids['web-1']}`)
  expect(unnamed.status, 'without a system user').toBe(403)
})

test('people keep favorites and type logins of what they or their groups were granted; anything else does not exist for them', async () => {
  const { call, make } = server
  const other = await make('assets/system-users', {
    name: 'ungranted',
    username: 'x',
    protocol: 'ssh',
    login_mode: 'manual',
  })
  const answers = (path: string, bodies: readonly object[]) =>
    Promise.all(bodies.map(async (body) => (await call('POST', path, body, bob)).status))
  const favors = (...assets: unknown[]) =>
    answers(
      '/api/v1/assets/favorite-assets/',
      assets.map((asset) => ({ asset })),
    )
  const types = async (systemUser: unknown) =>
    (await answers(`/api/v1/assets/system-users/${systemUser}/temp-auth/`, [{ instance_id: ids['web-1'] }]))[0]
  expect(await favors(ids['db-1'], ids['front-2'])).toEqual([201, 201])
  expect(await favors(ids['db-2'], ids.web, 'x')).toEqual([400, 400, 400])
  expect([await types(ids.rootUser), await types(ids.deploy)]).toEqual([201, 201])
  expect([await types(other.id), await types(ids.web), await types('x')]).toEqual([404, 404, 404])
  for (const asset of [ids['db-1'], ids['front-2']])
    expect((await call('DELETE', `/api/v1/assets/favorite-assets/?asset=${asset}`, undefined, bob)).status).toBe(204)
  await call('DELETE', `/api/v1/assets/system-users/${other.id}/`)
})

test('[A2.32] old clients that refresh a cache get the answer that it is done', async () => {
  expect((await server.call('GET', `${PERMISSIONS}cache/refresh/`)).body).toEqual({ msg: true })
  for (const people of [`users/${BOB}`, 'users'])
    expect((await server.call('DELETE', `/api/v1/perms/${people}/asset-permissions/cache/`)).status).toBe(204)
})

test('[A2.32] an unknown action is refused, an omitted one is everything, an empty list nothing', async () => {
  const { call, make } = server
  expect(await call('POST', PERMISSIONS, { name: 'x', actions: ['connect', 'fly'] })).toMatchObject({
    status: 400,
    body: { actions: expect.anything() },
  })
  const all = await make('perms/asset-permissions', { name: 'all' })
  expect(all.actions).toHaveLength(8)
  expect(all.date_expired.slice(0, 4)).toBe(String(new Date(Date.now() + 25_550 * 86_400_000).getFullYear()))
  const none = await make('perms/asset-permissions', { name: 'none', actions: [] })
  expect(none.actions).toEqual([])
  expect((await call('PATCH', `${PERMISSIONS}${none.id}/`, { comment: 'kept' })).body.actions).toEqual([])
  expect(
    (await call('PATCH', `${PERMISSIONS}${none.id}/`, { actions: ['connect', 'clipboard_copy', 'clipboard_paste'] }))
      .body.actions,
  ).toEqual(['connect', 'clipboard_copy', 'clipboard_paste', 'clipboard_copy_paste'])
})

test('[A2.32 A5.08] clients may make a permission by its name and fill it by its relations: until then it grants nothing, and is reported as such', async () => {
  const { call } = server
  const made = await call('POST', PERMISSIONS, { name: 'To be filled' })
  expect(made).toMatchObject({ status: 201, body: { users: [], assets: [], nodes: [], system_users: [] } })
  const effective = async (is: boolean) =>
    (await call('GET', `${PERMISSIONS}?name=To be filled&is_effective=${is}`)).body.length
  const url = `${PERMISSIONS}${made.body.id}/`
  for (const part of [{ users: [BOB] }, { assets: [ids['db-2']] }, { system_users: [ids.deploy] }]) {
    expect([await effective(true), await effective(false)]).toEqual([0, 1])
    expect((await call('PATCH', url, part)).status).toBe(200)
  }
  expect([await effective(true), await effective(false)]).toEqual([1, 0])
  expect((await call('DELETE', url)).status).toBe(204)
})

test('[A2.32] names given on create add what they name; unknown names are passed over', async () => {
  const row = await server.make('perms/asset-permissions', {
    name: 'by name',
    users_display: ['Ann', 'nobody'],
    user_groups_display: ['Operators'],
    assets_display: ['db-2', '10.0.0.7'],
    nodes_display: ['/Default/Web/Front'],
    system_users_display: ['deploy'],
  })
  expect(row).toMatchObject({
    users: [ANN],
    user_groups: [ids.group],
    nodes: [ids.front],
    system_users: [ids.deploy],
    assets_amount: 3,
  })
  const again = (
    await server.call('PATCH', `${PERMISSIONS}${row.id}/`, { system_users_display: ['root'], users_display: ['bob'] })
  ).body
  expect(again.system_users).toHaveLength(2)
  expect(again.users).toEqual([ANN])
  await server.call('DELETE', `${PERMISSIONS}${row.id}/`)
})

test('a related object may be given by its name, as in a spreadsheet; a name of none or several is refused at its place, and nothing is stored', async () => {
  for (const username of ['kim.a', 'kim.b'])
    await server.make('users/users', { name: 'Kim', username, email: `${username}@test.local` })
  const row = await server.make('perms/asset-permissions', {
    name: 'meant by name',
    users: [BOB, 'ann', 'Ann(ann)'],
    assets: ['db-1'],
    nodes: ['/Default/Web'],
    system_users: ['deploy(deploy)', ids.rootUser],
  })
  expect(row).toMatchObject({ assets: [ids['db-1']], nodes: [ids.web] })
  expect(new Set(row.users as string[])).toEqual(new Set([BOB, ANN]))
  expect(new Set(row.system_users as string[])).toEqual(new Set([ids.deploy, ids.rootUser]))
  const refused = await server.call('PATCH', `${PERMISSIONS}${row.id}/`, {
    users: ['kim.a', 'Kim', 'Nobody'],
    assets: ['web-1'],
  })
  expect(refused).toMatchObject({
    status: 400,
    body: {
      users: [[], ['Several objects are named "Kim": give the id.'], ['Invalid pk "Nobody" - object does not exist.']],
    },
  })
  expect((await server.call('GET', `${PERMISSIONS}${row.id}/`)).body.assets).toEqual([ids['db-1']])
  await server.call('DELETE', `${PERMISSIONS}${row.id}/`)
})

test('names of another organization mean nothing here', async () => {
  const { status, body } = await server.call('POST', PERMISSIONS, { name: 'foreign', assets: ['db-1'] }, otherAdmin)
  expect([status, body]).toEqual([400, { assets: [['Invalid pk "db-1" - object does not exist.']] }])
  const { make, call } = server
  await make('users/users', { name: 'Only theirs', username: 'only-theirs', email: 'o@example.com' }, otherAdmin)
  const row = await make('perms/asset-permissions', { name: 'unnamed', users_display: ['Only theirs', 'only-theirs'] })
  expect(row.users).toEqual([])
  await call('DELETE', `${PERMISSIONS}${row.id}/`)
})

test('[A2.32] filters follow groups, nodes and ancestors unless inheritance is off', async () => {
  const names = async (query: string, headers = admin) =>
    (await server.call('GET', `${PERMISSIONS}?${query}`, undefined, headers)).body.map(
      (row: { name: string }) => row.name,
    )
  expect(await names(`user_id=${BOB}`)).toEqual(['one database', 'web'])
  expect(await names(`user_id=${BOB}&all=0`)).toEqual(['web'])
  expect(await names('username=bob&all=false')).toEqual(['web'])
  expect(await names('user_group=Operators')).toEqual(['one database'])
  expect(await names(`node_id=${ids.front}`)).toEqual(['web'])
  expect(await names(`node_id=${ids.front}&all=0`)).toEqual([])
  expect(await names('hostname=front-1')).toEqual(['web'])
  expect(await names('hostname=front-1&all=0')).toEqual([])
  expect(await names(`system_user=deploy&ip=10.0.0.4`)).toEqual(['one database'])
  expect(await names('is_effective=1')).toEqual(['one database', 'web'])
  expect(await names('is_effective=0')).toEqual(['all', 'none'])
  const whole = { users: [ANN], assets: [ids['db-2']], system_users: [ids.deploy] }
  const parts = []
  for (const lacking of [{ actions: [] }, { users: [] }, { assets: [] }, { system_users: [] }])
    parts.push(await server.make('perms/asset-permissions', { name: `part ${parts.length}`, ...whole, ...lacking }))
  expect(await names('is_effective=1'), 'without any one part it has no effect').toEqual(['one database', 'web'])
  for (const { id } of parts) await server.call('DELETE', `${PERMISSIONS}${id}/`)
  expect(await names('is_valid=0')).toEqual([])
  const ends = (days: number) => ({ date_expired: new Date(Date.now() + days * 86_400_000).toISOString() })
  const soon = await server.make('perms/asset-permissions', { name: 'soon', ...ends(2.5) })
  const over = { name: 'over', date_start: '2020-01-01 00:00:00', date_expired: '2020-02-01 00:00:00' }
  const past = await server.make('perms/asset-permissions', over)
  expect([await names('expires_within=3'), await names('expires_within=2')]).toEqual([['soon'], []])
  expect(await names('expires_within=-1')).toEqual([])
  const later = { name: 'later', date_start: '2090-01-01 00:00:00', date_expired: '2091-01-01 00:00:00' }
  const future = await server.make('perms/asset-permissions', later)
  const off = await server.make('perms/asset-permissions', { name: 'off', is_active: false })
  expect([past, future, off], 'before its start as after its end').toMatchObject([
    { is_expired: true, is_valid: false },
    { is_expired: true, is_valid: false },
    { is_expired: false, is_valid: false },
  ])
  expect(await names('is_valid=0')).toEqual(['later', 'off', 'over'])
  for (const { id } of [soon, past, future, off]) await server.call('DELETE', `${PERMISSIONS}${id}/`)
  const unreadable = await server.call('GET', `${PERMISSIONS}?user_id=nonsense`, undefined, admin)
  expect([unreadable.status, unreadable.body]).toEqual([400, { user_id: ['This value cannot be read.'] }])
  expect(await names('user_id=11111111-2222-4333-8444-555555555555')).toEqual([])
  expect(await names('hostname=front-1', otherAdmin)).toEqual([])
})

test('[A2.32] pairs are added and removed one by one, each written into the operate log', async () => {
  const { call, make } = server
  const permission = await make('perms/asset-permissions', { name: 'pairs', system_users: [ids.deploy] })
  const USERS = '/api/v1/perms/asset-permissions-users-relations/'
  const log = async () => (await call('GET', '/api/v1/audits/operate-logs/?resource_type=Asset permission users')).body
  const before = (await log()).length
  const pair = await call('POST', USERS, { user: ANN, assetpermission: permission.id })
  expect(pair).toMatchObject({ status: 201, body: { user: ANN, assetpermission: permission.id } })
  expect((await call('POST', USERS, { user: ANN, assetpermission: permission.id })).status).toBe(400)
  expect((await call('GET', `${USERS}?assetpermission=${permission.id}`)).body).toMatchObject([
    { user_display: 'Ann', assetpermission_display: 'pairs' },
  ])
  const searched = async (word: string) =>
    (await call('GET', `${USERS}?search=${word}`)).body.map((row: Record<string, string>) => [
      row.user_display,
      row.assetpermission_display,
    ])
  expect(await searched('pairs'), 'by the permission').toEqual([['Ann', 'pairs']])
  expect(await searched('ann'), 'by the person').toEqual([['Ann', 'pairs']])
  expect(await searched('nobody of this name')).toEqual([])
  expect((await call('GET', `${USERS}?search=pairs`, undefined, otherAdmin)).body).toEqual([])
  expect((await call('POST', USERS, { user: BOB, assetpermission: permission.id }, otherAdmin)).status).toBe(400)
  expect(
    (
      await call('POST', '/api/v1/perms/asset-permissions-assets-relations/', [
        { asset: ids['db-2'], assetpermission: permission.id },
      ])
    ).status,
  ).toBe(201)
  const byAddress = (await call('GET', '/api/v1/perms/asset-permissions-assets-relations/?search=10.0.0.4')).body
  expect(byAddress.map(({ asset }: { asset: string }) => asset)).toContain(ids['db-2'])
  // The identity is bound to what the permission names.
  const { rows } = await server.pool.query('SELECT 1 FROM assets_account WHERE asset = $1 AND systemuser = $2', [
    ids['db-2'],
    ids.deploy,
  ])
  expect(rows).toHaveLength(1)
  expect((await call('GET', `${PERMISSIONS}${permission.id}/users/all/`)).body).toEqual([
    { user: ANN, user_display: 'Ann(ann)' },
  ])
  const change = { assets: [ids['db-2'], ids['web-1']], users: [ANN] }
  const web = [ids['web-1'], ids.deploy]
  await server.pool.query('DELETE FROM assets_account WHERE asset = $1 AND systemuser = $2', web)
  expect((await call('PATCH', `${PERMISSIONS}${permission.id}/`, change)).status).toBe(200)
  const bound = 'SELECT 1 FROM assets_account WHERE asset = $1 AND systemuser = $2'
  expect((await server.pool.query(bound, web)).rows, 'also where little is new').toHaveLength(1)
  expect((await call('PATCH', `${PERMISSIONS}${permission.id}/`, { assets: [ids['db-2']] })).status).toBe(200)
  const covered = async (query: string) =>
    (await call('GET', `${PERMISSIONS}${permission.id}/${query}`)).body.map(
      (row: { user?: string; asset?: string }) => row.user ?? row.asset,
    )
  expect(await covered('assets/all/?search=db')).toEqual([ids['db-2']])
  const page = (query: string) => call('GET', `${PERMISSIONS}${permission.id}/users/all/?${query}`)
  expect((await page('limit=1')).body).toMatchObject({ count: 1, next: null, previous: null, results: [{ user: ANN }] })
  expect((await page('limit=1&offset=1')).body.previous).toContain('limit=1')
  expect(await covered('assets/all/?search=db nothing'), 'each word must be found').toEqual([])
  expect(await covered('users/all/?username=ann&name=Ann')).toEqual([ANN])
  expect(await covered('users/all/?username=ann&name=Bob'), 'each filter must hold').toEqual([])
  expect((await call('GET', `${PERMISSIONS}${permission.id}/assets/all/`, undefined, otherAdmin)).status).toBe(404)
  expect((await call('DELETE', `${USERS}?assetpermission=${permission.id}&user=${ANN}`)).status).toBe(204)
  const since = (await log()).slice(0, -before)
  expect(since.map((row: { action: string; resource: string }) => [row.action, row.resource])).toEqual([
    ['delete', 'pairs REMOVE Ann'],
    ['create', 'pairs ADD Ann'],
  ])
  const { rows: changes } = await server.pool.query(
    "SELECT changes FROM audits_operate_log WHERE resource IN ('pairs ADD Ann', 'pairs REMOVE Ann') ORDER BY resource",
  )
  expect(changes).toEqual([
    { changes: [expect.objectContaining({ field: 'users', added: ['Ann'] })] },
    { changes: [expect.objectContaining({ field: 'users', removed: ['Ann'] })] },
  ])
  await call('DELETE', `${PERMISSIONS}${permission.id}/`)
})

test('[A2.32] a pair that names another is one removed and one added in the operate log; one saved as it was is neither', async () => {
  const { call, make } = server
  const USERS = '/api/v1/perms/asset-permissions-users-relations/'
  const [first, second] = [
    await make('perms/asset-permissions', { name: 'moved' }),
    await make('perms/asset-permissions', { name: 'moved too' }),
  ]
  const { id } = (await call('POST', USERS, { user: ANN, assetpermission: first.id })).body
  const written = async () =>
    (await call('GET', '/api/v1/audits/operate-logs/?resource_type=Asset permission users')).body
      .map(({ resource }: { resource: string }) => resource)
      .filter((resource: string) => resource.startsWith('moved'))
      .toSorted()
  for (const change of [{ user: ANN }, { user: BOB }, { assetpermission: second.id }])
    expect((await call('PATCH', `${USERS}${id}/`, change)).status).toBe(200)
  expect(await written()).toEqual([
    'moved ADD Ann',
    'moved ADD Bob',
    'moved REMOVE Ann',
    'moved REMOVE Bob',
    'moved too ADD Bob',
  ])
  for (const permission of [first, second]) await call('DELETE', `${PERMISSIONS}${permission.id}/`)
})

test('[A6.32] a permission can not name what belongs to another organization, not even from root', async () => {
  const { call, make } = server
  const theirs = (await make('users/groups', { name: 'Theirs' }, otherAdmin)).id
  const draft = { name: 'Stranger', username: 'stranger', email: 'stranger@example.com' }
  const stranger = (await make('users/users', draft, otherAdmin)).id
  const mine = (await call('GET', `${PERMISSIONS}?name=all`)).body[0].id
  for (const headers of [admin, superAdmin]) {
    const answer = await call('PATCH', `${PERMISSIONS}${mine}/`, { user_groups: [theirs] }, headers)
    expect(answer).toMatchObject({ status: 400, body: { user_groups: expect.anything() } })
    const withStranger = await call('PATCH', `${PERMISSIONS}${mine}/`, { users: [stranger] }, headers)
    expect(withStranger).toMatchObject({ status: 400, body: { users: expect.anything() } })
  }
  // A component is nobody to whom something is granted, whatever it is a member of.
  await server.pool.query("UPDATE users_user SET role = 'App' WHERE id = $1", [ANN])
  expect(await call('PATCH', `${PERMISSIONS}${mine}/`, { users: [ANN] })).toMatchObject({
    status: 400,
    body: { users: expect.anything() },
  })
  await server.pool.query("UPDATE users_user SET role = 'User' WHERE id = $1", [ANN])
  expect((await call('PATCH', `${PERMISSIONS}${mine}/`, { users: [ANN] })).status).toBe(200)
  expect((await call('PATCH', `${PERMISSIONS}${mine}/`, { comment: 'x' }, otherAdmin)).status).toBe(404)
  expect(
    (await call('PATCH', `${PERMISSIONS}${mine}/`, { users: [BOB], org_id: OTHER_ORG_ID }, superAdmin)).body.users,
  ).toEqual([BOB])
  await call('PATCH', `${PERMISSIONS}${mine}/`, { users: [] })
})

test('[A2.63] the own assets span all organizations of the person, each asset with the name of its own', async () => {
  const { call, make, pool } = server
  await pool.query(`INSERT INTO orgs_member (org, "user", role) VALUES ($1, $2, 'User')`, [OTHER_ORG_ID, BOB])
  const far = await make(
    'assets/assets',
    { hostname: 'far-1', ip: '10.1.0.1', platform: 'Linux', protocols: ['ssh/22'] },
    otherAdmin,
  )
  await make('perms/asset-permissions', { name: 'far', users: [BOB], assets: [far.id] }, otherAdmin)
  const mine = (await call('GET', '/api/v1/perms/users/assets/?order=-hostname', undefined, bob)).body
  expect(
    mine
      .filter((row: { hostname: string }) => /far|web/.test(row.hostname))
      .map((row: { hostname: string; org_name: string }) => [row.hostname, row.org_name]),
  ).toEqual([
    ['web-1', 'Default'],
    ['far-1', 'Other'],
  ])
  expect(
    (await call('GET', '/api/v1/perms/users/nodes/children/', undefined, bob)).body.map(
      (node: { value: string }) => node.value,
    ),
  ).toEqual(['Favorite', 'Default', 'Other'])
  // An administrator sees only what their own organization granted.
  expect((await call('GET', `/api/v1/perms/users/${BOB}/assets/?search=far`)).body).toEqual([])
  expect(
    (await call('GET', `/api/v1/perms/users/${BOB}/assets/`, undefined, otherAdmin)).body.map(
      (row: { hostname: string }) => row.hostname,
    ),
  ).toEqual(['far-1'])
})

test('[A3.02] a person who leaves the organization loses its grants', async () => {
  const { pool, call } = server
  await pool.query('DELETE FROM orgs_member WHERE "user" = $1', [BOB])
  expect((await call('GET', '/api/v1/perms/users/assets/', undefined, bob)).body).toEqual([])
  await pool.query(
    `INSERT INTO orgs_member (org, "user", role) VALUES ('00000000-0000-0000-0000-000000000002', $1, 'User')`,
    [BOB],
  )
})
