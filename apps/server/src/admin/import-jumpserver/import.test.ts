import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.ts'
import { ADMIN } from '../../../test/programs.ts'
import { runToEnd } from '../../../test/run-to-end.ts'
import { assetRows2 } from './fixtures/assets-fixture.ts'
import type { FixtureRows } from './fixtures/database-fixture.ts'
import {
  addressOf,
  type Installation,
  type Installations,
  onTarget,
  startInstallations,
  vault,
} from './fixtures/installations-fixture.ts'
import { ACCESS_KEY, GROUPS, PEOPLE, peopleRows, SHANGHAI } from './fixtures/people-fixture.ts'
import { KEY, OTHER_KEY, seal } from './fixtures/sealed-fixture.ts'
import { V2_19, V2_28, V3_10 } from './fixtures/tables-fixture.ts'
import { allLinesOf } from './report/print.ts'
import { Report } from './report/report.ts'

let theirs: Installations
let mysql: Installation
beforeAll(async () => {
  theirs = await startInstallations()
  mysql = await theirs.make('mysql', V2_19, { ...peopleRows('v2.19'), ...assetRows2 })
})
afterAll(() => theirs?.close())

const counts = (report: Report, label: string) => {
  const { read, added, updated, same, behind } = report.kind(label)
  return { read, added, updated, same, behind }
}
const text = (report: Report, language: 'en' | 'cn' = 'en') => allLinesOf(report.kinds, language).join('\n')
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'imported',
    (error: Error) => error.message,
  )

test('a dry run says what the run says, and writes nothing', async () => {
  await onTarget(async (target) => {
    const tried = await target.import(mysql, { isDryRun: true })
    expect(await target.rows('SELECT count(*)::int AS n FROM users_user')).toEqual([{ n: 0 }])
    expect(await target.rows('SELECT count(*)::int AS n FROM kernel_arrival')).toEqual([{ n: 0 }])
    expect(await target.rows('SELECT count(*)::int AS n FROM audits_operate_log')).toEqual([{ n: 0 }])
    const done = await target.import(mysql)
    expect(text(tried.report)).toBe(text(done.report))
    expect(counts(done.report, 'Users')).toEqual({ read: 10, added: 9, updated: 0, same: 0, behind: 1 })
    const log = await target.rows('SELECT "user", resource_type, resource FROM audits_operate_log')
    expect(log).toEqual([
      {
        user: 'root',
        resource_type: 'Import from JumpServer',
        resource: expect.stringMatching(/^mysql:\/\/reader@127/),
      },
    ])
  })
})

test('the report has no English left in Chinese, and no line that a name has made', async () => {
  await onTarget(async (target) => {
    const { report } = await target.import(mysql)
    const names = new Set(report.kinds.flatMap(({ changed, stays }) => [...changed.keys(), ...stays.keys()]))
    expect(names.size).toBeGreaterThan(5)
    const chinese = text(report, 'cn')
    for (const name of names) expect(chinese).not.toContain(name.split('{{')[0])
    report.kind('Users').staysBehind('eve\nUsers\u001b[2J', 'A component: it registers here by itself')
    expect(text(report)).toContain('eve Users [2J')
    report.kind('Users').changes('eve', 'Looks like {{other}} at a glance', { other: `a\nUsers${'x'.repeat(300)}` })
    expect(text(report)).toMatch(/Looks like a Usersx{193} at a glance: eve/)
  })
})

