import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  ANN,
  BOB,
  bob,
  type DomainServer,
  OTHER_ORG_ID,
  openDomainServer,
  otherAdmin,
  superAdmin,
} from '../../../../test/domain-server.ts'

let server: DomainServer
const ids: Record<string, string> = {}
const PERMISSIONS = '/api/v1/perms/asset-permissions/'

beforeAll(async () => {
  server = await openDomainServer()
  const { make, call } = server
  ids.root = (await call('GET', '/api/v1/assets/nodes/')).body[0].id
  for (const [name, parent] of [
    ['web', 'root'],
    ['front', 'web'],
    ['db', 'root'],
  ] as const)
    ids[name] = (await call('POST', `/api/v1/assets/nodes/${ids[parent]}/children/`, { value: name })).body.id
  for (const [name, node] of [
    ['web-1', 'web'],
    ['front-1', 'front'],
    ['db-1', 'db'],
  ] as const)
    ids[name] = (
      await make('assets/assets', {
        hostname: name,
        ip: '10.0.0.1',
        platform: 'Linux',
        protocols: ['ssh/22'],
        nodes: [ids[node]],
      })
    ).id
  for (const [name, protocol] of [
    ['root', 'ssh'],
    ['deploy', 'ssh'],
    ['desktop', 'rdp'],
  ] as const)
    ids[name === 'root' ? 'rootUser' : name] = (
      await make('assets/system-users', { name, username: name, protocol, login_mode: 'manual' })
    ).id
  ids.group = (await make('users/groups', { name: 'Operators', users: [BOB] })).id
})
afterAll(() => server?.close())

/** How many rows each table has, and what its rows are. */
async function everything(): Promise<Record<string, string>> {
  const { rows: tables } = await server.pool.query<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
  )
  const all: Record<string, string> = {}
  for (const { name } of tables) {
    const { rows } = await server.pool.query(
      `SELECT count(*) || ' ' || md5(coalesce(string_agg(t::text, ';' ORDER BY t::text), '')) AS sum FROM "${name}" t`,
    )
    all[name] = rows[0].sum
  }
  return all
}

interface Row {
  person: { name: string }
  target: { name: string }
  account: { name: string }
}
const words = ({ rows }: { rows: Row[] }) =>
  rows.map(({ person, target, account }) => `${person.name} ${target.name} ${account.name}`)

test('a preview of a new permission names who gains what, and changes nothing', async () => {
  const before = await everything()
  const body = {
    name: 'web',
    users: [BOB],
    user_groups: [ids.group],
    nodes: [ids.web],
    system_users: [ids.rootUser, ids.desktop],
  }
  const asked = await server.call('POST', `${PERMISSIONS}?preview=true`, body)
  expect(asked).toMatchObject({
    status: 200,
    body: { is_exact: true, gained: { count: 2, people: 1, targets: 2 }, lost: { count: 0 }, changed: { count: 0 } },
  })
  expect(words(asked.body.gained)).toEqual(['Bob(bob) front-1(10.0.0.1) root', 'Bob(bob) web-1(10.0.0.1) root'])
  expect(await everything()).toEqual(before)
  await server.make('perms/asset-permissions', body)
})

test('a preview of less actions, and of a permission switched off, names what is lost', async () => {
  const { make, call } = server
  const { id } = await make('perms/asset-permissions', {
    name: 'db',
    users: [BOB],
    assets: [ids['db-1']],
    system_users: [ids.deploy],
    actions: ['connect', 'upload_file'],
  })
  const fewer = await call('PATCH', `${PERMISSIONS}${id}/?preview=true`, { actions: ['connect'] })
  expect(fewer.body).toMatchObject({
    gained: { count: 0 },
    lost: { count: 0 },
    changed: {
      count: 1,
      rows: [{ person: { name: 'Bob(bob)' }, gained_actions: [], lost_actions: ['upload_file'] }],
    },
  })
  expect((await call('PATCH', `${PERMISSIONS}${id}/?preview=true`, { is_active: false })).body).toMatchObject({
    lost: {
      count: 1,
      rows: [{ target: { name: 'db-1(10.0.0.1)', family: 'asset' }, actions: ['connect', 'upload_file'] }],
    },
  })
  expect((await call('PATCH', `${PERMISSIONS}${id}/?preview=true`, { comment: 'same' })).body).toMatchObject({
    ...{ gained: { count: 0 }, lost: { count: 0 }, changed: { count: 0 }, roles: { count: 0 } },
    ...{ sessions_end: { count: 0 }, self: { gained: 0, lost: 0, changed: 0 } },
  })
  await make('perms/asset-permissions', {
    name: 'db again',
    users: [BOB],
    assets: [ids['db-1']],
    system_users: [ids.deploy],
  })
  const covered = await call('PATCH', `${PERMISSIONS}${id}/?preview=true`, { is_active: false })
  expect(covered.body.lost, 'another permission still gives it').toMatchObject({ count: 0, rows: [] })
})

