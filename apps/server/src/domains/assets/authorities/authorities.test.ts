/** Authorities of organizations, and machines that trust them: a real sshd, whose log names who came. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Host, openHost } from '../../system-users/hosts/open-host.ts'
import { type AssetsFixture, admin, openAssetsFixture, ordinary, otherAdmin } from '../assets-fixture.ts'
import { type Sshd, startSshd } from '../sshd-fixture.ts'

const AUTHORITIES = '/api/v1/assets/ssh-authorities/'
let fixture: AssetsFixture
let sshd: Sshd
let folder: string
let asset: string
let user: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-authorities-'))
  trust([])
  fixture = await openAssetsFixture()
  // Its own keys open it to nobody else.
  sshd = await startSshd({ config: `TrustedUserCAKeys ${join(folder, 'trusted')}\n` })
  const machine = { hostname: 'machine', ip: '127.0.0.1', platform: 'Linux', protocols: [`ssh/${sshd.port}`] }
  asset = (await fixture.make('assets', { ...machine, is_active: false })).id
  const certified = { name: 'certified', username: sshd.username, by_certificate: true, auto_push: false }
  user = (await fixture.make('system-users', certified)).id
})
afterAll(async () => {
  await fixture?.close()
  await sshd?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Public keys that the machine trusts from now on. */
const trust = (keys: readonly string[]) =>
  writeFileSync(join(folder, 'trusted'), keys.map((key) => `${key}\n`).join(''))

const authorities = async (headers = admin) => (await fixture.call('GET', AUTHORITIES, undefined, headers)).body

function fingerprintOf(publicKey: string): string {
  writeFileSync(join(folder, 'key.pub'), `${publicKey}\n`)
  return execFileSync('ssh-keygen', ['-lf', join(folder, 'key.pub')], { encoding: 'utf8' }).split(' ')[1] ?? ''
}

async function atMachine<T>(work: (host: Host) => Promise<T>, reason = 'task 7'): Promise<T> {
  const host = await openHost(fixture.kernel, { assetId: asset, as: { systemUser: user }, reason })
  try {
    return await work(host)
  } finally {
    host.close()
  }
}
const certifiedBy = () => atMachine(async (host) => host.certifiedBy)

test('an authority is made with the first system user that signs in by certificate; its private key is in no answer', async () => {
  const [one, ...more] = await authorities()
  expect(more).toEqual([])
  expect(one).toMatchObject({ version: 1, state: 'current', assets_amount: 0, source_addresses: [] })
  expect(one.fingerprint).toBe(fingerprintOf(one.public_key))
  expect(Object.keys(one).filter((name) => /private|sealed|secret/.test(name))).toEqual([])
  expect(await authorities(otherAdmin)).toEqual([])
  expect((await fixture.call('GET', AUTHORITIES, undefined, ordinary)).status).toBe(403)
  expect((await fixture.call('POST', `${AUTHORITIES}${one.id}/retire/`, {}, otherAdmin)).status).toBe(404)
})

test('a machine that trusts it lets the system user in without a stored secret, and its own log says for what', async () => {
  await expect(certifiedBy()).rejects.toThrow('The machine refused the certificate')
  const [one] = await authorities()
  trust([one.public_key])
  const ran = await atMachine((host) => host.run('id -un'), "task 8' person=root")
  expect(ran.stdout).toBe(`${sshd.username}\n`)
  const line = sshd.log().match(/^Accepted publickey .*$/m)?.[0]
  expect(line).toContain('ID sallyport job=task%208%27%20person%3Droot (serial ')
  expect(line).toContain(`CA ED25519 ${one.fingerprint}`)
  expect((await authorities())[0]).toMatchObject({ assets_amount: 1 })
})

test('after a change machines are let in by the version that they trust, until the former one is retired', async () => {
  const made = await fixture.call('POST', AUTHORITIES, { comment: 'yearly' })
  expect(made.body).toMatchObject({ version: 2, state: 'current', comment: 'yearly' })
  const [second, first] = await authorities()
  expect([first.state, second.state]).toEqual(['retiring', 'current'])
  expect(await certifiedBy()).toEqual(expect.objectContaining({ version: 1, isCurrent: false }))
  expect((await fixture.call('POST', `${AUTHORITIES}${second.id}/retire/`, {})).status).toBe(400)
  trust([second.public_key, first.public_key])
  expect(await certifiedBy()).toEqual(expect.objectContaining({ version: 2, isCurrent: true }))
  expect((await authorities()).map((row: { assets_amount: number }) => row.assets_amount)).toEqual([1, 0])
  expect((await fixture.call('POST', `${AUTHORITIES}${first.id}/retire/`, {})).status).toBe(204)
  expect((await authorities())[1]).toMatchObject({ version: 1, state: 'retired' })
  trust([first.public_key])
  await expect(certifiedBy()).rejects.toThrow('The machine refused the certificate')
  trust([second.public_key])
})

test('its addresses are held by the machine, and follow to the next version; of more than three live ones none is made', async () => {
  const [current] = await authorities()
  const set = (source_addresses: string[]) =>
    fixture.call('PATCH', `${AUTHORITIES}${current.id}/`, { source_addresses })
  expect((await set(['192.0.2.7/24', '2001:DB8::1'])).body.source_addresses).toEqual(['192.0.2.0/24', '2001:db8::1'])
  await expect(certifiedBy()).rejects.toThrow('The machine refused the certificate')
  for (const wrong of ['10.0.0.0/33', 'bastion', '10.1', '*', '10.0.0.1,10.0.0.2', ''])
    expect([wrong, (await set([wrong])).status]).toEqual([wrong, 400])
  await set(['127.0.0.0/8'])
  expect(await certifiedBy()).toBeDefined()
  const next = await fixture.call('POST', AUTHORITIES, {})
  expect(next.body).toMatchObject({ version: 3, source_addresses: ['127.0.0.0/8'] })
  expect((await fixture.call('POST', AUTHORITIES, {})).status).toBe(201)
  expect((await fixture.call('POST', AUTHORITIES, {})).status).toBe(400)
})

test('certificates are for SSH system users that log in by themselves', async () => {
  const make = (draft: object) =>
    fixture.call('POST', '/api/v1/assets/system-users/', {
      name: 'other',
      username: 'other',
      by_certificate: true,
      ...draft,
    })
  const source = { name: 'Vault', address: 'https://vault.example.com', token: 'token' }
  const { body: kept } = await fixture.call('POST', '/api/v1/assets/secret-sources/', source)
  const outside = { secret_source: kept.id, secret_path: 'linux/web-1', secret_field: 'key' }
  for (const draft of [{ protocol: 'rdp' }, { login_mode: 'manual' }, { su_enabled: true, su_from: user }, outside]) {
    const { status, body } = await make(draft)
    expect([status, Object.keys(body)]).toEqual([400, ['by_certificate']])
  }
  const plain = await fixture.make('system-users', { name: 'plain', username: 'plain', password: 'secret' })
  expect(plain.by_certificate).toBe(false)
})
