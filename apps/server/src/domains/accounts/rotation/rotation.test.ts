/**
 * Zero lost secrets, on a real machine: real accounts, `chpasswd` and `authorized_keys` behind a real
 * sshd. The change is cut at every step, and within every connection; afterwards a stored secret
 * logs in, and the next run brings the account to rest.
 *
 * `ROTATION_RUNS=500` cuts at so many places, instead of some forty.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { generateSshKey } from '../../assets/index.ts'
import { both, Killed, killAt, spread, twice } from './faults-fixture.ts'
import { generatePassword } from './generate-password.ts'
import { type OpenedTask, openTask } from './open-task.ts'
import { rotate, type Secrets, settle } from './protocol.ts'
import { RotationError } from './rotation-error.ts'
import { openRotationFixture, type RotationFixture, setPassword } from './rotation-fixture.ts'

const isRoot = process.getuid?.() === 0
const RUNS = Number(process.env.ROTATION_RUNS ?? 40)
let fixture: RotationFixture
beforeAll(async () => {
  if (isRoot) fixture = await openRotationFixture()
})
afterAll(() => fixture?.close())
beforeEach(() => fixture?.line.mend())

const MANNER = { keyStrategy: 'add', example: undefined }
const aPassword = () => generatePassword({ length: 20 })

interface Account {
  username: string
  id: string
  /** What a clean run brings about now. */
  begin(): Promise<OpenedTask>
}

async function anAccount(): Promise<Account> {
  const { account, task } = await fixture.anAccount()
  const { account: id, target } = await openTask(fixture.kernel, task, MANNER)
  target.close()
  return { username: account.username, id, begin: () => openTask(fixture.kernel, task, MANNER) }
}

/** A stored secret logs in, at once as people do and after the account has come to rest. */
async function expectNothingLost(account: Account, what: string): Promise<void> {
  fixture.line.mend()
  expect([what, 'a connection gets in', await fixture.getsIn(account.id)]).toEqual([what, 'a connection gets in', true])
  const opened = await account.begin()
  const settled = await settle(opened.ledger, opened.target, new RotationError('not_changed'))
  expect([what, settled.state === 'unknown', await opened.ledger.candidate()]).toEqual([what, false, undefined])
  expect([what, 'at rest', await fixture.getsIn(account.id)]).toEqual([what, 'at rest', true])
  opened.target.close()
}

test.runIf(isRoot)(
  'wherever a node is killed or the line is cut, a stored secret still logs in, and the account comes to rest',
  async () => {
    const account = await anAccount()
    const clean = async () => {
      const calls: string[] = []
      fixture.line.mend()
      const opened = await account.begin()
      const outcome = await rotate(...twice(killAt(both(opened), Number.POSITIVE_INFINITY, 'after', calls)), {
        password: aPassword(),
      })
      opened.target.close()
      expect(outcome.state).toBe('succeeded')
      return { calls, sent: [...fixture.line.sent] }
    }
    const { calls, sent } = await clean()
    expect(calls).toEqual([
      'candidate',
      'propose',
      'step',
      'preflight',
      'step',
      'change',
      'step',
      'candidate',
      'works',
      'keep',
    ])

    const kills = calls.flatMap((name, at) =>
      (['before', 'after'] as const).map((when) => ({ what: `killed ${when} call ${at + 1}, ${name}`, at, when })),
    )
    expect(sent.length).toBeGreaterThan(1)
    const lines = Math.max(3, Math.ceil((RUNS - kills.length) / sent.length))
    const cuts = sent.flatMap((bytes, connection) =>
      Array.from({ length: lines }, (_, part) => Math.floor((bytes * part) / lines)).map((at) => ({
        what: `connection ${connection + 1} cut after ${at} of ${bytes} bytes`,
        connection,
        bytes: at,
      })),
    )
    for (const { what, at, when } of spread(kills, Math.ceil(RUNS / 2))) {
      fixture.line.mend()
      const opened = await account.begin()
      const killed = rotate(...twice(killAt(both(opened), at, when, [])), { password: aPassword() })
      await expect(killed, what).rejects.toThrow(Killed)
      opened.target.close()
      await expectNothingLost(account, what)
    }
    const states = new Set<string>()
    for (const { what, connection, bytes } of spread(cuts, RUNS - Math.min(kills.length, Math.ceil(RUNS / 2)))) {
      fixture.line.cutAt(connection, bytes)
      const opened = await account.begin()
      states.add((await rotate(opened.ledger, opened.target, { password: aPassword() })).state)
      opened.target.close()
      await expectNothingLost(account, what)
    }
    // Where only the very last bytes were cut, it had succeeded.
    expect([...states]).toEqual(expect.arrayContaining(['failed', 'unknown']))
  },
  RUNS * 30_000,
)

test.runIf(isRoot)(
  'a password changed behind our back while it was ours to change is no loss: the next run sets its own',
  async () => {
    const account = await anAccount()
    const opened = await account.begin()
    const parts = both(opened)
    const change = parts.change
    parts.change = async (secrets) => {
      await change(secrets)
      setPassword(account.username, 'Changed-by-hand-1')
    }
    const wanted = { password: aPassword() }
    expect(await rotate(...twice(parts), wanted)).toMatchObject({ state: 'unknown', error: { code: 'not_verified' } })
    // Neither of ours works, and neither is dropped, not even by looking again.
    expect(await settle(opened.ledger, opened.target, new RotationError('not_changed'))).toMatchObject({
      state: 'unknown',
    })
    expect(await opened.ledger.candidate()).toEqual(wanted)
    expect(await rotate(opened.ledger, opened.target, { password: aPassword() })).toEqual({
      state: 'succeeded',
      secrets: wanted,
    })
    expect(await fixture.getsIn(account.id)).toBe(true)
    opened.target.close()
  },
)

test.runIf(isRoot)('a key is added to those of the account, takes the place of the one before, or of all', async () => {
  const account = await anAccount()
  const hand = generateSshKey()
  const keys = [generateSshKey(), generateSshKey(), generateSshKey()].map(({ privateKey, publicKey }) => ({
    private_key: privateKey,
    public_key: publicKey,
  }))
  const opened = await account.begin()
  const works = (key: { private_key: string }) => opened.target.works(key)
  await opened.target.change({ public_key: hand.publicKey })
  const turns = [
    ['set', [false, true, false, false]],
    ['add', [false, true, true, false]],
    ['set_jms', [false, false, false, true]],
  ] as const
  for (const [at, [keyStrategy, expected]] of turns.entries()) {
    const { task } = { task: await fixture.aTask(account.username) }
    const { ledger, target } = await openTask(fixture.kernel, task, { ...MANNER, keyStrategy })
    expect((await rotate(ledger, target, keys[at] as Secrets)).state).toBe('succeeded')
    target.close()
    const now = []
    for (const key of [{ private_key: hand.privateKey }, ...keys]) now.push(await works(key))
    expect([keyStrategy, now]).toEqual([keyStrategy, expected])
  }
  opened.target.close()
})
