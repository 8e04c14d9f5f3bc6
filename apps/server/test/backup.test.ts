/** The night on which an installation is restored: it was used, backed up while it ran, and its machine is gone. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { loadConfig } from '../src/config.ts'
import { type Sshd, startSshd } from '../src/domains/assets/sshd-fixture.ts'
import { CHAINED_LOGS } from '../src/domains/audits/index.ts'
import { openVerified } from '../src/domains/audits/verifier-fixture.ts'
import { openPlace, restoreBackup } from '../src/domains/backups/index.ts'
import { openTerminal } from '../src/gateway/listeners/web/terminal-fixture.ts'
import { runningPostgres } from '../src/kernel/database/embedded.ts'
import { StartRefusal } from '../src/kernel/start-refusal.ts'
import { createEmptyDatabase } from './database.ts'
import { ADMIN, MAIN } from './programs.ts'
import { ADMIN_PASSWORD } from './server.ts'

const PASSPHRASE = 'four words on a card'

/** All that is left of the lost machine: its backups, and the key, which somebody kept apart. */
let kept: string
let backups: string
let key: string
let sshd: Sshd
/** What people remember of it. */
let lost: {
  asset: string
  systemUser: string
  session: string
  open: string
  /** Names of assets that were made before the last backup began, while it was made, and afterwards. */
  before: string[]
  after: string[]
  recording: string
  objects: string[]
}

let folder: string
let data: string
let children: ChildProcess[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-restore-'))
  data = join(folder, 'data')
  children = []
})
afterEach(endAll)

async function endAll(): Promise<void> {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGTERM')
    await once(child, 'close')
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}

