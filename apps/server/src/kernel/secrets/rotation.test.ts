import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import type { Config } from '../config.ts'
import { type OpenDatabase, openDatabase } from '../database/database.ts'
import { openEvents } from '../events/events.ts'
import { registerKeys } from './installation-key.ts'
import { holdKeys } from './key-holder.ts'
import { KeyRing } from './key-ring.ts'
import { readKeys } from './key-source.ts'
import { countBehind, type RotationParts, rotateKey } from './rotation.ts'
import { sealInJson } from './sealed-json.ts'
import { findSealedPlaces } from './sealed-places.ts'
import { createSecrets, type Secrets } from './secrets.ts'

let database: TestDatabase
let opened: OpenDatabase
let pool: pg.Pool
let endings: (() => Promise<unknown>)[]
beforeEach(async () => {
  database = await createTestDatabase()
  opened = openDatabase(database.connection)
  pool = opened.pool
  endings = []
})
afterEach(async () => {
  for (const end of endings.reverse()) await end()
  await opened.close()
  await database.drop()
})

type Keys = Pick<Config, 'dataDirectory' | 'secretKey' | 'nextSecretKey'>

interface Node {
  config: Keys
  ring: KeyRing
  secrets: Secrets
  end(): Promise<void>
}

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-key-'))
  endings.push(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A running node, as far as its keys go. */
async function aNode(settings: Partial<Keys> = {}): Promise<Node> {
  const config: Keys = { dataDirectory: await aFolder(), secretKey: undefined, nextSecretKey: undefined, ...settings }
  const ring = await registerKeys(pool, await readKeys(config))
  const log = pino({ level: 'silent' })
  const events = await openEvents(pool, database.connection, log)
  const release = await holdKeys({ pool, events, log, config: config as Config, ring })
  let open = true
  const end = async () => {
    if (!open) return
    open = false
    await release()
    await events.close()
  }
  endings.push(end)
  return { config, ring, secrets: createSecrets(ring), end }
}

const rotate = (config: Keys, more: Partial<RotationParts> = {}) =>
  rotateKey({ pool, db: opened.db, config, report: () => {}, nodesLimitMs: 10_000, ...more })

const store = (name: string, value: Buffer) =>
  pool.query(
    'INSERT INTO settings_setting (name, value_sealed) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value_sealed = excluded.value_sealed',
    [name, value],
  )
const stored = async (name: string): Promise<Buffer> =>
  (await pool.query('SELECT value_sealed FROM settings_setting WHERE name = $1', [name])).rows[0].value_sealed
const states = async () => (await pool.query('SELECT id, state FROM kernel_secret_key ORDER BY date_created')).rows
/**
 * Opens with the newest key of the file alone, as an installation does whose earlier keys were
 * removed.
 */
async function withNewestKey(config: Keys): Promise<Secrets> {
  const [newest] = (await readKeys(config)).keys
  if (!newest) throw new Error('no key')
  return createSecrets(new KeyRing([newest]))
}

test('a rotation seals everything under a new key, which running nodes use without a restart', async () => {
  const node = await aNode()
  const first = node.ring.current.id
  await store('A', node.secrets.seal('one'))
  const { key, rows, unreadable } = await rotate(node.config)
  expect({ rows, unreadable }).toEqual({ rows: 1, unreadable: {} })
  expect(key).not.toBe(first)
  expect(node.ring.current.id).toBe(key)
  expect(await states()).toEqual([
    { id: first, state: 'retired' },
    { id: key, state: 'current' },
  ])
  expect(node.secrets.open(await stored('A'))).toBe('one')
  expect((await withNewestKey(node.config)).open(await stored('A'))).toBe('one')
  expect(await countBehind(pool, node.config)).toBe(0)
  expect(await readFile(join(node.config.dataDirectory, 'secret.key'), 'utf8')).toMatch(
    /^\S{44}\n# Retired on .*\n\S{44}\n$/,
  )
  // And once more, over a file with two keys.
  const again = await rotate(node.config)
  expect([node.ring.current.id, again.rows]).toEqual([again.key, 1])
  expect((await withNewestKey(node.config)).open(await stored('A'))).toBe('one')
})

test('secrets inside JSON are found at any depth, and numbers beside them stay exact', async () => {
  const { secrets, config } = await aNode()
  const document = `{"big": 12345678901234567890.123, "said": "\\"$sealed\\": \\"no\\"", "deep": [{"a": ${JSON.stringify(sealInJson(secrets, 'in JSON'))}}]}`
  await pool.query('INSERT INTO settings_setting (name, value) VALUES ($1, $2::jsonb)', ['DOCUMENT', document])
  expect((await rotate(config)).rows).toBe(1)
  const { rows } = await pool.query(
    `SELECT value::text AS text, value #>> '{deep,0,a,$sealed}' AS sealed FROM settings_setting`,
  )
  expect(rows[0].text).toContain('"big": 12345678901234567890.123')
  expect(rows[0].text).toContain(String.raw`"said": "\"$sealed\": \"no\""`)
  expect((await withNewestKey(config)).open(Buffer.from(rows[0].sealed, 'base64'))).toBe('in JSON')
})

test('secrets of rows that undo keeps are resealed too', async () => {
  const { secrets, config } = await aNode()
  await pool.query(
    `INSERT INTO kernel_undo_row (change, table_name, key, before) VALUES (gen_random_uuid(), 'assets_account', '{}', $1)`,
    [JSON.stringify({ username: 'root', password_sealed: sealInJson(secrets, 'before') })],
  )
  expect((await rotate(config)).rows).toBe(1)
  const { rows } = await pool.query(
    `SELECT (kernel_image_row(before) ->> 'password_sealed')::bytea AS sealed FROM kernel_undo_row`,
  )
  expect((await withNewestKey(config)).open(rows[0].sealed)).toBe('before')
})

test('candidates and previous versions of login secrets are resealed too', async () => {
  const { secrets, config } = await aNode()
  await pool.query(
    `INSERT INTO kernel_secret_version (owner_kind, owner_id, state, version, password_sealed, private_key_sealed, token_sealed)
      SELECT 'system_user', uuidv7(), state, 1, $1, $2, $3 FROM unnest(ARRAY['candidate', 'previous']) state`,
    ['a password', 'a key', 'a token'].map((plain) => secrets.seal(plain)),
  )
  expect(await rotate(config)).toMatchObject({ rows: 6, unreadable: {} })
  const newest = await withNewestKey(config)
  const { rows } = await pool.query(
    'SELECT password_sealed, private_key_sealed, token_sealed FROM kernel_secret_version',
  )
  for (const row of rows)
    expect(Object.values<Buffer>(row).map((value) => newest.open(value))).toEqual(['a password', 'a key', 'a token'])
})

test('every column for sealed values is visited, and none hides under another name', async () => {
  const places = (await findSealedPlaces(pool)).map(({ table, column }) => `${table}.${column}`)
  const { rows } = await pool.query(`
    SELECT table_schema || '.' || table_name || '.' || column_name AS place
    FROM information_schema.columns WHERE table_schema = 'public' AND data_type = 'bytea' AND is_updatable = 'YES' ORDER BY 1`)
  const hidden = rows.map(({ place }) => place).filter((place) => !places.includes(place))
  expect(rows.length - hidden.length).toBeGreaterThan(15)
  expect(hidden.filter((place) => !place.endsWith('_hash'))).toEqual(NO_SECRETS)
})
/**
 * Bytes that are neither hashes nor secrets; adding one here states that it holds nothing to hide.
 */
const NO_SECRETS = [
  // Tokens follow from it and a refresh token, of which only the hash is kept.
  'public.authentication_agent_grant.seed',
  'public.authentication_passkey.credential_id',
  'public.authentication_passkey.public_key',
  'public.authentication_passkey.user_handle',
  'public.kernel_arrival.digest',
  'public.kernel_secret_key.check_value',
  'public.moving_run.differences',
  'public.moving_run.report',
  'public.xpack_image.content',
]

test('a node without the new key stops the rotation before anything is sealed under it; with the key file copied it goes on', async () => {
  const node = await aNode()
  const dataDirectory = await aFolder()
  await copyFile(join(node.config.dataDirectory, 'secret.key'), join(dataDirectory, 'secret.key'))
  const other = await aNode({ dataDirectory })
  const first = node.ring.current.id
  await expect(rotate(node.config, { nodesLimitMs: 500 })).rejects.toThrow(
    /do not hold the new key .*: copy this node's secret.key/,
  )
  expect([node.ring.current.id, other.ring.current.id]).toEqual([first, first])
  expect((await states()).map(({ state }) => state)).toEqual(['current', 'next'])

  await copyFile(join(node.config.dataDirectory, 'secret.key'), join(dataDirectory, 'secret.key'))
  const { key } = await rotate(node.config)
  expect([node.ring.current.id, other.ring.current.id]).toEqual([key, key])
})

test('a key of a setting is replaced by that of the second setting, which every node must have', async () => {
  const secretKey = 'the text that has sealed everything so far'
  const nextSecretKey = 'the text that is to seal everything from now on'
  const node = await aNode({ secretKey })
  await store('A', node.secrets.seal('one'))
  await expect(rotate(node.config)).rejects.toThrow('SALLYPORT_SECRET_KEY_NEXT')
  const both = { ...node.config, nextSecretKey }
  await expect(rotate(both, { nodesLimitMs: 500 })).rejects.toThrow(
    'set SALLYPORT_SECRET_KEY_NEXT there to the same text',
  )
  await node.end()
  const restarted = await aNode(both)
  await rotate(both)
  // The settings are put in order afterwards, node by node.
  expect(restarted.secrets.open(await stored('A'))).toBe('one')
  const last = await aNode({ secretKey: nextSecretKey })
  expect(last.secrets.open(await stored('A'))).toBe('one')
  await expect(aNode({ secretKey })).rejects.toThrow(/which was retired on \d{4}-\d\d-\d\d by a rotation/)
})

test('a value that is written meanwhile is never overwritten, and locked rows are sealed when they are free', async () => {
  const { secrets, config } = await aNode()
  const names = Array.from({ length: 20 }, (_, at) => `NAME_${at}`)
  const written = new Map<string, string>()
  let writing = true
  let count = 0
  const write = async () => {
    while (writing) {
      const name = names[count % names.length] as string
      const value = `value ${count++}`
      await store(name, secrets.seal(value))
      written.set(name, value)
    }
  }
  await Promise.all(names.map((name) => store(name, secrets.seal('first'))))
  await store('HELD', secrets.seal('old'))
  const holder = await pool.connect()
  await holder.query('BEGIN')
  await holder.query(`UPDATE settings_setting SET value_sealed = $1 WHERE name = 'HELD'`, [
    secrets.seal('new, under the old key'),
  ])
  const writer = write()
  const rotation = rotate(config, {
    report: (line) => {
      if (line.includes('settings_setting')) writing = false
    },
  })
  await expect.poll(async () => (await states()).map(({ state }) => state)).toEqual(['previous', 'current'])
  await holder.query('COMMIT')
  holder.release()
  await rotation
  writing = false
  await writer
  const newest = await withNewestKey(config)
  for (const [name, value] of written) expect(newest.open(await stored(name))).toBe(value)
  expect(newest.open(await stored('HELD'))).toBe('new, under the old key')
  expect(await countBehind(pool, config)).toBe(0)
})

test('a value that no key opens is left as it is and reported; the rest is resealed', async () => {
  const { secrets, config } = await aNode()
  const damaged = secrets.seal('damaged')
  damaged[damaged.length - 1] = (damaged.at(-1) ?? 0) ^ 1
  await store('DAMAGED', damaged)
  await store('A', secrets.seal('one'))
  expect(await rotate(config)).toMatchObject({ rows: 1, unreadable: { 'public.settings_setting.value_sealed': 1 } })
  expect(await stored('DAMAGED')).toEqual(damaged)
})

test('two rotations at once: one goes on, the other is refused', async () => {
  const { config } = await aNode()
  const results = await Promise.allSettled([rotate(config), rotate(config)])
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(await states()).toHaveLength(2)
})
