import { DEFAULT_ORG_ID, ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, type Caller, openTestServer, PASSWORD, type TestServer } from '../../../../test/server.ts'
import { signed } from '../../../../test/signed.ts'
import { holderOfToken } from './admit.ts'
import { renewToken } from './admit-client.ts'

const TOKENS = '/api/v1/authentication/connection-token/'
const DETAIL = `${TOKENS}secret-info/detail/`
const NOBODY = '00000000-0000-4000-8000-000000000000'

let server: TestServer
let bob: Caller
let eve: Caller
let component: { post(path: string, body: unknown): Promise<Answer>; get(path: string): Promise<Answer> }
const ids: Record<string, string> = {}
let permission: string

beforeAll(async () => {
  server = await openTestServer()
  bob = await server.aPerson('bob')
  eve = await server.aPerson('eve')
  const make = async (path: string, row: object) => {
    const { status, body } = await server.admin.post(`/api/v1/${path}/`, row)
    expect([status, body.id]).toEqual([201, expect.any(String)])
    return body.id as string
  }
  ids.domain = await make('assets/domains', { name: 'far' })
  ids.gateway = await make('assets/gateways', {
    name: 'hop',
    domain: ids.domain,
    ip: '10.9.9.9',
    port: 2022,
    protocol: 'ssh',
    username: 'hopper',
    password: 'hop-secret',
  })
  ids.asset = await make('assets/assets', {
    hostname: 'windows "1"\'s',
    ip: '10.0.0.7',
    platform: 'Windows',
    protocols: ['rdp/3389', 'ssh/22', 'vnc/5901'],
    domain: ids.domain,
  })
  const systemUser = (protocol: string) =>
    make('assets/system-users', {
      name: `${protocol}-user`,
      username: 'svc',
      password: 'machine-secret',
      protocol,
      ad_domain: 'corp',
    })
  for (const protocol of ['rdp', 'ssh', 'vnc']) ids[protocol] = await systemUser(protocol)
  permission = await make('perms/asset-permissions', {
    name: 'bob on windows',
    users: [bob.id],
    assets: [ids.asset],
    system_users: [ids.rdp, ids.ssh, ids.vnc],
    actions: ['connect', 'updownload'],
  })
  const registered = await server.call('POST', '/api/v1/terminal/terminal-registrations/', {
    body: { name: 'desktop gateway', type: 'xrdp' },
    headers: { authorization: 'BootstrapToken bootstrap-token-of-tests' },
  })
  const key = registered.body.service_account.access_key
  component = {
    get: (path) => server.call('GET', path, { headers: signed(path, key) }),
    post: (path, body) => server.call('POST', path, { body, headers: signed(path, key, 'post') }),
  }
})
afterAll(() => server?.close())

const asked = () => ({ asset: ids.asset, system_user: ids.rdp })
const serveAt = (TERMINAL_RDP_ADDR: string) =>
  server.admin.patch('/api/v1/settings/setting/?category=terminal', { TERMINAL_RDP_ADDR })
async function aToken(by = bob, more = {}): Promise<string> {
  const { status, body } = await by.post(TOKENS, { ...asked(), ...more })
  expect([status, body]).toEqual([201, { token: expect.stringMatching(/^[A-Za-z0-9]{36}$/) }])
  return body.token
}

test('[B7.18] a person who may connect gets a token, at both addresses; it is stored as a hash and written to the operate log', async () => {
  const token = await aToken()
  expect((await bob.in(ROOT_ORG_ID).post('/api/v1/users/connection-token/', asked())).status).toBe(201)
  const { rows } = await server.kernel.pool.query(
    'SELECT t::text AS row, secret_sealed, extract(epoch FROM date_expired - date_created)::int AS seconds FROM authentication_connection_token t',
  )
  expect(rows.map(({ seconds }) => seconds)).toEqual(rows.map(() => 300))
  const { body } = await component.get(`${TOKENS}?token=${token}`)
  expect(rows.some(({ row, secret_sealed }) => row.includes(token) || secret_sealed.includes(body.secret))).toBe(false)
  const log = (await server.admin.get('/api/v1/audits/operate-logs/?limit=1')).body.results[0]
  expect(log).toMatchObject({
    user: 'bob of test(bob)',
    action: 'create',
    resource_type: 'Connection token',
    org_id: DEFAULT_ORG_ID,
  })
})

