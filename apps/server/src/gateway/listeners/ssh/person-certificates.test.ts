/** People who sign in by certificates of a company's authority: OpenSSH's client, and the attacks of the field. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CERTIFICATE_TYPE, certifiedKey } from '../../../kernel/ssh/certificates/user-certificate.ts'
import { openSshFixture, PASSWORD, type SshFixture } from './ssh-fixture.ts'

let fixture: SshFixture
let folder: string
let name: string

const at = (file: string) => join(folder, file)
const keygen = (...parameters: string[]) => execFileSync('ssh-keygen', ['-q', ...parameters], { stdio: 'pipe' })
const newKey = (file: string, ...type: string[]) =>
  keygen('-t', ...(type.length ? type : ['ed25519']), '-N', '', '-f', at(file))
const publicKey = (file: string) => readFileSync(at(`${file}.pub`), 'utf8')

beforeAll(async () => {
  fixture = await openSshFixture()
  folder = mkdtempSync(join(fixture.folder, 'certificates-'))
  name = fixture.person.username
  for (const file of ['ca', 'stranger', 'key', 'ca-2']) newKey(file)
  newKey('ecdsa', 'ecdsa')
  newKey('rsa', 'rsa', '-b', '2048')
  await trust('ca')
})
afterAll(() => fixture?.close())

const set = (values: object) =>
  fixture.server.admin.in('root').patch('/api/v1/settings/setting/?category=terminal', values)
async function trust(...authorities: string[]): Promise<void> {
  const answer = await set({ TERMINAL_USER_AUTHORITIES: authorities.map(publicKey).join('') })
  expect([answer.status, answer.body]).toEqual([200, expect.anything()])
}

/** Signs a key; without options as it has to be. */
function certify({ by = 'ca', key = 'key', options = ['-n', name], id = 'of a laptop' } = {}): void {
  rmSync(at(`${key}-cert.pub`), { force: true })
  keygen('-s', at(by), '-I', id, ...options, at(`${key}.pub`))
}

/** Whether the key and its certificate sign the person in. */
async function comesIn(key = 'key', options: string[] = []): Promise<boolean> {
  const plain = fixture.clientOptions().options.filter((option) => !option.startsWith('IdentityFile='))
  const client = plain.filter((option, place) => option !== '-o' || plain[place + 1]?.includes('='))
  const own = ['-o', `IdentityFile=${at(key)}`, '-o', `CertificateFile=${at(`${key}-cert.pub`)}`, ...options]
  const ran = await fixture.run('ssh', [...client, ...own, fixture.direct, 'echo in'])
  return ran.stdout.toString() === 'in\n'
}
const lastSignIn = async () =>
  (await fixture.server.admin.in('root').get('/api/v1/audits/login-logs/?limit=1')).body.results[0]

test('a certificate with the username among its names signs in, with keys of each type; the log has how', async () => {
  certify({ options: ['-n', `other,${name}`] })
  expect(await comesIn()).toBe(true)
  expect(await lastSignIn()).toMatchObject({ username: name, status: true, backend: 'SSH Certificate' })
  for (const key of ['ecdsa', 'rsa']) {
    certify({ key })
    expect([key, await comesIn(key)]).toEqual([key, true])
  }
  await trust('ca', 'ecdsa', 'rsa')
  for (const by of ['ecdsa', 'rsa']) {
    certify({ by })
    expect([by, await comesIn()]).toEqual([by, true])
  }
  await trust('ca')
})

test('names count whole: none, patterns, parts and commas sign nobody in', async () => {
  for (const options of [[], ['-n', '*'], ['-n', name.slice(0, -1)], ['-n', name.toUpperCase()], ['-n', `${name} `]]) {
    certify({ options })
    expect([options, await comesIn()]).toEqual([options, false])
  }
  // One name with a comma in it, of which ssh-keygen would make two.
  const named = (principal: string) => {
    const minutes = (amount: number) => new Date(Date.now() + amount * 60_000)
    const times = { validAfter: minutes(-1), validBefore: minutes(5) }
    const terms = { principal, keyId: 'made', ...times, sourceAddresses: [], extensions: [] }
    const { privateKey, certificate } = certifiedKey(readFileSync(at('ca'), 'utf8'), terms)
    writeFileSync(at('made'), privateKey, { mode: 0o600 })
    writeFileSync(at('made-cert.pub'), `${CERTIFICATE_TYPE} ${certificate.toString('base64')}\n`)
  }
  for (const principal of [`${name},other`, `other,${name}`, `${name}\0`]) {
    named(principal)
    expect([principal, await comesIn('made')]).toEqual([principal, false])
  }
  named(name)
  expect(await comesIn('made')).toBe(true)
})

