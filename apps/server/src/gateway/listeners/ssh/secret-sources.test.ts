/** Accounts whose secret is in a store outside: OpenSSH's client through the gateway, and the calls of administrators. */
import { randomUUID } from 'node:crypto'
import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openTask } from '../../../domains/accounts/rotation/open-task.ts'
import {
  ROLE_ID,
  ROOT_TOKEN,
  SECRET_ID,
  type StandIn,
  startVault,
} from '../../../domains/assets/secret-sources/vault-fixture.ts'
import { loadAssetTarget } from '../../../domains/system-users/index.ts'
import type { Call } from '../../../kernel/access/call.ts'
import { openSshFixture, type SshFixture } from './ssh-fixture.ts'

const SOURCES = '/api/v1/assets/secret-sources/'
const USERS = '/api/v1/assets/system-users/'
const ACCOUNTS = '/api/v1/assets/accounts/'

/** A program that asks for secrets. */
const NOBODY: Call = {
  user: undefined,
  via: undefined,
  sessionId: undefined,
  org: { id: DEFAULT_ORG_ID, name: 'Default' },
  orgRoles: [],
  language: 'en',
  timeZone: 'UTC',
  remoteAddress: '',
}

let fixture: SshFixture
let vault: StandIn
let source: string
beforeAll(async () => {
  fixture = await openSshFixture()
  vault = await startVault()
  source = await fixture.created(SOURCES, { name: 'Vault', address: vault.url, token: ROOT_TOKEN })
})
afterAll(async () => {
  await fixture?.close()
  await vault?.close()
})
afterEach(() => {
  vault.instead = undefined
  vault.asked.length = 0
})

const { patch, post, get } = {
  patch: (url: string, body: unknown) => fixture.server.admin.patch(url, body),
  post: (url: string, body: unknown) => fixture.server.admin.post(url, body),
  get: (url: string) => fixture.server.admin.get(url),
}
const mine = () => `${USERS}${fixture.systemUser}/`
const keepOutside = async (path = 'linux/web-1', field = 'key') => {
  const answer = await patch(mine(), { secret_source: source, secret_path: path, secret_field: field })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body
}
const stored = async (table: string, id: string) =>
  (
    await fixture.server.kernel.pool.query(
      `SELECT password_sealed, private_key_sealed, secret_path FROM ${table} WHERE id = $1`,
      [id],
    )
  ).rows[0]

test('a session fetches the key from the store once, and nothing of it is stored', async () => {
  vault.secrets.set('secret/linux/web-1', { key: fixture.sshd.privateKey })
  const row = await keepOutside()
  expect(row).toMatchObject({ kept_in: 'Vault: secret/linux/web-1#key', auto_push: false })
  expect(await stored('assets_system_user', fixture.systemUser)).toMatchObject({ private_key_sealed: null })
  vault.asked.length = 0
  const { stdout, code, stderr } = await fixture.ssh(fixture.direct, 'echo there')
  expect({ out: stdout.toString(), code, stderr }).toEqual({ out: 'there\n', code: 0, stderr: '' })
  expect(vault.asked).toEqual(['GET /v1/secret/data/linux/web-1'])
  expect(await stored('assets_system_user', fixture.systemUser)).toMatchObject({
    password_sealed: null,
    private_key_sealed: null,
  })
})

test('an AppRole signs in, reads, and gives its token back; the authority of the certificate is its own', async () => {
  const role = {
    name: 'By role',
    address: vault.tlsUrl,
    authentication: 'approle',
    role_id: ROLE_ID,
    secret_id: SECRET_ID,
  }
  const id = await fixture.created(SOURCES, role)
  expect((await post(`${SOURCES}${id}/test/`, {})).body.detail).toContain('does not answer')
  await patch(`${SOURCES}${id}/`, { ca_certificate: vault.pem })
  vault.asked.length = 0
  expect((await post(`${SOURCES}${id}/test/`, {})).status).toBe(204)
  expect(vault.asked).toEqual([
    'POST /v1/auth/approle/login',
    'GET /v1/auth/token/lookup-self',
    'POST /v1/auth/token/revoke-self',
  ])
  expect(vault.tokens.size).toBe(0)
  await patch(`${SOURCES}${id}/`, { secret_id: 'another' })
  expect((await post(`${SOURCES}${id}/test/`, {})).body.detail).toMatch(
    /^The secret source By role at .* refuses the sign-in$/,
  )
})