test('[B7.18] no token without a permission, for others, or for what does not exist; the field that is wrong is named', async () => {
  expect((await eve.post(TOKENS, asked())).status).toBe(403)
  expect((await bob.post(TOKENS, { ...asked(), user: eve.id })).status).toBe(403)
  expect((await server.admin.post(TOKENS, { ...asked(), user: eve.id })).status).toBe(403)
  const fields = async (body: object, by = bob) => {
    const answer = await by.post(TOKENS, body)
    return [answer.status, Object.keys(answer.body)]
  }
  expect(await fields({})).toEqual([400, ['system_user']])
  expect(await fields({ system_user: ids.rdp })).toEqual([400, ['asset']])
  expect(await fields({ ...asked(), application: NOBODY })).toEqual([400, ['asset']])
  expect(await fields({ application: NOBODY, system_user: ids.rdp })).toEqual([400, ['application']])
  for (const asset of [NOBODY, 'x', `${ids.asset}'`])
    expect(await fields({ ...asked(), asset })).toEqual([400, ['asset']])
  expect(await fields({ ...asked(), system_user: NOBODY })).toEqual([400, ['system_user']])
  expect(await fields({ ...asked(), user: 'x' }, server.admin)).toEqual([400, ['user']])
  expect(await fields({ ...asked(), asset: 'a'.repeat(129) })).toEqual([400, ['asset']])
})

test('[B7.18] a component and a system administrator resolve a token, nobody else does; an unknown one is an empty 404', async () => {
  const token = await aToken(server.admin, { user: bob.id })
  // One's own opens from where it was asked for; where the other person is, nobody knows.
  await aToken()
  const { rows: bound } = await server.kernel.pool.query(
    'SELECT creator_id = user_id AS own, remote_addr FROM authentication_connection_token ORDER BY date_created DESC LIMIT 2',
  )
  expect(bound).toEqual([
    { own: true, remote_addr: '127.0.0.1' },
    { own: false, remote_addr: null },
  ])
  const path = `${TOKENS}?token=${token}`
  expect((await component.get(path)).body).toEqual({
    id: token,
    secret: expect.stringMatching(/^[A-Za-z0-9]{16}$/),
    user: bob.id,
    username: 'bob',
    system_user: ids.rdp,
    system_user_name: 'rdp-user',
    created_by: 'Administrator(admin)',
    date_created: expect.stringMatching(/^\d{4}\/\d\d\/\d\d /),
    type: 'asset',
    asset: ids.asset,
    hostname: 'windows "1"\'s',
  })
  expect((await server.admin.get(`${path}&user-only=1`)).body).toEqual({ user: bob.id })
  expect((await bob.get(path)).status).toBe(403)
  for (const wrong of ['', `?token=${token}x`, '?token=']) {
    const { status, body } = await component.get(`${TOKENS}${wrong}`)
    expect([status, body]).toEqual([404, ''])
  }
})

test('[B7.18] a component is handed what it connects with, as often as it asks; no person is', async () => {
  const token = await aToken()
  for (const caller of [bob, server.admin]) expect((await caller.post(DETAIL, { token })).status).toBe(403)
  const { status, body } = await component.post(DETAIL, { token })
  expect(status).toBe(200)
  expect(body).toEqual({
    id: token,
    secret: expect.stringMatching(/^[A-Za-z0-9]{16}$/),
    type: 'asset',
    user: { id: bob.id, name: 'bob of test', username: 'bob', email: 'bob@example.com' },
    asset: {
      id: ids.asset,
      hostname: 'windows "1"\'s',
      ip: '10.0.0.7',
      protocols: ['rdp/3389', 'ssh/22', 'vnc/5901'],
      org_id: DEFAULT_ORG_ID,
    },
    remote_app: null,
    application: null,
    system_user: {
      id: ids.rdp,
      name: 'rdp-user',
      username: 'svc',
      password: 'machine-secret',
      private_key: '',
      ad_domain: 'corp',
    },
    gateway: {
      id: ids.gateway,
      ip: '10.9.9.9',
      port: 2022,
      username: 'hopper',
      password: 'hop-secret',
      private_key: '',
    },
    actions: ['connect', 'upload_file', 'download_file', 'updownload'],
    expired_at: expect.any(Number),
  })
  expect(Number.isInteger(body.expired_at) && body.expired_at > Date.now() / 1000).toBe(true)
  expect((await component.post(DETAIL, { token })).body.secret).toBe(body.secret)
})

