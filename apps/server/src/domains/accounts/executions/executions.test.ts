import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { auditor, otherAdmin } from '../../../../test/domain-server.ts'
import { generateSshKey } from '../../../kernel/ssh/keys/plain-key.ts'
import { generatePassword } from '../rotation/generate-password.ts'
import { openLine } from '../rotation/line-fixture.ts'
import { openTask } from '../rotation/open-task.ts'
import { openRotationFixture, type RotationFixture } from '../rotation/rotation-fixture.ts'
import { accountsChangeTask } from '../tables.ts'
import { settleOne } from './change-one.ts'
import { retryOne, runPlan, settleDue } from './run.ts'

const PLANS = '/api/v1/xpack/change-auth-plan/plan/'
const EXECUTIONS = '/api/v1/xpack/change-auth-plan/plan-execution/'
const SUBTASKS = '/api/v1/xpack/change-auth-plan/plan-execution-subtask/'
const RULES = { name: 'plan', username: 'deploy', password: 'Given-by-hand-1', is_periodic: false }

const isRoot = process.getuid?.() === 0
let fixture: RotationFixture
beforeAll(async () => {
  if (isRoot) fixture = await openRotationFixture()
})
afterAll(() => fixture?.close())

const aPlan = async (draft: object) => {
  const { status, body } = await fixture.call('POST', PLANS, { ...RULES, ...draft })
  expect([status, body]).toEqual([201, expect.anything()])
  return body
}

/** Starts a run as people do, carries it out, and answers what became of it. */
async function run(plan: string, more: object = {}) {
  const started = await fixture.call('POST', EXECUTIONS, { plan, ...more })
  expect([started.status, started.body]).toEqual([201, { task: expect.any(String) }])
  const lines: string[] = []
  await runPlan(fixture.kernel, started.body.task, async (line) => void lines.push(line))
  const { body: execution } = await fixture.call('GET', `${EXECUTIONS}${started.body.task}/`)
  const { body: tasks } = await fixture.call('GET', `${SUBTASKS}?plan_execution_id=${execution.id}`)
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came
  return { execution, lines, tasks: tasks as any[] }
}

test.runIf(isRoot)(
  '[A3.25 A5.09] a plan needs what it changes to, a name that is one, and times that can be kept',
  async () => {
    const wrong: [object, string][] = [
      [{ password: '' }, 'password'],
      [{ password: 'two\nlines' }, 'password'],
      [{ is_password: false }, 'is_password'],
      [{ is_ssh_key: true }, 'private_key'],
      [{ is_ssh_key: true, private_key: 'no key' }, 'private_key'],
      [{ username: 'root:x' }, 'username'],
      [{ username: '-x' }, 'username'],
      [{ password_strategy: 'random_all', password_rules: { length: 5 } }, 'password_rules'],
      [{ is_periodic: true, crontab: '* * *' }, 'crontab'],
      [{ is_periodic: true, interval: null }, 'is_periodic'],
      [{ interval: 0 }, 'interval'],
    ]
    for (const [draft, field] of wrong) {
      const { status, body } = await fixture.call('POST', PLANS, { ...RULES, ...draft })
      expect([draft, status, Object.keys(body)]).toEqual([draft, 400, [field]])
    }
    const plan = await aPlan({ name: 'by the clock', is_periodic: true, crontab: '0 3 * * 1', interval: 24 })
    expect([plan.periodic_display, plan.password]).toEqual(['Regularly perform ( 0 3 * * 1 )', undefined])
    expect((await fixture.call('POST', EXECUTIONS, { plan: plan.id })).body).toMatchObject({ code: 'plan_is_empty' })
    expect((await fixture.call('POST', EXECUTIONS, { plan: plan.id }, otherAdmin)).status).toBe(400)
    expect((await fixture.call('GET', PLANS, undefined, auditor)).status).toBe(403)
  },
)