test('a preview names the databases that a permission leads to no longer, unless another one still does', async () => {
  const { make, call } = server
  const shop = await make('applications/applications', {
    name: 'shop',
    category: 'db',
    type: 'mysql',
    attrs: { host: '10.0.0.9', port: 3306, database: 'shop' },
  })
  const account = await make('assets/system-users', {
    name: 'sql',
    username: 'sql',
    protocol: 'mysql',
    login_mode: 'manual',
  })
  const grant = {
    ...{ category: 'db', type: 'mysql', users: [BOB], applications: [shop.id], system_users: [account.id] },
    actions: ['connect'],
  }
  const path = '/api/v1/perms/application-permissions/'
  const { id } = await make('perms/application-permissions', { ...grant, name: 'shop' })
  const preview = async (databases: string[]) =>
    (await call('PATCH', `${path}${id}/?preview=true`, { databases })).body.changed
  const row = { gained_actions: [], lost_actions: [], databases: { before: null, after: ['orders'] } }
  expect(await preview(['orders'])).toMatchObject({ count: 1, rows: [{ person: { name: 'Bob(bob)' }, ...row }] })
  expect(await preview([])).toMatchObject({ count: 0 })
  await make('perms/application-permissions', { ...grant, name: 'shop too', databases: ['stock'] })
  expect((await preview(['orders'])).rows).toMatchObject([{ databases: { before: null, after: ['orders', 'stock'] } }])
  await make('perms/application-permissions', { ...grant, name: 'all of the shop' })
  expect(await preview(['orders'])).toMatchObject({ count: 0 })
})

test('a preview names where connections may be forwarded to from then on, unless another permission leads there', async () => {
  const { make, call } = server
  const grant = { users: [BOB], assets: [ids['web-1']], system_users: [ids.rootUser], actions: ['connect'] }
  const { id } = await make('perms/asset-permissions', { ...grant, name: 'forwards' })
  const preview = async (draft: object) =>
    (await call('PATCH', `${PERMISSIONS}${id}/?preview=true`, draft)).body.changed
  const listed = { forwarding: 'listed', forwarding_destinations: ['db.example.com:5432'] }
  expect((await preview(listed)).rows).toMatchObject([
    { gained_actions: [], databases: null, forwarding: { before: [], after: ['db.example.com:5432'] } },
  ])
  expect(await preview({ forwarding: 'none' })).toMatchObject({ count: 0 })
  const another = await make('perms/asset-permissions', { ...grant, name: 'forwards too', forwarding: 'machine' })
  expect((await preview(listed)).rows).toMatchObject([
    { forwarding: { before: ['@machine'], after: ['@machine', 'db.example.com:5432'] } },
  ])
  expect(await preview({ forwarding: 'machine' })).toMatchObject({ count: 0 })
  for (const one of [id, another.id]) await call('DELETE', `${PERMISSIONS}${one}/`)
})

