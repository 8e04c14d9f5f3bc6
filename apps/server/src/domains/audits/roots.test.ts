import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { runToEnd } from '../../../test/run-to-end.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { KeyRing } from '../../kernel/secrets/key-ring.ts'
import { recordLooks } from '../../kernel/secrets/looks.ts'
import { secretKey } from '../../kernel/secrets/secret-key.ts'
import { createVault } from '../../kernel/secrets/vault.ts'
import { CHAINED_LOGS, forgetOld, sealLog } from './chain.ts'
import { signRoot } from './roots.ts'
import { auditsOperateLog } from './tables.ts'

const VERIFIER = fileURLToPath(new URL('../../../../../deploy/audit/verify-audits.mjs', import.meta.url))
const ORG = '00000000-0000-0000-0000-000000000002'
const secrets = createVault(new KeyRing([secretKey(randomBytes(32))]))
const DAY = 86_400_000
let database: TestDatabase
let pool: pg.Pool
let db: Database
let kernel: Kernel
let directory: string

beforeAll(async () => {
  database = await createTestDatabase()
  pool = new pg.Pool({ ...database.connection, max: 4 })
  db = drizzle(pool)
  kernel = { app: { log: { info() {} } }, db, secrets } as unknown as Kernel
  directory = await mkdtemp(join(tmpdir(), 'audits-'))
})
afterAll(async () => {
  await pool?.end()
  await database?.drop()
  await rm(directory, { recursive: true, force: true })
})
beforeEach(async () => {
  await pool.query('TRUNCATE audits_operate_log, audits_chain, audits_root')
})

async function write(count: number, at = new Date()): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => ({
    user: 'Ann(ann)',
    action: 'update',
    resource_type: 'Asset',
    resource: `web-${index} "quoted" ü`,
    org_id: ORG,
    datetime: at,
    ...(index > 1 ? { changes: [{ field: 'ip', before: '10.0.0.1', after: null }] } : {}),
  }))
  await db.insert(auditsOperateLog).values(rows)
}

/** Keeps what the roots are now, as somebody elsewhere does every day. */
async function keepRoots(): Promise<void> {
  const { rows } = await pool.query('SELECT number::int, body, signature FROM audits_root ORDER BY number')
  const key = await pool.query('SELECT public_key FROM audits_root_key')
  await writeFile(join(directory, 'roots.json'), JSON.stringify(rows))
  await writeFile(join(directory, 'key.pem'), key.rows[0].public_key)
}

/** What the verifier says of the database as it is, without the server. */
async function verified(...logs: string[]): Promise<{ code: number | null; said: string[] }> {
  const { host, port, user, password, database: name } = database.connection as Record<string, string | number>
  const environment = {
    PGHOST: String(host),
    PGPORT: String(port ?? 5432),
    PGUSER: String(user),
    PGPASSWORD: String(password ?? ''),
    PGDATABASE: String(name),
  }
  const files = logs.length ? logs : ['operate_log']
  for (const log of files) {
    const sql = await runToEnd(process.execPath, [VERIFIER, 'sql', log])
    const rows = await runToEnd('psql', ['-qAtX', '-v', 'ON_ERROR_STOP=1'], { input: sql.stdout, environment })
    expect(rows.stderr).toBe('')
    await writeFile(join(directory, log), rows.stdout)
  }
  const at = (file: string) => join(directory, file)
  const checked = await runToEnd(process.execPath, [
    VERIFIER,
    ...['check', '--roots', at('roots.json'), '--key', at('key.pem')],
    ...files.map(at),
  ])
  return { code: checked.code, said: `${checked.stdout}${checked.stderr}`.trim().split('\n').slice(1) }
}

