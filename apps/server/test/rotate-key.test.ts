import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runningPostgres } from '../src/kernel/database/embedded.ts'
import { KeyRing } from '../src/kernel/secrets/key-ring.ts'
import { readKeys } from '../src/kernel/secrets/key-source.ts'
import { createSecrets, type Secrets } from '../src/kernel/secrets/secrets.ts'
import { ADMIN, MAIN } from './programs.ts'
import { ADMIN_PASSWORD } from './server.ts'

const ROWS = 30_000

let folder: string
let data: string
let children: ChildProcess[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-rotate-'))
  data = join(folder, 'data')
  children = []
})
afterEach(async () => {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGTERM')
    await once(child, 'close')
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

/**
 * Runs a program of the product on the data directory; `said(pattern)` comes when it has said that.
 */
function run(program: string, parameters: string[] = []) {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const own = {
    SALLYPORT_DATA_DIR: data,
    SALLYPORT_HTTP_PORT: '0',
    SALLYPORT_SSH_PORT: '0',
    SALLYPORT_LOG_LEVEL: 'warn',
  }
  const env = { PATH, HOME, NODE_COMPILE_CACHE, SALLYPORT_ADMIN_PASSWORD: ADMIN_PASSWORD, ...own }
  const child = spawn(process.execPath, [program, ...parameters], {
    env,
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

async function startServer(): Promise<{ url: string; child: ChildProcess; ended: Promise<unknown> }> {
  const server = run(MAIN)
  const [, url = ''] = await server.printed(/is ready: (http\S+)/)
  return { url, ...server }
}

async function onDatabase<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const connection = await runningPostgres(join(data, 'postgres'))
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/**
 * Rows that keep a rotation busy; the settings of the product leave names alone that they don't
 * know.
 */
async function fill(secrets: Secrets): Promise<void> {
  const names = Array.from({ length: ROWS }, (_, at) => `FILLED_${at}`)
  await onDatabase((client) =>
    client.query('INSERT INTO settings_setting (name, value_sealed) SELECT * FROM unnest($1::text[], $2::bytea[])', [
      names,
      names.map((name) => secrets.seal(name)),
    ]),
  )
}

const secretsOfFile = async (newestOnly: boolean) => {
  const { keys } = await readKeys({ dataDirectory: data, secretKey: undefined, nextSecretKey: undefined })
  return createSecrets(new KeyRing(newestOnly ? keys.slice(0, 1) : keys))
}

/** System users with passwords, made and changed one after the other until told to stop. */
function writingLoad(url: () => string) {
  const passwords = new Map<string, string>()
  let going = true
  const signIn = async () => {
    const answer = await fetch(`${url()}/api/v1/authentication/tokens/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'admin', password: ADMIN_PASSWORD }),
    })
    return ((await answer.json()) as { token: string }).token
  }
  const write = async () => {
    let token = await signIn()
    for (let number = 0; going; number++) {
      const username = `user_${number}`
      const password = `Password of ${username}`
      const answer = await fetch(`${url()}/api/v1/assets/system-users/`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: username, username, password, protocol: 'ssh', login_mode: 'auto' }),
      }).catch(() => undefined)
      if (answer?.status === 201) passwords.set(username, password)
      else if (answer) throw new Error(`${answer.status} ${await answer.text()}`)
      else token = await untilSignedIn(signIn)
    }
  }
  const done = write()
  done.catch(() => {})
  return {
    passwords,
    async stop() {
      going = false
      await done
    },
  }
}

/** The server was killed: wait for the next one. */
async function untilSignedIn(signIn: () => Promise<string>): Promise<string> {
  let token: string | undefined
  await expect.poll(async () => (token = await signIn().catch(() => undefined))).toBeTruthy()
  return token as string
}

test('rotated under a writing load, killed in the middle of each step together with the server: no secret is lost, none is left under the old key', async () => {
  let server = await startServer()
  await fill(await secretsOfFile(false))
  const [old] = (await readKeys({ dataDirectory: data, secretKey: undefined, nextSecretKey: undefined })).keys
  const load = writingLoad(() => server.url)
  await expect.poll(() => load.passwords.size).toBeGreaterThan(2)

  for (const step of [/The new key is/, /sealing every secret anew/]) {
    const rotation = run(ADMIN, ['rotate-key'])
    await rotation.printed(step)
    rotation.child.kill('SIGKILL')
    await rotation.ended
  }
  // In the middle of the rows, and the server with it.
  const third = run(ADMIN, ['rotate-key'])
  await expect.poll(countAnew, { interval: 20 }).toBeGreaterThan(0)
  third.child.kill('SIGKILL')
  server.child.kill('SIGKILL')
  await Promise.all([third.ended, server.ended])
  server = await startServer()
  expect(await countAnew()).toBeLessThan(ROWS)

  const before = load.passwords.size
  const last = run(ADMIN, ['rotate-key'])
  expect(await last.ended, last.text()).toBe(0)
  expect(last.text()).toContain('Going on with a rotation that was cut off.')
  expect(last.text()).toContain('none is left under an earlier key')
  await expect.poll(() => load.passwords.size).toBeGreaterThan(before)
  await load.stop()
  const check = run(ADMIN, ['rotate-key', '--check'])
  expect(await check.ended, check.text()).toBe(0)

  // With the new key alone: the old one is taken out of the file, and the server starts and opens
  // what it needs.
  server.child.kill('SIGTERM')
  await server.ended
  const file = join(data, 'secret.key')
  const [newest = ''] = readFileSync(file, 'utf8').split('\n')
  expect(Buffer.from(newest, 'base64')).not.toEqual(old?.bytes)
  writeFileSync(file, `${newest}\n`)
  server = await startServer()
  const secrets = await secretsOfFile(true)
  await onDatabase(async (client) => {
    const { rows } = await client.query('SELECT username, password_sealed FROM assets_system_user')
    const opened = new Map(rows.map(({ username, password_sealed }) => [username, secrets.open(password_sealed)]))
    for (const [username, password] of load.passwords) expect(opened.get(username)).toBe(password)
    const filled = await client.query(`SELECT name, value_sealed FROM settings_setting WHERE name LIKE 'FILLED_%'`)
    expect(filled.rows.filter(({ name, value_sealed }) => secrets.open(value_sealed) !== name)).toEqual([])
    expect(filled.rows).toHaveLength(ROWS)
  })
})

/** Filled rows that are under the key that seals now, once that is another than the first. */
async function countAnew(): Promise<number> {
  return onDatabase(async (client) => {
    const { rows } = await client.query(`
      SELECT count(*)::int AS count FROM settings_setting s JOIN kernel_secret_key k ON encode(substring(s.value_sealed from 2 for 8), 'hex') = k.id
      WHERE s.name LIKE 'FILLED_%' AND k.state = 'current' AND EXISTS (SELECT 1 FROM kernel_secret_key WHERE state = 'previous')`)
    return rows[0].count
  })
}
