/** Machines that show host certificates, made by ssh-keygen and shown by a real sshd. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openHost } from '../../system-users/hosts/open-host.ts'
import { type AssetsFixture, openAssetsFixture, ordinary, otherAdmin } from '../assets-fixture.ts'
import { type Sshd, startSshd } from '../sshd-fixture.ts'

const AUTHORITIES = '/api/v1/assets/host-authorities/'
let fixture: AssetsFixture
let sshd: Sshd
let folder: string
let asset: string
let user: string
let authority: string

const at = (name: string) => join(folder, name)
const keygen = (...parameters: string[]) => execFileSync('ssh-keygen', ['-q', ...parameters], { stdio: 'pipe' })
const newKey = (name: string, type = 'ed25519') => {
  rmSync(at(name), { force: true })
  keygen('-t', type, ...(type === 'rsa' ? ['-b', '2048'] : []), '-N', '', '-f', at(name))
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-host-certificates-'))
  for (const name of ['ca', 'other-ca', 'host']) newKey(name)
  certify()
  fixture = await openAssetsFixture()
  sshd = await startSshd({ config: `HostKey ${at('host')}\nHostCertificate ${at('host-cert.pub')}\n` })
  const machine = { hostname: 'certified', ip: '127.0.0.1', platform: 'Linux', protocols: [`ssh/${sshd.port}`] }
  asset = (await fixture.make('assets', { ...machine, is_active: false })).id
  const draft = { name: 'by key', username: sshd.username, private_key: sshd.privateKey, auto_push: false }
  user = (await fixture.make('system-users', draft)).id
  const made = await fixture.call('POST', AUTHORITIES, { name: 'ours', public_key: readFileSync(at('ca.pub'), 'utf8') })
  expect(made.status).toBe(201)
  authority = `${AUTHORITIES}${made.body.id}/`
})
afterAll(async () => {
  await fixture?.close()
  await sshd?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Signs the machine's host key, by default as it has to be. */
function certify(options: string[] = ['-n', '127.0.0.1,machine.example.com'], { by = 'ca', kind = ['-h'] } = {}): void {
  keygen('-s', at(by), '-I', 'machine', ...kind, ...options, at('host.pub'))
}

/** What comes of a login after the machine has got this certificate. */
async function shows(...how: Parameters<typeof certify>): Promise<string> {
  certify(...how)
  await sshd.changeHostKey()
  return logIn()
}

async function logIn(): Promise<string> {
  try {
    const host = await openHost(fixture.kernel, { assetId: asset, as: { systemUser: user }, reason: 'a test' })
    host.close()
    return 'in'
  } catch (error) {
    return (error as Error).message
  }
}
const pinned = async () => (await fixture.call('GET', `/api/v1/assets/assets/${asset}/host-keys/`)).body

test('a machine with a certificate for its address is trusted, with any key, and none is pinned', async () => {
  expect(await logIn()).toBe('in')
  newKey('host')
  expect(await shows()).toBe('in')
  for (const type of ['ecdsa', 'rsa']) {
    newKey('host', type)
    for (const by of ['ca', `${type}-ca`]) {
      if (by !== 'ca') {
        newKey(by, type)
        const key = { name: by, public_key: readFileSync(at(`${by}.pub`), 'utf8') }
        expect((await fixture.call('POST', AUTHORITIES, key)).status).toBe(201)
      }
      expect([type, by, await shows(['-n', '127.0.0.1'], { by })]).toEqual([type, by, 'in'])
    }
  }
  expect(await pinned()).toEqual([])
})

test('a certificate that says anything else than this machine, now, is refused before a secret is sent', async () => {
  newKey('host')
  const logins = sshd.logins()
  const names = 'The host certificate is for other names than the address of the machine'
  expect(await shows(['-n', '127.0.0.2'])).toBe(names)
  // Two names are two, and one with a comma would be none of them.
  expect(await shows(['-n', '127.0.0.10,27.0.0.1'])).toBe(names)
  // Good for all, where names count.
  expect(await shows([])).toBe(names)
  expect(await shows(['-n', '*'])).toBe(names)
  const time = 'The host certificate has expired, or is not valid yet'
  expect(await shows(['-n', '127.0.0.1', '-V', '20200101:20200102'])).toBe(time)
  expect(await shows(['-n', '127.0.0.1', '-V', '+1d:+2d'])).toBe(time)
  expect(await shows(['-n', '127.0.0.1', '-O', 'critical:verify-required@example.com'])).toBe(
    'The host certificate has conditions that are not known',
  )
  expect(sshd.logins()).toBe(logins)
  expect(await pinned()).toEqual([])
})

test('what another authority has signed counts as a key without a certificate: the first is pinned, the next refused', async () => {
  newKey('host')
  expect(await shows(['-n', '127.0.0.1'], { by: 'other-ca', kind: ['-h'] })).toBe('in')
  expect((await pinned()).map(({ state }: { state: string }) => state)).toEqual(['pinned'])
  newKey('host')
  expect(await shows(['-n', '127.0.0.1'], { by: 'other-ca', kind: ['-h'] })).toMatch('The host key has changed')
  // Its own authority vouches for the new one.
  expect(await shows()).toBe('in')
  expect((await fixture.call('PATCH', authority, { is_active: false })).status).toBe(200)
  expect(await logIn()).toMatch('The host key has changed')
  await fixture.call('PATCH', authority, { is_active: true })
})

test('a machine that was moved needs more than a certificate, which says nothing about what is sent there', async () => {
  newKey('host')
  await fixture.call('PATCH', `/api/v1/assets/assets/${asset}/`, { ip: 'localhost' })
  const logins = sshd.logins()
  expect(await shows(['-n', 'LOCALHOST'])).toMatch('It was moved and shows another host key')
  expect(sshd.logins()).toBe(logins)
})

test('authorities are keys, and belong to their organization', async () => {
  const post = (public_key: string) => fixture.call('POST', AUTHORITIES, { name: 'another', public_key })
  certify()
  copyFileSync(at('host-cert.pub'), at('shown'))
  for (const wrong of [readFileSync(at('shown'), 'utf8'), readFileSync(at('ca'), 'utf8'), 'ssh-ed25519 AAAA', '']) {
    const { status, body } = await post(wrong)
    expect([status, Object.keys(body)]).toEqual([400, ['public_key']])
  }
  expect((await fixture.call('GET', authority, undefined, otherAdmin)).status).toBe(404)
  expect((await fixture.call('GET', AUTHORITIES, undefined, ordinary)).status).toBe(403)
})
