import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Installations, onTarget, opened, startInstallations } from '../fixtures/installations-fixture.ts'
import {
  ACCESS_KEY,
  ACCESS_SECRET,
  HASH,
  PEOPLE,
  PRIVATE_TOKEN,
  PUBLIC_KEY,
  peopleRows,
  SHANGHAI,
} from '../fixtures/people-fixture.ts'
import { V2_19, V2_28, V3_10, V4_10 } from '../fixtures/tables-fixture.ts'
import { allLinesOf } from '../report/print.ts'
import type { Report } from '../report/report.ts'

let theirs: Installations
beforeAll(async () => {
  theirs = await startInstallations()
})
afterAll(() => theirs?.close())

const VERSIONS = [
  { version: 'v2.19', engine: 'mysql', tables: V2_19 },
  { version: 'v2.28', engine: 'postgres', tables: V2_28 },
  { version: 'v3.10', engine: 'postgres', tables: V3_10 },
  { version: 'v4.10', engine: 'mysql', tables: V4_10 },
] as const

const make = (at: number) => {
  const { version, engine, tables } = VERSIONS[at] as (typeof VERSIONS)[number]
  return theirs.make(engine, tables, peopleRows(version))
}

const textOf = (report: Report) => allLinesOf(report.kinds, 'en').join('\n')

test.each([0, 1, 2, 3])('people, groups and organizations of each version come with their ids (%#)', async (at) => {
  const { version } = VERSIONS[at] as (typeof VERSIONS)[number]
  const from = await make(at)
  await onTarget(async (target) => {
    const { report } = await target.import(from)
    const people = await target.rows('SELECT * FROM users_user ORDER BY id')
    expect(people.map(({ id, username, role }) => [id, username, role])).toEqual([
      [PEOPLE.admin, 'admin', 'Admin'],
      [PEOPLE.alice, 'alice', 'User'],
      [PEOPLE.twin, 'Alice-2', 'User'],
      [PEOPLE.ming, 'ming', 'User'],
      [PEOPLE.ldap, 'lena', 'User'],
      [PEOPLE.disabled, 'dora', 'User'],
      [PEOPLE.lost, 'lost', 'User'],
      [PEOPLE.strange, 'strange', 'User'],
      [PEOPLE.auditor, 'audrey', 'Auditor'],
    ])
    const by = (id: string) => people.find((one) => one.id === id)
    expect(by(PEOPLE.alice)).toMatchObject({
      phone: '13800000000',
      password_hash: HASH,
      email: 'alice@example.com',
    })
    expect(opened(by(PEOPLE.alice).otp_secret_sealed)).toBe('JBSWY3DPEHPK3PXP')
    expect(by(PEOPLE.ming)).toMatchObject({
      name: '王小明🙂',
      comment: '运维 “负责人”',
      wechat: 'ming-wx',
      mfa_level: 2,
      public_key_comment: 'ming@desk',
    })
    expect(by(PEOPLE.ming).last_login.toISOString()).toBe('2024-05-06T07:08:09.123Z')
    expect(opened(by(PEOPLE.ming).public_key_sealed)).toBe(PUBLIC_KEY)
    // A hash of another library's, as it is stored here.
    expect(by(PEOPLE.twin).password_hash).toBe('$argon2id$v=19$m=102400,t=2,p=8$c2FsdHNhbHQ$aGFzaGhhc2g')
    expect([by(PEOPLE.ldap).source, by(PEOPLE.ldap).password_hash]).toEqual(['ldap', null])
    expect([by(PEOPLE.disabled).is_active, by(PEOPLE.auditor).password_hash]).toEqual([false, null])
    expect([by(PEOPLE.lost).otp_secret_sealed, by(PEOPLE.lost).email]).toEqual([
      null,
      `${PEOPLE.lost}@imported.invalid`,
    ])
    expect([by(PEOPLE.strange).source, by(PEOPLE.strange).password_hash]).toEqual(['local', null])

    const organizations = await target.rows('SELECT name FROM orgs_organization ORDER BY name')
    expect(organizations.map(({ name }) => name).sort()).toEqual(['Default', 'root (JumpServer)', '上海'])
    const roots = await target.rows(`SELECT value FROM assets_node WHERE parent_key = ''`)
    expect(roots.map(({ value }) => value).sort()).toEqual(['Default', 'root (JumpServer)', '上海'])
    const members = await target.rows('SELECT "user", role FROM orgs_member WHERE org = $1 ORDER BY "user", role', [
      SHANGHAI,
    ])
    expect(members.map((one) => [one.user, one.role])).toEqual([
      [PEOPLE.alice, 'Admin'],
      [PEOPLE.ming, 'User'],
      ...(version === 'v2.19' ? [] : [[PEOPLE.disabled, 'User']]),
      [PEOPLE.auditor, 'Auditor'],
    ])
    const groups = await target.rows(
      'SELECT g.name, m."user" FROM users_user_group g JOIN users_user_group_user m ON m.usergroup = g.id ORDER BY 2',
    )
    expect(groups).toEqual([
      { name: '运维组', user: PEOPLE.alice },
      { name: '运维组', user: PEOPLE.ming },
    ])
    const [key] = await target.rows('SELECT * FROM authentication_access_key')
    expect([key.id, key.user_id]).toEqual([ACCESS_KEY, PEOPLE.alice])
    expect(opened(key.secret_sealed)).toBe(
      version.startsWith('v2') ? 'a0000000-0000-4000-8000-000000000302' : ACCESS_SECRET,
    )
    const tokens = await target.rows(`SELECT user_id FROM authentication_private_token WHERE key_hash = sha256($1)`, [
      Buffer.from(PRIVATE_TOKEN),
    ])
    expect(tokens).toEqual([{ user_id: PEOPLE.ming }])

    const text = textOf(report)
    for (const words of [
      'A component: it registers here by itself: [KoKo]-box',
      'The second factor does not open with this key: to be set up again: lost',
      'The password has an unknown form: the user needs a new one: lost',
      'Its organization is gone there: of nobody',
      'Signs in as Alice-2',
      'Comes as root (JumpServer)',
    ])
      expect(text).toContain(words)
  })
})
