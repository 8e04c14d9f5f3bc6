/**
 * Zero lost secrets, on a real MariaDB and a real PostgreSQL: at every step the node is killed, the
 * server crashes, the line is cut, or somebody changes the password behind our back; afterwards a
 * stored secret logs in, or the account says that nobody knows and has both.
 *
 * `ROTATION_RUNS=500` brings about so many faults in each, instead of some forty.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { candidateOf, previousOf } from '../../../kernel/secrets/versions.ts'
import { applicationAccountRow } from '../../applications/index.ts'
import {
  type Database,
  type DatabaseRotationFixture,
  FIRST_PASSWORD,
  openDatabaseRotationFixture,
} from './database-fixture.ts'
import { both, Killed, killAt, meanwhileAt, spread, twice } from './faults-fixture.ts'
import { generatePassword } from './generate-password.ts'
import { type OpenedTask, openTask } from './open-task.ts'
import { type Outcome, rotate, settle } from './protocol.ts'
import { RotationError } from './rotation-error.ts'

const RUNS = Number(process.env.ROTATION_RUNS ?? 40)
const CALLS = ['candidate', 'propose', 'step', 'preflight', 'step', 'change', 'step', 'candidate', 'works', 'keep']
const MANNER = { keyStrategy: '', example: undefined }

let fixture: DatabaseRotationFixture
beforeAll(async () => {
  fixture = await openDatabaseRotationFixture()
}, 120_000)
afterAll(() => fixture?.close())
beforeEach(() => {
  for (const { line } of Object.values(fixture.databases)) line.mend()
})

const aPassword = () => generatePassword({ length: 20 })

interface Account {
  database: Database
  username: string
  systemUser: string
  id: string
  begin(): Promise<OpenedTask>
}

async function anAccount(database: Database): Promise<Account> {
  const { task, ...account } = await database.anAccount()
  const begin = () => openTask(fixture.kernel, task, MANNER)
  const { account: id, target } = await begin()
  target.close()
  return { ...account, database, id, begin }
}

/** A run from its beginning to its end, whatever happens in it. */
async function run(account: Account, change = (parts: ReturnType<typeof both>) => parts): Promise<Outcome> {
  const opened = await account.begin()
  try {
    return await rotate(...twice(change(both(opened))), { password: aPassword() })
  } finally {
    opened.target.close()
  }
}

/** A stored secret logs in, at once as sessions do and after the account has come to rest. */
async function expectNothingLost(account: Account, what: string): Promise<void> {
  const { database, systemUser } = account
  database.line.mend()
  expect([what, 'a session gets in', await database.getsIn(systemUser)]).toEqual([what, 'a session gets in', true])
  const opened = await account.begin()
  const settled = await settle(opened.ledger, opened.target, new RotationError('not_changed'))
  expect([what, settled.state === 'unknown', await opened.ledger.candidate()]).toEqual([what, false, undefined])
  expect([what, 'at rest', await database.getsIn(systemUser)]).toEqual([what, 'at rest', true])
  opened.target.close()
}

const faults = CALLS.flatMap((name, at) =>
  (['before', 'after'] as const).map((when) => ({ what: `${when} call ${at + 1}, ${name}`, at, when })),
)