test('a second run brings what changed there, and leaves what was changed here', async () => {
  const from = await theirs.make('postgres', V2_28, peopleRows('v2.28'))
  await onTarget(async (target) => {
    await target.import(from)
    const again = await target.import(from)
    for (const label of ['Organizations', 'Users', 'User groups', 'Members of groups', 'API keys'])
      expect([label, counts(again.report, label)]).toEqual([label, expect.objectContaining({ added: 0, updated: 0 })])
    // There: two renamed, one out of a group, one into it. Here: one renamed, one gone, a membership ended.
    await from.sql(`
      UPDATE users_user SET name = 'Alice there' WHERE id = '${PEOPLE.alice}';
      UPDATE users_user SET name = '王大明', password = 'pbkdf2_sha256$260000$x$y' WHERE id = '${PEOPLE.ming}';
      UPDATE users_user SET name = 'Dora there' WHERE id = '${PEOPLE.disabled}';
      DELETE FROM users_user_groups WHERE user_id = '${PEOPLE.alice}';
      INSERT INTO users_user_groups (user_id, usergroup_id) VALUES ('${PEOPLE.ldap}', '${GROUPS.operators}');
      UPDATE authentication_privatetoken SET key = 'another token';
      UPDATE users_user SET username = 'zoe' WHERE id = '${PEOPLE.ldap}';
      UPDATE users_usergroup SET name = 'taken here' WHERE id = '${GROUPS.operators}';
      UPDATE authentication_accesskey SET is_active = false`)
    // Others here have the new names of somebody and of a group.
    await target.rows(
      `INSERT INTO users_user (username, name, email, role) VALUES ('zoe', 'Zoe', 'zoe@here.example', 'User')`,
    )
    await target.rows(`INSERT INTO users_user_group (org_id, name) VALUES ('${SHANGHAI}', 'taken here')`)
    await target.rows(`UPDATE users_user SET name = 'Alice here' WHERE id = '${PEOPLE.alice}'`)
    await target.rows(`UPDATE users_user SET password_hash = 'hashed here' WHERE id = '${PEOPLE.ming}'`)
    await target.rows(`DELETE FROM users_user WHERE id = '${PEOPLE.disabled}'`)
    await target.rows(`DELETE FROM orgs_member WHERE "user" = '${PEOPLE.auditor}' AND org = '${SHANGHAI}'`)
    const { report } = await target.import(from)
    const people = await target.rows('SELECT id, name, password_hash FROM users_user')
    const by = (id: string) => people.find((one) => one.id === id)
    expect(by(PEOPLE.alice).name).toBe('Alice here')
    expect([by(PEOPLE.ming).name, by(PEOPLE.ming).password_hash]).toEqual(['王大明', 'hashed here'])
    expect(by(PEOPLE.disabled)).toBeUndefined()
    expect(await target.rows(`SELECT username FROM users_user WHERE id = '${PEOPLE.ldap}'`)).toEqual([
      { username: 'zoe-2' },
    ])
    const members = await target.rows(
      `SELECT "user" FROM users_user_group_user WHERE usergroup = '${GROUPS.operators}'`,
    )
    expect(members.map(({ user }) => user).sort()).toEqual([PEOPLE.ming, PEOPLE.ldap])
    const ended = await target.rows(
      `SELECT 1 FROM orgs_member WHERE "user" = '${PEOPLE.auditor}' AND org = '${SHANGHAI}'`,
    )
    expect(ended).toEqual([])
    expect(await target.rows('SELECT id, is_active FROM authentication_access_key')).toEqual([
      { id: ACCESS_KEY, is_active: false },
    ])
    expect(
      await target.rows(`SELECT user_id FROM authentication_private_token WHERE key_hash = sha256('another token')`),
    ).toEqual([{ user_id: PEOPLE.ming }])
    for (const words of [
      'Changed there and here since the last run: stays as it is here: alice',
      'Deleted here since the last run: does not come again: dora',
      'The password was changed there and here since the last run: the one here counts: ming',
    ])
      expect(text(report)).toContain(words)
  })
})

test('somebody who was here before under the same name is the same person, and stays as they are', async () => {
  await onTarget(async (target) => {
    const own = 'b0000000-0000-4000-8000-000000000001'
    await target.rows(`INSERT INTO users_user (id, username, name, email, role, password_hash)
      VALUES ('${own}', 'admin', 'Here', 'admin@here.example', 'Admin', 'hashed here')`)
    // One under the name of theirs, who has a token there; one under such a name in other letters.
    const [ming, audrey] = ['b0000000-0000-4000-8000-000000000002', 'b0000000-0000-4000-8000-000000000003']
    await target.rows(`INSERT INTO users_user (id, username, name, email, role)
      VALUES ('${ming}', 'ming', 'Here', 'ming@here.example', 'User'), ('${audrey}', 'Audrey', 'Here', 'audrey@here.example', 'User')`)
    const { report } = await target.import(mysql)
    await target.import(mysql)
    expect(await target.rows('SELECT user_id FROM authentication_private_token')).toEqual([])
    expect(text(report)).toContain('Its user was here before: what opens the account there does not open it here')
    expect(
      await target.rows(`SELECT id, username FROM users_user WHERE lower(username) LIKE 'audrey%' ORDER BY 1`),
    ).toEqual([
      { id: PEOPLE.auditor, username: 'audrey-2' },
      { id: audrey, username: 'Audrey' },
    ])
    const found = await target.rows(
      `SELECT id, name, email, password_hash FROM users_user WHERE lower(username) = 'admin'`,
    )
    expect(found).toEqual([{ id: own, name: 'Here', email: 'admin@here.example', password_hash: 'hashed here' }])
    const members = await target.rows(`SELECT role FROM orgs_member WHERE "user" = '${own}'`)
    expect(members).toEqual([{ role: 'Admin' }])
  })
})

