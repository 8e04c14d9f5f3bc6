import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Caller, openTestServer, type TestServer } from '../../../test/server.ts'
import { MAX_CONFIRMED } from '../../domains/acls/index.ts'
import { wordsOf } from '../session/notice.ts'
import type { SessionSummary } from '../session/session-summary.ts'
import type { Typist } from '../session/typist.ts'
import { judgeInTime, unitsOf } from './ask-guard.ts'
import type { Guard, GuardOf, Verdict } from './guard.ts'
import { ruleGuard } from './rule-guard.ts'
import { RuleSet } from './rule-set.ts'

let server: TestServer
let guardOf: GuardOf
let ann: Caller
let bob: Caller
beforeAll(async () => {
  server = await openTestServer()
  guardOf = ruleGuard(server.kernel)
  ann = await server.aPerson('ann')
  bob = await server.aPerson('bob')
})
afterAll(() => server?.close())

const signal = () => new AbortController().signal

let count = 0
async function created(path: string, body: object, by = server.admin): Promise<string> {
  const answer = await by.post(`/api/v1/${path}/`, body)
  if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body.id
}

async function aPlace(by = server.admin) {
  const name = `guarded-${++count}`
  const asset = await created(
    'assets/assets',
    { hostname: name, ip: '127.0.0.1', platform: 'Linux', protocols: ['ssh/22'] },
    by,
  )
  const systemUser = await created(
    'assets/system-users',
    { name, username: 'web', protocol: 'ssh', auto_push: false },
    by,
  )
  return { asset, systemUser }
}

type Place = Awaited<ReturnType<typeof aPlace>>

const aFilter = (bound: object, by = server.admin) =>
  created('assets/cmd-filters', { name: `filter ${++count}`, ...bound }, by)

const aRule = (filter: string, content: string, more: object = {}, by = server.admin) =>
  created(`assets/cmd-filters/${filter}/rules`, { filter, content, ...more }, by)

function open({ asset, systemUser }: Place, person: Caller, { protocol = 'ssh', kind = 'terminal' } = {}): Guard {
  return guardOf({
    session: { id: 'session', protocol } as SessionSummary,
    kind,
    person: {
      id: person.id,
      name: person.username,
      username: person.username,
      language: 'en',
      remoteAddress: '127.0.0.1',
      loginFrom: 'WT',
    },
    target: { family: 'asset', id: asset },
    systemUserId: systemUser,
  })
}

const answerOf = (verdict: Verdict) => (verdict.action === 'deny' ? wordsOf(verdict.why, 'en') : verdict.action)
const judged = async (guard: Guard, text: string, by?: Typist) =>
  answerOf(await guard.judge({ text, isCut: false, by }, signal()))

/** Asks one guard about a text, again and again until the answer is the expected one. */
const soon = (guard: Guard, text: string, by?: Typist) => expect.poll(() => judged(guard, text, by), { interval: 20 })

const FORBIDDEN = 'Command `rm` is forbidden'

test('[A5.06] an open session follows every change of its rules', async () => {
  const place = await aPlace()
  const guard = open(place, ann)
  expect(await judged(guard, 'rm -rf /')).toBe('allow')
  expect(guard.applies).toBe(false)

  const filter = await aFilter({ assets: [place.asset] })
  const denial = await aRule(filter, 'rm')
  await soon(guard, 'rm -rf /').toBe(FORBIDDEN)
  expect(guard.applies).toBe(true)
  const verdict = await guard.judge({ text: 'rm -rf /', isCut: false }, signal())
  expect(verdict).toMatchObject({ action: 'deny', grounds: { rule: denial, match: 'rm' } })

  await server.admin.patch(`/api/v1/assets/cmd-filters/${filter}/rules/${denial}/`, { content: 'mkfs' })
  await soon(guard, 'rm -rf /').toBe('allow')
  await soon(guard, 'mkfs').toBe('Command `mkfs` is forbidden')
  await server.admin.patch(`/api/v1/assets/cmd-filters/${filter}/`, { is_active: false })
  await soon(guard, 'mkfs').toBe('allow')
  await server.admin.patch(`/api/v1/assets/cmd-filters/${filter}/`, { is_active: true })
  await soon(guard, 'mkfs').toBe('Command `mkfs` is forbidden')
  await server.admin.delete(`/api/v1/assets/cmd-filters/${filter}/rules/${denial}/`)
  await soon(guard, 'mkfs').toBe('allow')
  await aRule(filter, 'rm')
  await soon(guard, 'rm -rf /').toBe(FORBIDDEN)
  await server.admin.patch(`/api/v1/assets/cmd-filters/${filter}/`, { assets: [] })
  await soon(guard, 'rm -rf /').toBe('allow')
  await server.admin.patch(`/api/v1/assets/cmd-filters/${filter}/`, { system_users: [place.systemUser] })
  await soon(guard, 'rm -rf /').toBe(FORBIDDEN)
  await server.admin.delete(`/api/v1/assets/cmd-filters/${filter}/`)
  await soon(guard, 'rm -rf /').toBe('allow')
  guard.close?.()
})