test('what signs in to a source is never shown, and is dropped when the source moves', async () => {
  const { body } = await get(`${SOURCES}${source}/`)
  expect(JSON.stringify(body)).not.toContain(ROOT_TOKEN)
  expect(body).not.toHaveProperty('token')
  const moved = await patch(`${SOURCES}${source}/`, { address: 'https://evil.example.com' })
  expect(moved.body).toMatchObject({ token: ['The source was moved: enter this again'] })
  // In SQL as well.
  const { pool } = fixture.server.kernel
  const id = await fixture.created(SOURCES, { name: 'To move', address: vault.url, token: 't' })
  await pool.query('UPDATE assets_secret_source SET address = $2 WHERE id = $1', [id, 'https://evil.example.com'])
  const { rows } = await pool.query('SELECT token_sealed FROM assets_secret_source WHERE id = $1', [id])
  expect(rows).toEqual([{ token_sealed: null }])
})

const answering =
  (status: number, body: string, headers: Record<string, string> = {}): StandIn['instead'] =>
  (_request, response) =>
    response.writeHead(status, headers).end(body)
const kv = (data: unknown) => JSON.stringify({ data: { data } })
const SECRET = 'S3cret-that-nobody-may-see'

test.each<[string, StandIn['instead'], string]>([
  ['leads elsewhere', answering(302, '', { location: 'http://127.0.0.1:1/' }), 'redirects are not followed'],
  ['is sealed', answering(503, '{"errors":["Vault is sealed"]}'), 'answers 503'],
  ['denies', answering(403, '{"errors":["permission denied"]}'), 'does not let Sallyport read linux/web-1'],
  ['has nothing there', answering(404, '{"errors":[]}'), 'has nothing at linux/web-1'],
  ['answers text', answering(200, `${SECRET} is no JSON`), 'answers what cannot be read'],
  ['answers too much', answering(200, kv({ key: 'x'.repeat(300_000) })), 'answers what cannot be read'],
  ['has another field', answering(200, kv({ other: SECRET })), 'has no password or key in that field of linux/web-1'],
  ['has a number', answering(200, kv({ key: 7 })), 'has no password or key in that field'],
  ['has an object', answering(200, kv({ key: { [SECRET]: 1 } })), 'has no password or key in that field'],
  ['has several lines', answering(200, kv({ key: `${SECRET}\nid` })), 'has no password or key in that field'],
  [
    'has a broken key',
    answering(200, kv({ key: `-----BEGIN X-----\n${SECRET}` })),
    'has no password or key in that field',
  ],
  ['answers an array', answering(200, '[[]]'), 'has no password or key in that field'],
  ['has no end', (_request, response) => void response.writeHead(200).write('{"data":'), 'does not answer'],
  ['breaks off', (request) => void request.socket.destroy(), 'does not answer'],
])('a store that %s: the person reads why, and no session comes about', async (_name, instead, words) => {
  await keepOutside()
  await patch(`${SOURCES}${source}/`, { timeout: 1 })
  vault.instead = instead
  const { code, stderr, stdout } = await fixture.ssh(fixture.direct, 'echo there')
  expect(code).not.toBe(0)
  expect(stdout.toString()).toBe('')
  expect(stderr).toContain('The secret source Vault at 127.0.0.1')
  expect(stderr).toContain(words)
  expect(stderr).not.toContain(SECRET)
})

test('a store that fails for a moment is asked again, three times at most', async () => {
  await keepOutside()
  await patch(`${SOURCES}${source}/`, { timeout: 5 })
  vault.asked.length = 0
  vault.instead = answering(503, '')
  expect((await post(`${SOURCES}${source}/test/`, { path: 'linux/web-1', field: 'key' })).status).toBe(400)
  expect(vault.asked).toHaveLength(3)
  let times = 0
  vault.instead = (_request, response) => {
    times += 1
    if (times === 2) vault.instead = undefined
    response.writeHead(500).end()
  }
  expect((await post(`${SOURCES}${source}/test/`, { path: 'linux/web-1', field: 'key' })).status).toBe(204)
})