describe.each(['mariadb', 'postgresql'] as const)('%s', (type) => {
  test(
    'wherever the node is killed, the server crashes or the line is cut, a stored secret still logs in, and the account comes to rest',
    async () => {
      const database = fixture.databases[type]
      const account = await anAccount(database)
      const calls: string[] = []
      database.line.mend()
      expect(await run(account, (parts) => killAt(parts, Number.POSITIVE_INFINITY, 'after', calls))).toMatchObject({
        state: 'succeeded',
      })
      expect(calls).toEqual(CALLS)
      const sent = [...database.line.sent]
      expect(await database.asPerson(account.systemUser, account.username, FIRST_PASSWORD)).toBe(false)

      for (const { what, at, when } of spread(faults, Math.ceil(RUNS / 3))) {
        const killed = run(account, (parts) => killAt(parts, at, when, []))
        await expect(killed, what).rejects.toThrow(Killed)
        await expectNothingLost(account, `killed ${what}`)
      }
      for (const { what, at, when } of spread(faults, Math.ceil(RUNS / 8))) {
        await run(account, (parts) => meanwhileAt(parts, at, when, () => database.crash()))
        await database.start()
        await expectNothingLost(account, `the server crashed ${what}`)
      }
      // As many cuts as are left, in every connection of a run.
      const lines = Math.max(3, Math.ceil(RUNS / 3 / sent.length))
      const cuts = sent.flatMap((bytes, connection) =>
        Array.from({ length: lines }, (_, part) => ({ connection, bytes: Math.floor((bytes * part) / lines) })),
      )
      const states = new Set<string>()
      for (const { connection, bytes } of cuts) {
        database.line.cutAt(connection, bytes)
        states.add((await run(account)).state)
        await expectNothingLost(account, `connection ${connection + 1} cut after ${bytes} of ${sent[connection]} bytes`)
      }
      expect([...states]).toEqual(expect.arrayContaining(['failed', 'unknown']))
    },
    RUNS * 30_000,
  )

  test(
    'a password changed behind our back, whenever that is, costs none of ours: with the one that is entered the next run ends well',
    async () => {
      const database = fixture.databases[type]
      const account = await anAccount(database)
      await run(account)
      const row = applicationAccountRow(account.id)
      for (const [turn, { what, at, when }] of spread(faults, Math.ceil(RUNS / 5)).entries()) {
        const byHand = `Changed-by-hand-${turn}`
        let ours = ''
        const opened = await account.begin()
        const before = (await opened.ledger.current())?.password
        const outcome = await rotate(
          ...twice(meanwhileAt(both(opened), at, when, () => database.setPassword(account.username, byHand))),
          { password: (ours = aPassword()) },
        )
        opened.target.close()
        const works = await database.asPerson(account.systemUser, account.username, byHand)
        expect([what, outcome.state === 'succeeded' || works]).toEqual([what, true])
        // Whatever became of it: the old one and, once it was sent, the new one are stored.
        const { db } = fixture.kernel
        const open = fixture.kernel.secrets.open('test', 'a test')
        const kept = [...(await previousOf(db, row)), await candidateOf(db, row)]
          .flatMap((version) => version?.password_sealed ?? [])
          .map((sealed) => open(sealed))
        const stored = [...kept, (await opened.ledger.current())?.password]
        expect([what, stored.includes(before)]).toEqual([what, true])
        if (outcome.state !== 'failed' || outcome.wasSent) expect([what, stored.includes(ours)]).toEqual([what, true])

        const entered = await fixture.call('PATCH', `/api/v1/applications/accounts/${account.id}/`, {
          password: byHand,
        })
        expect([what, entered.status]).toEqual([what, 200])
        if (works) expect([what, (await run(account)).state]).toEqual([what, 'succeeded'])
        else await database.setPassword(account.username, byHand)
        await expectNothingLost(account, what)
      }
    },
    RUNS * 30_000,
  )

  test('neither the log of the server nor its binary log ever has the new password', async () => {
    const database = fixture.databases[type]
    const account = await anAccount(database)
    const opened = await account.begin()
    const password = 'Not-for-logs-1'
    expect(await rotate(opened.ledger, opened.target, { password })).toMatchObject({ state: 'succeeded' })
    opened.target.close()
    expect(await database.asPerson(account.systemUser, account.username, password)).toBe(true)
    const log = database.log()
    expect(log).toMatch(type === 'mariadb' ? /SET PASSWORD/i : /ALTER ROLE SESSION_USER/)
    expect(log).not.toContain(password)
  })
})