test('[B7.18] a token that was made with a limited key works from its addresses alone, also in the name of others and through a component', async () => {
  const { body: key } = await server.admin.post('/api/v1/authentication/access-keys/', { ip_group: ['127.0.0.0/8'] })
  const { status, body } = await server.call('POST', TOKENS, {
    headers: signed(TOKENS, key, 'post'),
    body: { ...asked(), user: bob.id },
  })
  expect(status).toBe(201)
  const { token } = body
  const holder = (address: string) => holderOfToken(server.kernel, token, address)
  expect(await holder('10.9.8.7')).toBeUndefined()
  expect(await holder('127.0.0.9')).toMatchObject({ user: { id: bob.id } })
  for (const from of [{}, { remote_addr: '10.9.8.7' }] as Record<string, string>[]) {
    expect((await component.post(DETAIL, { token, ...from })).status).toBe(400)
    expect((await component.get(`${TOKENS}?${new URLSearchParams({ token, ...from })}`)).status).toBe(404)
  }
  const there = { remote_addr: '127.0.0.9' }
  expect((await component.post(DETAIL, { token, ...there })).status).toBe(200)
  expect((await component.get(`${TOKENS}?${new URLSearchParams({ token, ...there })}`)).status).toBe(200)
})

test('[B7.18] nothing is handed out once person, maker, asset or permission are not good any more, or the time is over', async () => {
  const refused = async (token: string) => {
    const { status, body } = await component.post(DETAIL, { token })
    expect([status, body]).toEqual([400, [expect.any(String)]])
    return body[0] as string
  }
  const changes: [string, object, object][] = [
    [
      `/api/v1/users/users/${bob.id}/`,
      { date_expired: '2020-01-01 00:00:00' },
      { date_expired: '2060-01-01 00:00:00' },
    ],
    [`/api/v1/assets/assets/${ids.asset}/`, { is_active: false }, { is_active: true }],
    [`/api/v1/perms/asset-permissions/${permission}/`, { is_active: false }, { is_active: true }],
  ]
  const texts: string[] = []
  let token = await aToken()
  for (const [path, bad, good] of changes) {
    expect((await server.admin.patch(path, bad)).status).toBe(200)
    texts.push(await refused(token))
    expect((await server.admin.patch(path, good)).status).toBe(200)
    expect((await component.post(DETAIL, { token })).status).toBe(200)
  }
  expect(new Set(texts).size).toBe(3)

  // Being disabled ends it for good, together with their sign-in.
  await server.admin.patch(`/api/v1/users/users/${bob.id}/`, { is_active: false })
  await server.admin.patch(`/api/v1/users/users/${bob.id}/`, { is_active: true })
  await refused(token)
  bob = await server.signIn('bob', PASSWORD)
  token = await aToken()
  const chief = await server.aPerson('chief', { role: 'Admin' })
  const lent = await aToken(chief, { user: bob.id })
  await server.admin.patch(`/api/v1/users/users/${chief.id}/`, { role: 'User' })
  await refused(lent)
  expect((await component.get(`${TOKENS}?token=${lent}`)).status).toBe(404)

  const short = await server.admin.post('/api/v1/assets/assets/', {
    hostname: 'short-lived',
    ip: '10.0.0.8',
    platform: 'Windows',
    protocols: ['rdp/3389'],
  })
  const covers = (...assets: string[]) =>
    server.admin.patch(`/api/v1/perms/asset-permissions/${permission}/`, { assets: [ids.asset, ...assets] })
  expect((await covers(short.body.id)).status).toBe(200)
  const ofGone = await aToken(bob, { asset: short.body.id })
  expect((await server.admin.delete(`/api/v1/assets/assets/${short.body.id}/`)).status).toBe(204)
  await refused(ofGone)
  expect((await component.get(`${TOKENS}?token=${ofGone}`)).status).toBe(404)

  // For as long after its last connection it opens another.
  expect(await renewToken(server.kernel, token)).toBe(true)
  const { rows: lasts } = await server.kernel.pool.query(
    'SELECT extract(epoch FROM date_expired - date_used)::int AS seconds FROM authentication_connection_token WHERE date_used IS NOT NULL',
  )
  expect(lasts).toEqual([{ seconds: 300 }])
  await server.kernel.pool.query(
    "UPDATE authentication_connection_token SET date_expired = now() - interval '1 second'",
  )
  await refused(token)
  // Not even by a connection that it opened, and that lives on or ends now.
  expect(await renewToken(server.kernel, token)).toBe(false)
  await refused(token)
  await refused('')
  const log = (await server.admin.in('root').get('/api/v1/audits/login-logs/?limit=1')).body.results[0]
  expect(log).toMatchObject({ status: false, reason: 'connection_token_invalid' })
})

