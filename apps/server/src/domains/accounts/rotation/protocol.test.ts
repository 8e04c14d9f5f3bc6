import { expect, test } from 'vitest'
import { rotate, type Secrets, settle } from './protocol.ts'
import { type Reason, RotationError } from './rotation-error.ts'

const OLD = { password: 'old' }
const NEW = { password: 'new' }

/** The initial state of an account, and the answers of its target. */
interface Begins {
  /** Candidate of an earlier run. */
  candidate?: Secrets
  current?: Secrets | undefined
  /** Secrets that log in; or what becomes of a login. */
  works?: string[] | Error
  preflight?: Error
  change?: Error
}

/** Ledger and target of an account that note, in order, what is done with them. */
function anAccount({ candidate, current = OLD, works = [], preflight, change }: Begins, hasCurrent = true) {
  const done: string[] = []
  let kept = candidate
  const drop = (how: string) => async () => {
    done.push(how)
    kept = undefined
  }
  const ledger = {
    candidate: async () => kept,
    current: async () => (hasCurrent ? current : undefined),
    propose: async (wanted: Secrets) => {
      done.push(`propose ${wanted.password}`)
      kept = wanted
    },
    step: async (step: string) => void done.push(step),
    keep: drop('keep'),
    discard: drop('discard'),
    shelve: drop('shelve'),
  }
  const target = {
    preflight: async () => {
      if (preflight) throw preflight
    },
    change: async ({ password }: Secrets) => {
      done.push(`change ${password}`)
      if (change) throw change
    },
    works: async ({ password, private_key }: Secrets) => {
      if (works instanceof Error) throw works
      return [password, private_key].every((secret) => secret === undefined || works.includes(secret))
    },
  }
  return { ledger, target, done }
}

const because = (reason: Reason, detail = '') => new RotationError(reason, detail)

test.each<[why: Reason, begins: Begins, wasSentBefore: boolean, state: string, reported: Reason | '', done: string[]]>([
  // The new secret works, whatever went wrong on the way.
  ['data_not_sent', { works: ['new'] }, true, 'succeeded', '', ['keep']],
  ['refused', { works: ['new'] }, false, 'succeeded', '', ['keep']],
  // The old one works, and the new one can't be on its way.
  ['refused', { works: ['old'] }, false, 'failed', 'refused', ['discard']],
  ['refused', { works: ['old'] }, true, 'failed', 'refused', ['shelve']],
  ['not_changed', { works: ['old'] }, true, 'failed', 'not_changed', ['shelve']],
  // It may still be.
  ['data_not_sent', { works: ['old'] }, true, 'unknown', 'old_works', []],
  ['not_verified', { works: ['old'] }, false, 'unknown', 'old_works', []],
  // Neither works: neither is dropped, whatever the target has said.
  ['refused', { works: [] }, false, 'unknown', 'refused', []],
  ['not_changed', { works: [] }, true, 'unknown', 'not_changed', []],
  // Nobody can tell.
  ['not_verified', { works: because('unreachable') }, true, 'unknown', 'unreachable', []],
  ['not_changed', { works: because('unreachable') }, true, 'unknown', 'not_changed', []],
  // A key that is not replaced has no say.
  ['refused', { works: ['old'], current: { ...OLD, private_key: 'gone' } }, false, 'failed', 'refused', ['discard']],
])(
  'after %s, with %j, sent before: %s, an account is %s',
  async (why, begins, wasSentBefore, state, reported, done) => {
    const account = anAccount({ candidate: NEW, ...begins })
    const outcome = await settle(account.ledger, account.target, because(why, 'in words'), { wasSentBefore })
    const { error } = { error: undefined, ...outcome } as { error?: RotationError | undefined }
    expect([outcome.state, error?.code ?? '', account.done]).toEqual([state, reported, done])
    if (outcome.state === 'failed') expect(outcome.wasSent).toBe(true)
    if (reported === 'old_works') expect(error?.detail).toBe('in words')
  },
)

