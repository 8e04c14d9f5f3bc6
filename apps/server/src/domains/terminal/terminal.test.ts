import { randomUUID } from 'node:crypto'
import { readdir, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { extract } from 'tar-stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  ANN,
  admin,
  as,
  auditor,
  BOB,
  bob,
  component,
  type DomainServer,
  OTHER_ORG_ID,
  openDomainServer,
  otherAdmin,
  superAdmin,
} from '../../../test/domain-server.ts'
import { appendCommands } from './commands/index.ts'
import {
  countLiveSessions,
  createSession,
  endLostSessions,
  finishKillOrders,
  finishSession,
  heartbeat,
  KILL_EVENT,
  type NewSession,
  noteBuiltinAlive,
  openKillOrders,
  patchSession,
  registerBuiltinTerminal,
} from './index.ts'
import { markReplay, replayPath } from './recording/index.ts'
import { forgetOldSessions } from './retention.ts'

const DEFAULT = '00000000-0000-0000-0000-000000000002'
const SESSIONS = '/api/v1/terminal/sessions/'
const CAST = '{"version":2,"width":80,"height":24}\n[0.1,"o","hello"]\n'
let server: DomainServer

/** The terminal that `component` is. */
let terminal: string
beforeAll(async () => {
  server = await openDomainServer()
  terminal = (
    await server.pool.query(
      "INSERT INTO terminal_terminal (name, type, user_id, is_accepted) VALUES ('own', 'xrdp', $1, true) RETURNING id",
      [ANN],
    )
  ).rows[0].id
})
afterAll(() => server?.close())

const aSession = (row: Partial<NewSession> = {}) =>
  createSession(server.db, {
    org_id: DEFAULT,
    user: 'Bob(bob)',
    asset: 'web-1(10.0.0.1)',
    system_user: 'root(root)',
    user_id: BOB,
    asset_id: randomUUID(),
    system_user_id: randomUUID(),
    login_from: 'WT',
    remote_addr: '192.0.2.7',
    protocol: 'ssh',
    terminal,
    ...row,
  })
const read = async (id: string, headers = admin) =>
  (await server.call('GET', `${SESSIONS}${id}/`, undefined, headers)).body

test('[A4.02] a session can be joined and ended while it runs, replayed when it is recorded', async () => {
  const id = await aSession()
  expect(await read(id)).toMatchObject({
    is_finished: false,
    can_join: true,
    can_terminate: true,
    can_replay: false,
    login_from_display: 'Web Terminal',
    org_name: 'Default',
    command_amount: 0,
  })
  await patchSession(server.db, id, { has_replay: true })
  await finishSession(server.db, id)
  expect(await read(id)).toMatchObject({ is_finished: true, can_join: false, can_terminate: false, can_replay: true })
  expect(await finishSession(server.db, id), 'the first end counts').toBe(false)
  const client = await aSession({ protocol: 'mysql', login_from: 'DT' })
  expect((await read(client)).can_join).toBe(false)
  const prompt = await aSession({ protocol: 'mysql', login_from: 'WT' })
  expect((await read(prompt)).can_join).toBe(true)
  const desktop = await aSession({ protocol: 'rdp', login_from: 'RT' })
  expect((await read(desktop)).can_join).toBe(false)
  for (const one of [client, prompt, desktop]) await finishSession(server.db, one)
})

test('[A4.02 A2.38] online and offline lists, dates and search; other organizations see nothing', async () => {
  const id = await aSession({ asset: 'needle(10.9.9.9)' })
  const list = async (query: string, headers = auditor) =>
    (await server.call('GET', `${SESSIONS}?${query}`, undefined, headers)).body
  expect((await list('is_finished=0&search=needle')).map((row: { id: string }) => row.id)).toEqual([id])
  expect(await list('is_finished=1&search=needle')).toEqual([])
  expect(await list(`search=needle&date_from=${encodeURIComponent('2999/01/01 00:00:00')}`)).toEqual([])
  expect(await list('search=needle&date_to=rubbish')).toEqual({ date_to: ['This value cannot be read.'] })
  expect(await list('search=needle', otherAdmin)).toEqual([])
  expect((await server.call('GET', `${SESSIONS}${id}/`, undefined, otherAdmin)).status).toBe(404)
  expect((await server.call('GET', SESSIONS, undefined, bob)).status).toBe(403)
  // Evidence is written by who carries the session, and by nobody else.
  for (const [method, body] of [
    ['PATCH', { is_finished: true }],
    ['PUT', {}],
    ['DELETE', undefined],
  ] as const)
    for (const who of [auditor, admin, superAdmin])
      expect((await server.call(method, `${SESSIONS}${id}/`, body, who)).status).toBe(403)
  const elsewhere = await aSession({ terminal: null })
  expect((await server.call('PATCH', `${SESSIONS}${elsewhere}/`, { is_finished: true }, component)).status).toBe(403)
  expect((await server.call('DELETE', `${SESSIONS}${elsewhere}/`, undefined, component)).status).toBe(403)
  await finishSession(server.db, elsewhere)
  expect(
    (await server.call('PATCH', `${SESSIONS}${id}/`, { is_finished: true }, component)).body.date_end,
  ).not.toBeNull()
})

