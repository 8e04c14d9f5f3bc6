import { createServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AssetsFixture, openAssetsFixture, ordinary, otherAdmin } from '../assets-fixture.ts'
import { type Sshd, startSshd } from '../sshd-fixture.ts'

const ASSETS = '/api/v1/assets/assets/'

let fixture: AssetsFixture
let sshd: Sshd

beforeAll(async () => {
  ;[fixture, sshd] = await Promise.all([openAssetsFixture(), startSshd()])
})
afterAll(async () => {
  await fixture?.close()
  await sshd?.close()
})

const machine = (hostname: string) =>
  fixture.make('assets', { hostname, ip: '127.0.0.1', platform: 'Linux', protocols: [`ssh/${sshd.port}`] })
const hostKeys = async (id: string) => (await fixture.call('GET', `${ASSETS}${id}/host-keys/`)).body

test('a person who adds a machine sees the host key that it shows; nobody logs in, and nothing is stored', async () => {
  const logins = sshd.logins()
  const { status, body } = await fixture.call('POST', `${ASSETS}shown-host-key/`, { ip: '127.0.0.1', port: sshd.port })
  expect([status, body]).toEqual([200, { fingerprint: sshd.hostKey() }])
  expect(sshd.logins()).toBe(logins)
  expect((await fixture.kernel.pool.query('SELECT 1 FROM assets_host_key')).rowCount).toBe(0)
})

test('where nothing answers, or something that is no SSH server, the address is at fault', async () => {
  const silent = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1')
  await new Promise((resolve) => silent.once('listening', resolve))
  const { port } = silent.address() as { port: number }
  const look = async (at: number) =>
    (await fixture.call('POST', `${ASSETS}shown-host-key/`, { ip: '127.0.0.1', port: at })).body
  expect(await look(port)).toEqual({ ip: [expect.any(String)] })
  silent.close()
  // Nothing listens on the port for port multiplexers (RFC 1078).
  expect(await look(1)).toEqual({ ip: ['The server could not be reached'] })
  expect((await fixture.call('POST', `${ASSETS}shown-host-key/`, { ip: '', port: 0 })).status).toBe(400)
})

test('a confirmed host key is trusted from then on; another than the one that is shown is not', async () => {
  const { id } = await machine('confirmed')
  const confirm = (fingerprint: string) => fixture.call('POST', `${ASSETS}${id}/host-keys/confirm/`, { fingerprint })
  expect((await confirm('SHA256:another')).body).toEqual({ fingerprint: ['The machine shows another host key now'] })
  expect(await hostKeys(id)).toEqual([])
  expect((await confirm(sshd.hostKey())).status).toBe(204)
  expect(await hostKeys(id)).toMatchObject([{ fingerprint: sshd.hostKey(), state: 'pinned' }])
})

test('a login is tried with what is typed: what the machine refuses is said at its field, and nothing is kept', async () => {
  const { id } = await machine('tried')
  const attempt = (body: object) => fixture.call('POST', `${ASSETS}${id}/try-login/`, body)
  const { username, privateKey } = sshd
  expect((await attempt({ username, private_key: privateKey })).status).toBe(204)
  expect((await attempt({ username, password: 'wrong' })).body).toEqual({ password: ['The server refused the login'] })
  expect((await attempt({ username, private_key: 'no key' })).body).toHaveProperty('private_key')
  expect((await attempt({ username })).body).toEqual({ password: ['This field is required.'] })
  await sshd.changeHostKey()
  expect((await attempt({ username, private_key: privateKey })).body.username[0]).toContain('host key has changed')
})

test('a machine of a domain is asked through its gateway, which is at fault when it does not work', async () => {
  const way = await startSshd()
  try {
    const { id: domain } = await fixture.make('domains', { name: 'behind' })
    const { username, privateKey } = sshd
    const gateway = await fixture.make('gateways', {
      name: 'way',
      ip: '127.0.0.1',
      port: way.port,
      domain,
      username: way.username,
      private_key: way.privateKey,
    })
    const place = { ip: '127.0.0.1', port: sshd.port, domain }
    const look = (body: object) => fixture.call('POST', `${ASSETS}shown-host-key/`, body)
    expect((await look(place)).body).toEqual({ fingerprint: sshd.hostKey() })
    expect(way.logins()).toBe(1)
    expect((await look({ ...place, port: 1 })).body).toEqual({ ip: ['The server could not be reached'] })
    const { id } = await fixture.make('assets', {
      hostname: 'inside',
      ip: '127.0.0.1',
      platform: 'Linux',
      protocols: [`ssh/${sshd.port}`],
      domain,
    })
    const confirm = { fingerprint: sshd.hostKey() }
    expect((await fixture.call('POST', `${ASSETS}${id}/host-keys/confirm/`, confirm)).status).toBe(204)
    const attempt = (body: object) => fixture.call('POST', `${ASSETS}${id}/try-login/`, body)
    const before = way.logins()
    expect((await attempt({ username, private_key: privateKey })).status).toBe(204)
    expect(way.logins()).toBeGreaterThan(before)
    expect((await attempt({ username, password: 'wrong' })).body).toEqual({
      password: ['The server refused the login'],
    })
    await way.changeHostKey()
    const refused = { domain: ['No gateway of this domain works: test them on their page'] }
    expect((await look(place)).body).toEqual(refused)
    expect((await attempt({ username, private_key: privateKey })).body).toEqual(refused)
    expect((await fixture.call('GET', `/api/v1/assets/gateways/${gateway.id}/`)).body.is_connective).toBe(false)
    expect((await fixture.call('POST', `${ASSETS}shown-host-key/`, place, otherAdmin)).body).toEqual({
      domain: [`Invalid pk "${domain}" - object does not exist.`],
    })
  } finally {
    await way.close()
  }
})

test('administrators of the organization alone may ask', async () => {
  const { id } = await machine('foreign')
  const bodies = { 'shown-host-key/': { ip: '127.0.0.1', port: sshd.port }, [`${id}/try-login/`]: { username: 'x' } }
  for (const [path, body] of Object.entries(bodies))
    expect((await fixture.call('POST', ASSETS + path, body, ordinary)).status, path).toBe(403)
  for (const path of [`${id}/try-login/`, `${id}/host-keys/confirm/`])
    expect((await fixture.call('POST', ASSETS + path, { username: 'x', fingerprint: 'x' }, otherAdmin)).status).toBe(
      404,
    )
})