test.runIf(isRoot)(
  'a run changes every asset of the plan, goes past one that is down, and what was stopped is tried again',
  async () => {
    const { account } = await fixture.anAccount()
    const line = await openLine(fixture.sshd.port)
    line.cutAt(0, 0)
    const address = { ip: '127.0.0.1', platform: 'Linux', admin_user: fixture.boss }
    const down = await fixture.make('assets/assets', {
      ...address,
      hostname: 'a-down',
      protocols: [`ssh/${line.port}`],
    })
    const plan = await aPlan({ name: 'every asset', username: account.username, assets: [down.id, fixture.asset] })
    const rehearsal = await run(plan.id, { is_rehearsal: true })
    expect(rehearsal.execution).toMatchObject({
      is_rehearsal: true,
      result_summary: { succeed: 1, failed: 1, total: 2 },
    })
    const open = await fixture.asPerson(account.username, { password: account.password })
    expect(open).toBe(true)

    const { execution, tasks, lines } = await run(plan.id)
    expect(execution).toMatchObject({
      ...{ username: account.username, assets_amount: 2, trigger: 'manual', is_finished: true },
      result_summary: { succeed: 1, failed: 1, total: 2 },
    })
    expect(tasks.map((one) => [one.asset_info.hostname, one.state, one.step, one.reason])).toEqual([
      ['a-down', 'failed', 'preflight_check', 'unreachable'],
      ['web-1', 'succeeded', 'finished', ''],
    ])
    expect(lines.join('\n')).not.toContain(RULES.password)
    expect(await fixture.asPerson(account.username, { password: RULES.password })).toBe(true)
    const { body: accounts } = await fixture.call(
      'GET',
      `/api/v1/assets/accounts/?asset=${fixture.asset}&username=${account.username}`,
    )
    expect([accounts[0].version, accounts[0].connectivity]).toEqual([2, 'ok'])
    const { body: changes } = await fixture.call('GET', `${SUBTASKS}?account_id=${accounts[0].id}`)
    expect(changes.map((one: { id: string }) => one.id)).toContain(tasks[1].id)
    expect(changes.map((one: { id: string }) => one.id)).not.toContain(tasks[0].id)
    expect((await fixture.call('GET', `${SUBTASKS}?account_id=11111111-1111-4111-8111-111111111111`)).body).toEqual([])

    // What failed is tried again by a PUT; what has succeeded is not.
    expect((await fixture.call('PUT', `${SUBTASKS}${tasks[1].id}/`)).body).toMatchObject({ code: 'is_done' })
    expect((await fixture.call('PUT', `${SUBTASKS}${tasks[0].id}/`)).body).toEqual({ task: expect.any(String) })
    line.mend()
    expect(await retryOne(fixture.kernel, tasks[0].id, async () => {})).toEqual({ state: 'succeeded' })
    await line.close()
  },
)

test.runIf(isRoot)(
  'the admin user keeps its own secret in secure mode, and where the first change is refused no other is begun',
  async () => {
    const own = await run((await aPlan({ name: 'own', username: 'root', assets: [fixture.asset] })).id)
    expect(own.tasks.map(({ state, reason }) => [state, reason])).toEqual([['failed', 'admin_secret']])

    const others = ['b-1', 'b-2'].map((hostname) => ({
      hostname,
      ip: '127.0.0.1',
      platform: 'Linux',
      admin_user: fixture.boss,
    }))
    const assets = []
    for (const one of others)
      assets.push((await fixture.make('assets/assets', { ...one, protocols: [`ssh/${fixture.line.port}`] })).id)
    // No machine takes such a name for a new account.
    const refused = await run((await aPlan({ name: 'refused', username: '+nobody', assets })).id)
    expect(refused.tasks.map(({ state, reason }) => [state, reason])).toEqual([
      ['failed', 'refused'],
      ['skipped', 'stopped'],
    ])
  },
)