test('[A4.02] a component reports outcome, end and recording of its session; the other facts never change, and none is deleted', async () => {
  const write = (body: unknown, method: 'PATCH' | 'PUT' = 'PATCH') =>
    server.call(method, `${SESSIONS}${id}/`, body, component)
  const id = await aSession()
  const before = await read(id)
  for (const [name, value] of Object.entries({
    user: 'Eve(eve)',
    asset: 'other(10.0.0.2)',
    system_user: 'toor(toor)',
    user_id: randomUUID(),
    asset_id: randomUUID(),
    system_user_id: randomUUID(),
    login_from: 'RT',
    remote_addr: '198.51.100.1',
    protocol: 'telnet',
    date_start: '2026/01/01 00:00:00 +0000',
  }))
    expect([name, await write({ [name]: value })]).toMatchObject([
      name,
      { status: 400, body: { [name]: [/never|不可/] } },
    ])
  // A client that sends the whole row back has changed nothing, and one that leaves most of it out neither.
  const { user, asset, system_user, date_start, remote_addr, org_id } = before
  const answer = await write({ user, date_start, remote_addr, is_success: false })
  expect(answer).toMatchObject({ status: 200, body: { ...before, is_success: false } })
  expect((await write({ user, asset, system_user, org_id, is_success: false }, 'PUT')).body).toEqual(answer.body)
  expect((await write({ is_finished: true, has_replay: true })).body).toMatchObject({ is_finished: true })
  for (const who of [component, superAdmin]) {
    expect((await server.call('DELETE', `${SESSIONS}${id}/`, undefined, who)).status).toBe(403)
    expect((await server.call('DELETE', `${SESSIONS}?ids=${id}`, undefined, who)).status).toBe(403)
  }
  expect((await read(id)).user).toBe(user)
})

test('[A4.02] a component’s report of the end of its session stays, even if it reports another later; a recording stays one', async () => {
  const write = (body: unknown, method: 'PATCH' | 'PUT' = 'PATCH') =>
    server.call(method, `${SESSIONS}${id}/`, body, component)
  const id = await aSession()
  const end = { is_success: true, is_finished: true, has_replay: true, date_end: '2030/01/01 00:00:00 +0000' }
  const over = (await write(end)).body
  expect(over).toMatchObject({ is_success: true, is_finished: true, has_replay: true })
  for (const body of [
    { is_success: false },
    { is_finished: false },
    { has_replay: false },
    { date_end: '2031/01/01 00:00:00 +0000' },
    { date_end: null, is_finished: false, is_success: false, has_replay: false },
  ])
    expect([body, await write(body)]).toMatchObject([body, { status: 200, body: over }])
  const { user, asset, system_user, org_id } = over
  expect((await write({ user, asset, system_user, org_id }, 'PUT')).body).toEqual(over)
  await patchSession(server.db, id, { is_success: false })
  expect(await read(id)).toEqual(over)
  expect(await entriesOf(id)).toHaveLength(2)
})