test('a preview names the live sessions that would end', async () => {
  const { id } = (await server.call('GET', `${PERMISSIONS}?name=web`)).body[0]
  const { rows } = await server.pool.query(
    `INSERT INTO terminal_session (org_id, "user", user_id, asset, asset_id, "system_user", system_user_id, protocol, remote_addr, date_start)
     VALUES ('00000000-0000-0000-0000-000000000002', 'Bob(bob)', $1, 'web-1', $2, 'root', $3, 'ssh', '192.0.2.7', now()) RETURNING id`,
    [BOB, ids['web-1'], ids.rootUser],
  )
  const live = rows[0].id
  expect((await server.call('DELETE', `${PERMISSIONS}${id}/?preview=true`)).body.sessions_end).toEqual({
    count: 1,
    rows: [{ id: live, user: 'Bob(bob)', asset: 'web-1', system_user: 'root', protocol: 'ssh' }],
  })
  expect(
    (await server.call('PATCH', `/api/v1/users/users/${BOB}/?preview=true`, { is_active: false })).body,
    'their person is switched off',
  ).toMatchObject({
    sessions_end: { count: 1 },
    roles: {
      count: 1,
      rows: [{ person: { name: 'Bob(bob)' }, before: { can_sign_in: true }, after: { can_sign_in: false } }],
    },
  })
  expect(
    (await server.call('PATCH', `${PERMISSIONS}${id}/?preview=true`, { actions: ['connect'] })).body.sessions_end.count,
  ).toBe(0)
  await server.pool.query('DELETE FROM terminal_session WHERE id = $1', [live])
})

test('a preview says what somebody takes from themselves, and that nobody would administer any more', async () => {
  const { make, call } = server
  await make('perms/asset-permissions', { name: 'own', users: [ANN], nodes: [ids.db], system_users: [ids.rootUser] })
  const { id } = (await call('GET', `${PERMISSIONS}?name=own`)).body[0]
  expect((await call('DELETE', `${PERMISSIONS}${id}/?preview=true`)).body.self).toEqual({
    gained: 0,
    lost: 1,
    changed: 0,
  })
  const members = '/api/v1/orgs/org-member-relation/'
  const [mine] = (await call('GET', `${members}?user_id=${ANN}`, undefined, superAdmin)).body
  const last = await call('DELETE', `${members}${mine.id}/?preview=true`, undefined, superAdmin)
  expect(last.body).toMatchObject({
    last_administrator: { system: false, organizations: [{ name: 'Default' }] },
    roles: { count: 1, rows: [{ after: { organizations: [] } }] },
    lost: { count: 1 },
  })
})

test('a preview refuses a change in the words in which saving it is refused', async () => {
  const body = { name: 'web', users: ['44444444-4444-4444-8444-444444444444'] }
  const saved = await server.call('POST', PERMISSIONS, body)
  expect(await server.call('POST', `${PERMISSIONS}?preview=true`, body)).toMatchObject({
    status: 400,
    body: saved.body,
  })
  const unknown = `${PERMISSIONS}44444444-4444-4444-8444-444444444444/?preview=true`
  expect((await server.call('DELETE', unknown)).status).toBe(404)
  expect((await server.call('DELETE', unknown, undefined, bob)).status).toBe(403)
})

test('calls without a preview refuse to give one, and write nothing', async () => {
  const before = await everything()
  const label = { name: 'a', value: 'b' }
  for (const [method, url, body] of [
    ['POST', '/api/v1/assets/labels/?preview=true', label],
    ['POST', '/api/v1/assets/labels/?%70review=true', label],
    ['POST', `${PERMISSIONS}?preview=yes`, { name: 'x' }],
    ['POST', `/api/v1/assets/nodes/${ids.web}/children/?preview=true`, { value: 'x' }],
  ] as const)
    expect((await server.call(method, url, body)).status, url).toBe(400)
  expect(await everything()).toEqual(before)
})

test('another organization learns nothing by a preview', async () => {
  const { call } = server
  const [permission] = (await call('GET', `${PERMISSIONS}?name=web`)).body
  expect((await call('DELETE', `${PERMISSIONS}${permission.id}/?preview=true`, undefined, otherAdmin)).status).toBe(404)
  await server.pool.query('INSERT INTO orgs_member (org, "user", role) VALUES ($1, $2, $3)', [
    OTHER_ORG_ID,
    BOB,
    'User',
  ])
  const left = await call('POST', `/api/v1/users/users/${BOB}/remove/?preview=true`, undefined, otherAdmin)
  expect(left.body, 'who leaves here keeps what they have there').toMatchObject({
    ...{ lost: { count: 0, rows: [] }, touched: { people: 0, targets: 0, rights_at_most: 0 } },
    roles: { count: 1, rows: [{ before: { organizations: [{ name: 'Other' }] }, after: { organizations: [] } }] },
  })
  await server.pool.query('DELETE FROM orgs_member WHERE org = $1', [OTHER_ORG_ID])
})

