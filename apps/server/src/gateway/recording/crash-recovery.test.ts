import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.ts'
import { openTestServer, type TestServer } from '../../../test/server.ts'
import { createSession } from '../../domains/terminal/index.ts'
import { replayFolder } from '../../domains/terminal/recording/index.ts'
import { terminalSession } from '../../domains/terminal/tables.ts'
import { recoverRecordings } from './crash-recovery.ts'

const STARTED = new Date('2026-11-20T08:00:00Z')
const DAY = '2026-11-20'
const HEADER = `${JSON.stringify({ version: 2, width: 80, height: 24, timestamp: STARTED.getTime() / 1000 })}\n`

let server: TestServer
let folder: string

beforeAll(async () => {
  server = await openTestServer()
  folder = join(replayFolder(server.kernel.config), DAY)
  await mkdir(folder, { recursive: true })
})
afterAll(() => server?.close())

/** A session that a crash left open, with its recording as it lay there. */
async function crashed(recording: string): Promise<string> {
  const who = {
    user: 'u',
    asset: 'a',
    system_user: 's',
    user_id: randomUUID(),
    asset_id: randomUUID(),
    system_user_id: randomUUID(),
  }
  const id = await createSession(server.kernel.db, {
    ...who,
    org_id: DEFAULT_ORG_ID,
    login_from: 'WT',
    remote_addr: '127.0.0.1',
    protocol: 'ssh',
    is_success: true,
    date_start: STARTED,
  })
  await writeFile(join(folder, `${id}.cast`), recording)
  return id
}

const rowOf = async (id: string) =>
  (await server.kernel.db.select().from(terminalSession).where(eq(terminalSession.id, id)))[0]
const packed = async (id: string) => gunzipSync(await readFile(join(folder, `${id}.cast.gz`))).toString()
const files = async (id: string) => (await readdir(folder)).filter((name) => name.startsWith(id)).sort()
const whole = (id: string) => ['cast.gz', 'index.json', 'screens.gz'].map((ending) => `${id}.${ending}`)

test('a recording that a crash left is playable up to the last whole line, and the session ends there', async () => {
  const recording = `${HEADER}[1.5,"o","hello"]\n[61.25,"o","world"]\n`
  const cut = await crashed(`${recording}[62.0,"o","cut of`)
  const long = await crashed(`${recording}[63.0,"o","${'x'.repeat(200_000)}`)
  const inCharacter = await crashed(Buffer.from(`${recording}[64.0,"o","中`).subarray(0, -1).toString('latin1'))
  expect(await recoverRecordings(server.kernel)).toBe(3)
  for (const id of [cut, long, inCharacter]) {
    expect(await packed(id)).toBe(recording)
    expect(await files(id)).toEqual(whole(id))
    expect(await rowOf(id)).toMatchObject({
      is_finished: true,
      has_replay: true,
      date_end: new Date(STARTED.getTime() + 61_250),
    })
  }
})

test('a recording that was never begun leaves a finished session without a replay', async () => {
  const [empty, halfHeader] = [await crashed(''), await crashed(HEADER.slice(0, 20))]
  expect(await recoverRecordings(server.kernel)).toBe(0)
  for (const id of [empty, halfHeader]) {
    expect(await files(id)).toEqual([])
    expect(await rowOf(id)).toMatchObject({ is_finished: true, has_replay: false })
  }
})

test('packing that was interrupted is done again, and what is no recording is left alone', async () => {
  const half = await crashed(`${HEADER}[1,"o","a"]\n`)
  for (const ending of ['cast.gz', 'index.json', 'screens.gz'])
    await writeFile(join(folder, `${half}.${ending}.part`), 'half')
  const unmarked = await crashed(`${HEADER}[2,"o","b"]\n`)
  await writeFile(join(folder, `${unmarked}.cast.gz`), 'packed, but the row did not hear of it')
  const strangers = ['notes.cast', 'lost+found', `${randomUUID()}.txt`, `${randomUUID()}.cast.gz`]
  for (const name of strangers) await writeFile(join(folder, name), 'mine')
  expect(await recoverRecordings(server.kernel)).toBe(2)
  expect(await packed(half)).toContain('"a"')
  expect(await files(half)).toEqual(whole(half))
  expect(await packed(unmarked)).toContain('"b"')
  expect(await rowOf(unmarked)).toMatchObject({ has_replay: true, date_end: new Date(STARTED.getTime() + 2000) })
  for (const name of strangers) expect(await readFile(join(folder, name), 'utf8')).toBe('mine')
  expect(await recoverRecordings(server.kernel)).toBe(0)
})

test('the recording of a living session is not touched', async () => {
  const [living, left] = [await crashed(`${HEADER}[1,"o","a"]\n`), await crashed(`${HEADER}[1,"o","b"]\n`)]
  expect(await recoverRecordings(server.kernel, (id) => id === living)).toBe(1)
  expect(await files(living)).toEqual([`${living}.cast`])
  expect(await rowOf(living)).toMatchObject({ is_finished: false, has_replay: false })
  expect(await files(left)).toEqual(whole(left))
})

test('a node that starts again ends what it still connected when it was killed, and nothing of other nodes', async () => {
  const database = await createTestDatabase()
  const dataDirectory = await mkdtemp(join(tmpdir(), 'sallyport-node-'))
  const environment = { SALLYPORT_DATA_DIR: dataDirectory }
  const before = await openTestServer(environment, { ...database, drop: async () => {} })
  const { pool } = before.kernel
  const own = (await pool.query("SELECT id FROM terminal_terminal WHERE name LIKE '[KoKo]%'")).rows[0].id
  const insert = `INSERT INTO terminal_session (org_id, "user", asset, "system_user", user_id, terminal, is_success)
    VALUES ($1, 'u', 'a', 's', gen_random_uuid(), $2, false) RETURNING id`
  const left = (await pool.query(insert, [DEFAULT_ORG_ID, own])).rows[0].id
  const another = await pool.query(
    "INSERT INTO terminal_terminal (name, type, is_builtin, is_accepted) VALUES ('[KoKo]-other', 'koko', true, true) RETURNING id",
  )
  const elsewhere = (await pool.query(insert, [DEFAULT_ORG_ID, another.rows[0].id])).rows[0].id
  await before.close()
  const again = await openTestServer(environment, database)
  try {
    const { rows } = await again.kernel.pool.query('SELECT id FROM terminal_session WHERE NOT is_finished')
    expect(rows).toEqual([{ id: elsewhere }])
    const ended = await again.kernel.pool.query(
      'SELECT is_success, date_end IS NOT NULL AS has_end FROM terminal_session WHERE id = $1',
      [left],
    )
    expect(ended.rows).toEqual([{ is_success: false, has_end: true }])
  } finally {
    await again.close()
    await rm(dataDirectory, { recursive: true, force: true })
  }
})
