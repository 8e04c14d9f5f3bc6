import { randomUUID } from 'node:crypto'
import { access, writeFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin, as, auditor, type DomainServer, openDomainServer, superAdmin } from '../../../../test/domain-server.ts'
import { freePort } from '../../../../test/free-port.ts'
import { BUCKET, type ObjectStore, startObjectStore } from '../../../../test/object-store.ts'
import { registerBuiltinTerminal } from '../builtin-terminal.ts'
import { createSession, finishSession } from '../index.ts'
import { bringRecordingsOut, markReplay, recordingStore, replayName, replayPath } from '../recording/index.ts'
import { outsideStore } from '../recording/storages/outside-stores.ts'
import { forgetOldSessions } from '../retention.ts'

const STORAGES = '/api/v1/terminal/replay-storages/'
const KEYS = { ACCESS_KEY: 'S3RVER', SECRET_KEY: 'S3RVER' }
let server: DomainServer
let objects: ObjectStore
let terminalId: string
let count = 0

beforeAll(async () => {
  server = await openDomainServer()
  objects = await startObjectStore()
  terminalId = await registerBuiltinTerminal(server.kernel, { type: 'koko', name: 'here', remoteAddress: '10.0.0.1' })
})
afterAll(async () => {
  await objects?.close()
  await server?.close()
})

const call = (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown, who = superAdmin) =>
  server.call(method, path, body, who)

/** A storage in the bucket of the test. */
async function inBucket(meta: Record<string, unknown> = {}, type = 's3') {
  const place = { BUCKET, ENDPOINT: objects.endpoint, ...KEYS, ...meta }
  const answer = await call('POST', `${STORAGES}?type=${type}`, { name: `bucket ${++count}`, type, meta: place })
  expect([answer.status, answer.body]).toEqual([201, expect.anything()])
  return { ...answer.body, url: `${STORAGES}${answer.body.id}/` }
}

/** A finished session of this node, whose recording is sealed while its terminal stores there. */
async function recorded(storage: string) {
  await server.pool.query('UPDATE terminal_terminal SET replay_storage = $1 WHERE id = $2', [storage, terminalId])
  const id = await createSession(server.db, {
    user: 'Bob(bob)',
    asset: 'web-1(10.0.0.1)',
    system_user: 'root(root)',
    user_id: randomUUID(),
    asset_id: randomUUID(),
    org_id: '00000000-0000-0000-0000-000000000002',
    system_user_id: randomUUID(),
    login_from: 'WT',
    remote_addr: '192.0.2.7',
    protocol: 'ssh',
    terminal: terminalId,
  })
  await finishSession(server.db, id)
  const found = await server.pool.query('SELECT id, date_start FROM terminal_session WHERE id = $1', [id])
  const session = found.rows[0] as { id: string; date_start: Date }
  const path = await replayPath(server.kernel, session)
  const recording = Buffer.from(`{"version":2,"width":80,"height":24}\n[0,"o","${id}"]\n`)
  await writeFile(path, gzipSync(recording))
  await markReplay(server.kernel, id)
  return { id, path, name: replayName(session), url: `/api/v1/terminal/sessions/${id}/replay/` }
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )
const bringOut = () => bringRecordingsOut(server.kernel, terminalId)
/** Not as a tar, whose entries have the time of the call. */
const download = (url: string) => call('GET', `${url}download/?format=cast`, undefined, auditor)

test('[A2.42] two storages are there from the start, others are made by type; their keys are never answered', async () => {
  const built = (await call('GET', STORAGES)).body
  expect(built.map(({ name, type, is_default }: Record<string, unknown>) => [name, type, is_default])).toEqual([
    ['default', 'server', true],
    ['null', 'null', false],
  ])
  const made = await inBucket()
  const read = (await call('GET', made.url)).body
  expect(read).toMatchObject({ type: 's3', meta: { BUCKET, ENDPOINT: objects.endpoint }, is_default: false })
  expect(JSON.stringify(read)).not.toContain('S3RVER')
  const { rows } = await server.pool.query('SELECT meta FROM terminal_replay_storage WHERE id = $1', [made.id])
  expect(JSON.stringify(rows)).not.toContain('S3RVER')
  expect((await call('GET', STORAGES, undefined, admin)).status).toBe(403)
})