test('nothing leaves a preview: no mail, no job, no event, no call to other parts', async () => {
  const events: unknown[] = []
  const stop = server.kernel.events.subscribe('users.changed', (payload) => events.push(payload))
  const before = await everything()
  await server.call('PATCH', `/api/v1/users/users/${BOB}/?preview=true`, {
    is_active: false,
    password: 'Quite-l0ng-enough',
  })
  await server.call('POST', '/api/v1/users/users/?preview=true', {
    name: 'New',
    username: 'new',
    email: 'new@example.com',
  })
  await server.call('DELETE', `/api/v1/assets/assets/${ids['web-1']}/?preview=true`)
  await server.call('DELETE', `/api/v1/users/groups/${ids.group}/?preview=true`)
  expect(await everything()).toEqual(before)
  // Events arrive in order: one that is sent now comes after all that could have been.
  await new Promise<void>((resolve) => {
    const end = server.kernel.events.subscribe('test.end', () => {
      end()
      resolve()
    })
    void server.kernel.events.publish('test.end', {})
  })
  stop()
  expect(events).toEqual([])
})

test('a change that is made while a preview is worked out does not get into it', async () => {
  const { call, pool } = server
  const client = await pool.connect()
  const [permission] = (await call('GET', `${PERMISSIONS}?name=web`)).body
  try {
    await client.query('BEGIN')
    await client.query('UPDATE perms_permission SET is_active = false WHERE id = $1', [permission.id])
    const asked = await call('DELETE', `${PERMISSIONS}${permission.id}/?preview=true`)
    expect(asked, 'it waits for a moment only, and holds up nobody').toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    })
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
  expect((await call('DELETE', `${PERMISSIONS}${permission.id}/?preview=true`)).body.lost.count).toBe(2)
})

test('an import of people into a group, and rows that are changed together, say what all of them do', async () => {
  const { call } = server
  const rows = [
    { name: 'Imported', username: 'imported', email: 'imported@example.com', groups: [ids.group] },
    { name: 'No address', username: 'refused' },
  ]
  const before = await everything()
  const users = '/api/v1/users/users/'
  const asked = await call('POST', `${users}import-jobs/?preview=true`, { mode: 'create', rows })
  expect(asked, 'the row that is refused counts for nothing').toMatchObject({
    status: 200,
    body: { gained: { count: 2, people: 1, targets: 2 }, roles: { count: 1 } },
  })
  const many = Array.from({ length: 501 }, () => ({}))
  expect((await call('POST', `${users}import-jobs/?preview=true`, { mode: 'create', rows: many })).body.code).toBe(
    'no_preview',
  )
  const off = ['web-1', 'front-1'].map((name) => ({ id: ids[name], is_active: false }))
  expect((await call('PATCH', '/api/v1/assets/assets/?preview=true', off)).body.lost).toMatchObject({
    count: 2,
    targets: 2,
  })
  expect(
    (await call('DELETE', `/api/v1/assets/assets/?ids=${ids['web-1']},${ids['front-1']}&preview=true`)).body.lost.count,
  ).toBe(2)
  expect(await everything()).toEqual(before)
})