test('input of a shell, of a machine or in a container, is judged as a shell reads it, and nothing else is', async () => {
  const place = await aPlace()
  await aRule(await aFilter({ assets: [place.asset] }), '^rm', { type: 'regex' })
  const answerFor = async (protocol: string, kind: string, text: string) => {
    const { action } = await open(place, ann, { protocol, kind }).judge({ text, isCut: false }, signal())
    return action
  }
  for (const [protocol, kind] of [
    ['ssh', 'terminal'],
    ['telnet', 'terminal'],
    ['k8s', 'terminal'],
  ] as const)
    expect([protocol, await answerFor(protocol, kind, 'cd /; r""m -rf x')]).toEqual([protocol, 'deny'])
  for (const [protocol, kind] of [
    ['k8s', 'requests'],
    ['mysql', 'statements'],
  ] as const)
    expect([
      protocol,
      await answerFor(protocol, kind, 'cd /; r""m -rf x'),
      await answerFor(protocol, kind, 'rm -rf x'),
    ]).toEqual([protocol, 'allow', 'deny'])
})

test('a text that a rule allows is reported with the rule, and one that none is about without', async () => {
  const place = await aPlace()
  const filter = await aFilter({ assets: [place.asset] })
  const rule = await aRule(filter, 'ls', { action: 9 })
  const guard = open(place, ann)
  const judged = (text: string) => guard.judge({ text, isCut: false }, signal())
  expect(await judged('ls -l')).toMatchObject({ action: 'allow', grounds: { rule } })
  expect(await judged('id')).toEqual({ action: 'allow' })
  guard.close?.()
})

test('rules of a group apply to people who join it, and no longer to people who leave it', async () => {
  const place = await aPlace()
  const group = await created('users/groups', { name: 'interns', users: [] })
  await aRule(await aFilter({ user_groups: [group] }), 'rm')
  const guard = open(place, ann)
  expect(await judged(guard, 'rm -rf /')).toBe('allow')
  await server.admin.patch(`/api/v1/users/groups/${group}/`, { users: [ann.id] })
  await soon(guard, 'rm -rf /').toBe(FORBIDDEN)
  await server.admin.patch(`/api/v1/users/groups/${group}/`, { users: [] })
  await soon(guard, 'rm -rf /').toBe('allow')
  await server.admin.patch(`/api/v1/users/users/${ann.id}/`, { groups: [group] })
  await soon(guard, 'rm -rf /').toBe(FORBIDDEN)
  await server.admin.delete(`/api/v1/users/groups/${group}/`)
  await soon(guard, 'rm -rf /').toBe('allow')
})

test('the rules of the person who typed count', async () => {
  const place = await aPlace()
  await aRule(await aFilter({ users: [bob.id] }), 'rm')
  const guard = open(place, ann)
  const guest = { id: bob.id, display: 'bob(bob)' }
  expect(await judged(guard, 'rm -rf /', guest)).toBe(FORBIDDEN)
  expect(await judged(guard, 'rm -rf /')).toBe('allow')
  expect(guard.applies).toBe(false)
  // From now on bob may type here, so that input must be looked at.
  const [left, leftAgain] = [guard.joined?.(bob.id), guard.joined?.(bob.id)]
  left?.()
  left?.()
  expect(guard.applies).toBe(true)
  leftAgain?.()
  expect(guard.applies).toBe(false)
  guard.joined?.(ann.id)?.()
  expect(await judged(guard, 'rm -rf /')).toBe('allow')
})

test('[A1.05] rules of one organization never reach another', async () => {
  const org = await server.anOrg('Elsewhere')
  const there = server.admin.in(org)
  await server.kernel.pool.query('INSERT INTO orgs_member (org, "user") VALUES ($1, $2)', [org, ann.id])
  const place = await aPlace()
  const foreign = await aFilter({ users: [ann.id] }, there)
  await aRule(foreign, 'rm', {}, there)
  const guard = open(place, ann)
  expect(await judged(guard, 'rm -rf /')).toBe('allow')
  const guardThere = open(await aPlace(there), ann)
  expect(await judged(guardThere, 'rm -rf /')).toBe(FORBIDDEN)
})

test('input that was not seen in full is denied where a rule applies, and only there', async () => {
  const place = await aPlace()
  await aRule(await aFilter({ assets: [place.asset] }), 'rm')
  const cut = (guard: Guard) => guard.judge({ text: 'ls', isCut: true }, signal())
  expect(answerOf(await cut(open(place, ann)))).toBe(
    'Only a part of this could be checked against the rules, so it was not run',
  )
  expect(answerOf(await cut(open(await aPlace(), ann)))).toBe('allow')
})