test('[A3.23] each type asks for its own fields, and a place that is none is refused on its field', async () => {
  const post = async (type: string, meta: unknown) =>
    (await call('POST', STORAGES, { name: `new ${++count}`, type, meta })).body
  expect(await post('azure', {})).toMatchObject({
    meta: { CONTAINER_NAME: [expect.anything()], ACCOUNT_NAME: [expect.anything()], ACCOUNT_KEY: [expect.anything()] },
  })
  expect(await post('swift', { BUCKET, ENDPOINT: 'swift:8080' })).toMatchObject({
    meta: { REGION: [expect.anything()] },
  })
  for (const ENDPOINT of ['http://s3/path', 'http://user:word@s3', 'ftp://s3', 'http://', 'http://s3?x=1', 's3 x'])
    expect([ENDPOINT, await post('s3', { BUCKET, ENDPOINT })]).toEqual([
      ENDPOINT,
      expect.objectContaining({ meta: { ENDPOINT: [expect.stringMatching(/address/)] } }),
    ])
  // A part of the address that keys are sent to.
  const container = { CONTAINER_NAME: 'replays', ACCOUNT_NAME: 'evil.example.com/x', ACCOUNT_KEY: 'a2V5' }
  expect(await post('azure', container)).toEqual({ meta: { ACCOUNT_NAME: [expect.stringMatching(/pattern/)] } })
  const bucket = { BUCKET: 'evil.example.com/x', ENDPOINT: 'oss-cn-hangzhou.aliyuncs.com', ...KEYS }
  expect(await post('oss', bucket)).toEqual({ meta: { BUCKET: [expect.stringMatching(/pattern/)] } })
  expect(await post('floppy', {})).toMatchObject({ type: [expect.anything()] })
})

test('one storage is the default, and whichever is made so last is it', async () => {
  const [first, second] = [await inBucket(), await inBucket()]
  for (const one of [first, second]) await call('PATCH', one.url, { is_default: true })
  const marked = (await call('GET', `${STORAGES}?is_default=true`)).body
  expect(marked.map(({ id }: { id: string }) => id)).toEqual([second.id])
})

test('a person who moves a storage enters its keys again; a change that leaves its place alone keeps them', async () => {
  const { url } = await inBucket()
  const refused = await call('PATCH', url, { meta: { ENDPOINT: 'http://10.9.9.9' } })
  expect([refused.status, Object.keys(refused.body.meta)]).toEqual([400, ['ACCESS_KEY', 'SECRET_KEY']])
  expect((await call('PATCH', url, { meta: { BUCKET, ACCESS_KEY: '' }, comment: 'ours' })).status).toBe(200)
  expect((await call('GET', `${url}test-connective/`)).body.is_valid).toBe(true)
  expect((await call('PATCH', url, { meta: { ENDPOINT: 'http://10.9.9.9', ...KEYS } })).status).toBe(200)
  expect((await call('PATCH', url, { type: 'ceph' })).status).toBe(400)
})