test('a certificate of another time, kind or authority signs nobody in', async () => {
  for (const how of [
    { options: ['-n', name, '-V', '20200101:20200102'] },
    { options: ['-n', name, '-V', '+1d:+2d'] },
    { options: ['-h', '-n', name] },
    { by: 'stranger' },
    { options: ['-n', name, '-O', 'force-command=true'] },
    { options: ['-n', name, '-O', 'verify-required'] },
    { options: ['-n', name, '-O', 'critical:new@example.com=1'] },
    { options: ['-n', name, '-O', 'source-address=10.0.0.0/8'] },
  ]) {
    certify(how)
    expect([how, await comesIn()]).toEqual([how, false])
  }
  certify({ options: ['-n', name, '-O', 'source-address=10.0.0.0/8,127.0.0.0/8'] })
  expect(await comesIn()).toBe(true)
})

test('a certificate is no authority, nor does the key of an authority sign in; a changed or foreign one is worth nothing', async () => {
  // The key of a certificate signs another one.
  certify()
  newKey('victim')
  certify({ by: 'key', key: 'victim' })
  expect(await comesIn('victim')).toBe(false)
  expect((await set({ TERMINAL_USER_AUTHORITIES: readFileSync(at('key-cert.pub'), 'utf8') })).status).toBe(400)
  // The authority's own key, without a certificate.
  writeFileSync(at('ca-cert.pub'), '')
  expect(await comesIn('ca')).toBe(false)
  // Somebody else's certificate, without the key that it is about.
  certify()
  copyFileSync(at('key-cert.pub'), at('stranger-cert.pub'))
  expect(await comesIn('stranger')).toBe(false)
  // One letter of it is another one.
  const [type, body = '', comment] = readFileSync(at('key-cert.pub'), 'utf8').split(' ')
  const bytes = Buffer.from(body, 'base64')
  const place = bytes.indexOf('of a laptop')
  bytes[place] = 'O'.charCodeAt(0)
  writeFileSync(at('key-cert.pub'), `${type} ${bytes.toString('base64')} ${comment}`)
  expect(await comesIn()).toBe(false)
})

test('revoked ones sign nobody in: by serial, by id, by key', async () => {
  certify({ options: ['-n', name, '-z', '42'], id: 'lost' })
  const fingerprint = execFileSync('ssh-keygen', ['-lf', at('key.pub')], { encoding: 'utf8' }).split(' ')[1]
  for (const line of ['serial 42', 'id lost', fingerprint]) {
    expect((await set({ TERMINAL_REVOKED_CERTIFICATES: `serial 4\n${line}` })).status).toBe(200)
    expect([line, await comesIn()]).toEqual([line, false])
  }
  expect((await set({ TERMINAL_REVOKED_CERTIFICATES: '42' })).status).toBe(400)
  expect((await set({ TERMINAL_REVOKED_CERTIFICATES: 'serial 4\nid los' })).status).toBe(200)
  expect(await comesIn()).toBe(true)
})

test('without the authority, or without keys, it is over at once; the second factor and the rules are those of keys', async () => {
  certify()
  const { admin } = fixture.server
  const url = `/api/v1/users/users/${fixture.person.id}/`
  expect((await admin.patch(url, { mfa_level: 2 })).status).toBe(200)
  expect(await comesIn()).toBe(false)
  expect((await admin.patch(url, { mfa_level: 0, is_active: false })).status).toBe(200)
  expect(await comesIn()).toBe(false)
  await admin.patch(url, { is_active: true })
  expect(await comesIn()).toBe(true)
  await trust('ca-2')
  expect(await comesIn()).toBe(false)
  await trust('ca')
  await set({ TERMINAL_PUBLIC_KEY_AUTH: false })
  expect(await comesIn()).toBe(false)
  await set({ TERMINAL_PUBLIC_KEY_AUTH: true })
  expect((await fixture.ssh(fixture.direct, 'echo in', { password: PASSWORD })).stdout.toString()).toBe('in\n')
})
