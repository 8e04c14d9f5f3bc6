import { execFileSync } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, openTestServer, type TestServer } from '../../../../test/server.ts'
import { keepAccounts, type Sshd, startSshd } from '../../assets/sshd-fixture.ts'
import { closeLostTasks } from '../../ops/index.ts'
import { startSilentServer } from '../../system-users/hosts/silent-server-fixture.ts'

const USERS = '/api/v1/assets/gathered-users/'
const TASKS = '/api/v1/xpack/gathered-user/tasks/'
const RUNS = '/api/v1/xpack/gathered-user/task-executions/'

const SNAPSHOT = JSON.stringify({ name: 'lost', types: [], recipients: {} })

let server: TestServer
let sshd: Sshd
let boss: Caller
let asset: string
let root: string
let task: string
/** An account of this very machine, with a home of its own. */
const username = `gathered-${randomBytes(4).toString('hex')}`
const home = join(tmpdir(), username)

const useradd = (name: string) =>
  keepAccounts('useradd', ['--no-create-home', '--home-dir', home, '--shell', '/bin/bash', name])
const userdel = (name: string) => keepAccounts('userdel', ['--force', name])
const newKey = (name: string) => {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', `${name}@laptop`, '-f', join(home, name)])
  return {
    publicKey: readFileSync(join(home, `${name}.pub`), 'utf8'),
    privateKey: readFileSync(join(home, name), 'utf8'),
    fingerprint: execFileSync('ssh-keygen', ['-lf', join(home, name)], { encoding: 'utf8' }).split(' ')[1],
  }
}
const authorize = (...keys: string[]) => writeFileSync(join(home, '.ssh', 'authorized_keys'), keys.join(''))

async function created(path: string, body: object) {
  const answer = await boss.post(path, body)
  expect([path, answer.status, answer.body]).toEqual([path, 201, expect.anything()])
  return answer.body
}

beforeAll(async () => {
  mkdirSync(join(home, '.ssh'), { recursive: true })
  useradd(username)
  server = await openTestServer()
  sshd = await startSshd()
  boss = await server.aPerson('boss', { orgRoles: ['Admin'] })
  root = (await boss.get('/api/v1/assets/nodes/children/')).body[0].id
  const login = { username: sshd.username, private_key: sshd.privateKey, protocol: 'ssh', login_mode: 'auto' }
  const admin = (await created('/api/v1/assets/system-users/', { name: 'door', ...login, type: 'admin' })).id
  asset = (
    await created('/api/v1/assets/assets/', {
      hostname: 'gathered-1',
      ip: '127.0.0.1',
      platform: 'Linux',
      protocols: [`ssh/${sshd.port}`],
      nodes: [root],
      admin_user: admin,
    })
  ).id
  task = (await created(TASKS, { name: 'nightly', nodes: [root], is_periodic: false })).id
})
afterAll(async () => {
  await server?.close()
  await sshd?.close()
  for (const name of [username, `${username}-2`]) {
    try {
      userdel(name)
    } catch {
      // It was not made, or is gone.
    }
  }
  rmSync(home, { recursive: true, force: true })
})

/** A run by hand, once it is over. */
async function gathered(of = task) {
  const { status, body } = await boss.post(RUNS, { task: of })
  expect(status).toBe(201)
  const run = async () => (await boss.get(`${RUNS}${body.task}/`)).body
  await expect.poll(async () => (await run()).timedelta ?? null).not.toBe(null)
  return run()
}

const list = async (query: string) => (await boss.get(`${USERS}?${query}`)).body
const one = async (name = username) => (await list(`username=${name}`))[0]