test('a test writes, reads back and deletes there, and says in words what is wrong', async () => {
  const tested = async (meta: Record<string, unknown>) =>
    (await call('GET', `${(await inBucket(meta)).url}test-connective/`)).body
  expect(await tested({})).toEqual({ is_valid: true, msg: 'The storage can be used' })
  expect(await tested({ BUCKET: 'another' })).toMatchObject({
    is_valid: false,
    msg: expect.stringMatching(/no such bucket/),
  })
  expect(await tested({ SECRET_KEY: 'wrong' })).toMatchObject({
    is_valid: false,
    msg: expect.stringMatching(/may not/),
  })
  objects.isClockOff = true
  const off = await tested({}).finally(() => (objects.isClockOff = false))
  expect(off).toEqual({
    is_valid: false,
    msg: 'The clocks of this server and of the storage differ too much (403 RequestTimeTooSkewed)',
  })
  objects.probes = 'unreadable'
  expect(await tested({})).toMatchObject({ is_valid: false, msg: expect.stringMatching(/may not list, read, write/) })
  objects.probes = 'altered'
  expect(await tested({})).toEqual({
    is_valid: false,
    msg: 'The storage refuses what it is asked for (other bytes than were written)',
  })
  objects.probes = 'late'
  expect(await tested({})).toMatchObject({ is_valid: true })
  expect(objects.probes).toBeUndefined()
  objects.faulty.add('/probe-')
  const failing = await tested({}).finally(() => objects.faulty.clear())
  expect(failing).toMatchObject({ is_valid: false, msg: expect.stringMatching(/an error of its own \(503/) })
  expect(await tested({ ENDPOINT: `http://127.0.0.1:${await freePort()}` })).toEqual({
    is_valid: false,
    msg: 'The storage does not answer',
  })
  for (const { id } of (await call('GET', `${STORAGES}?search=default`)).body)
    expect((await call('GET', `${STORAGES}${id}/test-connective/`)).body.is_valid).toBe(true)
})

test('a recording goes where its terminal stores, is read there, and leaves the server', async () => {
  const { name } = await inBucket()
  const { path, url, id } = await recorded(name)
  const before = (await download(url)).raw
  await bringOut()
  expect(await exists(path)).toBe(false)
  const after = await download(url)
  expect([after.status, after.raw.equals(before)]).toEqual([200, true])
  // Its index is made now, which may take a moment.
  const part = async () => (await call('GET', `${url}part/0/`, undefined, auditor)).status
  await expect.poll(part).toBe(200)
  expect((await call('GET', `${url}integrity/`, undefined, auditor)).body).toEqual({ intact: true })
  // One that was sealed while the server's own was chosen stays.
  const own = await recorded('default')
  await bringOut()
  expect([own.id === id, await exists(own.path), (await download(own.url)).status]).toEqual([false, true, 200])
})

test('while the storage is away a recording stays and is played from the server, and goes out afterwards', async () => {
  const { name, url: storage } = await inBucket()
  const { path, url } = await recorded(name)
  await objects.stop()
  try {
    await bringOut()
    expect([await exists(path), (await download(url)).status]).toEqual([true, 200])
  } finally {
    await objects.start()
  }
  expect((await call('DELETE', storage)).body).toMatchObject({ code: 'in_use' })
  await bringOut()
  expect([await exists(path), (await download(url)).status]).toEqual([false, 200])
  // It is chosen by nobody any more, but what is there would be lost.
  await server.pool.query(`UPDATE terminal_terminal SET replay_storage = 'default'`)
  expect((await call('DELETE', storage)).body).toMatchObject({ code: 'in_use' })
})

test.each([
  ['the bucket is deleted', () => objects.deleteBucket(), () => objects.restoreBucket()],
  [
    'the keys are withdrawn',
    (storage: string) => call('PATCH', storage, { meta: { SECRET_KEY: 'another' } }),
    (storage: string) => call('PATCH', storage, { meta: { SECRET_KEY: 'S3RVER' } }),
  ],
  ['the clock is off', async () => void (objects.isClockOff = true), async () => void (objects.isClockOff = false)],
])('while %s a recording waits on the server and plays from there, and goes out afterwards', async (_, begin, end) => {
  const { name, url: storage } = await inBucket()
  const { path, url } = await recorded(name)
  await begin(storage)
  try {
    await bringOut()
    expect([await exists(path), (await download(url)).status]).toEqual([true, 200])
  } finally {
    await end(storage)
  }
  await bringOut()
  expect([await exists(path), (await download(url)).status]).toEqual([false, 200])
})

test('a storage that a terminal names, and the built-in ones, are not deleted; another is', async () => {
  const { name, url } = await inBucket()
  await server.pool.query('UPDATE terminal_terminal SET replay_storage = $1', [name])
  expect((await call('DELETE', url)).body).toMatchObject({ code: 'in_use' })
  await server.pool.query(`UPDATE terminal_terminal SET replay_storage = 'default'`)
  expect((await call('DELETE', url)).status).toBe(204)
  for (const { id } of (await call('GET', `${STORAGES}?type=null`)).body)
    expect((await call('DELETE', `${STORAGES}${id}/`)).body).toMatchObject({ code: 'built_in' })
})

test('a terminal that stores nothing keeps no recording', async () => {
  const { id, path } = await recorded('null')
  expect(await exists(path)).toBe(false)
  const { rows } = await server.pool.query('SELECT has_replay FROM terminal_session WHERE id = $1', [id])
  expect(rows).toEqual([{ has_replay: false }])
})

test('recordings in a storage go with their age, as those of the server do', async () => {
  const storage = await inBucket()
  const { name } = await recorded(storage.name)
  await bringOut()
  const store = await outsideStore(server.kernel, storage.id)
  expect(await store?.find(name)).toBeDefined()
  expect(await recordingStore(server.kernel.config).find(name)).toBeUndefined()
  await forgetOldSessions(server.kernel, -2)
  expect(await store?.find(name)).toBeUndefined()
})

test('a component gets the storage that it is to use, with its keys, which leaves a row', async () => {
  const registered = await server.call(
    'POST',
    '/api/v1/terminal/terminal-registrations/',
    { name: 'far' },
    { authorization: 'BootstrapToken letmein' },
  )
  const far = as({
    role: 'App',
    user: registered.body.service_account.id,
    org: '00000000-0000-0000-0000-000000000000',
  })
  const { name } = await inBucket({ REGION: 'r1', PROTOCOL: 'http' }, 'swift')
  await server.pool.query('UPDATE terminal_terminal SET replay_storage = $1 WHERE id = $2', [name, registered.body.id])
  const config = (await call('GET', '/api/v1/terminal/terminals/config/', undefined, far)).body
  expect(config.TERMINAL_REPLAY_STORAGE).toEqual({
    TYPE: 'swift',
    BUCKET,
    ENDPOINT: objects.endpoint,
    REGION: 'r1',
    PROTOCOL: 'http',
    signer: 'S3SignerType',
    ...KEYS,
  })
  const { rows } = await server.pool.query(
    `SELECT how, owner FROM kernel_secret_look WHERE owner_kind = 'replay_storage'`,
  )
  expect(rows).toEqual([{ how: 'component', owner: name }])
})
