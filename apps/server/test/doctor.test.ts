import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { DOCTOR_PATH, type Finding, type Health } from '@sallyport/contract/resources/monitor/doctor.ts'
import { TextWriter, Uint8ArrayReader, ZipReader } from '@zip.js/zip.js'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { doctorChecks } from '../src/doctor-checks.ts'
import { type MailServer, startMailServer } from '../src/domains/notifications/mail-server-fixture.ts'
import { type Check, ok, type Place } from '../src/kernel/doctor/check.ts'
import { inWords, runChecks } from '../src/kernel/doctor/run-checks.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { freePort } from './free-port.ts'
import { type ObjectStore, startObjectStore } from './object-store.ts'
import { ADMIN } from './programs.ts'
import { openTestServer, type TestServer } from './server.ts'
import { mountSmallDisk } from './small-disk.ts'

const DOCS = fileURLToPath(new URL('../../../docs/doctor.md', import.meta.url))
/** As test/server.ts gives it to every node of a test. */
const KEY = 'secret-key-of-the-nodes-of-a-test'
const SETTINGS = '/api/v1/settings/setting/?category='

let database: TestDatabase
let objects: ObjectStore
let mail: MailServer
let one: TestServer
let other: TestServer
let folder: string
beforeAll(async () => {
  database = await createTestDatabase()
  ;[objects, mail] = await Promise.all([startObjectStore(), startMailServer({ user: 'robot', password: 'right-word' })])
  one = await openTestServer({ ...objects.environment, SALLYPORT_NODE_NAME: 'one' }, database)
  const stays = { ...database, drop: async () => {} }
  other = await openTestServer({ ...objects.environment, SALLYPORT_NODE_NAME: 'two', SALLYPORT_ROLES: 'api' }, stays)
})
afterAll(async () => {
  await other?.close()
  await one?.close()
  await mail?.close()
  await objects?.close()
})
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'doctor-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** What `sallyport-admin doctor` prints, and its findings where that is JSON. */
async function doctor(environment: Record<string, string>, args: string[] = ['--json'], input = '') {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const ports = { SALLYPORT_HTTP_PORT: '0', SALLYPORT_SSH_PORT: '0' }
  const env = { PATH, HOME, NODE_COMPILE_CACHE, SALLYPORT_DATA_DIR: folder, ...ports, ...environment }
  const child = spawn(process.execPath, [ADMIN, 'doctor', ...args], { env, cwd: folder })
  child.stdin.end(input)
  const [out, faults, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  const findings: Finding[] = args.includes('--json') && out ? JSON.parse(out).findings : []
  return { code, text: out + faults, of: (name: string) => findings.filter((finding) => finding.name === name) }
}

const addressOf = ({ connection: { host = '', port = 5432, user, database: name } }: TestDatabase, password = '') =>
  `postgres://${user}:${password}@localhost:${port}/${name}?host=${encodeURIComponent(host)}`

/** Runs the health check, and answers the findings of the first node once all are there. */
async function health(): Promise<{ health: Health; of: (name: string) => Finding[] }> {
  expect((await one.admin.post(`${DOCTOR_PATH}run/`)).status).toBe(200)
  let body: Health = { nodes: [] }
  await expect
    .poll(async () => {
      body = (await one.admin.get(DOCTOR_PATH)).body
      return body.nodes.map(({ state }) => state)
    })
    .toEqual(['done', 'done'])
  return { health: body, of: (name) => body.nodes[0]?.findings.filter((finding) => finding.name === name) ?? [] }
}

/** Files of an archive by their names. */
async function unpacked(archive: Uint8Array): Promise<Record<string, string>> {
  const reader = new ZipReader(new Uint8ArrayReader(archive))
  const files: Record<string, string> = {}
  for (const entry of await reader.getEntries())
    if (!entry.directory) files[entry.filename] = await entry.getData(new TextWriter())
  await reader.close()
  return files
}

test('with a database that is away, the rest is looked at, and its password is not told', async () => {
  const port = await freePort()
  const found = await doctor({ DATABASE_URL: `postgres://sally:hidden-word@127.0.0.1:${port}/shop` })
  expect(found.code).toBe(1)
  expect(found.of('database')).toMatchObject([{ state: 'error', words: expect.stringContaining('ECONNREFUSED') }])
  expect(found.of('schema')).toMatchObject([{ state: 'not checked' }])
  expect(found.of('mail')).toMatchObject([{ state: 'not checked' }])
  expect(found.of('memory')).toHaveLength(1)
  expect(found.of('versions')).toMatchObject([{ state: 'ok', words: expect.stringContaining(process.versions.node) }])
  expect(found.text).not.toContain('hidden-word')
})

test('where nothing was ever started it says so in either language, makes nothing, and is no failure', async () => {
  const place = { SALLYPORT_DATA_DIR: join(folder, 'none') }
  const english = await doctor(place, ['--language', 'en'])
  expect(english.code).toBe(0)
  expect(english.text).toContain(`Sallyport does not run on ${join(folder, 'none')}.`)
  const chinese = await doctor({ ...place, LANG: 'zh_CN.UTF-8' }, [])
  expect(chinese.text).toContain(`${join(folder, 'none')} 上没有正在运行的 Sallyport。`)
  expect(() => readFileSync(join(folder, 'none'))).toThrow('ENOENT')
})

test('settings that are wrong are a finding each, and end it with 1', async () => {
  const found = await doctor({ SALLYPORT_HTTP_PORT: '99999', SALLYPORT_NO_SUCH: '1' })
  expect(found.code).toBe(1)
  expect(found.of('settings').map(({ words }) => words)).toEqual([
    expect.stringContaining('SALLYPORT_NO_SUCH'),
    expect.stringContaining('SALLYPORT_HTTP_PORT must be a port'),
  ])
})

test('another key, a port that is taken, files that others may read, and a clock that is wrong are findings', async () => {
  const holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  const { port } = holder.address() as AddressInfo
  const clock = await startTimeServer(60)
  writeFileSync(join(folder, 'secret.key'), 'x', { mode: 0o644 })
  chmodSync(join(folder, 'secret.key'), 0o644)
  const found = await doctor(
    {
      DATABASE_URL: addressOf(database),
      SALLYPORT_SECRET_KEY: 'another-key-than-that-of-the-database',
      SALLYPORT_HTTP_PORT: String(port),
      SALLYPORT_SSH_PORT: String(await freePort()),
    },
    ['--json', '--time-server', `127.0.0.1:${clock.port}`],
  )
  clock.close()
  holder.close()
  expect(found.code).toBe(1)
  expect(found.of('key')).toMatchObject([{ state: 'error', mend: expect.stringContaining('SALLYPORT_SECRET_KEY') }])
  expect(found.of('mail')).toMatchObject([{ state: 'not checked', words: expect.stringContaining('key') }])
  expect(found.of('ports')).toMatchObject([
    {
      subject: 'SALLYPORT_HTTP_PORT',
      state: 'error',
      words: expect.stringContaining(`taken by`),
      mend: expect.stringContaining('SALLYPORT_HTTP_PORT'),
    },
    { subject: 'SALLYPORT_SSH_PORT', state: 'ok' },
  ])
  expect(found.of('ports')[0]?.words).toContain(`process ${process.pid}`)
  expect(found.of('files.modes')).toMatchObject([
    { state: 'error', mend: `Take the right from them: chmod go= ${join(folder, 'secret.key')}` },
  ])
  expect(found.of('clock.ntp')).toMatchObject([{ state: 'error', words: expect.stringMatching(/by (59|60)(\.\d)? s/) }])
  expect(found.of('clock.database')).toMatchObject([{ state: 'ok' }])
  expect(found.of('schema')).toMatchObject([{ state: 'ok' }])
  // Seen from outside, both nodes answer at their links.
  expect(found.of('nodes').map(({ subject, state }) => [subject, state])).toEqual(
    expect.arrayContaining([
      ['one', 'ok'],
      ['two', 'ok'],
    ]),
  )
})

test('a time server that is not there leaves the clock unchecked', async () => {
  const clock = await startTimeServer(0)
  await clock.close()
  const found = await doctor({}, ['--json', '--time-server', `127.0.0.1:${clock.port}`])
  expect(found.of('clock.ntp')).toMatchObject([{ state: 'not checked', words: expect.stringContaining('127.0.0.1') }])
})

test('a database that a newer Sallyport has migrated is a finding that names the migration', async () => {
  const newer = await createTestDatabase()
  const admin = await openTestServer({}, { ...newer, drop: async () => {} })
  await admin.kernel.pool.query(`INSERT INTO kernel_migration (name) VALUES ('299901010000_future.sql')`)
  await admin.close()
  const found = await doctor({ DATABASE_URL: addressOf(newer), SALLYPORT_SECRET_KEY: KEY })
  await newer.drop()
  expect(found.of('schema')).toMatchObject([{ state: 'error', words: expect.stringContaining('299901010000_future') }])
  // Its nodes have ended.
  expect(found.of('nodes')).toMatchObject([{ state: 'warning' }])
  expect(found.of('key')).toMatchObject([{ state: 'ok' }])
})

test.runIf(process.getuid?.() === 0)('a full disk, and one that takes no writes, are findings', async () => {
  const disk = mountSmallDisk(join(folder, 'data'))
  try {
    disk.fill()
    const full = await doctor({ SALLYPORT_DATA_DIR: join(folder, 'data') })
    expect(full.code).toBe(1)
    expect(full.of('files.writable')).toMatchObject([{ state: 'error', mend: expect.stringContaining('Make room') }])
    expect(full.of('disk')).toMatchObject([{ state: 'error', subject: join(folder, 'data') }])
    expect(full.of('store')).toMatchObject([{ state: 'error' }])
    disk.empty()
    await runMount('remount,ro', join(folder, 'data'))
    const closed = await doctor({ SALLYPORT_DATA_DIR: join(folder, 'data') })
    expect(closed.of('files.writable')).toMatchObject([{ state: 'error', words: expect.stringContaining('EROFS') }])
  } finally {
    disk.unmount()
  }
})

test('each node looks for itself, and what is wrong comes first; what is mended is fine the next time', async () => {
  const closed = await freePort()
  const save = async (category: string, values: object) =>
    expect((await one.admin.patch(`${SETTINGS}${category}`, values)).status).toBe(200)
  await save('email', {
    EMAIL_HOST: '127.0.0.1',
    EMAIL_PORT: String(mail.port),
    EMAIL_HOST_USER: 'robot',
    EMAIL_HOST_PASSWORD: 'wrong-word',
  })
  await save('ldap', {
    AUTH_LDAP: true,
    AUTH_LDAP_SERVER_URI: `ldap://127.0.0.1:${closed}`,
    AUTH_LDAP_BIND_DN: 'cn=reader',
    AUTH_LDAP_BIND_PASSWORD: 'reader-word',
    AUTH_LDAP_SEARCH_OU: 'ou=people',
  })
  const further = await one.admin.post('/api/v1/authentication/directories/', {
    name: 'Partner',
    server_uri: `ldap://127.0.0.1:${closed}`,
    search_ou: 'ou=people',
  })
  expect(further.status).toBe(201)
  await one.kernel.pool.query(
    `INSERT INTO kernel_job (queue, data, state, date_due, date_finished, error)
     VALUES ('tests.late', '{}', 'waiting', now() - interval '3 hours', null, ''),
       ('tests.broken', '{}', 'failed', now(), now(), 'not done within 3600 s')`,
  )
  objects.probes = 'unreadable'
  const bad = await health()
  expect(bad.health.nodes.map(({ name }) => name)).toEqual(['one', 'two'])
  expect(bad.of('mail')).toMatchObject([{ state: 'error', words: expect.stringContaining('refuses this account') }])
  expect(bad.of('ldap')).toMatchObject([{ state: 'error', words: 'Nothing listens at the address of the LDAP server' }])
  expect(bad.of('directories')).toMatchObject([
    { state: 'error', words: 'Partner: Nothing listens at the address of the LDAP server' },
  ])
  expect(bad.of('store')).toMatchObject([{ state: 'error', words: expect.stringContaining('may not list, read') }])
  expect(bad.of('jobs').map(({ state, subject }) => [state, subject])).toEqual([
    ['error', ''],
    ['warning', 'tests.broken'],
  ])
  expect(
    bad
      .of('nodes')
      .map(({ state, subject }) => [state, subject])
      .toSorted(),
  ).toEqual([
    ['ok', 'one'],
    ['ok', 'two'],
  ])
  expect(bad.of('files.writable')).toMatchObject([{ state: 'ok' }])
  expect(bad.of('backup')).toMatchObject([{ state: 'warning', mend: expect.stringContaining('SALLYPORT_BACKUP') }])
  expect(bad.of('proxy')).toMatchObject([{ state: 'not checked' }])
  expect(bad.of('radius')).toMatchObject([{ state: 'not checked' }])
  for (const { findings } of bad.health.nodes) {
    const order = ['error', 'warning', 'not checked', 'ok']
    const states = findings.map(({ state }) => order.indexOf(state))
    expect(states).toEqual(states.toSorted((first, second) => first - second))
    for (const { state, mend } of findings) if (state === 'error' || state === 'warning') expect(mend).not.toBe('')
  }
  // No mail was sent.
  expect(mail.mails).toEqual([])

  objects.probes = undefined
  await save('email', { EMAIL_HOST_PASSWORD: 'right-word' })
  await save('ldap', { AUTH_LDAP: false })
  await one.admin.delete(`/api/v1/authentication/directories/${further.body.id}/`)
  await one.kernel.pool.query(`DELETE FROM kernel_job WHERE queue LIKE 'tests.%'`)
  const good = await health()
  expect(good.of('mail')).toMatchObject([{ state: 'ok' }])
  expect(good.of('store')).toMatchObject([{ state: 'ok' }])
  expect(good.of('jobs')).toMatchObject([{ state: 'ok' }])
  expect(good.of('ldap')).toMatchObject([{ state: 'not checked' }])
  expect(good.of('directories')).toMatchObject([{ state: 'not checked' }])
})

test('the health check is for system administrators, in their language, and a node makes one at a time', async () => {
  const auditor = await one.aPerson('ines', { role: 'Auditor' })
  for (const answer of [
    await auditor.get(DOCTOR_PATH),
    await auditor.post(`${DOCTOR_PATH}run/`),
    await auditor.get(`${DOCTOR_PATH}archive/`),
  ])
    expect(answer.status).toBe(403)
  const [first, second] = await Promise.all([
    one.admin.post(`${DOCTOR_PATH}run/`),
    one.admin.post(`${DOCTOR_PATH}run/`),
  ])
  expect(first.body.nodes[0]).toMatchObject({ name: 'one', state: 'running', total: expect.any(Number) })
  expect(second.body.nodes[0].date_started).toBe(first.body.nodes[0].date_started)
  await health()
  const headers = { authorization: `Bearer ${one.admin.token}`, cookie: 'django_language=cn' }
  const chinese: Health = (await one.call('GET', DOCTOR_PATH, { headers })).body
  for (const { findings } of chinese.nodes)
    expect(findings.find(({ name }) => name === 'schema')?.title).toBe('数据库结构')
})

test('no secret is in the support archive, wherever it was put; its download is in the log of operations', async () => {
  const planted = (what: string) => `planted-${what}-4711`
  const kinds = [
    'url',
    'admin',
    'metrics',
    'bootstrap',
    'mail',
    'ldap',
    'account',
    'cloud',
    'site',
    'query',
    'bearer',
    'json',
    'pem',
    'path',
  ]
  const secrets = [...kinds.map(planted), KEY]
  await one.admin.patch(`${SETTINGS}email`, { EMAIL_HOST_PASSWORD: planted('mail') })
  await one.admin.patch(`${SETTINGS}ldap`, {
    AUTH_LDAP_SERVER_URI: 'ldap://directory.example.com',
    AUTH_LDAP_BIND_PASSWORD: planted('ldap'),
  })
  await one.admin.patch(`${SETTINGS}basic`, {
    USER_GUIDE_URL: `https://sally:${planted('site')}@example.com/reset/${planted('path')}?token=${planted('query')}`,
  })
  const login = { name: 'robot', username: 'robot', protocol: 'ssh', login_mode: 'auto', password: planted('account') }
  expect((await one.admin.post('/api/v1/assets/system-users/', login)).status).toBe(201)
  const log = [
    `{"level":50,"msg":"request failed","authorization":"Bearer ${planted('bearer')}"}`,
    `{"msg":"odd","password":"${planted('json')}"} see https://example.com/x?key=${planted('query')}`,
    `-----BEGIN PRIVATE KEY----- ${planted('pem')} -----END PRIVATE KEY-----`,
    'an ordinary line',
  ].join('\n')

  const path = join(folder, 'support.zip')
  mkdirSync(join(folder, 'data'), { mode: 0o700 })
  writeFileSync(join(folder, 'data', 'admin-password.txt'), `${planted('admin')}\n`, { mode: 0o600 })
  const found = await doctor(
    {
      ...objects.environment,
      SALLYPORT_DATA_DIR: join(folder, 'data'),
      DATABASE_URL: addressOf(database, planted('url')),
      SALLYPORT_SECRET_KEY: KEY,
      SALLYPORT_ADMIN_PASSWORD: planted('admin'),
      SALLYPORT_METRICS_TOKEN: planted('metrics'),
      SALLYPORT_BOOTSTRAP_TOKEN: planted('bootstrap'),
      AWS_SECRET_ACCESS_KEY: planted('cloud'),
      SALLYPORT_SETTING_RADIUS_SECRET: planted('ldap'),
    },
    ['--language', 'en', '--bundle', path, '--log', '-'],
    log,
  )
  expect(found.text).toContain(`${path}: a support archive without secrets`)
  const { headers, rawPayload } = await one.kernel.app.inject({
    url: `${DOCTOR_PATH}archive/`,
    headers: { authorization: `Bearer ${one.admin.token}` },
  })
  expect(headers['content-disposition']).toMatch(/sallyport-support-[\d-]+T\d{6}\.zip/)
  for (const archive of [readFileSync(path), rawPayload]) {
    const files = await unpacked(archive)
    const all = JSON.stringify(files)
    for (const secret of secrets)
      for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')])
        expect(all).not.toContain(form)
    const settings = JSON.parse(files['settings.json'] ?? '')
    expect(settings.start.SALLYPORT_SECRET_KEY).toBe('(set)')
    expect(settings.console).toMatchObject({ EMAIL_HOST: '127.0.0.1', EMAIL_HOST_PASSWORD: '(set)' })
    expect(settings.console.USER_GUIDE_URL).toBe('https://example.com')
    expect(JSON.parse(files['database.json'] ?? '').tables.map(({ table }: { table: string }) => table)).toContain(
      'settings_setting',
    )
    expect(files['findings.txt']).toContain('schema')
    expect(JSON.parse(files['versions.json'] ?? '').node).toBe(process.versions.node)
  }
  expect((await unpacked(readFileSync(path)))['log.txt']).toContain('an ordinary line')
  const ofNodes: Record<string, Finding[]> = JSON.parse((await unpacked(rawPayload))['findings.json'] ?? '')
  for (const node of ['one', 'two']) expect(ofNodes[node]?.map(({ name }) => name)).toContain('schema')
  const { rows } = await one.kernel.pool.query(
    `SELECT action, "user" FROM audits_operate_log WHERE resource_type = 'Support archive'`,
  )
  expect(rows).toMatchObject([{ action: 'download' }])
})

test('a check that hangs or throws is a finding itself, and the others go on', async () => {
  const checks: Check[] = [
    { name: 'hangs', title: 'One that hangs', limitMs: 10, run: () => new Promise(() => {}) },
    {
      name: 'throws',
      title: 'One that throws',
      run: () => {
        throw new Error('broken\nat postgres://me:word@host/x')
      },
    },
    { name: 'fine', title: 'One that is fine', run: async () => ok((say) => say('Fine.')) },
  ]
  const found = (await runChecks(checks, {} as Place)).map((finding) => inWords(finding, 'en'))
  expect(found.map(({ name, state }) => [name, state])).toEqual([
    ['hangs', 'error'],
    ['throws', 'error'],
    ['fine', 'ok'],
  ])
  expect(found[0]?.words).toContain('did not end')
  expect(found[1]?.words).toBe('This check failed: broken at postgres://host/x')
})

test('every check has a Chinese title, and docs/doctor.md says what to do about it', async () => {
  const checks = await doctorChecks()
  expect(checks.length).toBeGreaterThan(20)
  const page = readFileSync(DOCS, 'utf8')
  for (const { name, title } of checks) {
    const shown = inWords({ name, title, ...ok(() => '') }, 'cn')
    expect(shown.title).not.toBe(title)
    expect(page).toContain(`\`${name}\``)
  }
})

/** A time server whose clock is so many seconds ahead (RFC 4330). */
async function startTimeServer(ahead: number) {
  const socket = createSocket('udp4')
  socket.on('message', (request, { port, address }) => {
    const answer = Buffer.alloc(48)
    answer[0] = 0x24
    answer[1] = 2
    request.copy(answer, 24, 40, 48)
    const now = Date.now() / 1000 + ahead + 2_208_988_800
    for (const at of [32, 40]) {
      answer.writeUInt32BE(Math.floor(now), at)
      answer.writeUInt32BE(Math.floor((now % 1) * 2 ** 32), at + 4)
    }
    socket.send(answer, port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address()
  return {
    port,
    close: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  }
}

async function runMount(options: string, folder: string): Promise<void> {
  await once(spawn('mount', ['-o', options, folder]), 'close')
}
