/** Machines are made to trust the authority of an organization, by a push over a real sshd. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { generateSshKey } from '../../../../kernel/ssh/keys/plain-key.ts'
import { type AssetsFixture, openAssetsFixture } from '../../../assets/assets-fixture.ts'
import { keepAccounts, type Sshd, startSshd } from '../../../assets/sshd-fixture.ts'
import { openHost } from '../../hosts/open-host.ts'

const AUTHORITIES = '/api/v1/assets/ssh-authorities/'
const username = `pushed-${randomBytes(4).toString('hex')}`
const foreign = `${generateSshKey().publicKey} of another company`
let fixture: AssetsFixture
let folder: string
let plain: Sshd
let trusting: Sshd
let parted: Sshd
/** Pushed to at once. A third one would meet the lock of this machine's account files. */
let assets: string[]
let withParts: string
let user: string

beforeAll(async () => {
  if (process.getuid?.() !== 0) throw new Error('these tests make accounts, which root alone may')
  folder = mkdtempSync(join(tmpdir(), 'sallyport-trust-'))
  writeFileSync(join(folder, 'theirs'), `${foreign}\n`)
  fixture = await openAssetsFixture()
  plain = await startSshd({ config: `AllowUsers root ${username}\nMatch User nobody\nX11Forwarding no\nMatch all\n` })
  trusting = await startSshd({ config: `TrustedUserCAKeys ${join(folder, 'theirs')}\n` })
  parted = await startSshd({ hasParts: true })
  await fixture.kernel.jobs.start()
  assets = []
  for (const [name, sshd] of Object.entries({ plain, trusting, parted })) {
    const root = { name: `root of ${name}`, type: 'admin', username: sshd.username, private_key: sshd.privateKey }
    const { id: admin_user } = await fixture.make('system-users', root)
    const where = { ip: '127.0.0.1', platform: 'Linux', protocols: [`ssh/${sshd.port}`], is_active: false, admin_user }
    const { id } = await fixture.make('assets', { hostname: name, ...where })
    await fixture.call('PATCH', `/api/v1/assets/assets/${id}/`, { is_active: true })
    if (sshd === parted) withParts = id
    else assets.push(id)
  }
  const draft = {
    name: 'certified',
    username,
    by_certificate: true,
    shell: '/bin/sh',
    home: `/tmp/${username}`,
    sudo: '',
  }
  user = (await fixture.make('system-users', draft)).id
})
afterAll(async () => {
  await fixture?.close()
  await plain?.close()
  await trusting?.close()
  await parted?.close()
  rmSync(folder, { recursive: true, force: true })
  try {
    keepAccounts('userdel', ['--force', '--remove', username])
  } catch {
    // It was not made.
  }
})

async function task(action: 'push' | 'test', on = assets): Promise<string> {
  const { body } = await fixture.call('POST', `/api/v1/assets/system-users/${user}/tasks/`, { action, assets: on })
  const url = `/api/v1/ops/celery/task/${body.task}/`
  const state = async () => (await fixture.call('GET', `${url}result/`)).body.state
  await expect.poll(state, { timeout: 30_000 }).toMatch(/SUCCESS|FAILURE/)
  return (await fixture.call('GET', `${url}log/`)).body.data
}

async function certifiedBy(asset = assets[0] ?? '') {
  const host = await openHost(fixture.kernel, { assetId: asset, as: { systemUser: user }, reason: 'a test' })
  try {
    expect((await host.run('id -un')).stdout).toBe(`${username}\n`)
    return host.certifiedBy
  } finally {
    host.close()
  }
}

const newest = async () => (await fixture.call('GET', AUTHORITIES)).body[0]
/** Runs that nobody started by hand have an end. */
const pushesThatFollow = () =>
  expect
    .poll(
      async () => {
        const { rows } = await fixture.pool.query(
          `SELECT count(*)::int AS open FROM ops_background_task WHERE name LIKE 'Push system users%' AND date_finished IS NULL`,
        )
        const due = await fixture.pool.query('SELECT count(*)::int AS due FROM assets_account WHERE push_due')
        return [rows[0]?.open, due.rows[0]?.due]
      },
      { timeout: 30_000 },
    )
    .toEqual([0, 0])

test('a push makes the account, and the SSH server trust the authority; a second one changes nothing', async () => {
  expect(await task('test')).toContain('The machine refused the certificate: push the system user')
  const first = await task('push')
  expect(first).toContain(`plain(127.0.0.1) | ${username}: authority | CHANGED`)
  expect(first).toContain(`trusting(127.0.0.1) | ${username}: authority | CHANGED`)
  expect(await task('push')).not.toContain('CHANGED')
  for (const asset of assets) expect(await certifiedBy(asset)).toMatchObject({ version: 1, isCurrent: true })
  expect(plain.log()).toMatch(new RegExp(`Accepted publickey for ${username} .* ID sallyport job=a%20test `))
  expect(await task('test')).toContain(`plain(127.0.0.1) | ${username} | SUCCESS | authority v1\r\n`)
})

test('where the configuration reads further files, the line is in one of its own', async () => {
  expect(await task('push', [withParts])).toContain(`parted(127.0.0.1) | ${username}: authority | CHANGED`)
  expect(await task('push', [withParts])).not.toContain('CHANGED')
  expect(await certifiedBy(withParts)).toMatchObject({ version: 1, isCurrent: true })
})

test('the keys that a machine trusted before stay trusted, in the file that it has', () => {
  const lines = readFileSync(join(folder, 'theirs'), 'utf8').trim().split('\n')
  expect(lines[0]).toBe(foreign)
  expect(lines[1]).toMatch(/^ssh-ed25519 \S+ sallyport-[\w-]+$/)
  expect(lines).toHaveLength(2)
})

test('the next version is pushed by itself, and so is the end of the former one', async () => {
  for (const asset of assets) await fixture.make('system-users-assets-relations', { systemuser: user, asset })
  await pushesThatFollow()
  const former = await newest()
  const { body: next } = await fixture.call('POST', AUTHORITIES, {})
  await pushesThatFollow()
  expect(await certifiedBy()).toMatchObject({ version: 2, isCurrent: true })
  const keys = () =>
    readFileSync(join(folder, 'theirs'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[1])
  const bodyOf = ({ public_key }: { public_key: string }) => public_key.split(' ')[1]
  expect(keys().slice(1)).toEqual([bodyOf(next), bodyOf(former)])
  await fixture.call('POST', `${AUTHORITIES}${former.id}/retire/`, {})
  await pushesThatFollow()
  expect(keys().slice(1)).toEqual([bodyOf(next)])
})

test('Test says where the current version is not trusted yet', async () => {
  await fixture.call('PATCH', `/api/v1/assets/system-users/${user}/`, { auto_push: false })
  await fixture.call('POST', AUTHORITIES, {})
  const log = await task('test')
  expect(log).toContain(
    'SUCCESS | authority v2 | the machine does not trust the current version yet: push the system user',
  )
})