test('a run reads the accounts of real machines below its nodes; a later one says who is new, changed or gone', async () => {
  expect(await gathered()).toMatchObject({ success: true, reason: '', assets_amount: 1, new_amount: 0 })
  expect(await one()).toMatchObject({ asset, hostname: 'gathered-1', ip: '127.0.0.1', present: true, change: '', home })
  expect(await one('root')).toMatchObject({ uid: 0, is_admin: true, present: true })
  expect((await list('limit=200')).results.map((row: { username: string }) => row.username)).not.toContain('daemon')

  useradd(`${username}-2`)
  keepAccounts('usermod', ['--shell', '/bin/sh', username])
  // Other tests make accounts on this machine, too.
  const second = await gathered()
  expect(second.success).toBe(true)
  expect(Math.min(second.new_amount, second.changed_amount)).toBeGreaterThanOrEqual(1)
  expect(await one()).toMatchObject({ change: 'changed', change_display: 'Changed', shell: '/bin/sh' })
  expect(await list(`change=new&username=${username}-2`)).toHaveLength(1)

  userdel(`${username}-2`)
  expect((await gathered()).vanished_amount).toBeGreaterThanOrEqual(1)
  expect(await one(`${username}-2`)).toMatchObject({ present: false, change: 'vanished' })
  expect(await list(`present=false&search=gathered-1&username=${username}-2`)).toHaveLength(1)
  await gathered()
  expect(await one(`${username}-2`)).toMatchObject({ present: false, change: '' })
  expect(await one()).toMatchObject({ present: true, change: '' })
  const plan = (await boss.get(`${TASKS}${task}/`)).body
  expect(plan).toMatchObject({ executed_times: 4, date_last_sync: expect.stringMatching(/^\d{4}\//) })
})

test('authorized keys that no account here explains, and accounts that nobody here uses, are reported', async () => {
  const ours = newKey('ours')
  const theirs = newKey('theirs')
  authorize(ours.publicKey, theirs.publicKey)
  await gathered()
  expect(await one()).toMatchObject({ owners: [], unexplained_keys: 2 })
  expect(await list(`username=${username}&is_owned=false&has_unexplained_keys=true`)).toHaveLength(1)

  const account = { username, asset, private_key: ours.privateKey }
  await created('/api/v1/assets/accounts/', account)
  const known = await one()
  expect(known.owners).toEqual([username])
  expect(known.unexplained_keys).toBe(1)
  expect(known.keys).toEqual([
    { type: 'ssh-ed25519', fingerprint: ours.fingerprint, comment: 'ours@laptop', is_explained: true },
    { type: 'ssh-ed25519', fingerprint: theirs.fingerprint, comment: 'theirs@laptop', is_explained: false },
  ])
  expect(await list(`username=${username}&is_owned=false`)).toEqual([])
  authorize(ours.publicKey)
  await gathered()
  expect(await one()).toMatchObject({ change: 'changed', unexplained_keys: 0 })
  expect(await list(`username=${username}&has_unexplained_keys=true`)).toEqual([])
})

test('people who may use an account by a permission are listed beside it, and sign-ins that did not come through here are reported', async () => {
  const { pool } = server.kernel
  await gathered()
  expect(await one()).toMatchObject({ people: [], people_amount: 0, is_last_login_known: null })
  const login = { username, protocol: 'ssh', login_mode: 'auto', auto_push: false }
  const user = (await created('/api/v1/assets/system-users/', { name: username, ...login })).id
  const ann = await server.aPerson('ann')
  const late = await server.aPerson('late')
  const grant = { assets: [asset], system_users: [user], actions: ['connect'] }
  await created('/api/v1/perms/asset-permissions/', { ...grant, name: 'to ann', users: [ann.id], nodes: [root] })
  const over = { date_start: '2020-01-01T00:00:00Z', date_expired: '2020-01-02T00:00:00Z' }
  await created('/api/v1/perms/asset-permissions/', { ...grant, ...over, name: 'to late', users: [late.id] })
  expect(await one()).toMatchObject({ people: ['ann of test(ann)'], people_amount: 1 })
  expect(await one('root')).toMatchObject({ people: [], people_amount: 0 })

  const at = new Date(Date.now() - 86_400_000)
  await pool.query('UPDATE accounts_gathered_user SET date_last_login = $1 WHERE username = $2', [at, username])
  expect(await one()).toMatchObject({ is_last_login_known: false })
  expect(await list(`username=${username}&is_last_login_known=false`)).toHaveLength(1)
  const session = `INSERT INTO terminal_session (org_id, "user", asset, "system_user", asset_id, date_start)
    SELECT org_id, 'ann(ann)', hostname, '', id::text, $2 FROM assets_asset WHERE id = $1`
  await pool.query(session, [asset, new Date(at.getTime() - 60_000)])
  expect(await one()).toMatchObject({ is_last_login_known: true })
  expect(await list(`username=${username}&is_last_login_known=false`)).toEqual([])

  // Nobody gets in to a machine that is switched off, nor who has left the organization.
  const beside = await created('/api/v1/assets/assets/', {
    hostname: 'beside',
    ip: '10.0.0.3',
    platform: 'Linux',
    protocols: ['ssh/22'],
  })
  const isActive = (value: boolean) =>
    pool.query('UPDATE assets_asset SET is_active = $2 WHERE id = $1', [asset, value])
  await isActive(false)
  expect(await one()).toMatchObject({ people: [], people_amount: 0 })
  await isActive(true)
  expect(await one()).toMatchObject({ people_amount: 1 })
  const isAnnActive = (value: boolean) =>
    pool.query('UPDATE users_user SET is_active = $2 WHERE id = $1', [ann.id, value])
  await isAnnActive(false)
  expect(await one()).toMatchObject({ people: [], people_amount: 0 })
  await isAnnActive(true)
  expect(await one()).toMatchObject({ people_amount: 1 })
  await pool.query('DELETE FROM orgs_member WHERE "user" = $1', [ann.id])
  expect(await one()).toMatchObject({ people: [], people_amount: 0 })
  await server.admin.delete(`/api/v1/assets/assets/${beside.id}/`)
})

test('a key file that leads elsewhere, or never ends, gives nothing away and holds nobody up', async () => {
  const file = join(home, '.ssh', 'authorized_keys')
  rmSync(file, { force: true })
  execFileSync('ln', ['-s', '/etc/shadow', file])
  await gathered()
  expect(await one()).toMatchObject({ keys: [] })
  rmSync(file)
  execFileSync('mkfifo', [file])
  expect(await gathered()).toMatchObject({ success: true })
  rmSync(file)
})

test('a task without assets says so, and one machine that does not answer does not keep the others from being read', async () => {
  const empty = (await created('/api/v1/assets/nodes/', { value: 'empty' })).id
  const idle = (await created(TASKS, { name: 'idle', nodes: [empty], is_periodic: false })).id
  expect(await gathered(idle)).toMatchObject({
    success: false,
    reason: 'There is no asset in these nodes: choose others',
  })
  await created('/api/v1/assets/assets/', { hostname: 'dead', ip: '127.0.0.1', platform: 'Linux', nodes: [root] })
  expect(await gathered()).toMatchObject({
    success: false,
    reason: 'Some assets could not be read',
    assets_amount: 2,
    failed_amount: 1,
  })
  expect(await one()).toMatchObject({ present: true })
})

test('[A2.46] a run that is under way is ended in the task monitor, also at a machine that never answers', async () => {
  const silent = await startSilentServer()
  const nodes = [(await created('/api/v1/assets/nodes/', { value: 'mute' })).id]
  const mute = { hostname: 'mute', ip: '127.0.0.1', platform: 'Linux', protocols: [`ssh/${silent.port}`], nodes }
  const { admin_user } = (await boss.get(`/api/v1/assets/assets/${asset}/`)).body
  await created('/api/v1/assets/assets/', { ...mute, admin_user })
  const { id } = await created(TASKS, { name: 'mute', nodes, is_periodic: false })
  const { task: run } = (await boss.post(RUNS, { task: id })).body
  const task = async () => (await boss.get(`/api/v1/ops/celery/task/${run}/result/`)).body
  // Others may come to the new machine before it does.
  await expect.poll(task).toMatchObject({ state: 'STARTED' })
  await silent.reached
  const job = `/api/v1/ops/monitor/jobs/${run}/cancel/`
  expect((await boss.post(job)).status).toBe(403)
  expect((await server.admin.post(job)).status).toBe(200)
  const row = async () => (await boss.get(`${RUNS}${run}/`)).body
  await expect.poll(async () => (await row()).timedelta).not.toBe(null)
  expect(await row()).toMatchObject({ success: false, reason: 'Cancelled' })
  await expect.poll(task).toMatchObject({ state: 'FAILURE', result: { error: 'Cancelled' } })
  await silent.close()
})

test('[A2.30] a run of any kind whose worker died for good is ended and says why; one whose task still waits is not', async () => {
  const { pool, jobs } = server.kernel
  const times = { is_periodic: false }
  const backup = (await created('/api/v1/assets/backup/', { name: 'lost', recipients: [], ...times })).id
  const rules = { name: 'lost', username, password: 'Changed-by-plan-1', assets: [asset], ...times }
  const change = (await created('/api/v1/xpack/change-auth-plan/plan/', rules)).id
  /** A row as a run leaves it that has not ended; its task was begun two minutes ago. */
  const open = async (table: string, columns: string, values: string, plan: string, id: string = randomUUID()) => {
    await pool.query(
      `INSERT INTO ${table} (id, org_id, date_start, ${columns})
       SELECT $1, org_id, now() - interval '2 minutes', ${values} FROM assets_asset WHERE id = $2`,
      [id, asset, plan],
    )
    await pool.query(
      `INSERT INTO ops_background_task (id, org_id, name, state, date_created)
       SELECT $1, org_id, 'Lost', 'STARTED', now() - interval '2 minutes' FROM assets_asset WHERE id = $2`,
      [id, asset],
    )
    return id
  }
  const waits = await jobs.send('accounts.gather_users', {}, { startAfterSeconds: 3600 })
  await open('accounts_gather_execution', 'task', '$3', task, waits)
  const ofGathering = await open('accounts_gather_execution', 'task', '$3', task)
  const ofBackup = await open(
    'accounts_backup_execution',
    'plan, plan_snapshot, trigger',
    `$3, '${SNAPSHOT}', 'timing'`,
    backup,
  )
  const ofChange = await open('accounts_change_execution', 'family, plan, plan_snapshot', `'asset', $3, '{}'`, change)
  await closeLostTasks(server.kernel)
  const reason = 'The node that did this was stopped, and nobody carried it on'
  expect((await boss.get(`${RUNS}${ofGathering}/`)).body).toMatchObject({ success: false, reason })
  expect((await boss.get(`/api/v1/assets/backup-execution/${ofBackup}/`)).body).toMatchObject({
    is_success: false,
    timedelta: expect.any(Number),
    reason,
  })
  const ran = `/api/v1/xpack/change-auth-plan/plan-execution/${ofChange}/`
  expect((await boss.get(ran)).body).toMatchObject({ is_finished: true })
  expect((await boss.get(`${RUNS}${waits}/`)).body).toMatchObject({ timedelta: null, reason: '' })
  await jobs.withdraw('accounts.gather_users', waits)
  await pool.query('DELETE FROM accounts_gather_execution WHERE id = $1', [waits])
})

test('[A5.09 B5.07] a task runs by the clock: five parts that can be, or hours; the clock wins', async () => {
  const refusal = async (draft: object) => {
    const { status, body } = await boss.patch(`${TASKS}${task}/`, draft)
    return [status, Object.keys(body)]
  }
  expect(await refusal({ is_periodic: true, crontab: '* * *' })).toEqual([400, ['crontab']])
  expect(await refusal({ is_periodic: true, interval: 0 })).toEqual([400, ['interval']])
  expect(await refusal({ is_periodic: true, crontab: '', interval: null })).toEqual([400, ['is_periodic']])
  const both = (await boss.patch(`${TASKS}${task}/`, { is_periodic: true, crontab: '5 4 * * *', interval: 3 })).body
  expect(both.periodic_display).toBe('Regularly perform ( 5 4 * * * )')
  const hours = (await boss.patch(`${TASKS}${task}/`, { crontab: null })).body
  expect(hours.periodic_display).toBe('Cycle perform ( 3 h )')
  const before = (await boss.get(`${RUNS}?task=${task}`)).body.length
  const { pool, jobs } = server.kernel
  await jobs.send('accounts.gather_users_when_due', { id: task })
  await expect.poll(async () => (await boss.get(`${RUNS}?task=${task}`)).body.length).toBe(before + 1)
  await expect
    .poll(async () => (await pool.query('SELECT 1 FROM accounts_gather_execution WHERE timedelta IS NULL')).rowCount)
    .toBe(0)
})

test('[A5.09] a form that says the times as they are does not move the next run; other times are planned again', async () => {
  const { pool } = server.kernel
  const { id } = await created(TASKS, { name: 'every day', nodes: [root], is_periodic: true, interval: 24 })
  const next = new Date('2090-01-01T00:00:00Z')
  const nextRun = async () => {
    const { rows } = await pool.query('SELECT date_next_run FROM accounts_gather_task WHERE id = $1', [id])
    return rows[0].date_next_run
  }
  await pool.query('UPDATE accounts_gather_task SET date_next_run = $2 WHERE id = $1', [id, next])
  const same = { is_periodic: true, crontab: '', interval: 24, comment: 'other words' }
  expect((await boss.patch(`${TASKS}${id}/`, same)).status).toBe(200)
  expect(await nextRun()).toEqual(next)
  expect((await boss.patch(`${TASKS}${id}/`, { interval: 25 })).status).toBe(200)
  expect(await nextRun()).not.toEqual(next)
  expect((await boss.delete(`${TASKS}${id}/`)).status).toBe(204)
})

test('the id of a task is given by the server, whatever a client sends', async () => {
  const id = '00000000-0000-4000-8000-00000000beef'
  const made = await created(TASKS, { id, name: 'own id', nodes: [root], is_periodic: false })
  expect(made.id).not.toBe(id)
  expect((await boss.delete(`${TASKS}${made.id}/`)).status).toBe(204)
})

test('nobody but administrators of the organization reads or starts any of it', async () => {
  const other = await server.aPerson('other', { orgRoles: ['Admin'], org: await server.anOrg('other') })
  const plain = await server.aPerson('plain')
  expect((await other.get(USERS)).body).toEqual([])
  expect((await other.post(RUNS, { task })).status).toBe(400)
  expect((await boss.post(RUNS, { task: 'x' })).status).toBe(400)
  expect((await boss.post(RUNS, {})).status).toBe(400)
  for (const path of [USERS, TASKS, RUNS]) expect([path, (await plain.get(path)).status]).toEqual([path, 403])
  expect((await plain.post(RUNS, { task })).status).toBe(403)
})
