/**
 * Zero lost secrets, on a real machine: real accounts, `chpasswd` and `authorized_keys` behind a real
 * sshd. The change is cut at every step, and within every connection; afterwards a stored secret
 * logs in, and the next run brings the account to rest.
 *
 * Here stands a sample; `npm run trial rotation 500` brings about all faults, with full disks and
 * machines that lose their power.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { generateSshKey } from '../../../kernel/ssh/keys/plain-key.ts'
import { both, bringAbout, CALLS, cleanRun, cutsOf, faultsOf, type Subject, spread } from './faults-fixture.ts'
import { generatePassword } from './generate-password.ts'
import { type OpenedTask, openTask } from './open-task.ts'
import { rotate, type Secrets, settle } from './protocol.ts'
import { RotationError } from './rotation-error.ts'
import { openRotationFixture, type RotationFixture, setPassword, subjectOf } from './rotation-fixture.ts'

const isRoot = process.getuid?.() === 0
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
  /** Starts a clean run. */
  begin(): Promise<OpenedTask>
}

async function anAccount(): Promise<Account> {
  const { account, task } = await fixture.anAccount()
  const { account: id, target } = await openTask(fixture.kernel, task, MANNER)
  target.close()
  return { username: account.username, id, begin: () => openTask(fixture.kernel, task, MANNER) }
}

test.runIf(isRoot)(
  'wherever a node is killed or the line is cut, a stored secret still logs in, and the account comes to rest',
  async () => {
    const subject: Subject = await subjectOf(fixture)
    const { outcome, calls, sent } = await cleanRun(subject)
    expect(outcome.state).toBe('succeeded')
    expect(calls).toEqual(CALLS)
    expect(sent.length).toBeGreaterThan(1)
    for (const fault of spread(faultsOf('kill'), 12))
      expect([fault.what, await bringAbout(subject, fault)]).toEqual([fault.what, { state: 'killed', loss: '' }])
    const states = new Set<string>()
    for (const fault of spread(cutsOf(sent, 8), 10)) {
      const { state, loss } = await bringAbout(subject, fault)
      expect([fault.what, loss]).toEqual([fault.what, ''])
      states.add(state)
    }
    // Where only the very last bytes were cut, it had succeeded.
    expect([...states]).toEqual(expect.arrayContaining(['failed', 'unknown']))
  },
  1_200_000,
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
    expect(await rotate(parts, parts, wanted)).toMatchObject({ state: 'unknown', error: { code: 'not_verified' } })
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
    // The next run begins with it.
    expect((await ledger.current())?.private_key).toBe(keys[at]?.private_key)
    target.close()
    const now = []
    for (const key of [{ private_key: hand.privateKey }, ...keys]) now.push(await works(key))
    expect([keyStrategy, now]).toEqual([keyStrategy, expected])
  }
  opened.target.close()
})
