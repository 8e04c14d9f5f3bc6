/**
 * Zero lost secrets, on a real MariaDB, a real PostgreSQL, and servers of SQL Server's and Oracle's protocols: at every step the node is killed, the
 * server crashes, the line is cut, or somebody changes the password behind our back; afterwards a
 * stored secret logs in, or the account says that nobody knows and has both.
 *
 * This is a sample; `npm run trial rotation 500` brings about all faults, full disks among them.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  bringAbout,
  CALLS,
  cleanRun,
  cutsOf,
  faultsOf,
  spread,
} from '../../domains/accounts/rotation/faults-fixture.ts'
import { openTask } from '../../domains/accounts/rotation/open-task.ts'
import { rotate } from '../../domains/accounts/rotation/protocol.ts'
import {
  type DatabaseRotationFixture,
  databaseSubject,
  FIRST_PASSWORD,
  openDatabaseRotationFixture,
} from './rotation-fixture.ts'

let fixture: DatabaseRotationFixture
beforeAll(async () => {
  fixture = await openDatabaseRotationFixture()
})
afterAll(() => fixture?.close())
beforeEach(() => {
  for (const { line } of Object.values(fixture.databases)) line.mend()
})

describe.each(['mariadb', 'postgresql', 'sqlserver'] as const)('%s', (type) => {
  test('wherever the node is killed, the server crashes or the line is cut, a stored secret still logs in, and the account comes to rest', async () => {
    const subject = await databaseSubject(fixture, type)
    const { outcome, calls, sent } = await cleanRun(subject)
    expect([outcome.state, calls]).toEqual(['succeeded', CALLS])
    expect(await subject.asPerson(FIRST_PASSWORD)).toBe(false)
    const states = new Set<string>()
    const faults = [...spread(faultsOf('kill'), 8), ...spread(faultsOf('crash'), 4), ...spread(cutsOf(sent, 8), 8)]
    for (const fault of faults) {
      const { state, loss } = await bringAbout(subject, fault)
      expect([fault.what, loss]).toEqual([fault.what, ''])
      states.add(state)
    }
    expect([...states]).toEqual(expect.arrayContaining(['killed', 'failed', 'unknown']))
  }, 1_200_000)

  test('a password changed behind our back, whenever that is, costs none of ours: with the one that is entered the next run ends well', async () => {
    const subject = await databaseSubject(fixture, type)
    expect((await cleanRun(subject)).outcome.state).toBe('succeeded')
    for (const fault of spread(faultsOf('by hand'), 4))
      expect([fault.what, (await bringAbout(subject, fault)).loss]).toEqual([fault.what, ''])
  }, 1_200_000)
})

// SQL Server gets it in clear, and keeps it out of its logs itself.
test.each(['mariadb', 'postgresql'] as const)(
  'neither the log of a server (%s) nor its binary log ever has the new password',
  async (type) => {
    const database = fixture.databases[type]
    const { task, username, systemUser } = await database.anAccount()
    const opened = await openTask(fixture.kernel, task, { keyStrategy: '', example: undefined })
    const password = 'Not-for-logs-1'
    expect(await rotate(opened.ledger, opened.target, { password })).toMatchObject({ state: 'succeeded' })
    opened.target.close()
    expect(await database.asPerson(systemUser, username, password)).toBe(true)
    const log = database.log()
    expect(log).toMatch(type === 'mariadb' ? /SET PASSWORD/i : /ALTER ROLE SESSION_USER/)
    expect(log).not.toContain(password)
  },
)

test('a login of SQL Server says its old password, and neither a name nor a password can end its quotes', async () => {
  const { sqlserver } = fixture.databases
  const { logins, received } = fixture.sqlServer
  const { systemUser } = await sqlserver.anAccount()
  const [name, old, changed] = ["o'brien]; DROP LOGIN [sa]--", "old'word]]1'", "new'']; -- 字\"{{1"]
  logins.set(name, old)
  const login = await sqlserver.logIn(systemUser, name, old)
  await login.setPassword(changed)
  login.close()
  expect(logins.get(name)).toBe(changed)
  expect(received.at(-1)).toBe(
    `ALTER LOGIN [o'brien]]; DROP LOGIN [sa]]--] WITH PASSWORD = N'new'''']; -- 字"{{1' OLD_PASSWORD = N'old''word]]1'''`,
  )
  await expect(sqlserver.logIn(systemUser, name, old)).rejects.toMatchObject({ kind: 'login' })
  const again = await sqlserver.logIn(systemUser, name, changed)
  await expect(again.setPassword('short')).rejects.toMatchObject({
    kind: 'refused',
    message: 'Password validation failed. The password is too short.',
  })
  again.close()
  expect(logins.get(name)).toBe(changed)
})

describe('an account of Oracle', () => {
  test('gets its password by the protocol itself: no statement has it, and nothing in it can end anything', async () => {
    const { databases, oracle } = fixture
    const { systemUser, username } = await databases.oracle.anAccount()
    const changed = `"; '' REPLACE -- 字{{1`
    const login = await databases.oracle.logIn(systemUser, username, FIRST_PASSWORD)
    await login.setPassword(changed)
    login.close()
    expect(oracle.accounts.get(username.toUpperCase())).toBe(changed)
    await expect(databases.oracle.logIn(systemUser, username, FIRST_PASSWORD)).rejects.toMatchObject({ kind: 'login' })
    const again = await databases.oracle.logIn(systemUser, username, changed)
    await expect(again.setPassword('short')).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('ORA-28003'),
    })
    again.close()
    expect(oracle.accounts.get(username.toUpperCase())).toBe(changed)
    expect(oracle.received).toEqual([])
  })

  test('keeps a secret that logs in when the node is killed, the server crashes or the line is cut', async () => {
    const subject = await databaseSubject(fixture, 'oracle')
    const { outcome, calls, sent } = await cleanRun(subject)
    expect([outcome.state, calls]).toEqual(['succeeded', CALLS])
    expect(await subject.asPerson(FIRST_PASSWORD)).toBe(false)
    // Few: each login has a thread of its own. The protocol above them is that of all databases.
    const faults = [...spread(faultsOf('kill'), 2), ...spread(faultsOf('crash'), 2), ...spread(cutsOf(sent, 4), 2)]
    for (const fault of faults) {
      const { loss } = await bringAbout(subject, fault)
      expect([fault.what, loss]).toEqual([fault.what, ''])
    }
  })
})