function run(program: string, parameters: string[] = [], more: Record<string, string> = {}) {
  const { PATH, HOME, NODE_COMPILE_CACHE, TMPDIR } = process.env
  const own = {
    SALLYPORT_DATA_DIR: data,
    SALLYPORT_HTTP_PORT: '0',
    SALLYPORT_SSH_PORT: '0',
    SALLYPORT_LOG_LEVEL: 'warn',
    SALLYPORT_ADMIN_PASSWORD: ADMIN_PASSWORD,
  }
  const child = spawn(process.execPath, [program, ...parameters], {
    env: { PATH, HOME, NODE_COMPILE_CACHE, TMPDIR, ...own, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  let text = ''
  let heard = () => {}
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes) => {
      text += bytes
      heard()
    })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  const printed = (pattern: RegExp) =>
    new Promise<RegExpMatchArray>((resolve, reject) => {
      heard = () => {
        const found = text.match(pattern)
        if (found) resolve(found)
      }
      heard()
      void ended.then(() => reject(new Error(`it ended without ${pattern}:\n${text}`)))
    })
  return { child, ended, printed, text: () => text }
}

/** Runs a command for operators to its end. */
async function admin(parameters: string[], more: Record<string, string> = {}) {
  const { ended, text } = run(ADMIN, parameters, more)
  return { code: await ended, text: text() }
}

/** A started server, and its API as the administrator. */
async function startServer(more: Record<string, string> = {}) {
  const server = run(MAIN, [], more)
  const [, url = ''] = await server.printed(/is ready: (http\S+)/)
  const call = async (method: string, path: string, token: string, body?: unknown) => {
    const answer = await fetch(url + path, {
      method,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    if (answer.status >= 400) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer
  }
  const signedIn = await call('POST', '/api/v1/authentication/tokens/', '', {
    username: 'admin',
    password: ADMIN_PASSWORD,
  })
  const { token } = (await signedIn.json()) as { token: string }
  return {
    ...server,
    url,
    token,
    // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came
    get: async (path: string): Promise<any> => (await call('GET', path, token)).json(),
    bytes: async (path: string) => Buffer.from(await (await call('GET', path, token)).arrayBuffer()),
    // biome-ignore lint/suspicious/noExplicitAny: likewise
    post: async (path: string, body: unknown): Promise<any> => (await call('POST', path, token, body)).json(),
  }
}

type Server = Awaited<ReturnType<typeof startServer>>

const asset = (hostname: string, port: number) => ({
  hostname,
  ip: '127.0.0.1',
  platform: 'Linux',
  protocols: [`ssh/${port}`],
})

/** Makes assets one after the other until told to stop; answers which were acknowledged, and when. */
function writingLoad(server: Server) {
  const made: { name: string; at: number }[] = []
  let going = true
  const write = async () => {
    for (let number = 0; going; number++) {
      const name = `under-load-${number}`
      await server.post('/api/v1/assets/assets/', asset(name, 22))
      made.push({ name, at: Date.now() })
    }
  }
  const done = write()
  done.catch(() => {})
  return {
    made,
    stop: async () => {
      going = false
      await done
    },
  }
}

/** `expect.poll` is for tests alone. */
const until = (holds: () => Promise<boolean>) => vi.waitUntil(holds, { timeout: 120_000, interval: 50 })

const objectsIn = (place: string) =>
  readdirSync(join(place, 'recordings'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.name} ${statSync(join(entry.parentPath, entry.name)).ino}`)
    .sort()

const typing = async (server: Server, wanted: string, asset: string, systemUser: string) => {
  const terminal = await openTerminal(server.url, server, { type: 'ssh', target: asset, systemUser })
  await terminal.see(/[$#] /)
  terminal.type(`echo ${wanted.slice(0, 4)}''${wanted.slice(4)}\r`)
  await terminal.see(wanted)
  return terminal
}

beforeAll(async () => {
  kept = mkdtempSync(join(tmpdir(), 'sallyport-kept-'))
  backups = join(kept, 'backups')
  folder = mkdtempSync(join(tmpdir(), 'sallyport-lost-'))
  data = join(folder, 'data')
  children = []
  sshd = await startSshd()
  const server = await startServer()
  const { id: machine } = await server.post('/api/v1/assets/assets/', asset('web-1', sshd.port))
  const { id: systemUser } = await server.post('/api/v1/assets/system-users/', {
    name: 'root by key',
    username: sshd.username,
    protocol: 'ssh',
    login_mode: 'auto',
    private_key: sshd.privateKey,
    auto_push: false,
  })
  const { id: person } = await server.get('/api/v1/users/profile/')
  await server.post('/api/v1/perms/asset-permissions/', {
    name: 'everything',
    users: [person],
    assets: [machine],
    system_users: [systemUser],
  })
  const over = await typing(server, 'finished-work', machine, systemUser)
  const session = String(over.session?.id)
  over.type('exit\r')
  await over.closed
  await until(async () => (await server.get(`/api/v1/terminal/sessions/${session}/`)).has_replay)
  const first = await admin(['backup', '--to', backups])
  expect(first.code, first.text).toBe(0)
  const objects = objectsIn(backups)

  const open = await typing(server, 'unfinished-work', machine, systemUser)
  await until(async () => (await commandsOf(server, String(open.session?.id))).includes('echo unfi'))
  const load = writingLoad(server)
  await until(async () => load.made.length > 3)
  writeFileSync(join(kept, 'passphrase'), `${PASSPHRASE}\n`, { mode: 0o600 })
  const second = await admin(['backup', '--to', backups, '--with-key', '--passphrase-file', join(kept, 'passphrase')])
  expect(second.code, second.text).toBe(0)
  expect(load.made.length).toBeGreaterThan(10)
  await load.stop()
  const { name: newest = '' } = { name: readdirSync(join(backups, 'backups')).sort().at(-1) }
  const snapshot = Date.parse(JSON.parse(readFileSync(join(backups, 'backups', newest), 'utf8')).date)
  lost = {
    asset: machine,
    systemUser,
    session,
    open: String(open.session?.id),
    before: load.made.filter(({ at }) => at < snapshot).map(({ name }) => name),
    after: load.made.filter(({ at }) => at > snapshot + 5000).map(({ name }) => name),
    recording: await replayOf(server, session),
    objects,
  }
  key = readFileSync(join(data, 'secret.key'), 'utf8')
  // The machine is gone.
  const database = Number(readFileSync(join(data, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])
  server.child.kill('SIGKILL')
  process.kill(database, 'SIGKILL')
  await server.ended
  open.cut()
  await endAll()
})
afterAll(async () => {
  await sshd?.close()
  rmSync(kept, { recursive: true, force: true })
})

const commandsOf = async (server: Server, session: string) =>
  JSON.stringify(await server.get(`/api/v1/terminal/commands/?session_id=${session}`))

/** A recording as its player reads it. */
async function replayOf(server: Server, session: string): Promise<string> {
  const { src } = await server.get(`/api/v1/terminal/sessions/${session}/replay/`)
  return String(await server.bytes(src))
}

/** Everything that people remember is there, and works. */
async function expectEverything(server: Server): Promise<void> {
  const names = new Set<string>()
  for (const { hostname } of await server.get('/api/v1/assets/assets/')) names.add(hostname)
  expect(lost.before.filter((name) => !names.has(name))).toEqual([])
  expect(await replayOf(server, lost.session)).toBe(lost.recording)
  expect(await commandsOf(server, lost.session)).toContain("echo fini''shed-work")
  expect(await commandsOf(server, lost.open)).toContain("echo unfi''nished-work")
  expect(await replayOf(server, lost.open)).toContain('unfinished-work')
  // The session that was under way ended with its machine; its recording goes as far as the backup.
  const unfinished = await server.get(`/api/v1/terminal/sessions/${lost.open}/`)
  expect(unfinished).toMatchObject({ is_finished: true, has_replay: true })
  // A secret opens: it signs in on the machine.
  const terminal = await typing(server, 'works-again', lost.asset, lost.systemUser)
  terminal.type('exit\r')
  await terminal.closed
}

test('a machine is lost under load: the last backup, restored on an empty one, has everything up to its moment, and secrets, recordings and the proof of the logs hold', async () => {
  mkdirSync(data, { mode: 0o700 })
  writeFileSync(join(data, 'secret.key'), key, { mode: 0o600 })
  // Half of a restore is not started with, and the next restore begins from the start.
  const half = run(ADMIN, ['restore', backups])
  await half.printed(/The database/)
  half.child.kill('SIGKILL')
  await half.ended
  const start = run(MAIN)
  expect(await start.ended).toBe(1)
  expect(start.text()).toMatch(
    /^A restore into the data directory .* has not finished: run sallyport-admin restore again/,
  )
  const restored = await admin(['restore', backups])
  expect(restored.code, restored.text).toBe(0)
  expect(restored.text).toContain('everything is as it was at')
  expect(readdirSync(data)).not.toContain('restore-unfinished')
  expect(readdirSync(data)).not.toContain('admin-password.txt')
  const server = await startServer()
  await expectEverything(server)
  const connection = await runningPostgres(join(data, 'postgres'))
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const { rows } = await client.query(
      `SELECT "user", action, resource_type FROM audits_operate_log WHERE resource_type IN ('Backup', 'Restore') ORDER BY datetime`,
    )
    expect(rows).toEqual([
      { user: 'sallyport-admin', action: 'export', resource_type: 'Backup' },
      { user: 'sallyport-admin', action: 'update', resource_type: 'Restore' },
    ])
    // Triggers fire again, and numbers go on.
    await expect
      .poll(async () => (await client.query('SELECT FROM audits_operate_log WHERE chain_number IS NULL')).rowCount)
      .toBe(0)
  } finally {
    await client.end()
  }
  const audits = await openVerified({ connection: connection ?? {}, drop: async () => {} })
  try {
    await audits.keepRoots()
    const { code, findings } = await audits.verified(...CHAINED_LOGS)
    expect({ code, wrong: findings.filter((line) => !/rows hold/.test(line)) }).toEqual({ code: 0, wrong: [] })
  } finally {
    await audits.close()
  }
})

test('the key in a backup opens with its passphrase alone, and the database may be another one', async () => {
  const { connection, drop } = await createEmptyDatabase()
  const { host, user, database } = connection
  const settings = { DATABASE_URL: `postgres://${user}@socket/${database}?host=${encodeURIComponent(String(host))}` }
  try {
    writeFileSync(join(folder, 'passphrase'), 'another passphrase\n')
    const wrong = await admin(['restore', backups, '--passphrase-file', join(folder, 'passphrase')], settings)
    expect(wrong).toMatchObject({ code: 1 })
    expect(wrong.text).toMatch(/The passphrase does not open the key/)
    expect(readdirSync(data)).toEqual([])
    const restored = await admin(['restore', backups], { ...settings, SALLYPORT_BACKUP_PASSPHRASE: PASSPHRASE })
    expect(restored.code, restored.text).toBe(0)
    const server = await startServer(settings)
    await expectEverything(server)
    server.child.kill('SIGTERM')
    await server.ended
    // Neither is empty any more.
    const again = await admin(['restore', backups], settings)
    expect(again.text).toMatch(
      /^The data directory .* is not empty \(.*\): .*SALLYPORT_DATA_DIR.*Nothing was changed\n$/,
    )
    const elsewhere = {
      ...settings,
      SALLYPORT_DATA_DIR: join(folder, 'other'),
      SALLYPORT_BACKUP_PASSPHRASE: PASSPHRASE,
    }
    const filled = await admin(['restore', backups], elsewhere)
    expect(filled.text).toMatch(/^The database .* of DATABASE_URL is not empty .*Nothing was changed\n$/)
  } finally {
    await drop()
  }
})

test('a backup is verified on any machine that has its key, and nothing is left of that', async () => {
  const scratch = mkdtempSync(join(folder, 'scratch-'))
  const verified = await admin(['backup', 'verify', backups, '--scratch', scratch], {
    SALLYPORT_BACKUP_PASSPHRASE: PASSPHRASE,
  })
  expect(verified.code, verified.text).toBe(0)
  expect(verified.text).toMatch(/A recording was opened: .*cast\.gz\.\n/)
  expect(verified.text).toMatch(/The backup \w+ of \S+ can be restored\.\n$/)
  expect(readdirSync(scratch)).toEqual([])
  expect(existsSync(data)).toBe(false)
})

test('files of recordings that did not change are not copied again', () => {
  expect(lost.objects.length).toBeGreaterThan(0)
  expect(objectsIn(backups)).toEqual(expect.arrayContaining(lost.objects))
  expect(statSync(backups).mode & 0o777).toBe(0o700)
})

test('a backup has no secret in clear: neither the key, nor a password, nor a certificate’s key', () => {
  const all = readdirSync(backups, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  expect(all.length).toBeGreaterThan(20)
  const holding = all.filter((entry) => {
    const bytes = readFileSync(join(entry.parentPath, entry.name))
    return [key.trim(), ADMIN_PASSWORD, PASSPHRASE, 'PRIVATE KEY'].some((secret) => bytes.includes(secret))
  })
  expect(holding.map(({ name }) => name)).toEqual([])
})

test('a wrong or missing key, a damaged, changed, newer or foreign backup is refused in one sentence, before anything is changed', async () => {
  mkdirSync(data, { mode: 0o700 })
  const id = readdirSync(join(backups, 'backups')).sort()[0]?.replace('.json', '') ?? ''
  const other = join(folder, 'copy')
  const refused = async (from: string, id: string | undefined, words: RegExp, ofKey?: string) => {
    if (ofKey) writeFileSync(join(data, 'secret.key'), ofKey)
    const config = loadConfig({ SALLYPORT_DATA_DIR: data })
    const openDatabase = () => Promise.reject(new Error('it got that far'))
    const restore = restoreBackup({
      config,
      place: openPlace(from, config),
      id,
      passphrase: async () => undefined,
      openDatabase,
    })
    const refusal = await restore.catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(StartRefusal)
    expect((refusal as Error).message).toMatch(words)
    expect(readdirSync(data)).toEqual(existsSync(join(data, 'secret.key')) ? ['secret.key'] : [])
  }
  // The first backup was made without the key.
  await refused(backups, id, /sealed under the key [0-9a-f]{16}, which is not here: .*does not have the key/)
  const wrong = `${Buffer.alloc(32, 7).toString('base64')}\n`
  await refused(backups, id, /sealed under the key .*secret\.key holds [0-9a-f]{16}\. Put/, wrong)
  await refused(join(folder, 'nothing'), undefined, /There is no complete backup in/, key)
  await refused(backups, '20200101T000000000Z', /no complete backup 20200101T000000000Z .*there are 20/)

  const change = (file: string, change: (path: string) => void) => {
    rmSync(other, { recursive: true, force: true })
    cpSync(backups, other, { recursive: true })
    change(join(other, file))
  }
  const manifest = `backups/${id}.json`
  change(`parts/${id}/database/users_user.copy.zst`, (path) => appendFileSync(path, 'x'))
  await refused(other, id, /The backup is damaged: parts\/.*users_user/)
  change(`parts/${id}/database/users_user.copy.zst`, (path) => rmSync(path))
  await refused(other, id, /The backup is damaged: parts\/.*users_user/)
  const list = readdirSync(join(backups, 'parts', id)).find((name) => name.startsWith('recordings-')) ?? ''
  change(`parts/${id}/${list}`, (path) => writeFileSync(path, readFileSync(path).subarray(0, -9)))
  await refused(other, id, /The backup is damaged: parts\/.*recordings-/)
  change(manifest, (path) => writeFileSync(path, readFileSync(path, 'utf8').replace('"version": "', '"version": "9')))
  await refused(other, id, /was changed after it was made/)
  change(manifest, (path) =>
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace('"migrations": [', '"migrations": ["209901010000_of_tomorrow.sql",'),
    ),
  )
  await refused(other, id, /was made by Sallyport .*newer than this program knows \(209901010000_of_tomorrow\)/)
  change(manifest, (path) => writeFileSync(path, 'half of it'))
  await refused(other, id, /is damaged: .* is no manifest of a backup/)
  const [recording = ''] = readdirSync(join(backups, 'recordings'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => /cast\.gz-/.test(name),
  )
  change(`recordings/${recording}`, (path) => rmSync(path))
  await refused(other, undefined, /1 files of recordings are missing or damaged: .*--without-damaged/)
})