test('a change that was begun without a record was sent before: its dropped secrets stay previous ones', async () => {
  const { ledger, target, done } = anAccount({ candidate: NEW, works: ['old'] })
  expect(await settle(ledger, target, because('not_changed'))).toMatchObject({ state: 'failed', wasSent: true })
  expect(done).toEqual(['shelve'])
})

test('the target’s word decides for an account without an old secret: a refusal is one, anything else is not', async () => {
  for (const [why, state, done] of [
    ['refused', 'failed', ['discard']],
    ['data_not_sent', 'unknown', []],
    ['not_changed', 'unknown', []],
  ] as const) {
    const account = anAccount({ candidate: NEW }, false)
    const outcome = await settle(account.ledger, account.target, because(why), { wasSentBefore: false })
    expect([why, outcome.state, account.done]).toEqual([why, state, done])
  }
})

test('without a new secret there is nothing to find out, and nothing was sent', async () => {
  const { ledger, target, done } = anAccount({ works: ['old'] })
  expect(await settle(ledger, target, because('refused'))).toMatchObject({ state: 'failed', wasSent: false })
  expect(done).toEqual([])
})

test('a change stores each step before it takes it, and the new secret before all', async () => {
  const { ledger, target, done } = anAccount({ works: ['new'] })
  expect(await rotate(ledger, target, NEW)).toEqual({ state: 'succeeded', secrets: NEW })
  expect(done).toEqual(['propose new', 'preflight_check', 'change_auth', 'change new', 'verify_auth', 'keep'])
})

test('the candidate of an earlier run is taken up, and never replaced by another', async () => {
  const { ledger, target, done } = anAccount({ candidate: { password: 'earlier' }, works: ['earlier'] })
  expect(await rotate(ledger, target, NEW)).toMatchObject({ state: 'succeeded', secrets: { password: 'earlier' } })
  expect(done).toEqual(['preflight_check', 'change_auth', 'change earlier', 'verify_auth', 'keep'])
})

test('where the change may not be made nothing is sent, and what an earlier run has sent is kept', async () => {
  const refusal = because('not_root')
  for (const [begins, done] of [
    [{}, ['propose new', 'preflight_check', 'discard']],
    [{ candidate: NEW }, ['preflight_check']],
  ] as const) {
    const account = anAccount({ ...begins, preflight: refusal })
    expect(await rotate(account.ledger, account.target, NEW)).toEqual({
      ...{ state: 'failed', error: refusal, wasSent: false },
    })
    expect(account.done).toEqual(done)
  }
})

test('a refused change is forgotten, unless an earlier run has sent it: then it stays a previous secret', async () => {
  const change = because('refused')
  for (const [begins, done] of [
    [{}, ['propose new', 'preflight_check', 'change_auth', 'change new', 'discard']],
    [{ candidate: NEW }, ['preflight_check', 'change_auth', 'change new', 'shelve']],
  ] as const) {
    const account = anAccount({ ...begins, change, works: ['old'] })
    expect(await rotate(account.ledger, account.target, NEW)).toEqual({ state: 'failed', error: change, wasSent: true })
    expect(account.done).toEqual(done)
  }
})

test('a change that seems to have gone through, and does not log in, is in doubt', async () => {
  const { ledger, target, done } = anAccount({ works: [] })
  expect(await rotate(ledger, target, NEW)).toMatchObject({ state: 'unknown', error: { code: 'not_verified' } })
  expect(done).not.toContain('discard')
})

test('a fault of our own is no outcome, and drops nothing', async () => {
  const fault = new Error('no database')
  for (const begins of [{ preflight: fault }, { change: fault }, { works: fault }] as Begins[]) {
    const { ledger, target, done } = anAccount(begins)
    await expect(rotate(ledger, target, NEW)).rejects.toBe(fault)
    expect(done.filter((one) => /keep|discard|shelve/.test(one))).toEqual([])
  }
})
