import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openHost } from '../../../assets/hosts/open-host.ts'
import { type AssetsFixture, openAssetsFixture, otherAdmin } from '../../assets-fixture.ts'
import { generateSshKey } from '../../ssh-key.ts'
import { keepAccounts, type Sshd, startSshd } from '../../sshd-fixture.ts'

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

/** Pushes a system user and answers what became of each step. */
async function push(user: string): Promise<{ summary: Record<string, unknown>; log: string; failures: unknown }> {
  const { body } = await fixture.call('POST', `/api/v1/assets/system-users/${user}/tasks/`, {
    action: 'push',
    assets: [asset],
  })
  for (;;) {
    const { state, result } = (await fixture.call('GET', `/api/v1/ops/celery/task/${body.task}/result/`)).body
    if (['SUCCESS', 'FAILURE'].includes(state)) {
      const log = (await fixture.call('GET', `/api/v1/ops/celery/task/${body.task}/log/`)).body.data
      const run = (await fixture.call('GET', `/api/v1/ops/adhoc-executions/${body.task}/`)).body
      return { summary: result, log, failures: run.last_failure }
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

test('[A1.11] nobody pushes system users of another organisation, and root is never made', async () => {
  const user = await fixture.make('system-users', { name: 'super', username: 'root', password })
  const url = `/api/v1/assets/system-users/${user.id}/tasks/`
  expect((await fixture.call('POST', url, { action: 'push' }, otherAdmin)).status).toBe(404)
  const { log, summary } = await push(user.id)
  expect(log).toContain('super | SKIPPED')
  expect(summary).toMatchObject({ failed: 0 })
})
