import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { generateSshKey } from '../../../../kernel/ssh/keys/plain-key.ts'
import { type AssetsFixture, BOB, openAssetsFixture, otherAdmin } from '../../../assets/assets-fixture.ts'
import { keepAccounts, makeSystemAccount, type Sshd, startSshd } from '../../../assets/sshd-fixture.ts'
import { openHost } from '../../hosts/open-host.ts'
import { startWindows } from './windows-fixture.ts'

let fixture: AssetsFixture
let sshd: Sshd
let asset: string
const pushed = `pushed-${randomBytes(4).toString('hex')}`
const password = `Pushed-${randomBytes(9).toString('base64url')}`

beforeAll(async () => {
  if (process.getuid?.() !== 0) throw new Error('these tests make accounts, which root alone may')
  fixture = await openAssetsFixture()
  sshd = await startSshd({ signIn: 'password', config: `AllowUsers root ${pushed}\n` })
  await fixture.kernel.jobs.start()
  const root = { name: 'boss', type: 'admin', username: sshd.username, private_key: sshd.privateKey }
  const boss = await fixture.make('system-users', root)
  const made = await fixture.make('assets', {
    hostname: 'machine',
    ip: '127.0.0.1',
    platform: 'Linux',
    protocols: [`ssh/${sshd.port}`],
    is_active: false,
    admin_user: boss.id,
  })
  asset = made.id
  await fixture.call('PATCH', `/api/v1/assets/assets/${asset}/`, { is_active: true })
})
afterEach(() => {
  try {
    keepAccounts('userdel', ['--force', '--remove', pushed])
  } catch {
    // A test that made none.
  }
  rmSync(`/etc/sudoers.d/sallyport-${pushed}`, { force: true })
})
afterAll(async () => {
  await fixture?.close()
  await sshd?.close()
})

/** The background tasks of pushes that nobody started by hand, the latest first, once they are over. */
async function pushedByItself(amount: number): Promise<string[]> {
  const runs = async () =>
    (
      await fixture.pool.query<{ id: string }>(
        `SELECT id FROM ops_background_task WHERE name LIKE 'Push system users%' AND user_id IS NULL AND date_finished IS NOT NULL
         ORDER BY date_created DESC`,
      )
    ).rows.map(({ id }) => id)
  await expect.poll(async () => (await runs()).length).toBe(amount)
  return runs()
}
const logOf = async (task = ''): Promise<string> =>
  (await fixture.call('GET', `/api/v1/ops/celery/task/${task}/log/`)).body.data