test('addresses and paths that lead elsewhere are refused', async () => {
  for (const address of [
    'ftp://vault',
    'file:///etc/passwd',
    'https://user:word@vault.example.com',
    'https://vault.example.com/?x=1',
    'https://vault.example.com/#x',
    'https://vault.example.com/a/%2e%2e/b%00',
    'nonsense',
  ]) {
    const answer = await post(SOURCES, { name: 'Wrong', address, token: 't' })
    expect([address, answer.status, Object.keys(answer.body)]).toEqual([address, 400, ['address']])
  }
  for (const path of [
    '../other',
    'a/../b',
    'a//b',
    '/a',
    'a/',
    '.',
    'a?x=1',
    'a#b',
    'a%2e',
    'a\\b',
    'a\nb',
    'a/\u200b..',
  ]) {
    const answer = await patch(mine(), { secret_source: source, secret_path: path, secret_field: 'key' })
    expect([path, answer.status, Object.keys(answer.body)]).toEqual([path, 400, ['secret_path']])
    expect((await post(`${SOURCES}${source}/test/`, { path, field: 'key' })).status).toBe(400)
  }
  expect(vault.asked).toEqual([])
})

test('closed addresses are not asked, nor another machine in clear', async () => {
  for (const address of ['https://169.254.169.254', 'https://[fd00:ec2::254]', 'http://10.255.255.1:8200']) {
    const id = await fixture.created(SOURCES, { name: `At ${address}`, address, token: 't', timeout: 30 })
    const started = Date.now()
    const answer = await post(`${SOURCES}${id}/test/`, {})
    expect(answer.body.detail).toContain('does not answer')
    // At once: nothing was sent.
    expect(Date.now() - started).toBeLessThan(5000)
  }
  const own = await fixture.created(SOURCES, { name: 'Own', address: fixture.server.url, token: 't' })
  expect((await post(`${SOURCES}${own}/test/`, {})).body.detail).toContain('does not answer')
})

test('the sources of another organization are nobody else’s', async () => {
  const { server } = fixture
  const org = await server.anOrg('Elsewhere')
  const { rows } = await server.kernel.pool.query(
    `INSERT INTO assets_secret_source (org_id, name, address) VALUES ($1, 'Theirs', 'https://vault') RETURNING id`,
    [org],
  )
  const theirs = rows[0].id
  const answer = await patch(mine(), { secret_source: theirs, secret_path: 'a', secret_field: 'b' })
  expect([answer.status, Object.keys(answer.body)]).toEqual([400, ['secret_source']])
  expect((await get(`${SOURCES}${theirs}/`)).status).toBe(404)
  expect((await post(`${SOURCES}${theirs}/test/`, {})).status).toBe(404)
  await expect(
    server.kernel.pool.query('UPDATE assets_system_user SET secret_source = $1 WHERE id = $2', [
      theirs,
      fixture.systemUser,
    ]),
  ).rejects.toThrow('another organization')
})

test('an account has its secret here or outside: its list says where, and hands out nothing', async () => {
  const place = { secret_source: source, secret_path: 'linux/web-1', secret_field: 'password' }
  const both = await post(ACCOUNTS, { asset: fixture.asset, username: 'app', password: 'x', ...place })
  expect([both.status, Object.keys(both.body)]).toEqual([400, ['password']])
  const incomplete = await post(ACCOUNTS, { asset: fixture.asset, username: 'app', secret_source: source })
  expect(Object.keys(incomplete.body)).toEqual(['secret_path'])
  const id = await fixture.created(ACCOUNTS, { asset: fixture.asset, username: 'app', password: 'former' })
  const { body } = await patch(`${ACCOUNTS}${id}/`, place)
  expect(body).toMatchObject({ kept_in: 'Vault: secret/linux/web-1#password' })
  expect(await stored('assets_account', id)).toMatchObject({ password_sealed: null, secret_path: 'linux/web-1' })
  // Its former secret is among its versions.
  const versions = (await get(`${ACCOUNTS}${id}/versions/`)).body
  expect(versions).toMatchObject([{ state: 'previous', has_password: true }])
  // A client that knows nothing of sources cannot overwrite it unseen.
  const old = await patch(`${ACCOUNTS}${id}/`, { password: 'typed' })
  expect([old.status, Object.keys(old.body)]).toEqual([400, ['password']])
  const back = await patch(`${ACCOUNTS}${id}/`, { secret_source: null, password: 'typed' })
  expect(back.body).toMatchObject({ kept_in: '', secret_path: '', secret_field: '' })
  expect((await stored('assets_account', id)).password_sealed).not.toBeNull()
})