test('[B7.18] an RDP file names gateway, person and token, and shows the desktop as asked', async () => {
  const query = (more: string) => `${TOKENS}rdp/file/?asset=${ids.asset}&system_user=${ids.rdp}${more}`
  // Nobody serves clients of RDP here: no file, and no token.
  await serveAt('')
  const tokens = async () =>
    (await server.kernel.pool.query('SELECT count(*) FROM authentication_connection_token')).rows
  const before = await tokens()
  expect(await bob.get(query(''))).toMatchObject({ status: 400, body: { code: 'rdp_not_served' } })
  expect(await bob.get(`${TOKENS}rdp/file/?asset=${ids.asset}&system_user=${ids.ssh}`)).toMatchObject({
    status: 400,
    body: { system_user: ['This system user opens no desktop'] },
  })
  expect(await tokens()).toEqual(before)
  // No page offers what is not served.
  const offered = async () => (await server.call('GET', '/api/v1/settings/public/')).body.data.DESKTOP_PORTS
  expect(await offered()).toEqual({})
  await serveAt('desk.example:3390')
  const { status, body, headers } = await bob.get(query('&width=1366&height=768&drives_redirect=1'))
  expect(status).toBe(200)
  expect(headers['content-type']).toContain('application/octet-stream')
  expect(headers['content-disposition']).toBe("attachment; filename*=UTF-8''bob-windows%20_1_%27s-sallyport.rdp")
  const lines = String(body).trimEnd().split('\n')
  const user = lines.find((line) => line.startsWith('username:s:')) ?? ''
  const [, token = ''] = /^username:s:bob\|([A-Za-z0-9]{36})$/.exec(user) ?? []
  expect((await component.get(`${TOKENS}?token=${token}`)).body.username).toBe('bob')
  expect(lines).toEqual([
    'full address:s:desk.example:3390',
    user,
    'domain:s:corp',
    'screen mode id:i:1',
    'desktopwidth:i:1366',
    'desktopheight:i:768',
    'smart sizing:i:0',
    'drivestoredirect:s:*',
    'session bpp:i:32',
    'audiomode:i:0',
    'use multimon:i:0',
    'disable wallpaper:i:0',
    'disable full window drag:i:0',
    'disable menu anims:i:0',
    'disable themes:i:0',
    'alternate shell:s:',
    'shell working directory:s:',
    'authentication level:i:2',
    'enablecredsspsupport:i:0',
    'connect to console:i:0',
    'disable cursor setting:i:0',
    'allow font smoothing:i:1',
    'allow desktop composition:i:1',
    'redirectprinters:i:0',
    'redirectclipboard:i:0',
    'prompt for credentials on client:i:0',
    'autoreconnection enabled:i:1',
    'bookmarktype:i:3',
    'use redirection server name:i:0',
  ])
  // A width alone is no size.
  for (const more of ['&width=1366', '&height=768'])
    expect((await bob.get(query(more))).body).not.toMatch(/^desktop(width|height)/m)
  expect(await offered()).toEqual({ rdp: 3390 })
  const switchTo = (XRDP_ENABLED: boolean) =>
    server.admin.patch('/api/v1/settings/setting/?category=terminal', { XRDP_ENABLED })
  await switchTo(false)
  expect((await bob.get(query(''))).status).toBe(403)
  expect(await offered()).toEqual({})
  await switchTo(true)
  // The port of RDP goes without saying; what old installations have by default names nobody.
  await serveAt('desk.example')
  expect(await offered()).toEqual({ rdp: 3389 })
  await serveAt('localhost:3389')
  expect(await offered()).toEqual({})
  await serveAt('desk.example:3390')
  const posted = await bob.post(`${TOKENS}rdp/file/?full_screen=true&drives_redirect=0`, asked())
  expect(posted.body).toMatch(/^full address:s:desk\.example:3390$/m)
  expect(posted.body).toMatch(/^screen mode id:i:2$/m)
  expect(posted.body).toMatch(/^smart sizing:i:1$/m)
  expect(posted.body).not.toMatch(/drivestoredirect|desktopwidth/)
  // Drives need the right to send files both ways.
  await server.admin.patch(`/api/v1/perms/asset-permissions/${permission}/`, {
    actions: ['connect', 'upload_file', 'clipboard_paste'],
  })
  const { body: allowed } = await bob.get(query('&drives_redirect=1'))
  expect(allowed).not.toMatch(/drivestoredirect/)
  expect(allowed).toMatch(/^redirectclipboard:i:1$/m)
  // A name can't begin a line of its own: lines of these files start programs.
  await server.kernel.pool.query('UPDATE assets_system_user SET ad_domain = $1', ['corp\nalternate shell:s:calc.exe'])
  expect((await bob.get(query(''))).body.match(/^alternate shell/gm)).toHaveLength(1)
  await server.kernel.pool.query('UPDATE assets_system_user SET ad_domain = $1', ['corp'])
  await server.admin.patch(`/api/v1/perms/asset-permissions/${permission}/`, { actions: ['connect', 'updownload'] })
  for (const more of ['&width=x&height=2', '&width=0&height=0']) expect((await bob.get(query(more))).status).toBe(400)
  expect((await eve.get(query(''))).status).toBe(403)
  // Neither a look at the headers alone nor a link of another site makes one.
  const had = await tokens()
  const authorization = `Bearer ${bob.token}`
  for (const path of [query(''), query('').replace('rdp/file', 'client-url')]) {
    expect((await server.call('HEAD', path, { headers: { authorization } })).status).toBe(404)
    const headers = { authorization, 'sec-fetch-site': 'cross-site' }
    expect((await server.call('GET', path, { headers })).status).toBe(403)
  }
  expect(await tokens()).toEqual(had)
})