test('every log holds by the verifier, which knows what the server hashes', async () => {
  await write(4)
  const owner = { kind: 'gateway', id: randomUUID(), name: 'gw', orgId: ORG } as const
  await recordLooks(db, { user: undefined, remoteAddress: '192.0.2.7' } as never, 'reveal', 'a test', [owner])
  await pool.query(`INSERT INTO audits_login_log (username, ip) VALUES ('ann', '192.0.2.7')`)
  await pool.query(`INSERT INTO audits_password_change_log ("user", change_by) VALUES ('Ann(ann)', 'Ann(ann)')`)
  await pool.query(
    `INSERT INTO audits_ftp_log ("user", asset, "system_user", org_id, operate, filename, session_id) VALUES ('a', 'b', 'c', $1, 'Upload', '/x', $2)`,
    [ORG, randomUUID()],
  )
  await signRoot(kernel)
  await keepRoots()
  const { code, said } = await verified(...CHAINED_LOGS)
  expect(said.map((line) => line.replace(/\d+/g, 'n'))).toEqual(
    CHAINED_LOGS.map((log) => `${log}: n rows hold, signed up to row n`),
  )
  expect(code).toBe(0)
})

/** What somebody who holds the database does to five rows, signed after the third and the fifth. */
const TAMPERINGS: [what: string, sql: string, said: RegExp][] = [
  ['a changed text', "UPDATE audits_operate_log SET resource = 'db-1' WHERE chain_number = 2", /row 2 was changed/],
  ['changes taken out', 'UPDATE audits_operate_log SET changes = NULL WHERE chain_number = 3', /row 3 was changed/],
  ['a row taken out', 'DELETE FROM audits_operate_log WHERE chain_number = 2', /row 2 was removed/],
  ['the first row taken out', 'DELETE FROM audits_operate_log WHERE chain_number = 1', /rows before 2 were removed/],
  [
    'the last row taken out',
    'DELETE FROM audits_operate_log WHERE chain_number = 5',
    /row 5 was removed, and all after/,
  ],
  [
    'a row put between',
    `UPDATE audits_operate_log SET chain_number = chain_number + 10 WHERE chain_number > 2;
     INSERT INTO audits_operate_log ("user", action, resource_type, resource, org_id, chain_number, chain_hash) VALUES ('x', 'create', 'Asset', 'y', '${ORG}', 3, '\\x00');
     UPDATE audits_operate_log SET chain_number = chain_number - 9 WHERE chain_number > 10`,
    /row 3 was changed, or put/,
  ],
]

test.each(TAMPERINGS)('the verifier names the first row of what was done: %s', async (_, statement, said) => {
  await write(3)
  await signRoot(kernel)
  await write(2)
  await signRoot(kernel)
  await keepRoots()
  expect(await verified()).toEqual({ code: 0, said: ['operate_log: 5 rows hold, signed up to row 5'] })
  await pool.query(statement)
  expect(await verified()).toEqual({ code: 1, said: [expect.stringMatching(said)] })
})

test('a chain that was hashed anew disagrees with the roots that are kept elsewhere, from the root on that it was changed before', async () => {
  await write(3)
  await signRoot(kernel)
  await write(2)
  await signRoot(kernel)
  await keepRoots()
  await pool.query("UPDATE audits_operate_log SET resource = 'db-1' WHERE chain_number = 4")
  // As somebody does who knows how it is hashed: every hash from there on fits again.
  await pool.query('UPDATE audits_operate_log SET chain_number = NULL, chain_hash = NULL')
  await pool.query('TRUNCATE audits_chain')
  await sealLog(db, secrets, 'operate_log')
  expect(await verified()).toEqual({
    code: 1,
    said: [expect.stringMatching(/a row from 4 to 5 was changed, with all hashes after it \(root 2\)/)],
  })
})

test('what retention removed is no fault where a root says so, and a forged root is none', async () => {
  await write(3, new Date(Date.now() - 10 * DAY))
  await write(2)
  await signRoot(kernel)
  await forgetOld(db, secrets, 'operate_log', 5)
  await signRoot(kernel)
  await keepRoots()
  expect(await verified()).toEqual({ code: 0, said: ['operate_log: 2 rows hold, signed up to row 5'] })
  await pool.query(`UPDATE audits_root SET body = replace(body, '"last":5', '"last":4') WHERE number = 2`)
  await keepRoots()
  expect((await verified()).code).toBe(1)
})