test('an account says where its system user’s secret is, unless it has one of its own', async () => {
  await keepOutside()
  const { body: all } = await get(`${ACCOUNTS}?asset=${fixture.asset}&systemuser=${fixture.systemUser}`)
  const { id } = all[0]
  expect((await get(`${ACCOUNTS}${id}/`)).body.kept_in).toBe('Vault: secret/linux/web-1#key')
  await patch(`${ACCOUNTS}${id}/`, { password: 'its own' })
  expect((await get(`${ACCOUNTS}${id}/`)).body.kept_in).toBe('')
  await fixture.server.kernel.pool.query('UPDATE assets_account SET password_sealed = NULL WHERE id = $1', [id])
})

test('a source that accounts use stays; components get no secret that is kept outside', async () => {
  await keepOutside()
  const used = await fixture.server.admin.delete(`${SOURCES}${source}/`)
  expect([used.status, used.body.code]).toEqual([400, 'protected'])
  expect((await get(`${SOURCES}${source}/`)).body.accounts_amount).toBeGreaterThan(0)
})

test('an explanation says that there is a secret, and asks no store', async () => {
  await keepOutside()
  vault.asked.length = 0
  const query = `user_id=${fixture.person.id}&asset_id=${fixture.asset}&system_user_id=${fixture.systemUser}&action=connect`
  const answer = await get(`/api/v1/perms/explanations/?${query}`)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  expect(JSON.stringify(answer.body)).toContain('is fetched from where it is kept')
  expect(vault.asked).toEqual([])
})

test('any API of secrets in JSON is a source as well', async () => {
  const asked: (string | undefined)[] = []
  vault.instead = (request, response) => {
    asked.push(request.url, request.headers.authorization)
    response.end(JSON.stringify({ key: fixture.sshd.privateKey }))
  }
  const address = `${vault.url}/api/secrets`
  const http = await fixture.created(SOURCES, { name: 'HTTP', kind: 'http', address, token: 'bearer-1' })
  await patch(mine(), { secret_source: http, secret_path: 'team a/web-1', secret_field: 'key' })
  const { stdout } = await fixture.ssh(fixture.direct, 'echo there')
  expect(stdout.toString()).toBe('there\n')
  expect(asked).toEqual(['/api/secrets/team%20a/web-1', 'Bearer bearer-1'])
})

test('a change of secrets leaves accounts alone that are kept outside; a test of theirs fetches the secret', async () => {
  const { kernel } = fixture.server
  await keepOutside()
  vault.asked.length = 0
  const { username } = fixture.sshd
  const admin = await fixture.created('/api/v1/assets/admin-users/', { name: 'adm', username: 'adm', password: 'x' })
  await patch(`/api/v1/assets/assets/${fixture.asset}/`, { admin_user: admin })
  const task = { id: randomUUID(), asset: fixture.asset, username } as Parameters<typeof openTask>[1]
  const opening = openTask(kernel, task, { keyStrategy: 'set_jms', example: undefined })
  await expect(opening).rejects.toMatchObject({ code: 'kept_outside' })
  expect(vault.asked).toEqual([])
  const { body: all } = await get(`${ACCOUNTS}?asset=${fixture.asset}&username=${username}`)
  const account = all.find((one: { systemuser: string | null }) => one.systemuser === null).id
  await patch(`${ACCOUNTS}${account}/`, { secret_source: source, secret_path: 'linux/web-1', secret_field: 'key' })
  const { task: run } = (await post(`${ACCOUNTS}${account}/verify/`, { action: 'test' })).body
  expect(run).toBeTruthy()
  const connectivity = async () => (await get(`${ACCOUNTS}${account}/`)).body.connectivity
  await expect.poll(connectivity, { timeout: 30_000 }).toBe('ok')
  expect(vault.asked).toEqual(['GET /v1/secret/data/linux/web-1'])
  await fixture.server.admin.delete(`${ACCOUNTS}${account}/`)
})

test('components and connection tokens get no secret that is kept outside', async () => {
  await keepOutside()
  const { kernel } = fixture.server
  const open = await kernel.secrets.handOut(kernel.db, NOBODY, 'component', 'a test', [])
  const question = { assetId: fixture.asset, systemUserId: fixture.systemUser }
  vault.asked.length = 0
  await expect(loadAssetTarget(kernel, question, open)).rejects.toMatchObject({ code: 'secret_kept_outside' })
  expect(vault.asked).toEqual([])
})
