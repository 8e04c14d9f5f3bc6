import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { checkKeys, registerKeys } from './installation-key.ts'
import { readKeys, SecretKeyError } from './key-source.ts'

let database: TestDatabase
let pool: pg.Pool
let folders: string[]
beforeEach(async () => {
  database = await createTestDatabase()
  pool = new pg.Pool(database.connection)
  folders = []
})
afterEach(async () => {
  await pool.end()
  await database.drop()
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

/** A node's own data directory. */
async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-key-'))
  folders.push(folder)
  return folder
}

const fromFile = (dataDirectory: string) => readKeys({ dataDirectory, secretKey: undefined, nextSecretKey: undefined })
const fromSetting = (secretKey: string) => readKeys({ dataDirectory: '/nowhere', secretKey, nextSecretKey: undefined })
const keyIds = async () => (await pool.query('SELECT id, state FROM kernel_secret_key')).rows

async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown) => thrown,
  )
  expect(error).toBeInstanceOf(SecretKeyError)
  return error.message
}

test('the first start makes a key, private to its account, and registers it; the next one finds it', async () => {
  const folder = await aFolder()
  const ring = await registerKeys(pool, await fromFile(folder))
  expect(await keyIds()).toEqual([{ id: ring.current.id, state: 'current' }])
  expect((await stat(join(folder, 'secret.key'))).mode & 0o777).toBe(0o600)
  expect((await registerKeys(pool, await fromFile(folder))).current.id).toBe(ring.current.id)
})

test('several nodes that start at once on an empty database register one key, and the others make none', async () => {
  const nodes = await Promise.all([aFolder(), aFolder(), aFolder(), aFolder()])
  const results = await Promise.allSettled(nodes.map(async (folder) => registerKeys(pool, await fromFile(folder))))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await keyIds()).toHaveLength(1)
  const files = await Promise.all(nodes.map((folder) => readdir(folder)))
  expect(files.flat()).toEqual(['secret.key'])
})

test('nodes with the same key all start', async () => {
  const same = async () => registerKeys(pool, await fromSetting('the same text on every node, as it must be'))
  const rings = await Promise.all([same(), same(), same()])
  expect(new Set(rings.map(({ current }) => current.id)).size).toBe(1)
  expect(await keyIds()).toHaveLength(1)
})

test('another key is refused in words that name it and what to do', async () => {
  const { current } = await registerKeys(pool, await fromFile(await aFolder()))
  const refusal = await refusalOf(
    fromSetting('a text that nobody has ever used here').then((given) => checkKeys(pool, given)),
  )
  expect(refusal).toContain(`sealed under another key (${current.id}) than that of SALLYPORT_SECRET_KEY`)
  expect(refusal).toContain('Nothing was changed')

  const other = await aFolder()
  await writeFile(join(other, 'secret.key'), `${Buffer.alloc(32, 9).toString('base64')}\n`)
  expect(await refusalOf(fromFile(other).then((given) => registerKeys(pool, given)))).toContain(
    `than that of ${join(other, 'secret.key')}`,
  )
})

test('a database beside a data directory without a key is refused, and no new key is made', async () => {
  await registerKeys(pool, await fromFile(await aFolder()))
  const empty = await aFolder()
  expect(await refusalOf(fromFile(empty).then((given) => registerKeys(pool, given)))).toContain(
    `there is no ${join(empty, 'secret.key')}`,
  )
  expect(await readdir(empty)).toEqual([])
})

test('a damaged key file is refused and left as it is', async () => {
  const folder = await aFolder()
  for (const content of ['', 'too short\n', `${Buffer.alloc(32).toString('base64')}\nhalf a line`]) {
    await writeFile(join(folder, 'secret.key'), content)
    expect(await refusalOf(fromFile(folder))).toContain('is damaged')
    expect(await readFile(join(folder, 'secret.key'), 'utf8')).toBe(content)
  }
})