/** Pushes a system user and answers what became of each step. */
async function push(user: string, where = asset, action: 'push' | 'remove' = 'push') {
  const { body } = await fixture.call('POST', `/api/v1/assets/system-users/${user}/tasks/`, {
    action,
    assets: [where],
  })
  for (;;) {
    const { state, result } = (await fixture.call('GET', `/api/v1/ops/celery/task/${body.task}/result/`)).body
    if (['SUCCESS', 'FAILURE'].includes(state)) {
      const log = (await fixture.call('GET', `/api/v1/ops/celery/task/${body.task}/log/`)).body.data
      const run = (await fixture.call('GET', `/api/v1/ops/adhoc-executions/${body.task}/`)).body
      return { summary: result, log, failures: run.last_failure, version: run.adhoc as string }
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

test('[A1.11 A2.44] a system user is made on a machine with password, key, groups, home, shell and sudo rules, and a second push changes nothing', async () => {
  const user = await fixture.make('system-users', {
    name: 'deploy',
    username: pushed,
    password,
    private_key: generateSshKey().privateKey,
    shell: '/bin/sh',
    home: `/tmp/${pushed}`,
    system_groups: 'games',
    sudo: '/usr/bin/id, /bin/true',
  })
  const first = await push(user.id)
  expect(first.summary).toEqual({ success: 1, failed: 0, skipped: 0 })
  expect(first.log.match(/CHANGED/g)).toHaveLength(4)
  expect(first.log).not.toContain(password)
  const second = await push(user.id)
  expect(second.log).not.toContain('CHANGED')
  expect(second.log.match(/\| OK/g)).toHaveLength(4)
  expect([first.log, second.log].map((log) => log.includes('nothing changed'))).toEqual([false, true])
  const host = await openHost(fixture.kernel, { assetId: asset, as: { systemUser: user.id }, reason: 'a test' })
  const by = (options: { become?: 'root' }) => host.run('id -un; id -Gn; pwd', options)
  try {
    expect((await host.run('id -un; id -Gn')).stdout).toMatch(/^pushed-\w+\n.*games/)
    const allowed = await host.run('sudo -n /usr/bin/id -u; sudo -n /bin/cat /etc/shadow')
    expect([allowed.stdout, allowed.code]).toEqual(['0\n', 1])
    await expect(by({ become: 'root' })).rejects.toThrow('The machine does not let this user switch to the other one')
  } finally {
    host.close()
  }
  // Rules that are no rules are never put in place.
  await fixture.call('PATCH', `/api/v1/assets/system-users/${user.id}/`, { sudo: 'not a path !!' })
  const broken = await push(user.id)
  expect(broken.summary).toEqual({ success: 0, failed: 1, skipped: 0 })
  expect(Object.keys((broken.failures as Record<string, object>)['machine(127.0.0.1)'] ?? {})).toEqual([
    `${pushed}: sudo`,
  ])
  expect(() => execFileSync('visudo', ['-c'], { stdio: 'pipe' })).not.toThrow()
})

test('[A1.11] nobody pushes system users of another organization, and root is never made', async () => {
  const user = await fixture.make('system-users', { name: 'super', username: 'root', password })
  const url = `/api/v1/assets/system-users/${user.id}/tasks/`
  expect((await fixture.call('POST', url, { action: 'push' }, otherAdmin)).status).toBe(404)
  const { log, summary } = await push(user.id)
  expect(log).toContain('super | SKIPPED')
  expect(summary).toMatchObject({ failed: 0 })
})

test('[A3.16 A3.17] linking an asset makes the account there by itself, so does saving the system user; one that is not to be pushed stays away', async () => {
  const common = { username: pushed, shell: '/bin/sh', home: `/tmp/${pushed}`, sudo: '' }
  const user = await fixture.make('system-users', { name: 'joins', password, ...common })
  const stays = await fixture.make('system-users', { name: 'stays', username: 'never', password, auto_push: false })
  // Bound to the node: the asset, which is in it, is linked to both.
  for (const systemuser of [user.id, stays.id])
    await fixture.make('system-users-nodes-relations', { systemuser, node: fixture.root.id })
  const [first] = await pushedByItself(1)
  expect(await logOf(first)).toContain(`machine(127.0.0.1) | ${pushed}: password | CHANGED`)
  const host = await openHost(fixture.kernel, { assetId: asset, as: { systemUser: user.id }, reason: 'a test' })
  host.close()
  await fixture.call('PATCH', `/api/v1/assets/system-users/${user.id}/`, { shell: '/bin/bash' })
  const [second] = await pushedByItself(2)
  expect(await logOf(second)).toContain(`machine(127.0.0.1) | ${pushed}: user | CHANGED`)
  expect(execFileSync('getent', ['passwd', pushed], { encoding: 'utf8' })).toContain(':/bin/bash')
  expect(() => execFileSync('getent', ['passwd', 'never'])).toThrow()
  for (const id of [user.id, stays.id]) await fixture.call('DELETE', `/api/v1/assets/system-users/${id}/`)
})

test('[A3.17] a pushed account is removed on request, rules included; an account that was there before stays', async () => {
  const user = await fixture.make('system-users', { name: 'leaves', username: pushed, password, sudo: '/bin/true' })
  await push(user.id)
  const rules = `/etc/sudoers.d/sallyport-${pushed}`
  expect(existsSync(rules)).toBe(true)
  // Pushed no more: what it left is there all the same.
  await fixture.call('PATCH', `/api/v1/assets/system-users/${user.id}/`, { auto_push: false })
  expect((await push(user.id, asset, 'remove')).log.match(/CHANGED/g)).toHaveLength(2)
  expect(existsSync(rules)).toBe(false)
  expect(() => execFileSync('getent', ['passwd', pushed])).toThrow()
  expect((await push(user.id, asset, 'remove')).log).toContain('nothing changed')
  keepAccounts('useradd', ['--no-create-home', pushed])
  const kept = await push(user.id, asset, 'remove')
  expect([kept.summary, JSON.stringify(kept.failures)]).toEqual([
    { success: 0, failed: 1, skipped: 0 },
    expect.stringContaining('The account was there before it was pushed: it stays'),
  ])
  expect(execFileSync('getent', ['passwd', pushed], { encoding: 'utf8' })).toContain(pushed)
})

test('[A3.17] a system user that takes people’s names is made for each person who is linked to it, over one connection', async () => {
  const user = await fixture.make('system-users', {
    name: 'own names',
    username_same_with_user: true,
    password,
    sudo: '',
  })
  await fixture.pool.query('UPDATE users_user SET username = $1 WHERE id = $2', [pushed, BOB])
  await fixture.make('system-users-assets-relations', { systemuser: user.id, asset })
  const before = (await pushedByItself(3)).length
  const logins = sshd.logins()
  await fixture.pool.query('INSERT INTO assets_system_user_user (systemuser, "user") VALUES ($1, $2)', [user.id, BOB])
  const [run] = await pushedByItself(before + 1)
  expect(await logOf(run)).toContain(`machine(127.0.0.1) | ${pushed}: password | CHANGED`)
  await expect.poll(() => sshd.logins() - logins).toBe(1)
  await fixture.call('DELETE', `/api/v1/assets/system-users/${user.id}/`)
})

test('[A2.44] how a version switches the user is said by people, is never read again, and is what its steps do', async () => {
  const door = makeSystemAccount()
  if (!door) throw new Error('these tests make accounts, which root alone may')
  const rules = `/etc/sudoers.d/${door.username}`
  const open = await startSshd({ signIn: 'password', config: `AllowUsers ${door.username}\n` })
  try {
    const admin_user = (await fixture.make('system-users', { name: 'climber', type: 'admin', ...login(door) })).id
    const where = { ip: '127.0.0.1', platform: 'Linux', protocols: [`ssh/${open.port}`], admin_user }
    const machine = (await fixture.make('assets', { hostname: 'climbed', ...where, is_active: false })).id
    await fixture.call('PATCH', `/api/v1/assets/assets/${machine}/`, { is_active: true })
    const user = await fixture.make('system-users', { name: 'climbs', username: pushed, password, sudo: '' })
    const first = await push(user.id, machine)
    expect(first.failures).toEqual({
      'climbed(127.0.0.1)': { login: { msg: 'The machine does not let this user switch to the other one' } },
    })
    const url = `/api/v1/ops/adhoc/${first.version}/`
    for (const become of [
      'root',
      '{"method":"enable","user":"root"}',
      '{"method":"su","user":"root"}',
      '{"method":"sudo","user":"-x"}',
    ])
      expect(Object.keys((await fixture.call('PATCH', url, { become })).body)).toEqual(['become'])
    const way = JSON.stringify({ method: 'su', user: 'root', pass: 'not of root' })
    const answer = await fixture.call('PATCH', url, { become: way })
    expect([answer.status, answer.body.become_display, answer.body.become]).toEqual([200, 'root', undefined])
    const { rows } = await fixture.pool.query('SELECT become_sealed::text AS sealed FROM ops_adhoc WHERE id = $1', [
      first.version,
    ])
    expect(rows[0].sealed).not.toContain(Buffer.from('not of root').toString('hex'))
    // The same version, by su now, which wants root's password.
    const second = await push(user.id, machine)
    expect([second.version, second.failures]).toEqual([
      first.version,
      { 'climbed(127.0.0.1)': { login: { msg: 'The password for switching the user was refused' } } },
    ])
    expect((await fixture.call('GET', '/api/v1/ops/adhoc/', undefined, otherAdmin)).body).toEqual([])
    expect((await fixture.call('PATCH', url, { become: way }, otherAdmin)).status).toBe(404)
    writeFileSync(rules, `${door.username} ALL=(ALL:ALL) NOPASSWD: ALL\n`, { mode: 0o440 })
    await fixture.call('PATCH', url, { become: JSON.stringify({ method: 'sudo', user: 'root' }) })
    expect((await push(user.id, machine)).summary).toMatchObject({ success: 1, failed: 0 })
    expect((await fixture.call('PATCH', url, { become: null })).body.become_display).toBe('')
  } finally {
    rmSync(rules, { force: true })
    await open.close()
    door.remove()
  }
})

test('[A3.17] a system user that is switched to is tested by logging in as the other one and switching', async () => {
  const door = makeSystemAccount()
  const inner = makeSystemAccount()
  if (!door || !inner) throw new Error('these tests make accounts, which root alone may')
  const open = await startSshd({ signIn: 'password', config: `AllowUsers ${door.username}\n` })
  try {
    const never = { auto_push: false }
    const su_from = (await fixture.make('system-users', { name: 'door', ...login(door), ...never })).id
    const inside = { name: 'inner', ...login(inner), ...never, su_enabled: true, su_from }
    const user = await fixture.make('system-users', inside)
    const machine = { hostname: 'two steps', ip: '127.0.0.1', platform: 'Linux', protocols: [`ssh/${open.port}`] }
    const { id } = await fixture.make('assets', machine)
    await fixture.make('system-users-assets-relations', { systemuser: user.id, asset: id })
    const state = async (systemuser: string) =>
      (await fixture.call('GET', `/api/v1/assets/system-users-assets-relations/?asset=${id}&systemuser=${systemuser}`))
        .body
    // Whom it is switched from is linked along.
    expect(await state(su_from)).toHaveLength(1)
    const url = `/api/v1/assets/system-users/${user.id}/`
    const tested = async () => {
      const { task } = (await fixture.call('POST', `${url}tasks/`, { action: 'test' })).body
      const result = async () => (await fixture.call('GET', `/api/v1/ops/celery/task/${task}/result/`)).body
      await expect.poll(async () => (await result()).state).toBe('SUCCESS')
      return (await state(user.id))[0].connectivity
    }
    expect(await tested()).toBe('ok')
    await fixture.call('PATCH', url, { password: 'not this one' })
    expect(await tested()).toBe('failed')
  } finally {
    await open.close()
    door.remove()
    inner.remove()
  }
})

test('[A3.17] on Windows an account is made with groups and password, by PowerShell that shows no secret; a directory’s, and one without a password, is none', async () => {
  const admin = { username: 'keeper', password: `Keeper-${randomBytes(6).toString('hex')}` }
  const windows = await startWindows(admin)
  try {
    const admin_user = (await fixture.make('system-users', { name: 'windows boss', type: 'admin', ...admin })).id
    const where = { ip: '127.0.0.1', platform: 'Windows', admin_user, is_active: false }
    const protocols = [`ssh/${windows.port}`, 'rdp/3389']
    const { id } = await fixture.make('assets', { hostname: 'windows', ...where, protocols })
    await fixture.call('PATCH', `/api/v1/assets/assets/${id}/`, { is_active: true })
    const rdp = { protocol: 'rdp', password, system_groups: "Helpers, People's choice ’s" }
    const desktop = await fixture.make('system-users', { name: 'desktops', username: 'desk', ...rdp })
    const first = await push(desktop.id, id)
    expect(first.summary).toEqual({ success: 1, failed: 0, skipped: 0 })
    expect(first.log.match(/CHANGED/g)).toHaveLength(2)
    expect(windows.accounts.get('desk')).toMatchObject({
      password,
      groups: ['Helpers', "People's choice ’’s", 'S-1-5-32-555'],
    })
    expect((await push(desktop.id, id)).log).toContain('desk | nothing changed')
    await fixture.call('PATCH', `/api/v1/assets/system-users/${desktop.id}/`, { password: `${password}2` })
    expect((await push(desktop.id, id)).log).toMatch(/desk: user \| OK[\s\S]*desk: password \| CHANGED/)
    // Nothing of a desktop is made where there are none, so nobody logs in: nobody could, to this one.
    const linux = { hostname: 'no desktops', ip: '127.0.0.1', platform: 'Linux', protocols: ['ssh/22'] }
    const none = await push(desktop.id, (await fixture.make('assets', linux)).id)
    expect([none.failures, none.log]).toEqual([{}, expect.stringContaining('no desktops(127.0.0.1) | SKIPPED')])

    const shell = await fixture.make('system-users', { name: 'shells', username: 'shell', password })
    await push(shell.id, id)
    expect(windows.accounts.get('shell')?.groups).toEqual(['S-1-5-32-545'])
    const long = await fixture.make('system-users', { name: 'long', username: 'a-name-of-too-many-letters', password })
    expect((await push(long.id, id)).failures).toEqual({
      'windows(127.0.0.1)': { 'a-name-of-too-many-letters: user': { msg: 'The argument is too long.' } },
    })
    const private_key = generateSshKey().privateKey
    for (const draft of [{ ad_domain: 'corp', password, protocol: 'rdp' }, { private_key }]) {
      const other = await fixture.make('system-users', {
        name: `none ${Object.keys(draft)[0]}`,
        username: 'none',
        ...draft,
      })
      expect((await push(other.id, id)).log).toContain('none | SKIPPED')
    }
    expect([...windows.accounts.keys()].sort()).toEqual(['desk', 'shell'])
    // One of the directory has nothing there, whatever another one of the same name left.
    const theirs = await fixture.make('system-users', { name: 'theirs', username: 'shell', ad_domain: 'corp', ...rdp })
    expect((await push(theirs.id, id, 'remove')).log).toContain('shell | SKIPPED')
    expect(windows.accounts.has('shell')).toBe(true)
    const own = { password: 'own', description: 'Integriertes Konto', groups: [], rid: 500 }
    windows.accounts.set('Administrateur', own)
    const boss = await fixture.make('system-users', { name: 'french boss', username: 'Administrateur', password })
    expect((await push(boss.id, id)).failures).toEqual({
      'windows(127.0.0.1)': {
        'Administrateur: user': { msg: 'The account belongs to the machine itself: it stays as it is' },
      },
    })
    expect(own.password).toBe('own')
    expect((await push(desktop.id, id, 'remove')).log).toContain('desk: user | CHANGED')
    windows.accounts.set('desk', { password: 'own', description: 'of the machine', groups: [] })
    expect((await push(desktop.id, id, 'remove')).failures).toEqual({
      'windows(127.0.0.1)': { 'desk: user': { msg: 'The account was there before it was pushed: it stays' } },
    })
    const refreshed = async () => {
      const { body } = await fixture.call('POST', '/api/v1/assets/assets/tasks/', { action: 'refresh', assets: [id] })
      const asked = async () => (await fixture.call('GET', `/api/v1/ops/adhoc-executions/${body.task}/`)).body
      await expect.poll(async () => (await asked()).is_finished).toBe(true)
      return (await asked()).last_failure
    }
    expect(await refreshed()).toEqual({})
    windows.isWithoutPowerShell = true
    expect(await refreshed()).toEqual({
      'windows(127.0.0.1)': { setup: { msg: expect.stringContaining("'powershell' is not recognized") } },
    })
    expect((await fixture.call('GET', `/api/v1/assets/assets/${id}/`)).body).toMatchObject({
      vendor: 'Microsoft Corporation',
      cpu_vcpus: 8,
      memory: '16.00 GB',
      disk_total: '127.00 GB',
      os: 'Microsoft Windows Server 2022 Datacenter',
      hostname_raw: 'WIN-7Q',
    })
    expect([...windows.shown, first.log].join('\n')).not.toContain(password)
  } finally {
    await windows.close()
  }
})

const login = ({ username, password: secret }: { username: string; password: string }) => ({
  username,
  password: secret,
})