test.runIf(isRoot)('each account gets a password of its own, by the rules of the plan', async () => {
  const { account } = await fixture.anAccount()
  const rules = { password_strategy: 'random_all', password_rules: { length: 12 } }
  const { tasks } = await run(
    (await aPlan({ ...rules, name: 'random', username: account.username, assets: [fixture.asset] })).id,
  )
  expect(tasks[0].state).toBe('succeeded')
  // Neither the old one nor that of the plan, which is kept for another strategy.
  for (const password of [account.password, RULES.password])
    expect(await fixture.asPerson(account.username, { password })).toBe(false)
})

test.runIf(isRoot)(
  'a run sets the secrets that its plan changes, and leaves the other one that the plan has',
  async () => {
    const [first, second] = [(await fixture.anAccount()).account, (await fixture.anAccount()).account]
    const { privateKey: private_key } = generateSshKey()
    const drafted = { is_password: false, is_ssh_key: true, ssh_key_strategy: 'set', private_key }
    const { id } = await aPlan({ ...drafted, name: 'key', username: first.username, assets: [fixture.asset] })
    expect((await run(id)).tasks.map(({ state }) => state)).toEqual(['succeeded'])
    const secrets = (username: string, old: string) =>
      Promise.all(
        [{ private_key }, { password: old }, { password: RULES.password }].map((one) =>
          fixture.asPerson(username, one),
        ),
      )
    expect(await secrets(first.username, first.password)).toEqual([true, true, false])
    const other = { is_password: true, is_ssh_key: false, username: second.username }
    expect((await fixture.call('PATCH', `${PLANS}${id}/`, other)).status).toBe(200)
    expect((await run(id)).tasks.map(({ state }) => state)).toEqual(['succeeded'])
    expect(await secrets(second.username, second.password)).toEqual([false, false, true])
  },
)

test.runIf(isRoot)(
  'a run over 10,000 assets goes on where a stopped node left it: what is done is left alone, what was under way is settled first',
  async () => {
    const plan = await aPlan({ name: 'ten thousand', username: 'deploy' })
    const { pool } = fixture
    await pool.query(
      `WITH made AS (INSERT INTO assets_asset (org_id, hostname, ip, platform)
         SELECT $1, 'many-' || lpad(n::text, 5, '0'), '10.9.' || n / 250 || '.' || n % 250, 'Linux'
         FROM generate_series(1, 10000) n RETURNING id)
       INSERT INTO accounts_change_plan_asset (plan, asset) SELECT $2, id FROM made`,
      [DEFAULT_ORG_ID, plan.id],
    )
    // All that it will change is shown, whatever the page.
    const listed = (query: string) => fixture.call('GET', `${PLANS}${plan.id}/assets/${query}`)
    expect((await listed('')).body).toHaveLength(10_000)
    const { body: page } = await listed('?limit=2000&offset=8500')
    expect([page.count, page.results.length, page.next]).toEqual([10_000, 1500, null])
    expect(page.previous).toContain('limit=2000')
    expect((await listed('?limit=10&offset=20000')).body).toMatchObject({ count: 10_000, results: [] })
    const started = await fixture.call('POST', EXECUTIONS, { plan: plan.id })
    const id = started.body.task
    await pool.query(
      `UPDATE accounts_change_task SET date_start = now(), state = CASE WHEN place <= 9990 THEN 'succeeded' ELSE 'running' END
       WHERE execution = $1 AND place <= 9991`,
      [id],
    )
    const { rows: underWay } = await pool.query(
      `SELECT DISTINCT ON (state) id FROM accounts_change_task WHERE execution = $1 AND state IN ('waiting', 'running')`,
      [id],
    )
    const again = await Promise.all(underWay.map((one) => fixture.call('PUT', `${SUBTASKS}${one.id}/`)))
    expect(again.map(({ status, body }) => [status, body.code])).toEqual(Array(2).fill([400, 'is_running']))
    const lines: string[] = []
    expect(await runPlan(fixture.kernel, id, async (line) => void lines.push(line))).toEqual({
      succeeded: 9990,
      failed: 10,
    })
    expect(lines.map((line) => line.split(' | ')[0])).toEqual(
      expect.arrayContaining(Array.from({ length: 10 }, (_, n) => `many-${String(9991 + n).padStart(5, '0')}`)),
    )
    expect([lines.length, lines[0]?.startsWith('many-09991')]).toEqual([10, true])
  },
)