test('[B7.18] a link starts the desktop client for RDP, and an SSH client by the direct user name; other protocols are refused', async () => {
  await serveAt('desk.example:3390')
  const link = async (system_user = ids.rdp) => {
    const { status, body } = await bob.post(`${TOKENS}client-url/?full_screen=1`, { asset: ids.asset, system_user })
    return {
      status,
      body,
      data: body.url && JSON.parse(Buffer.from(body.url.replace('jms://', ''), 'base64').toString()),
    }
  }
  expect((await link()).data).toEqual({
    filename: 'bob-windows "1"\'s-sallyport',
    protocol: 'rdp',
    username: 'bob',
    config: expect.stringMatching(/username:s:bob\|[A-Za-z0-9]{36}\n.*screen mode id:i:2\n/s),
  })
  const ssh = (await link(ids.ssh)).data
  expect([ssh.protocol, decodeURIComponent(new URL(ssh.config).username)]).toEqual([
    'ssh',
    `bob@${ids.ssh}@${ids.asset}`,
  ])
  // The host is the one by which the client calls; a malformed one is nobody's.
  const hostOf = async (host: string) => {
    const headers = { authorization: `Bearer ${bob.token}`, host }
    const { body } = await server.call('POST', `${TOKENS}client-url/`, {
      headers,
      body: { asset: ids.asset, system_user: ids.ssh },
    })
    return new URL(JSON.parse(Buffer.from(body.url.replace('jms://', ''), 'base64').toString()).config).hostname
  }
  await server.admin.patch('/api/v1/settings/setting/?category=basic', { SITE_URL: 'https://door.example' })
  expect(await hostOf('bastion.example:8080')).toBe('bastion.example')
  expect(await hostOf('b@d.example')).toBe('door.example')
  const cluster = await bob.post(`${TOKENS}kubeconfig/`, asked())
  expect([cluster.status, cluster.body]).toEqual([400, { application: ['This is no Kubernetes cluster'] }])
  expect((await server.call('GET', '/api/v1/settings/public/')).body.data.DATABASE_PORTS).toEqual({})
  expect(await link(ids.vnc)).toMatchObject({ status: 401, body: { error: expect.stringContaining('vnc') } })
})