test('a second installation ends nothing of the first; tables that cannot be read end nothing', async () => {
  const first = await theirs.make('postgres', V2_28, peopleRows('v2.28'))
  const [person] = peopleRows('v2.28').users_user ?? []
  const other = 'a0000000-0000-4000-8000-00000000beef'
  const second = await theirs.make('postgres', V2_28, {
    users_user: [{ ...person, id: other, username: 'other', email: 'other@example.com' }],
  })
  await onTarget(async (target) => {
    const members = () => target.rows('SELECT count(*)::int AS n FROM users_user_group_user')
    await target.import(first)
    await target.import(second)
    await target.import(second)
    expect(await target.rows(`SELECT username FROM users_user WHERE id = '${other}'`)).toEqual([{ username: 'other' }])
    expect(await members()).toEqual([{ n: 2 }])
    await first.sql('DROP TABLE users_user_groups')
    const { report } = await target.import(first)
    expect(counts(report, 'Users').added).toBe(0)
    expect(await members()).toEqual([{ n: 2 }])
  })
})

test('an import that stops halfway is in the operate log, and leaves its report', async () => {
  const from = await theirs.make('postgres', V2_28, peopleRows('v2.28'))
  await onTarget(async (target) => {
    await target.rows('ALTER TABLE assets_platform RENAME TO elsewhere')
    const report = new Report()
    await expect(target.import(from, { report })).rejects.toThrow()
    expect(counts(report, 'Users').added).toBe(9)
    expect(await target.rows('SELECT resource_type FROM audits_operate_log')).toEqual([
      { resource_type: 'Import from JumpServer' },
    ])
  })
})

test('nobody who comes later under the name of somebody who came, in other letters, takes their place', async () => {
  const from = await theirs.make('postgres', V2_28, peopleRows('v2.28'))
  await onTarget(async (target) => {
    await target.import(from)
    const first = '00000000-0000-4000-8000-000000000001'
    await from.sql(
      `INSERT INTO users_user SELECT '${first}', password, last_login, first_name, last_name, is_active, date_joined,
      'ALICE' AS username FROM users_user WHERE false; INSERT INTO users_user
      SELECT (jsonb_populate_record(u, jsonb_build_object('id', '${first}', 'username', 'ALICE', 'email', 'other@example.com'))).*
      FROM users_user u WHERE username = 'alice'`.replace(/^INSERT[^;]*;/, ''),
    )
    await target.import(from)
    const found = await target.rows(
      `SELECT id, username FROM users_user WHERE lower(username) LIKE 'alice%' ORDER BY id`,
    )
    expect(found).toEqual([
      { id: first, username: 'ALICE-3' },
      { id: PEOPLE.alice, username: 'alice' },
      { id: PEOPLE.twin, username: 'Alice-2' },
    ])
  })
})

test('texts of other character sets come as they were meant', async () => {
  const rows = peopleRows('v2.19')
  const [admin] = rows.users_user ?? []
  const named = (name: string, username: string, number: number) => ({
    ...{ ...admin, username, name, email: `${username}@example.com` },
    id: `a0000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
  })
  const threeBytes = await theirs.make('mysql', V2_19, { users_user: [named('王小明', 'ming', 1)] }, 'utf8mb3')
  // UTF-8 that a connection of latin1 has written: each byte a letter.
  const twice = await theirs.make('mysql', V2_19, {
    users_user: [named('çŽ‹å°\u008fæ˜Ž', 'ming', 1), named('Ã la carte', 'anna', 2)],
  })
  for (const [from, names] of [
    [threeBytes, ['王小明']],
    [twice, ['王小明', 'Ã la carte']],
  ] as const)
    await onTarget(async (target) => {
      await target.import(from)
      expect((await target.rows('SELECT name FROM users_user ORDER BY id')).map(({ name }) => name)).toEqual(names)
    })
})

test('dates that are none, and values of other types, do not stop an import', async () => {
  const from = await theirs.make('mysql', V2_19, peopleRows('v2.19'))
  await from.sql(`
    SET sql_mode = '';
    UPDATE users_user SET date_joined = '0000-00-00', date_expired = '9999-12-31 23:59:59' WHERE username = 'ming';
    ALTER TABLE users_user MODIFY mfa_level varchar(20), MODIFY is_active varchar(20), MODIFY date_expired varchar(40);
    UPDATE users_user SET mfa_level = 'much', is_active = 'yes', date_expired = 'tomorrow', comment = repeat('x', 300000) WHERE username = 'lena';
    ALTER TABLE users_user DROP COLUMN wecom_id`)
  await onTarget(async (target) => {
    await target.import(from)
    const [ming] = await target.rows(`SELECT date_joined, date_expired FROM users_user WHERE username = 'ming'`)
    expect([ming.date_joined.getTime(), ming.date_expired.getUTCFullYear()]).toEqual([0, 9999])
    const [lena] = await target.rows(
      `SELECT mfa_level, is_active, date_expired, length(comment) AS length FROM users_user WHERE username = 'lena'`,
    )
    expect([lena.mfa_level, lena.is_active, lena.date_expired.getUTCFullYear(), lena.length]).toEqual([
      0,
      false,
      2099,
      65_536,
    ])
  })
})

test('a database that is not of JumpServer, or not whole, is refused in words', async () => {
  const { port } = theirs.mariadb
  const rows: FixtureRows = {}
  const half = await theirs.make('postgres', { ...V2_28, accounts_account: V3_10.accounts_account as string }, rows)
  const other = await theirs.make('postgres', { users_user: V2_19.users_user as string }, rows)
  const { assets_asset: _, ...unnamed } = V3_10
  const unknown = await theirs.make('postgres', { ...unnamed, assets_asset: 'id uuid, name c128' }, rows)
  await onTarget(async (target) => {
    const importing = (address: string) => refusal(target.import({ address }))
    expect(await importing(half.address)).toMatch(/has tables of two versions .* stopped halfway/)
    expect(await importing(other.address)).toMatch(/is not a database of JumpServer: it has no table users_usergroup/)
    expect(await importing(unknown.address)).toMatch(/is of no version of JumpServer that can be imported/)
    expect(await importing(`mysql://reader:wrong%20word@127.0.0.1:${port}/jumpserver_1`)).toMatch(
      /cannot be read: Access denied/,
    )
    expect(await importing(`mysql://reader:read%20only@127.0.0.1:${port}/nothing`)).toMatch(/cannot be read: .*nothing/)
    expect(await importing('mysql://reader:secret-word@127.0.0.1:1/js')).toMatch(
      /^The database mysql:\/\/reader@127.0.0.1:1\/js cannot be read: /,
    )
    expect(await importing('sqlite:///tmp/js')).toMatch(/^--database must be mysql/)
    expect(await importing('postgres://localhost')).toMatch(/name of the database/)
  })
})

