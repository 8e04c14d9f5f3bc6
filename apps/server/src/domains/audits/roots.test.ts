import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { recordLooks } from '../../kernel/secrets/looks.ts'
import type { Vault } from '../../kernel/secrets/vault.ts'
import { CHAINED_LOGS, endsOf, forgetOld, sealLog } from './chain.ts'
import { signRoot } from './roots.ts'
import { auditsOperateLog } from './tables.ts'
import { openVerified, type Verified } from './verifier-fixture.ts'

const ORG = '00000000-0000-0000-0000-000000000002'
const DAY = 86_400_000
let audits: Verified
let pool: Verified['pool']
let db: Database
let kernel: Kernel
let secrets: Vault

beforeAll(async () => {
  audits = await openVerified()
  ;({ pool, db, kernel, secrets } = audits)
})
afterAll(() => audits?.close())
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

const keepRoots = () => audits.keepRoots()
const verified = (...logs: string[]) => audits.verified(...(logs.length ? logs : ['operate_log']))

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
  const { code, findings } = await verified(...CHAINED_LOGS)
  expect(findings.map((line) => line.replace(/\d+/g, 'n'))).toEqual(
    CHAINED_LOGS.map((log) => `${log}: n rows hold, signed up to row n`),
  )
  expect(code).toBe(0)
})

/** What somebody who holds the database does to five rows, signed after the third and the fifth. */
const TAMPERINGS: [what: string, sql: string, findings: RegExp][] = [
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

test.each(TAMPERINGS)('the verifier names the first row of what was done: %s', async (_, statement, findings) => {
  await write(3)
  await signRoot(kernel)
  await write(2)
  await signRoot(kernel)
  await keepRoots()
  expect(await verified()).toEqual({ code: 0, findings: ['operate_log: 5 rows hold, signed up to row 5'] })
  await pool.query(statement)
  expect(await verified()).toEqual({ code: 1, findings: [expect.stringMatching(findings)] })
})

test('a chain with recomputed hashes disagrees with the roots that are kept elsewhere, from the first root after the change', async () => {
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
    findings: [expect.stringMatching(/a row from 4 to 5 was changed, with all hashes after it \(root 2\)/)],
  })
})

test('ends that somebody had sealed as a secret of theirs are no ends: no root is signed over them', async () => {
  await write(5)
  await signRoot(kernel)
  const ends = await endsOf(db, secrets, 'operate_log')
  await pool.query('DELETE FROM audits_operate_log WHERE chain_number < 5')
  const { rows } = await pool.query(`SELECT encode(chain_hash, 'hex') AS hash FROM audits_operate_log`)
  for (const forged of [
    { ...ends, first: 4, firstHash: rows[0].hash },
    { ...ends, signature: 'forged' },
  ]) {
    const sealed = secrets.seal(JSON.stringify(forged))
    await pool.query(`UPDATE audits_chain SET ends_sealed = $1 WHERE log = 'operate_log'`, [sealed])
    await expect(signRoot(kernel)).rejects.toThrow('not what the server wrote')
  }
})

test('what retention removed is no fault where a root says so, and a forged root is none', async () => {
  await write(3, new Date(Date.now() - 10 * DAY))
  await write(2)
  await signRoot(kernel)
  await forgetOld(db, secrets, 'operate_log', 5)
  await signRoot(kernel)
  await keepRoots()
  expect(await verified()).toEqual({ code: 0, findings: ['operate_log: 2 rows hold, signed up to row 5'] })
  await pool.query(`UPDATE audits_root SET body = replace(body, '"last":5', '"last":4') WHERE number = 2`)
  await keepRoots()
  expect((await verified()).code).toBe(1)
})