test('a preview names the schedules that would lose a machine', async () => {
  const { call, pool } = server
  const org = '00000000-0000-0000-0000-000000000002'
  const { rows: books } = await pool.query(
    "INSERT INTO ops_runbook (org_id, name, steps) VALUES ($1, 'Nightly', '[]') RETURNING id",
    [org],
  )
  const { rows } = await pool.query(
    `INSERT INTO ops_runbook_schedule (org_id, user_id, runbook, version, run_as, is_periodic, interval)
     VALUES ($1, $2, $3, 1, $4, true, 24) RETURNING id`,
    [org, BOB, books[0].id, ids.rootUser],
  )
  const [{ id }] = rows
  await pool.query('INSERT INTO ops_runbook_schedule_host (schedule, asset) VALUES ($1, $2)', [id, ids['web-1']])
  const [permission] = (await call('GET', `${PERMISSIONS}?name=web`)).body
  const schedules = { count: 1, rows: [{ id, name: 'Nightly' }] }
  expect((await call('DELETE', `${PERMISSIONS}${permission.id}/?preview=true`)).body.schedules).toEqual(schedules)
  expect(
    (await call('DELETE', `/api/v1/users/users/${BOB}/?preview=true`, undefined, superAdmin)).body.schedules,
  ).toEqual(schedules)
  const unrelated = await call('PATCH', `${PERMISSIONS}${permission.id}/?preview=true`, { comment: 'same' })
  expect(unrelated.body.schedules).toEqual({ count: 0, rows: [] })
})

test('a preview reserves nothing: a change of somebody else before it is saved counts', async () => {
  const { call, make } = server
  const [permission] = (await call('GET', `${PERMISSIONS}?name=web`)).body
  const off = () => call('PATCH', `${PERMISSIONS}${permission.id}/?preview=true`, { is_active: false })
  expect((await off()).body.lost.count).toBe(2)
  await make('perms/asset-permissions', {
    ...{ name: 'meanwhile', users: [BOB], assets: [ids['web-1']], system_users: [ids.rootUser] },
  })
  expect(words((await off()).body.lost)).toEqual(['Bob(bob) front-1(10.0.0.1) root'])
  expect((await call('PATCH', `${PERMISSIONS}${permission.id}/`, { is_active: false })).status).toBe(200)
  const { body } = await call('GET', '/api/v1/perms/users/assets/', undefined, bob)
  const names = body.map((row: { hostname: string }) => row.hostname)
  expect(names, 'saved by what is true then').toContain('web-1')
  expect(names).not.toContain('front-1')
})

test('a change too large to compare is counted, and the people and targets it touches are named by page', async () => {
  const { call, make, pool } = server
  const org = '00000000-0000-0000-0000-000000000002'
  const { id: crowd } = await make('users/groups', { name: 'Crowd' })
  await pool.query(
    `WITH made AS (INSERT INTO users_user (name, username, email)
       SELECT 'P' || lpad(i::text, 3, '0'), 'p' || i, 'p' || i || '@example.com' FROM generate_series(1, 450) i RETURNING id),
     joined AS (INSERT INTO orgs_member (org, "user", role) SELECT $1, id, 'User' FROM made)
     INSERT INTO users_user_group_user ("user", usergroup) SELECT id, $2 FROM made`,
    [org, crowd],
  )
  const fleet = async (name: string, size: number) => {
    const node = (await call('POST', `/api/v1/assets/nodes/${ids.root}/children/`, { value: name })).body.id
    await pool.query(
      `WITH made AS (INSERT INTO assets_asset (org_id, hostname, ip, platform)
         SELECT $1, $3 || lpad(i::text, 3, '0'), '10.1.0.1', 'Linux' FROM generate_series(1, $4::int) i RETURNING id)
       INSERT INTO assets_asset_node (asset_id, node_id) SELECT id, $2 FROM made`,
      [org, node, name, size],
    )
    return node
  }
  const grant = (node: string, page: string) =>
    call('POST', `${PERMISSIONS}?preview=true${page}`, {
      ...{ name: 'large', user_groups: [crowd], nodes: [node], system_users: [ids.rootUser] },
    })
  const named = (rows: { name: string }[]) => rows.map(({ name }) => name)
  for (const [name, size] of [
    ['some', 150],
    ['all', 500],
  ] as const) {
    const { body } = await grant(await fleet(name, size), '&limit=2&offset=1')
    expect(body).toMatchObject({
      ...{ is_exact: false, gained: { count: 0, rows: [] } },
      touched: { people: 450, targets: size, rights_at_most: 450 * size },
    })
    expect(named(body.touched.people_rows)).toEqual(['P002(p2)', 'P003(p3)'])
    expect(named(body.touched.target_rows)).toEqual([`${name}002(10.1.0.1)`, `${name}003(10.1.0.1)`])
  }
})