test('[A4.02] where a lost component comes back, it knows its session’s end better, once, and Sallyport signs that it was amended', async () => {
  const id = await aSession()
  await server.pool.query(
    "UPDATE terminal_session SET date_last_active = now() - interval '2 minutes', is_success = false WHERE id = $1",
    [id],
  )
  expect(await endLostSessions(server.kernel)).toEqual([id])
  const write = (body: unknown) => server.call('PATCH', `${SESSIONS}${id}/`, body, component)
  const known = { is_success: true, date_end: '2030/01/01 00:00:00 +0000' }
  const over = (await write(known)).body
  expect(over).toMatchObject({ is_success: true, date_end: expect.stringContaining('2030') })
  expect((await write({ is_success: false, date_end: '2031/01/01 00:00:00 +0000' })).body).toEqual(over)
  expect((await entriesOf(id)).map((body) => body.split(':')[0])).toEqual([
    ...[1, 2, 3].map(() => expect.stringMatching(/^\["/)),
    'amended',
  ])
})

/** The chained entries of a session, the oldest first. */
async function entriesOf(id: string): Promise<string[]> {
  const { rows } = await server.pool.query(
    `SELECT body FROM audits_session_entry WHERE row_id = $1 AND kind = 'session' ORDER BY id`,
    [id],
  )
  return rows.map(({ body }) => body)
}

test('the permissions of a link, and how somebody joined and left, are not overwritten', async () => {
  const id = await aSession()
  const { body: link } = await server.call('POST', '/api/v1/terminal/session-sharings/', { session: id }, component)
  const address = `/api/v1/terminal/session-sharings/${link.id}/`
  for (const change of [{ action_permission: 'writable' }, { expired_time: 60 }])
    expect((await server.call('PATCH', address, change, component)).status).toBe(400)
  const { is_active: _, ...same } = link
  expect((await server.call('PATCH', address, { ...same, is_active: false }, component)).body).toEqual({
    ...link,
    is_active: false,
    date_updated: expect.anything(),
  })
  const { rows } = await server.pool.query(
    `INSERT INTO terminal_session_join_record (org_id, session, sharing, joiner_display, verify_code)
     VALUES ($1, $2, $3, 'Gus(gus)', 'ab12') RETURNING id`,
    [DEFAULT, id, link.id],
  )
  const join = (body: unknown) =>
    server.call('PATCH', `/api/v1/terminal/session-join-records/${rows[0].id}/`, body, component)
  for (const change of [{ remote_addr: '198.51.100.1' }, { login_from: 'RT' }])
    expect((await join(change)).status).toBe(400)
  const left = await join({ is_finished: true, reason: 'left', date_left: '2030/01/01 00:00:00 +0000' })
  expect(left).toMatchObject({ status: 200, body: { is_finished: true, reason: 'left' } })
  const again = await join({ is_finished: false, reason: '-', date_left: null })
  expect(again.body).toEqual({ ...left.body, date_updated: again.body.date_updated })
})

test('[B7.28] commands of a page are counted at once and listed by session or by store', async () => {
  const { call, db } = server
  const id = await aSession()
  const now = Math.floor(Date.now() / 1000)
  const row = {
    org_id: DEFAULT,
    user: 'Bob(bob)',
    asset: 'web-1(10.0.0.1)',
    system_user: 'root(root)',
    session: id,
    timestamp: now,
  }
  await appendCommands(db, [
    { ...row, input: 'ls', output: 'a\0b' },
    { ...row, input: 'rm -rf /', risk_level: 5, timestamp: now + 1 },
  ])
  expect(await read(id)).toMatchObject({ command_amount: 2, risk_level: 5, risk_level_display: 'Dangerous' })
  expect(await read(await aSession())).toMatchObject({ risk_level: 0, risk_level_display: 'Ordinary' })
  const mine = (await call('GET', `/api/v1/terminal/commands/?session_id=${id}&limit=30&offset=0&order=timestamp`)).body
  expect(mine).toMatchObject({
    count: 2,
    results: [
      { input: 'ls', output: 'ab', remote_addr: '192.0.2.7' },
      { input: 'rm -rf /', risk_level: 5, risk_level_display: 'Dangerous' },
    ],
  })
  const tree = (await call('GET', '/api/v1/terminal/command-storages/tree/?real=1&input=RM', undefined, auditor)).body
  expect(tree).toMatchObject([{ id: 'root', isParent: true }, { name: 'default(server)(1)' }])
  const ofStore = `/api/v1/terminal/commands/?command_storage_id=${tree[1].id}`
  expect((await call('GET', `${ofStore}&input=RM&user=Bob&risk_level=5`)).body).toHaveLength(1)
  expect((await call('GET', ofStore, undefined, otherAdmin)).body).toEqual([])
  expect((await call('GET', `/api/v1/terminal/commands/?command_storage_id=${randomUUID()}`)).status).toBe(404)
  expect((await call('GET', '/api/v1/terminal/commands/')).status).toBe(404)
  const sent = {
    user: 'Bob(bob)',
    asset: 'web-1',
    system_user: 'root',
    input: 'id',
    output: '',
    session: id,
    timestamp: now,
  }
  expect(await call('POST', '/api/v1/terminal/commands/', [sent], component)).toMatchObject({ status: 201, body: 'ok' })
  expect((await call('POST', '/api/v1/terminal/commands/', [{ ...sent, timestamp: 'soon' }], component)).status).toBe(
    400,
  )
  for (const who of [admin, auditor, superAdmin])
    expect((await call('POST', '/api/v1/terminal/commands/', [sent], who)).status).toBe(403)
  const elsewhere = await aSession({ terminal: null })
  expect(
    await call('POST', '/api/v1/terminal/commands/', [sent, { ...sent, session: elsewhere }], component),
  ).toMatchObject({
    status: 400,
    body: { '1': { session: ['Not found.'] } },
  })
  await finishSession(server.db, elsewhere)
  expect((await read(id)).command_amount).toBe(3)
  await finishSession(db, id)
})

test('[A4.02] a recording is described, served and bundled for those who may see the session only', async () => {
  const { call, kernel, db } = server
  const id = await aSession()
  expect(await call('GET', `${SESSIONS}${id}/replay/`)).toMatchObject({
    status: 404,
    body: { error: expect.any(String) },
  })
  const { date_start } = (await server.pool.query('SELECT date_start FROM terminal_session WHERE id = $1', [id]))
    .rows[0]
  await writeFile(await replayPath(kernel, { id, date_start }), gzipSync(CAST))
  await finishSession(db, id)
  await markReplay(kernel, id)
  const replay = (await call('GET', `${SESSIONS}${id}/replay/`, undefined, auditor)).body
  expect(replay).toMatchObject({
    type: 'asciicast',
    user: 'Bob(bob)',
    date_start: date_start.toISOString(),
    src: expect.stringMatching(/\.cast\.gz$/),
  })
  const file = await call('GET', replay.src, undefined, auditor)
  expect(file.headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(file.raw).toString()).toBe(CAST)
  for (const url of [`${SESSIONS}${id}/replay/`, `${SESSIONS}${id}/replay/download/`, replay.src]) {
    expect([url, (await call('GET', url, undefined, otherAdmin)).status]).toEqual([url, 404])
    expect([url, (await call('GET', url, undefined, bob)).status]).toEqual([url, 403])
    expect([url, (await call('GET', url, undefined, {})).status]).toEqual([url, 401])
  }
  // It is there under its own name alone, and what has no recording under none.
  const [day = '', name = ''] = replay.src.split('/').slice(-2)
  const without = `${day}/${await aSession()}.cast.gz`
  for (const other of [`2020-01-01/${name}`, `${day}/${id}.gz`, `${day}/${id}`, without, `..%2f..%2f${id}/x`])
    expect([other, (await call('GET', `/media/replay/${other}`, undefined, auditor)).status]).toEqual([other, 404])
  const tar = await call('GET', replay.download_url, undefined, auditor)
  expect(tar.headers['content-disposition']).toBe(`attachment; filename*=UTF-8''${id}.tar`)
  const entries = await untar(tar.raw)
  expect(JSON.parse(entries[`${id}.json`]?.toString() ?? '')).toMatchObject({ id, user: 'Bob(bob)' })
  expect(gunzipSync(entries[`${id}.cast.gz`] ?? Buffer.alloc(0)).toString()).toBe(CAST)
  // Those who were refused took nothing along.
  const { body: taken } = await call('GET', '/api/v1/audits/operate-logs/?action=download', undefined, auditor)
  expect(taken).toMatchObject([1, 2].map(() => ({ resource_type: 'Replay', object_id: id })))
  expect(taken).toHaveLength(2)
})

async function untar(bytes: Buffer): Promise<Record<string, Buffer>> {
  const entries: Record<string, Buffer> = {}
  const reader = extract()
  reader.end(bytes)
  for await (const entry of reader) {
    const chunks: Buffer[] = []
    for await (const chunk of entry) chunks.push(chunk as Buffer)
    entries[entry.header.name] = Buffer.concat(chunks)
  }
  return entries
}

function upload(file: Buffer, version?: string) {
  const part = (name: string, head: string, body: Buffer | string) =>
    Buffer.concat([
      Buffer.from(`--x\r\nContent-Disposition: form-data; name="${name}"${head}\r\n\r\n`),
      Buffer.from(body),
      Buffer.from('\r\n'),
    ])
  const parts = [
    part('file', '; filename="a.gz"\r\nContent-Type: application/gzip', file),
    ...(version ? [part('version', '', version)] : []),
  ]
  return Buffer.concat([...parts, Buffer.from('--x--\r\n')])
}

test('[A4.02] a gateway uploads a recording; nobody replaces it afterwards', async () => {
  const { call } = server
  const id = await aSession()
  const send = (body: Buffer, headers: Record<string, string>) =>
    call('POST', `${SESSIONS}${id}/replay/`, body, { ...headers, 'content-type': 'multipart/form-data; boundary=x' })
  expect((await send(upload(gzipSync(CAST), '9'), component)).status).toBe(400)
  expect((await send(Buffer.from('--x--\r\n'), component)).body).toMatchObject({ file: expect.anything() })
  expect(await send(upload(gzipSync(CAST), '3'), component)).toMatchObject({
    status: 201,
    body: { url: expect.stringMatching(/\.cast\.gz$/) },
  })
  expect((await call('GET', `${SESSIONS}${id}/replay/`)).body.type).toBe('asciicast')
  for (const who of [component, admin, auditor, otherAdmin])
    expect((await send(upload(gzipSync('forged'), '3'), who)).status).toBe(403)
  const { body: kept } = await call('GET', `${SESSIONS}${id}/replay/`)
  expect(gunzipSync((await call('GET', kept.src, undefined, auditor)).raw).toString()).toBe(CAST)
})

test('[A4.02] ending a session tells every node at once and keeps the order for one that did not hear', async () => {
  const { call, kernel } = server
  const id = await aSession()
  const heard = new Promise((resolve) => kernel.events.subscribe(KILL_EVENT, resolve))
  expect((await call('POST', '/api/v1/terminal/tasks/kill-session/', [id], otherAdmin)).body).toEqual({ ok: [] })
  expect((await call('POST', '/api/v1/terminal/tasks/kill-session/', [id], auditor)).status).toBe(403)
  expect((await call('POST', '/api/v1/terminal/tasks/kill-session/', [id, 'nonsense', randomUUID()])).body).toEqual({
    ok: [id],
  })
  expect(await heard).toMatchObject({ session: id, terminated_by: 'Ann(ann)' })
  expect(await openKillOrders(kernel, [id, randomUUID()])).toEqual([{ session: id, terminated_by: 'Ann(ann)' }])
  await finishKillOrders(kernel, id)
  expect(await openKillOrders(kernel, [id])).toEqual([])
  // As the session page sends it: a form whose only key is the id.
  const form = await call('POST', '/api/v1/terminal/tasks/kill-session/', id, {
    ...admin,
    'content-type': 'application/x-www-form-urlencoded',
  })
  expect(form.body).toEqual({ ok: [id] })
  await finishSession(server.db, id)
  expect((await call('POST', '/api/v1/terminal/tasks/kill-session/', [id])).body).toEqual({ ok: [] })
  const log = (await call('GET', `/api/v1/audits/operate-logs/?object_id=${id}`, undefined, auditor)).body
  expect(log[0]).toMatchObject({ user: 'Ann(ann)', resource_type: 'Session' })
})

test('[A4.02] only who audits the organization of a session may watch it', async () => {
  const { call, pool } = server
  const ask = (user_id: string, session_id: string) =>
    call('POST', '/api/v1/terminal/sessions/join/validate/', { user_id, session_id }, component)
  const id = await aSession()
  const theirs = await aSession({ org_id: OTHER_ORG_ID })
  expect(await ask(ANN, id)).toMatchObject({ status: 200, body: { ok: true, msg: '' } })
  expect(await ask(BOB, id)).toMatchObject({ status: 401, body: { ok: false, msg: expect.any(String) } })
  expect((await ask(ANN, theirs)).status).toBe(401)
  await pool.query("UPDATE users_user SET role = 'Auditor' WHERE id = $1", [BOB])
  expect((await ask(BOB, theirs)).status).toBe(200)
  await pool.query("UPDATE users_user SET role = 'User' WHERE id = $1", [BOB])
  await finishSession(server.db, id)
  expect((await ask(ANN, id)).status).toBe(401)
  expect((await ask(ANN, randomUUID())).status).toBe(401)
})

test('[A4.02] sessions of a gateway that died are ended at their last sign of life; living ones stay', async () => {
  const { db, pool } = server
  const userId = randomUUID()
  const [dead, alive, done] = [
    await aSession({ user_id: userId }),
    await aSession({ user_id: userId }),
    await aSession({ user_id: userId }),
  ]
  await finishSession(db, done)
  expect(await countLiveSessions(db, { userId })).toBe(2)
  await pool.query("UPDATE terminal_session SET date_last_active = now() - interval '2 minutes' WHERE id = ANY($1)", [
    [dead, alive],
  ])
  expect((await heartbeat(db, [alive, done])).sort()).toEqual([alive])
  expect(await endLostSessions(server.kernel)).toEqual([dead])
  const { rows } = await pool.query(
    'SELECT date_end = date_last_active AS at_last_sign FROM terminal_session WHERE id = $1',
    [dead],
  )
  expect(rows[0].at_last_sign).toBe(true)
  expect(await countLiveSessions(db, { userId })).toBe(1)
  await finishSession(db, alive)
})

test('live sessions are counted of a person, to a target, and of this person to this target', async () => {
  const { db } = server
  const [userId, other, id, elsewhere] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
  const asset = { family: 'asset', id } as const
  const application = { family: 'application', id } as const
  await aSession({ user_id: userId, asset_id: id })
  await aSession({ user_id: userId, asset_id: id, target_family: 'application' })
  await aSession({ user_id: userId, asset_id: elsewhere })
  await aSession({ user_id: other, asset_id: id })
  expect(await countLiveSessions(db, { userId })).toBe(3)
  expect(await countLiveSessions(db, { target: asset })).toBe(2)
  expect(await countLiveSessions(db, { target: application })).toBe(1)
  expect(await countLiveSessions(db, { userId, target: asset })).toBe(1)
  expect(await countLiveSessions(db, { userId: other, target: application })).toBe(0)
})

test('the gateway of this server is listed among the components with its load', async () => {
  const { call, kernel, pool } = server
  const terminal = await registerBuiltinTerminal(kernel, {
    type: 'koko',
    name: '[KoKo]-test',
    remoteAddress: '127.0.0.1',
    sshPort: 2222,
  })
  expect(await registerBuiltinTerminal(kernel, { type: 'koko', name: '[KoKo]-test', remoteAddress: '127.0.0.1' })).toBe(
    terminal,
  )
  await noteBuiltinAlive(kernel, terminal)
  await pool.query('UPDATE terminal_terminal SET cpu_load = 1, memory_used = 90.04, disk_used = 10 WHERE id = $1', [
    terminal,
  ])
  const session = await aSession({ terminal })
  const [row] = (await call('GET', '/api/v1/terminal/terminals/?type=koko', undefined, superAdmin)).body
  expect(row).toMatchObject({
    id: terminal,
    is_alive: true,
    is_active: true,
    session_online: 1,
    status: 'high',
    status_display: 'High',
    stat: { memory_used: 90 },
  })
  expect((await call('DELETE', `/api/v1/terminal/terminals/${terminal}/`, undefined, superAdmin)).body).toMatchObject({
    code: 'have_online_session',
  })
  expect(
    (await call('PATCH', `/api/v1/terminal/terminals/${terminal}/`, { replay_storage: 'nowhere' }, superAdmin)).body,
  ).toMatchObject({
    replay_storage: expect.anything(),
  })
  expect((await call('GET', '/api/v1/terminal/terminals/', undefined, admin)).status).toBe(403)
  await finishSession(server.db, session)
})

test('[A3.28] a component registers with the bootstrap token, reads its settings, beats, and takes its orders', async () => {
  const { call, pool } = server
  const bootstrap = { authorization: 'BootstrapToken letmein' }
  const answer = await call(
    'POST',
    '/api/v1/terminal/terminal-registrations/',
    { name: 'far gateway', type: 'koko' },
    bootstrap,
  )
  expect(answer).toMatchObject({
    status: 201,
    body: {
      name: 'far gateway',
      service_account: { name: 'far gateway', access_key: { id: expect.any(String), secret: expect.any(String) } },
    },
  })
  expect(
    (await call('POST', '/api/v1/terminal/terminal-registrations/', { name: 'far gateway' }, bootstrap)).status,
  ).toBe(400)
  expect(
    (
      await call(
        'POST',
        '/api/v1/terminal/terminal-registrations/',
        { name: 'other' },
        { authorization: 'BootstrapToken wrong' },
      )
    ).status,
  ).toBe(401)
  const far = as({ role: 'App', user: answer.body.service_account.id, org: '00000000-0000-0000-0000-000000000000' })
  const config = (await call('GET', '/api/v1/terminal/terminals/config/', undefined, far)).body
  expect(config).toMatchObject({
    TERMINAL_COMMAND_STORAGE: { TYPE: 'server' },
    TERMINAL_HOST_KEY: expect.stringContaining('PRIVATE KEY'),
    SECURITY_MAX_IDLE_TIME: 30,
  })
  expect((await call('GET', '/api/v1/terminal/terminals/config/', undefined, far)).body.TERMINAL_HOST_KEY).toBe(
    config.TERMINAL_HOST_KEY,
  )
  const session = { user: 'Bob(bob)', asset: 'a', system_user: 's', org_id: DEFAULT, id: randomUUID() }
  expect(await call('POST', SESSIONS, session, far)).toMatchObject({
    status: 201,
    body: { id: session.id, org_id: DEFAULT, terminal: answer.body.id },
  })
  await pool.query("UPDATE terminal_session SET date_last_active = now() - interval '1 day' WHERE id = $1", [
    session.id,
  ])
  await call('POST', '/api/v1/terminal/tasks/kill-session/', [session.id])
  const orders = await call(
    'POST',
    '/api/v1/terminal/terminals/status/',
    { sessions: [session.id], cpu_load: 1.5 },
    far,
  )
  expect(orders).toMatchObject({
    status: 201,
    body: [{ name: 'kill_session', args: session.id, kwargs: { terminated_by: 'Ann(ann)' } }],
  })
  expect(await endLostSessions(server.kernel)).toEqual([])
  expect(
    (await call('PATCH', `/api/v1/terminal/tasks/${orders.body[0].id}/`, { is_finished: true }, far)).body
      .date_finished,
  ).not.toBeNull()
  expect((await call('PATCH', `${SESSIONS}${session.id}/`, { is_finished: true }, far)).body.is_finished).toBe(true)
  expect((await call('POST', '/api/v1/terminal/status/', { sessions: [] }, far)).body).toEqual([])
  const metrics = (await call('GET', '/api/v1/terminal/components/metrics/', undefined, superAdmin)).body
  expect(metrics.find((row: { type: string }) => row.type === 'koko')).toMatchObject({ total: 2, offline: 0 })
})

test('[A3.31] old sessions, their commands and recordings go, those that still run stay', async () => {
  const { db, kernel, pool, call } = server
  const old = new Date(Date.now() - 300 * 86_400_000)
  const [gone, running] = [await aSession({ date_start: old }), await aSession({ date_start: old })]
  await finishSession(db, gone)
  await appendCommands(db, [
    {
      org_id: DEFAULT,
      user: 'b',
      asset: 'a',
      system_user: 's',
      input: 'x',
      session: gone,
      timestamp: Math.floor(old.getTime() / 1000),
    },
  ])
  // The recording of what still runs is written on; what is no recording is none of ours to remove.
  const [path, going] = await Promise.all([gone, running].map((id) => replayPath(kernel, { id, date_start: old })))
  const stranger = join(dirname(path ?? ''), 'notes.txt')
  for (const file of [path ?? '', stranger]) {
    await writeFile(file, 'x')
    await utimes(file, old, old)
  }
  await writeFile(going ?? '', 'x')
  const orders = { old: [true, old], waiting: [false, old], young: [true, new Date()] }
  for (const [name, [isFinished, date]] of Object.entries(orders))
    await pool.query('INSERT INTO terminal_task (name, args, is_finished, date_created) VALUES ($1, $1, $2, $3)', [
      `${name} order`,
      isFinished,
      date,
    ])
  await forgetOldSessions(kernel, 200)
  await expect.poll(() => readdir(dirname(path ?? ''))).toEqual([`${running}.cast.gz`, 'notes.txt'].toSorted())
  const { rows: kept } = await pool.query("SELECT name FROM terminal_task WHERE name LIKE '% order' ORDER BY name")
  expect(kept).toEqual([{ name: 'waiting order' }, { name: 'young order' }])
  expect((await call('GET', `${SESSIONS}${gone}/`)).status).toBe(404)
  expect((await read(running)).id).toBe(running)
  expect((await pool.query('SELECT 1 FROM terminal_command WHERE session = $1', [gone])).rowCount).toBe(0)
  await finishSession(db, running)
})

test('[A2.03 B7.28] the dashboard counts sessions, people and targets of the organization', async () => {
  const { call, pool } = server
  await pool.query('TRUNCATE terminal_session CASCADE')
  const ended = await aSession({ user: 'Bob(bob)', asset: 'a' })
  await finishSession(server.db, ended)
  await aSession({ user: 'Bob(bob)', asset: 'b', date_start: new Date(Date.now() - 60_000) })
  await aSession({ user: 'Ann(ann)', user_id: ANN, asset: 'a', org_id: OTHER_ORG_ID })
  const all = (await call('GET', '/api/v1/index/?all=1', undefined, auditor)).body
  expect(all).toMatchObject({
    total_count_users: 2,
    total_count_online_sessions: 1,
    total_count_online_users: 1,
    dates_total_count_login_times: 2,
    dates_total_count_login_users: 1,
    dates_total_count_active_users: 1,
    dates_total_count_inactive_users: 1,
    dates_total_count_active_assets: 2,
    dates_login_times_top10_users: [{ user_id: BOB, user: 'Bob(bob)', total: 2 }],
    dates_login_times_top5_users: [{ user: BOB, total: 2 }],
    dates_login_record_top10_sessions: [
      { asset: 'a', is_finished: true, timesince: '0 minutes' },
      { asset: 'b', timesince: '1 minute' },
    ],
  })
  expect(all.dates_metrics_date).toHaveLength(7)
  expect(all.dates_metrics_total_count_login.reduce((sum: number, one: number) => sum + one)).toBe(2)
  expect(all.dates_login_times_top10_assets[0].last).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  expect(Object.keys((await call('GET', '/api/v1/index/?total_count_users=1')).body)).toEqual(['total_count_users'])
  expect((await call('GET', '/api/v1/index/?dates_metrics=1&monthly=1')).body.dates_metrics_date).toHaveLength(30)
  expect(
    (
      await call(
        'GET',
        '/api/v1/index/?total_count=1',
        undefined,
        as({ role: 'Admin', org: '00000000-0000-0000-0000-000000000000' }),
      )
    ).body.total_count_online_sessions,
  ).toBe(2)
  expect((await call('GET', '/api/v1/index/?all=1', undefined, bob)).status).toBe(403)
})

test.each([
  ['Asia/Shanghai', 8],
  ['+0800', 8],
  ['+08:00', 8],
  ['CST-8', 8],
  ['US/Arizona', -7],
  ['-07', -7],
  ['+05:30', 5.5],
])('days of the dashboard begin at midnight of the viewer’s zone, where that is called %s', async (zone, hours) => {
  const { call, pool } = server
  await pool.query('TRUNCATE terminal_session CASCADE')
  const offset = hours * 3_600_000
  const day = (at: number) => new Date(at + offset).toISOString().slice(0, 10)
  const midnight = Date.parse(`${day(Date.now() - 2 * 86_400_000)}T00:00:00Z`) - offset
  for (const at of [midnight - 1000, midnight, midnight + 1000])
    await aSession({ user: 'Bob(bob)', asset: 'a', date_start: new Date(at) })
  const path = '/api/v1/index/?dates_metrics=1&dates_total_count=1&total_count=1'
  const { status, body } = await call('GET', path, undefined, { ...auditor, 'x-tz': zone })
  expect(status).toBe(200)
  const counted = (at: number) =>
    body.dates_metrics_total_count_login[body.dates_metrics_date.indexOf(day(at).slice(5))]
  expect([counted(midnight - 1000), counted(midnight)]).toEqual([1, 2])
})

test.each(['US/Pacific-New', 'Etc/Unknown', 'Factory', 'SystemV/PST8', 'Mars/Olympus', 'CST6CDT,M3.2.0,M11.1.0', ''])(
  'the dashboard is shown to a browser whose zone is called %j',
  async (zone) => {
    const { status, body } = await server.call('GET', '/api/v1/index/?all=1', undefined, { ...auditor, 'x-tz': zone })
    expect([status, body.dates_metrics_date?.length]).toEqual([200, 7])
  },
)

test('people see their last targets and system users, the latest first, as long as they may connect to them', async () => {
  const made = async (path: string, body: object) => (await server.call('POST', path, body, admin)).body.id as string
  const names = ['recent-1', 'recent-2', 'recent-3']
  const assets = await Promise.all(
    names.map((hostname, at) =>
      made('/api/v1/assets/assets/', { hostname, ip: `10.7.0.${at + 1}`, platform: 'Linux', protocols: ['ssh/22'] }),
    ),
  )
  const systemUser = await made('/api/v1/assets/system-users/', {
    name: 'recent-deploy',
    username: 'deploy',
    protocol: 'ssh',
    login_mode: 'auto',
  })
  const [first = '', second = '', ungranted = ''] = assets
  const permission = await made('/api/v1/perms/asset-permissions/', {
    name: 'recent',
    users: [BOB],
    assets: [first, second],
    system_users: [systemUser],
  })
  const recent = async (who = bob) =>
    (await server.call('GET', '/api/v1/terminal/recent-targets/', undefined, who)).body as Record<string, unknown>[]
  const before = (await recent()).length
  const was = (asset_id: string, asset: string) => aSession({ asset_id, asset, system_user_id: systemUser })
  for (const [id, name] of [
    [first, 'recent-1(10.7.0.1)'],
    [second, 'recent-2(10.7.0.2)'],
    [ungranted, 'recent-3(10.7.0.3)'],
    [first, 'recent-1(10.7.0.1)'],
  ] as const)
    await finishSession(server.db, await was(id, name))
  const known = { target_family: 'asset', system_user_id: systemUser, system_user: 'root(root)', protocol: 'ssh' }
  expect(before).toBe(0)
  expect(await recent()).toEqual([
    { ...known, target_id: first, asset: 'recent-1(10.7.0.1)', date_start: expect.any(String) },
    { ...known, target_id: second, asset: 'recent-2(10.7.0.2)', date_start: expect.any(String) },
  ])
  expect(await recent(admin), 'of nobody else').toEqual([])
  await server.call('DELETE', `/api/v1/perms/asset-permissions/${permission}/`, undefined, admin)
  expect(await recent(), 'what is not granted any more').toEqual([])
})
