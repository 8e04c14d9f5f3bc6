import { execFileSync } from 'node:child_process'
import { createCipheriv, randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { previousOf } from '../../kernel/secrets/versions.ts'
import {
  ANN,
  type AssetsFixture,
  admin,
  component,
  openAssetsFixture,
  ordinary,
  otherAdmin,
} from '../assets/assets-fixture.ts'
import { assetsSystemUser } from './tables.ts'
import { loadAssetTarget } from './target.ts'
import { takeTemporaryAuth } from './temporary-auth.ts'

const USERS = '/api/v1/assets/system-users/'
let fixture: AssetsFixture
const folder = mkdtempSync(join(tmpdir(), 'sallyport-keys-'))
beforeAll(async () => {
  fixture = await openAssetsFixture()
})
afterAll(async () => {
  await fixture?.close()
  rmSync(folder, { recursive: true })
})

const create = (row: Record<string, unknown>, headers?: Record<string, string>) =>
  fixture.call('POST', USERS, row, headers)

function sshKey(type: string, passphrase: string): { privateKey: string; publicKey: string; fingerprint: string } {
  const path = join(folder, `${type}-${passphrase}`)
  execFileSync('ssh-keygen', ['-q', '-t', type, '-N', passphrase, '-f', path])
  const fingerprint =
    execFileSync('ssh-keygen', ['-l', '-E', 'md5', '-f', path], { encoding: 'utf8' }).split(' ')[1] ?? ''
  return {
    privateKey: readFileSync(path, 'utf8'),
    publicKey: readFileSync(`${path}.pub`, 'utf8'),
    fingerprint: fingerprint.replace('MD5:', ''),
  }
}

const opened = () => fixture.kernel.secrets.open('test', 'system users')

test('[A3.17 A5.23] secrets are sealed: no answer, export, metadata or operate log ever holds them', async () => {
  const key = sshKey('ed25519', '')
  const { status, body } = await create({
    name: 'sealed',
    username: 'web',
    password: 'p4ss-w0rd!',
    private_key: key.privateKey,
    token: 'tok-en',
  })
  expect(status).toBe(201)
  expect(body.ssh_key_fingerprint).toBe(key.fingerprint)
  await fixture.call('PATCH', `${USERS}${body.id}/`, { password: 'n3w-w0rd!' })
  const seen = [
    await fixture.call('GET', `${USERS}${body.id}/`),
    await fixture.call('GET', USERS),
    await fixture.call('GET', `${USERS}?format=csv`),
    await fixture.call('GET', `${USERS}suggestions/`, undefined, ordinary),
    await fixture.call('OPTIONS', USERS),
  ]
  for (const answer of seen) {
    expect(answer.status).toBe(200)
    for (const secret of ['p4ss-w0rd!', 'n3w-w0rd!', 'tok-en', 'OPENSSH', 'sealed_'])
      expect(answer.raw.toString('utf8')).not.toContain(secret)
  }
  expect(JSON.stringify(fixture.operations)).not.toMatch(/w0rd|OPENSSH|tok-en/)
  const { rows } = await fixture.pool.query('SELECT * FROM assets_system_user WHERE id = $1', [body.id])
  expect(JSON.stringify(rows)).not.toContain('w0rd')
  expect((await fixture.call('GET', `${USERS}${body.id}/auth-info/`)).status).toBe(403)
  expect((await fixture.call('GET', `${USERS}${body.id}/auth-info/`, undefined, component)).body).toMatchObject({
    username: 'web',
    password: 'n3w-w0rd!',
    token: 'tok-en',
  })
})

test('[A3.17] a key of PuTTY is stored as it is used; DSA and what is read by nobody is refused with its reason', async () => {
  const key = sshKey('ecdsa', '')
  const path = join(folder, 'putty')
  writeFileSync(path, key.privateKey, { mode: 0o600 })
  writeFileSync(`${path}.lock`, 'open sesame')
  const putty = ['puttygen', path, '-O', 'private', '-o', `${path}.ppk`, '--new-passphrase', `${path}.lock`] as const
  execFileSync(putty[0], putty.slice(1))
  const ppk = readFileSync(`${path}.ppk`, 'utf8')
  const { status, body } = await create({
    name: 'of putty',
    username: 'web',
    private_key: ppk,
    passphrase: 'open sesame',
  })
  expect([status, body.ssh_key_fingerprint]).toEqual([201, key.fingerprint])
  const dsa = execFileSync('openssl', ['dsaparam', '-genkey', '-noout', '1024'], { encoding: 'utf8', stdio: 'pipe' })
  expect(await create({ name: 'dsa', username: 'web', private_key: dsa })).toMatchObject({
    status: 400,
    body: { private_key: [expect.stringContaining('DSA')] },
  })
  const twice = `${key.publicKey}${sshKey('rsa', '').publicKey}`
  expect(await create({ name: 'two', username: 'web', public_key: twice })).toMatchObject({
    status: 400,
    body: { public_key: [expect.stringContaining('more than one')] },
  })
})

test('[A3.17] a password of a machine may hold two braces', async () => {
  const { status, body } = await create({ name: 'braces', username: 'web', password: 'a{{b}}c' })
  expect(status).toBe(201)
  const auth = await fixture.call('GET', `${USERS}${body.id}/auth-info/`, undefined, component)
  expect(auth.body.password).toBe('a{{b}}c')
})

test.each(['ed25519', 'rsa', 'ecdsa'])(
  '[A3.17] an encrypted %s key needs its passphrase, is stored without it and gives its public key',
  async (type) => {
    const key = sshKey(type, 'open sesame')
    const wrong = await create({
      name: `key-${type}`,
      username: 'web',
      private_key: key.privateKey,
      passphrase: 'wrong',
    })
    expect([wrong.status, wrong.body]).toEqual([
      400,
      { private_key: ['The private key or its passphrase is not valid'] },
    ])
    const { body } = await create({
      name: `key-${type}`,
      username: 'web',
      private_key: key.privateKey,
      passphrase: 'open sesame',
    })
    expect(body.ssh_key_fingerprint).toBe(key.fingerprint)
    const opened = (await fixture.call('GET', `${USERS}${body.id}/auth-info/`, undefined, component)).body
    expect(opened.public_key.split(' ')[1]).toBe(key.publicKey.split(' ')[1])
    const path = join(folder, `stored-${type}`)
    writeFileSync(path, opened.private_key, { mode: 0o600 })
    expect(execFileSync('ssh-keygen', ['-y', '-P', '', '-f', path], { encoding: 'utf8' }).trim().split(' ')[1]).toBe(
      key.publicKey.split(' ')[1],
    )
  },
)

test('[A3.17 A5.06 B9.22] faults of identities are reported on their field', async () => {
  const wrong: [Record<string, unknown>, string][] = [
    [{ name: 'w', username: 'a b', password: 'x' }, 'username'],
    [{ name: 'w', username: '', password: 'x' }, 'username'],
    [{ name: 'w', username: 'a', password: '' }, 'password'],
    [{ name: 'w', username: 'a', password: 'x', sftp_root: 'relative' }, 'sftp_root'],
    [{ name: 'w', username: 'a', password: 'x', priority: 0 }, 'priority'],
    [{ name: 'w', username: 'a', password: 'x', priority: 101 }, 'priority'],
    [{ name: 'w', username: 'a', password: 'x', su_enabled: true }, 'su_from'],
    [{ name: 'w', username: 'a', password: 'x', private_key: 'no key' }, 'private_key'],
  ]
  for (const [row, field] of wrong) {
    const { status, body } = await create(row)
    expect([status, Object.keys(body)], JSON.stringify(row)).toEqual([400, [field]])
  }
  expect((await create({ name: 'chinese', username: '管理员', password: 'x', protocol: 'rdp' })).status).toBe(201)
})

test('[A3.17] type admin forces ssh, automatic login and no push; the stored type decides on update', async () => {
  const { body } = await create({
    name: 'root',
    username: 'root',
    password: 'x',
    type: 'admin',
    protocol: 'rdp',
    login_mode: 'manual',
    auto_push: true,
  })
  expect(body).toMatchObject({ type: 'admin', protocol: 'ssh', login_mode: 'auto', auto_push: false })
  expect((await fixture.call('PATCH', `${USERS}${body.id}/`, { type: 'common', auto_push: true })).body).toMatchObject({
    type: 'admin',
    auto_push: false,
  })
  const narrowed = (await fixture.call('GET', '/api/v1/assets/admin-users/')).body as { id: string }[]
  expect(narrowed.map((row) => row.id)).toEqual([body.id])
  const created = await fixture.make('admin-users', { name: 'second', username: 'root', password: 'x' })
  expect((await fixture.call('GET', `${USERS}${created.id}/`)).body).toMatchObject({ type: 'admin', protocol: 'ssh' })
})

test("[A3.17] one identity of a protocol takes the person's own name; manual login keeps no secret", async () => {
  const { body } = await create({
    name: 'own',
    username: 'ignored',
    username_same_with_user: true,
    password: 'x',
    protocol: 'telnet',
  })
  expect(body).toMatchObject({ username: '', home: '' })
  const second = await create({ name: 'own 2', username_same_with_user: true, password: 'x', protocol: 'telnet' })
  expect([second.status, Object.keys(second.body)]).toEqual([400, ['username_same_with_user']])
  const manual = (await create({ name: 'manual', username: 'm', password: 'kept?', login_mode: 'manual' })).body
  expect((await fixture.call('GET', `${USERS}${manual.id}/auth-info/`, undefined, component)).body).toMatchObject({
    password: '',
    login_mode_display: 'Ask each time',
  })
})

test('[A3.17] generated secrets are a long password and a key pair, and an empty secret on update changes nothing', async () => {
  const { body } = await create({ name: 'generated', username: 'gen', auto_generate_key: true })
  expect(body.ssh_key_fingerprint).toMatch(/^([\da-f]{2}:){15}[\da-f]{2}$/)
  const before = (await fixture.call('GET', `${USERS}${body.id}/auth-info/`, undefined, component)).body
  expect(before.password).toHaveLength(36)
  await fixture.call('PATCH', `${USERS}${body.id}/`, { password: '', private_key: '', public_key: '' })
  expect((await fixture.call('GET', `${USERS}${body.id}/auth-info/`, undefined, component)).body).toEqual(before)
  expect((await fixture.call('DELETE', `${USERS}${body.id}/auth-info/`)).status).toBe(204)
  expect((await fixture.call('GET', `${USERS}${body.id}/auth-info/`, undefined, component)).body).toMatchObject({
    password: '',
    private_key: '',
    public_key: '',
  })
})

test('[A3.17] an identity is switched to from one of its own organization and protocol only', async () => {
  const from = (await create({ name: 'low', username: 'low', password: 'x' })).body
  const rdp = (await create({ name: 'win', username: 'low', password: 'x', protocol: 'rdp' })).body
  const foreign = (await create({ name: 'low', username: 'low', password: 'x' }, otherAdmin)).body
  for (const su_from of [rdp.id, foreign.id])
    expect(
      Object.keys((await create({ name: 'high', username: 'high', password: 'x', su_enabled: true, su_from })).body),
    ).toEqual(['su_from'])
  const to = (await create({ name: 'high', username: 'high', password: 'x', su_enabled: true, su_from: from.id })).body
  const asset = await fixture.make('assets', { hostname: 'su', ip: '1', platform: 'Linux' })
  await fixture.make('system-users-assets-relations', { asset: asset.id, systemuser: to.id })
  expect((await fixture.call('GET', `${USERS}${from.id}/assets/`)).body).toMatchObject([{ id: asset.id, port: 22 }])
  expect((await fixture.call('GET', `${USERS}${from.id}/su-to/`)).body).toMatchObject([{ id: to.id }])
  const candidates = (await fixture.call('GET', `${USERS}su-from/`)).body as { id: string }[]
  expect(candidates.some((row) => row.id === from.id)).toBe(true)
  expect(candidates.some((row) => row.id === rdp.id)).toBe(false)
})

test('[A3.17] a typed login is kept sealed for its owner and target, and read once', async () => {
  const user = (await create({ name: 'typed', login_mode: 'manual', username: '' })).body
  const asset = await fixture.make('assets', { hostname: 'typed', ip: '1', platform: 'Linux' })
  const csrf = 'abcdefghijklmnopqrstuvwxyz0123456789'
  const cipher = createCipheriv('aes-256-ecb', Buffer.from(csrf.slice(0, 32)), null).setAutoPadding(false)
  const plain = Buffer.alloc(16)
  plain.write('s3cret')
  const password = Buffer.concat([cipher.update(plain), cipher.final()]).toString('base64')
  const sent = await fixture.call(
    'POST',
    `${USERS}${user.id}/temp-auth/`,
    { instance_id: asset.id, username: 'me', password },
    { ...admin, cookie: `csrftoken=${csrf}` },
  )
  expect([sent.status, sent.body]).toEqual([201, { instance_id: asset.id, username: 'me' }])
  const { rows } = await fixture.pool.query('SELECT password_sealed::text AS sealed FROM assets_temporary_auth')
  expect(Buffer.from(rows[0].sealed.slice(2), 'hex').includes('s3cret')).toBe(false)
  const question = { assetId: asset.id, systemUserId: user.id, userId: ANN }
  expect((await loadAssetTarget(fixture.kernel, question, opened()))?.credentials).toEqual({
    username: 'me',
    password: 's3cret',
    privateKey: '',
  })
  expect((await loadAssetTarget(fixture.kernel, question, opened()))?.credentials.password).toBe('')
  await fixture.call('POST', `${USERS}${user.id}/temp-auth/`, { instance_id: asset.id, password: 'late' })
  await fixture.pool.query("UPDATE assets_temporary_auth SET date_expired = now() - interval '1 second'")
  expect(
    await takeTemporaryAuth(fixture.kernel, { userId: ANN, systemUserId: user.id, target: asset.id }, opened()),
  ).toBe(undefined)
  // Any text that a person gives as a target: no more are kept than somebody types.
  for (let n = 0; n < 52; n++)
    await fixture.call('POST', `${USERS}${user.id}/temp-auth/`, { instance_id: randomUUID(), password: 'x' })
  expect((await fixture.pool.query('SELECT 1 FROM assets_temporary_auth')).rowCount).toBe(50)
})

test('a component that reads secrets leaves a row that says who, whose and why, and not the secret', async () => {
  const user = (await create({ name: 'looked at', username: 'looked', password: 'look-s3cret' })).body
  const asset = await fixture.make('assets', { hostname: 'looked', ip: '1', platform: 'Linux' })
  const looks = async () =>
    (
      await fixture.pool.query(
        'SELECT how, owner_kind, owner, reason, "user" FROM kernel_secret_look WHERE owner_id = $1',
        [user.id],
      )
    ).rows
  expect((await fixture.call('GET', `${USERS}${user.id}/auth-info/`, undefined, component)).body.password).toBe(
    'look-s3cret',
  )
  await fixture.call('GET', `${USERS}${user.id}/assets/${asset.id}/auth-info/?user_id=${ANN}`, undefined, component)
  expect(await looks()).toEqual([
    {
      how: 'component',
      owner_kind: 'system_user',
      owner: 'looked at(looked)',
      reason: 'its own secrets',
      user: 'Ann(ann)',
    },
    {
      how: 'component',
      owner_kind: 'system_user',
      owner: 'looked at(looked)',
      reason: `asset ${asset.id} for ${ANN}`,
      user: 'Ann(ann)',
    },
  ])
  expect((await fixture.call('GET', `${USERS}${user.id}/auth-info/`)).status).toBe(403)
  expect(await looks()).toHaveLength(2)
  // Nothing is found there, so nothing was read.
  const nowhere = `${USERS}${user.id}/assets/33333333-3333-4333-8333-333333333333/auth-info/`
  expect((await fixture.call('GET', nowhere, undefined, component)).status).toBe(404)
  expect(await looks()).toHaveLength(2)
})

test('[A3.17] a secret that is changed or cleared stays as previous, sealed; what changes nothing keeps nothing', async () => {
  const user = (await create({ name: 'versioned', username: 'versioned', password: 'one' })).body
  const row = { kind: 'system_user', table: assetsSystemUser, id: user.id } as const
  const former = async () =>
    (await previousOf(fixture.kernel.db, row)).map(
      ({ password_sealed }) => password_sealed && opened()(password_sealed),
    )
  await fixture.call('PATCH', `${USERS}${user.id}/`, { comment: 'nothing new', password: '' })
  expect(await former()).toEqual([])
  await fixture.call('PATCH', `${USERS}${user.id}/`, { password: 'two' })
  await fixture.call('PATCH', `${USERS}${user.id}/auth-info/`, { password: 'three' })
  await fixture.call('PATCH', USERS, [{ id: user.id, password: 'four' }])
  expect(await former()).toEqual(['three', 'two', 'one'])
  // Refused: half of it must not be kept either.
  expect((await fixture.call('PATCH', `${USERS}${user.id}/`, { password: 'five', name: '' })).status).toBe(400)
  expect(await former()).toHaveLength(3)
  expect((await fixture.call('DELETE', `${USERS}${user.id}/auth-info/`)).status).toBe(204)
  expect(await former()).toEqual(['four', 'three', 'two', 'one'])
  expect((await fixture.call('DELETE', `${USERS}${user.id}/`)).status).toBe(204)
  expect(await former()).toEqual([])
})

test("[A3.17] the secrets of an asset are its own account's first, then the linked one's, then the identity's", async () => {
  const user = (await create({ name: 'layers', username: 'layer', password: 'identity' })).body
  const asset = await fixture.make('assets', { hostname: 'layers', ip: '1', platform: 'Linux' })
  const password = async () =>
    (await loadAssetTarget(fixture.kernel, { assetId: asset.id, systemUserId: user.id }, opened()))?.credentials
      .password
  await fixture.make('system-users-assets-relations', { asset: asset.id, systemuser: user.id })
  expect(await password()).toBe('identity')
  const seal = (text: string) => fixture.kernel.secrets.seal(text)
  await fixture.pool.query('UPDATE assets_account SET password_sealed = $1 WHERE asset = $2', [
    seal('linked'),
    asset.id,
  ])
  expect(await password()).toBe('linked')
  await fixture.pool.query("INSERT INTO assets_account (asset, username, password_sealed) VALUES ($1, 'layer', $2)", [
    asset.id,
    seal('own'),
  ])
  expect(await password()).toBe('own')
})