test.runIf(isRoot)(
  'an unknown result is tried ever more seldom, and after a week no more: all secrets stay, a person is asked to look, and a retry starts over',
  async () => {
    const { kernel, pool } = fixture
    const { task } = await fixture.anAccount()
    const { account, ledger, target } = await openTask(kernel, task, { keyStrategy: '', example: undefined })
    target.close()
    await ledger.propose({ password: generatePassword({ length: 20 }) })
    /** The stored state after one more try, of so many before. */
    const probed = async (before: number) => {
      await pool.query(
        `UPDATE accounts_change_task SET account = $2, state = 'unknown', step = 'change_auth', probes = $3,
           date_start = now(), date_next_probe = now() WHERE id = $1`,
        [task.id, account, before],
      )
      await settleDue(kernel)
      const { rows } = await pool.query(
        'SELECT state, reason, probes, extract(epoch FROM date_next_probe - now()) AS waits FROM accounts_change_task WHERE id = $1',
        [task.id],
      )
      const { waits, ...row } = rows[0]
      return { ...row, waits: waits === null ? null : Math.ceil(waits / 300) * 300 }
    }
    const open = { state: 'unknown', reason: 'old_works' }
    expect(await probed(0)).toEqual({ ...open, probes: 1, waits: 300 })
    expect(await probed(3)).toEqual({ ...open, probes: 4, waits: 2400 })
    expect(await probed(13)).toEqual({ ...open, probes: 14, waits: 86_400 })
    const over = { state: 'unknown', reason: 'given_up', probes: 14, waits: null }
    expect(await probed(14)).toEqual(over)
    expect(await ledger.candidate()).toBeDefined()
    const { body } = await fixture.call('GET', `${SUBTASKS}${task.id}/`)
    expect(body.reason_display).toContain('Enter the password that the account has now')
    await retryOne(kernel, task.id, async () => {})
    const { rows } = await pool.query(
      'SELECT state, probes, date_next_probe IS NOT NULL AS goes_on FROM accounts_change_task WHERE id = $1',
      [task.id],
    )
    // The plan changes nothing, so that nothing can be proven.
    expect(rows).toEqual([{ state: 'unknown', probes: 1, goes_on: true }])
  },
)

test.runIf(isRoot)(
  'the time for which a sent secret may still arrive goes by the database, for any clock of a node, and starts again when it is sent once more',
  async () => {
    const { kernel, pool } = fixture
    const { task } = await fixture.anAccount()
    const { account, ledger, target } = await openTask(kernel, task, { keyStrategy: '', example: undefined })
    target.close()
    const ofTask = eq(accountsChangeTask.id, task.id)
    const sent = async (minutesAgo: number) => {
      await pool.query(
        "UPDATE accounts_change_task SET account = $2, state = 'unknown', step = 'change_auth', date_start = now() - make_interval(mins => $3) WHERE id = $1",
        [task.id, account, minutesAgo],
      )
      const [row] = await kernel.db.select().from(accountsChangeTask).where(ofTask)
      return row as typeof task
    }
    await ledger.propose({ password: generatePassword({ length: 20 }) })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
    try {
      expect(await settleOne(kernel, await sent(10))).toMatchObject({ state: 'unknown', error: { code: 'old_works' } })
      expect(await ledger.candidate()).toBeDefined()
      vi.setSystemTime(Date.now() - 7_200_000)
      expect(await settleOne(kernel, await sent(20))).toMatchObject({ state: 'failed', error: { code: 'not_changed' } })
      expect(await ledger.candidate()).toBeUndefined()
    } finally {
      vi.useRealTimers()
    }
    await sent(60)
    await retryOne(kernel, task.id, async () => {})
    const [row] = await kernel.db.select().from(accountsChangeTask).where(ofTask)
    expect(Date.now() - (row?.date_start?.getTime() ?? 0)).toBeLessThan(30 * 60_000)
  },
)