test('a person whose command takes long to judge waits, and nobody else does', async () => {
  const place = await aPlace()
  await aRule(await aFilter({ assets: [place.asset] }), '(a+)+$', { type: 'regex' })
  const [guard, other] = [open(place, ann), open(place, bob)]
  expect(await judged(guard, 'ls')).toBe('allow')
  expect(await judged(other, 'ls')).toBe('allow')
  expect(await judged(guard, `${'a'.repeat(64)}!`)).toMatch(/^A rule of the filter filter \d+ took too long on this/)
  expect(guard.judge({ text: 'ls', isCut: false }, signal())).toBeInstanceOf(Promise)
  expect(other.judge({ text: 'ls', isCut: false }, signal())).toMatchObject({ action: 'allow' })
})

test('nobody waits because the machine let the node wait while it judged', async () => {
  const place = await aPlace()
  await aRule(await aFilter({ assets: [place.asset] }), 'rm')
  const guard = open(place, ann)
  expect(await judged(guard, 'ls')).toBe('allow')
  const { find } = RuleSet.prototype
  const paused = vi.spyOn(RuleSet.prototype, 'find').mockImplementationOnce(function (this: RuleSet, texts) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
    return find.call(this, texts)
  })
  expect(await judged(guard, 'rm')).toBe(FORBIDDEN)
  expect(paused).toHaveBeenCalled()
  paused.mockRestore()
  expect(guard.judge({ text: 'ls', isCut: false }, signal())).toMatchObject({ action: 'allow' })
})

test('a database that does not answer denies within 5 seconds where rules are not known; those that are known stay in force', async () => {
  const place = await aPlace()
  await aRule(await aFilter({ assets: [place.asset] }), 'rm')
  const known = open(place, ann)
  expect(await judged(known, 'ls')).toBe('allow')
  const client = await server.kernel.pool.connect()
  await client.query('BEGIN; LOCK TABLE assets_command_filter_rule IN ACCESS EXCLUSIVE MODE')
  try {
    const unknown = open(await aPlace(), ann)
    const begun = performance.now()
    expect([await judged(known, 'rm -rf /'), await judged(known, 'ls')]).toEqual([FORBIDDEN, 'allow'])
    // Callers take a fault for a denial.
    await expect(judgeInTime(unknown, { texts: ['ls'], isCut: false }, signal())).rejects.toThrow('no answer within')
    expect(performance.now() - begun).toBeLessThan(20_000)
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
})

test('[A2.52] others are asked about the whole input when a rule is about a part of it, or about a reading of it', async () => {
  const place = await aPlace()
  const filter = await aFilter({ assets: [place.asset] })
  const { body: reviewer } = await bob.get('/api/v1/users/profile/')
  await aRule(filter, '^drop', { type: 'regex', action: 2, reviewers: [reviewer.id] })
  const guard = open(place, ann)
  await soon(guard, 'drop table t').toBe('confirm')
  const about = async (sent: string) =>
    answerOf(await judgeInTime(guard, unitsOf(sent, ['drop table t'], false), signal()))
  expect(await about('select 1; drop table t')).toBe('confirm')
  expect(await about(`select '${'x'.repeat(MAX_CONFIRMED)}'; drop table t`)).toContain('is too long for that')
})

test('[A2.52] the reviewers of the first rule are asked about several statements, whichever statement is first', async () => {
  const place = await aPlace()
  const filter = await aFilter({ assets: [place.asset] })
  const { body: reviewer } = await bob.get('/api/v1/users/profile/')
  const confirmed = (content: string, priority: number) =>
    aRule(filter, content, { type: 'regex', action: 2, priority, reviewers: [reviewer.id] })
  await confirmed('^update', 60)
  const first = await confirmed('^drop', 10)
  const guard = open(place, ann)
  await soon(guard, 'update t').toBe('confirm')
  await soon(guard, 'drop table t').toBe('confirm')
  const ruleFor = async (statements: readonly string[]) => {
    const verdict = await judgeInTime(guard, unitsOf(statements.join('; '), statements, false), signal())
    return [verdict.action, verdict.grounds?.rule]
  }
  expect(await ruleFor(['update t', 'drop table t'])).toEqual(['confirm', first])
  expect(await ruleFor(['drop table t', 'update t'])).toEqual(['confirm', first])
})

test('a statement with more readings than are looked at is denied where a rule applies', async () => {
  const place = await aPlace()
  await aRule(await aFilter({ assets: [place.asset] }), 'drop')
  const guard = open(place, ann)
  await soon(guard, 'drop').toBe('Command `drop` is forbidden')
  const many = Array.from({ length: 300 }, (_, at) => `select ${at}`)
  const verdict = await judgeInTime(guard, unitsOf(many.join(';'), many, false), signal())
  expect(answerOf(verdict)).toContain('Only a part of this could be checked')
})