test('a key that opens nothing is refused before anything is written; an old key besides the new one opens more', async () => {
  await onTarget(async (target) => {
    expect(await refusal(target.import(mysql, { keys: ['some other words that were never the key'] }))).toMatch(
      /The SECRET_KEY opens none of \d secrets/,
    )
    expect(await target.rows('SELECT 1 FROM users_user')).toEqual([])
    const keys = ['0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN', OTHER_KEY]
    const { report } = await target.import(mysql, { keys })
    expect(text(report)).not.toContain('does not open')
    const [lost] = await target.rows(`SELECT otp_secret_sealed FROM users_user WHERE username = 'lost'`)
    expect(vault.open('test', 'a test')(lost.otp_secret_sealed)).toBe('JBSWY3DPEHPK3PXP')
    expect(seal('x')).toHaveLength(76)
  })
})

test('the command reads keys from their configuration, and writes a report for its owner alone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-import-'))
  const database = await createTestDatabase()
  const own = addressOf(database.connection)
  const environment = {
    ...{
      DATABASE_URL: own,
      SALLYPORT_SECRET_KEY: 'a key of the tests that is long enough',
      SALLYPORT_DATA_DIR: folder,
    },
    JUMPSERVER_DATABASE: mysql.address,
  }
  const config = join(folder, 'config.txt')
  const report = join(folder, 'report.txt')
  const run = (...more: string[]) => {
    const words = ['import-jumpserver', '--secret-key-file', config, '--report', report, ...more]
    return runToEnd(process.execPath, [ADMIN, ...words], { environment })
  }
  try {
    writeFileSync(config, 'SECRET_KEY=of something else, which opens nothing\n')
    const refused = await run()
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/The SECRET_KEY opens none of \d+ secrets/),
    ])
    writeFileSync(config, `DB_HOST=db\nSECRET_KEY=${KEY}\n`)
    const tried = await run('--dry-run', '--language', 'cn')
    expect([tried.code, tried.stderr, tried.stdout]).toEqual([
      0,
      expect.any(String),
      expect.stringContaining('JumpServer 2.19：将导入以下内容'),
    ])
    expect(tried.stdout + tried.stderr).not.toContain('read%20only')
    expect(readFileSync(report, 'utf8')).toContain('组件：会自行在此处注册: [KoKo]-box')
    expect(statSync(report).mode & 0o077).toBe(0)
    const done = await run()
    expect([done.code, done.stdout]).toEqual([
      0,
      expect.stringContaining('10 read, 9 new, 0 updated, 0 as before, 1 stay behind'),
    ])
  } finally {
    await database.drop()
    rmSync(folder, { recursive: true, force: true })
  }
})
