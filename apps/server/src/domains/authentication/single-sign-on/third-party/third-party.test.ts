import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTestBrowser, type TestBrowser } from '../../../../../test/browser.ts'
import { type Caller, openTestServer, PASSWORD, type TestServer } from '../../../../../test/server.ts'
import { MESSENGER_NAMES, type MessengerName } from '../../../notifications/messengers/messenger.ts'
import {
  type MessengerServer,
  OUTSIDE_CONTACT,
  startMessengerServer,
} from '../../../notifications/messengers/messenger-server-fixture.ts'
import { settingsOf } from '../../../settings/index.ts'

const SITE = 'http://sallyport.example'
const PROFILE = '/api/v1/users/profile/'
const VERIFY = '/api/v1/authentication/password/verify/'
const PROFILE_PAGE = '/ui/users/profile'
const LOCAL = '/core/auth/login/?admin=1'
const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6].map((day) => ({ id: day, value: '00:00~00:00' }))
const MISCONFIGURED = 'The system configuration is incorrect, please tell an administrator'
const TITLES = { wecom: 'WeCom', dingtalk: 'DingTalk', feishu: 'FeiShu' }

let company: MessengerServer
let server: TestServer
beforeAll(async () => {
  company = await startMessengerServer()
  server = await openTestServer({ ...company.environment, SALLYPORT_SETTING_SITE_URL: SITE })
})
afterAll(async () => {
  await server?.close()
  await company?.close()
})

// A wrong password has the sign-in page ask this address for the sum of a picture.
beforeEach(async () => {
  await server.kernel.pool.query('DELETE FROM authentication_failure')
  for (const name of MESSENGER_NAMES) await settingsOf(server.kernel).change(company.settings[name])
})

const page = (name: MessengerName, rest: string) => `/core/auth/${name}/${rest}`
const unbindUrl = (name: MessengerName, id = '') => `/api/v1/authentication/${name}/qr/unbind/${id && `${id}/`}`
const html = { accept: 'text/html' }

/** Where a page sends the browser. */
async function go(browser: TestBrowser, path: string): Promise<string> {
  const { status, headers } = await browser.call('GET', path.replace(SITE, ''), undefined, html)
  expect(status).toBe(302)
  return String(headers.location)
}
/** The text of the message page at which the browser arrives, and its link. */
async function messageOf(browser: TestBrowser, path: string): Promise<{ message: string; url: string }> {
  const address = await go(browser, path)
  expect(address).toMatch(/^\/core\/common\/flash-message\/\?code=\w{12}$/)
  return (await browser.call('GET', address)).body
}
async function signedIn(username: string): Promise<TestBrowser> {
  const browser = openTestBrowser(server)
  expect((await browser.call('POST', '/core/auth/login/', { username, password: PASSWORD })).status).toBe(200)
  return browser
}
const prove = (browser: TestBrowser, password = PASSWORD) => browser.call('POST', VERIFY, { password })
/** As far as the browser comes back from the QR code. */
async function scanToBind(browser: TestBrowser, name: MessengerName, person: string, back = ''): Promise<string> {
  const qrCode = await go(browser, page(name, `qr/bind/?redirect_url=${encodeURIComponent(back)}`))
  return company.scan(qrCode, person)
}
async function bind(browser: TestBrowser, name: MessengerName, person: string) {
  company.people[name].add(person)
  expect((await prove(browser)).status).toBe(200)
  return messageOf(browser, await scanToBind(browser, name, person))
}
const scanToSignIn = async (browser: TestBrowser, name: MessengerName, person: string, next = '') =>
  company.scan(await go(browser, page(name, `qr/login/${next && `?next=${encodeURIComponent(next)}`}`)), person)
const whoIs = async (browser: TestBrowser) => (await browser.call('GET', PROFILE)).body.username
const idsOf = async ({ id }: Pick<Caller, 'id'>) => {
  const { rows } = await server.kernel.pool.query(
    'SELECT wecom_id, dingtalk_id, feishu_id FROM users_user WHERE id = $1',
    [id],
  )
  return rows[0]
}
const subjects = async (person: Caller) =>
  (await person.get('/api/v1/notifications/site-message/')).body.map(({ subject }: { subject: string }) => subject)
const lastLog = async (username: string) =>
  (await server.admin.in('root').get(`/api/v1/audits/login-logs/?username=${username}`)).body[0]

test.each(MESSENGER_NAMES)(
  '%s: bound with a fresh password, signed in by QR code, unbound again; the person gets a notice each time',
  async (name) => {
    const title = TITLES[name]
    const person = await server.aPerson(`whole-${name}`)
    const browser = await signedIn(person.username)
    company.people[name].add('ou-whole')
    // Without the proof the password is asked for, on a page of its own, which leads on.
    const start = page(name, 'bind/start/?redirect_url=%2Fui%2Fusers%2Fprofile%3Ftab%3D1')
    expect(
      await go(browser, page(name, `qr/bind/?redirect_url=${encodeURIComponent('/ui/users/profile?tab=1')}`)),
    ).toBe(start)
    expect((await browser.call('POST', start, { password: 'Herring-1' })).body).toEqual({
      detail: 'The password is incorrect',
      code: 'passwd_invalid',
    })
    const { body } = await browser.call('POST', start, { password: PASSWORD })
    expect(body.next).toBe(page(name, 'qr/bind/?redirect_url=%2Fui%2Fusers%2Fprofile%3Ftab%3D1'))
    const qrCode = await go(browser, body.next)
    expect(new URL(qrCode).searchParams.get('state')).toMatch(/^\w{16}$/)
    expect(qrCode).not.toContain('Secret')
    const back = company.scan(qrCode, 'ou-whole')
    expect(back).toContain(
      name === 'feishu' ? '/core/auth/feishu/qr/bind/callback/' : `/core/auth/${name}/qr/bind/${person.id}/callback/`,
    )
    expect(await messageOf(browser, back)).toMatchObject({
      message: `${title} is bound to your account`,
      url: '/ui/users/profile?tab=1',
    })
    expect((await browser.call('GET', PROFILE)).body).toMatchObject({
      [`is_${name}_bound`]: true,
      [`${name}_id`]: 'ou-whole',
    })
    expect(await messageOf(browser, page(name, 'qr/bind/'))).toMatchObject({
      message: `${title} is already bound to your account`,
    })

    const elsewhere = openTestBrowser(server)
    expect(await go(elsewhere, await scanToSignIn(elsewhere, name, 'ou-whole', '/ui/assets/assets?tab=1'))).toBe(
      '/ui/assets/assets?tab=1',
    )
    expect(await whoIs(elsewhere)).toBe(person.username)
    expect(await lastLog(person.username)).toMatchObject({ status: true, backend: title })

    // A browser that has not proven the password unbinds nothing, and calls without a browser never
    // have.
    expect(await elsewhere.call('POST', unbindUrl(name))).toMatchObject({
      status: 403,
      body: { code: 'permission_denied' },
    })
    expect((await person.post(unbindUrl(name))).status).toBe(403)
    expect(await browser.call('POST', unbindUrl(name), {})).toMatchObject({ status: 200, body: '' })
    expect(await browser.call('POST', unbindUrl(name), {})).toMatchObject({
      status: 400,
      body: { code: `${name}_not_bound` },
    })
    expect(await subjects(person)).toEqual([
      `${title} was unbound from your account`,
      `${title} was bound to your account`,
    ])
    const stranger = openTestBrowser(server)
    expect(await messageOf(stranger, await scanToSignIn(stranger, name, 'ou-whole'))).toMatchObject({
      message: expect.stringContaining('Sign in with your password and bind it'),
      url: LOCAL,
    })
    expect(await whoIs(stranger)).toBeUndefined()
  },
)

test('a state counts once, for its browser, person, messenger and purpose, and ten minutes', async () => {
  for (const name of ['nils', 'olaf']) company.people.wecom.add(name)
  const [nils, olaf] = [await server.aPerson('nils'), await server.aPerson('olaf')]
  const [his, other] = [await signedIn('nils'), await signedIn('olaf')]
  for (const one of [his, other]) await prove(one)
  const refusedAt = async (browser: TestBrowser, address: string) =>
    expect(await messageOf(browser, address)).toMatchObject({ message: MISCONFIGURED })
  // A link with somebody else's code and state, as a page of an attacker would lead to.
  const foreign = await scanToBind(other, 'wecom', 'olaf')
  await scanToBind(his, 'wecom', 'nils')
  await refusedAt(his, foreign)
  await refusedAt(his, foreign.replace(olaf.id, nils.id))
  // The own state, but the path of somebody else.
  await refusedAt(his, (await scanToBind(his, 'wecom', 'nils')).replace(nils.id, olaf.id))
  // Another state, none, or one that was used up by that.
  const own = await scanToBind(his, 'wecom', 'nils')
  await refusedAt(his, own.replace(/state=\w+/, 'state=0123456789abcdef'))
  await refusedAt(his, own)
  await refusedAt(his, (await scanToBind(his, 'wecom', 'nils')).replace(/&state=\w+/, ''))
  // A code for another messenger, or for signing in.
  const wecom = new URL(await scanToBind(his, 'wecom', 'nils'))
  await refusedAt(his, page('dingtalk', `qr/bind/${nils.id}/callback/${wecom.search}`))
  const signInClient = openTestBrowser(server)
  const toSignIn = new URL(await scanToSignIn(signInClient, 'wecom', 'nils'))
  expect(await go(signInClient, page('wecom', `qr/bind/${nils.id}/callback/${toSignIn.search}`))).toMatch(
    /^\/core\/auth\/login\/\?next=/,
  )
  await refusedAt(openTestBrowser(server), toSignIn.href)
  // Too late.
  const late = await scanToBind(his, 'wecom', 'nils')
  await server.kernel.pool.query(
    `UPDATE authentication_session SET state = jsonb_set(state, '{qr_code,ends}', to_jsonb(now() - interval '1 second')) WHERE user_id = $1`,
    [nils.id],
  )
  await refusedAt(his, late)
  expect(await idsOf(nils)).toEqual({ wecom_id: null, dingtalk_id: null, feishu_id: null })
  expect(await idsOf(olaf)).toEqual({ wecom_id: null, dingtalk_id: null, feishu_id: null })
  // And it does work.
  await messageOf(his, await scanToBind(his, 'wecom', 'nils'))
  expect(await idsOf(nils)).toMatchObject({ wecom_id: 'nils' })
})

test('the proof of a password lasts ten minutes; wrong ones lock the name as at sign-in', async () => {
  const rita = await server.aPerson('rita')
  const browser = await signedIn('rita')
  await prove(browser)
  expect(await go(browser, page('feishu', 'qr/bind/'))).toContain('/open-apis/authen/')
  await server.kernel.pool.query(
    `UPDATE authentication_session SET state = jsonb_set(state, '{password_proven_at}', to_jsonb(now() - interval '601 seconds')) WHERE user_id = $1`,
    [rita.id],
  )
  expect(await go(browser, page('feishu', 'qr/bind/'))).toContain('/bind/start/')
  expect((await browser.call('POST', unbindUrl('feishu'), {})).status).toBe(403)
  const answers = []
  for (let n = 0; n < 8; n++) answers.push((await prove(browser, `Guess-${n}`)).body.detail)
  expect(answers.at(-1)).toContain('locked')
  expect((await prove(browser)).body).toMatchObject({
    code: 'passwd_invalid',
    detail: expect.stringContaining('locked'),
  })
  await server.kernel.pool.query("DELETE FROM authentication_failure WHERE username = 'rita' OR kind = 'ip'")
  // Nobody in particular is asked for no password.
  const nobody = openTestBrowser(server)
  expect((await nobody.call('POST', VERIFY, { password: PASSWORD })).status).toBe(401)
  expect(await go(nobody, page('wecom', 'bind/start/'))).toMatch(/^\/core\/auth\/login\/\?next=/)
  expect(await go(nobody, page('wecom', 'qr/bind/'))).toMatch(/^\/core\/auth\/login\/\?next=/)
  expect((await nobody.call('POST', page('wecom', 'bind/start/'), { password: PASSWORD })).status).toBe(400)
  await server.kernel.pool.query("UPDATE users_user SET source = 'openid' WHERE id = $1", [rita.id])
  expect((await prove(browser)).body).toMatchObject({
    code: 'passwd_invalid',
    detail: expect.stringContaining('another provider'),
  })
})

test('an id is one person’s: also when two bind it at once, and never of somebody outside the company', async () => {
  company.people.dingtalk.add('shared')
  const people = await Promise.all(['tom', 'udo'].map((username) => server.aPerson(username)))
  const backs: { browser: TestBrowser; back: string }[] = []
  for (const { username } of people) {
    const browser = await signedIn(username)
    await prove(browser)
    backs.push({ browser, back: await scanToBind(browser, 'dingtalk', 'shared') })
  }
  const messages = await Promise.all(backs.map(async ({ browser, back }) => (await messageOf(browser, back)).message))
  expect(messages.toSorted()).toEqual([
    'DingTalk is bound to your account',
    'This account of DingTalk is bound to somebody else',
  ])
  expect((await Promise.all(people.map(idsOf))).filter(({ dingtalk_id }) => dingtalk_id === 'shared')).toHaveLength(1)
  const vera = await server.aPerson('vera')
  const browser = await signedIn('vera')
  await prove(browser)
  for (const [name, person] of [
    ['dingtalk', OUTSIDE_CONTACT],
    ['dingtalk', 'a-stranger'],
    ['wecom', 'a-stranger'],
    ['feishu', 'a-stranger'],
  ] as const)
    expect((await messageOf(browser, await scanToBind(browser, name, person))).message).toBe(
      `You do not belong to the company that uses ${TITLES[name]} here`,
    )
  // A code that was used, and a messenger that is away, are told apart.
  const used = await scanToBind(browser, 'wecom', 'a-stranger')
  await messageOf(browser, used)
  const again = await scanToBind(browser, 'wecom', 'a-stranger')
  const code = new URL(used).searchParams.get('code') ?? ''
  expect((await messageOf(browser, again.replace(/code=[^&]+/, `code=${code}`))).message).toContain(
    'did not say who you are',
  )
  const away = await scanToBind(browser, 'wecom', 'a-stranger')
  company.failure.status = 503
  expect((await messageOf(browser, away)).message).toContain('cannot be reached')
  company.failure.status = 0
  expect(await idsOf(vera)).toEqual({ wecom_id: null, dingtalk_id: null, feishu_id: null })
})

test('after the QR code the account, login rules and the second factor count as ever', async () => {
  const wim = await server.aPerson('wim')
  await bind(await signedIn('wim'), 'wecom', 'wim')
  const attempt = async () => {
    const browser = openTestBrowser(server)
    return { browser, back: await scanToSignIn(browser, 'wecom', 'wim') }
  }
  const user = `/api/v1/users/users/${wim.id}/`
  const root = server.admin.in('root')
  await server.admin.patch('/api/v1/settings/setting/?category=security', {
    SECURITY_MFA_AUTH_ENABLED_FOR_THIRD_PARTY: false,
  })
  await root.patch(user, { mfa_level: 2 })
  const first = await attempt()
  expect(await go(first.browser, first.back)).toBe('/core/auth/profile/otp/enable/start/')
  expect(await whoIs(first.browser)).toBeUndefined()
  expect(await go(first.browser, '/core/auth/login/guard/')).toBe('/core/auth/profile/otp/enable/start/')
  // Their password may be asked for meanwhile, but nothing is bound before they are signed in.
  const asked = page('feishu', 'bind/start/')
  expect((await first.browser.call('POST', asked, { password: 'Herring-1' })).status).toBe(400)
  const { body } = await first.browser.call('POST', asked, { password: PASSWORD })
  expect(await go(first.browser, body.next)).toMatch(/^\/core\/auth\/login\/\?next=/)
  await root.patch(user, { mfa_level: 0 })
  const rule = {
    name: 'nowhere',
    reviewers: [],
    action: 'reject',
    user: wim.id,
    rules: { ip_group: ['*'], time_period: EVERY_DAY },
  }
  const made = await server.admin.post('/api/v1/acls/login-acls/', rule)
  const second = await attempt()
  expect((await messageOf(second.browser, second.back)).message).toContain('login rule')
  expect(await lastLog('wim')).toMatchObject({ status: false, reason: 'acl_not_allow', backend: 'WeCom' })
  await server.admin.patch(`/api/v1/acls/login-acls/${made.body.id}/`, {
    action: 'confirm',
    reviewers: [server.admin.id],
  })
  const third = await attempt()
  expect(await go(third.browser, third.back)).toBe('/core/auth/login/guard/')
  expect(await go(third.browser, '/core/auth/login/guard/')).toBe('/core/auth/login/wait-confirm/')
  await server.admin.delete(`/api/v1/acls/login-acls/${made.body.id}/`)
  await root.patch(user, { is_active: false })
  const fourth = await attempt()
  expect(await messageOf(fourth.browser, fourth.back)).toMatchObject({
    message: 'This account is disabled',
    url: LOCAL,
  })
  expect(await whoIs(fourth.browser)).toBeUndefined()
})

test('administrators unbind those whose sign-in they may change; themselves only with their password', async () => {
  const org = await server.anOrg('Elsewhere')
  const xena = await server.aPerson('xena')
  await bind(await signedIn('xena'), 'feishu', 'xena')
  const orgAdmin = await server.aPerson('org-admin', { orgRoles: ['Admin'] })
  const foreign = await server.aPerson('foreign-admin', { orgRoles: ['Admin'], org })
  const url = unbindUrl('feishu', xena.id)
  expect((await xena.post(url)).status).toBe(403)
  expect((await foreign.post(url)).status).toBe(404)
  expect((await orgAdmin.post(unbindUrl('feishu', 'nobody'))).status).toBe(404)
  expect((await idsOf(xena)).feishu_id).toBe('xena')
  // An administrator here can't unbind a person who also belongs to another organization.
  await server.admin.in(org).post('/api/v1/users/users/invite/', [{ user: xena.id, role: 'User' }])
  expect((await orgAdmin.post(url)).status).toBe(403)
  expect((await server.admin.post(url)).status).toBe(200)
  expect((await server.admin.post(url)).body).toMatchObject({ code: 'feishu_not_bound' })
  expect((await idsOf(xena)).feishu_id).toBeNull()
  expect((await subjects(xena))[0]).toBe('FeiShu was unbound from your account')
  const [notice] = (await xena.get('/api/v1/notifications/site-message/?limit=1')).body.results
  expect(notice.message).toContain('An administrator has unbound FeiShu')
  const { rows: logged } = await server.kernel.pool.query(
    `SELECT changes->0->'before' AS before, changes->0->'after' AS after FROM audits_operate_log
     WHERE object_id = $1 AND changes->0->>'field' = 'feishu' ORDER BY datetime`,
    [xena.id],
  )
  expect(logged, 'bound, then unbound').toEqual([
    { before: false, after: true },
    { before: true, after: false },
  ])
  const browser = await signedIn('org-admin')
  await bind(browser, 'wecom', 'org-admin')
  expect((await orgAdmin.post(unbindUrl('wecom', orgAdmin.id))).status).toBe(403)
  expect(
    (await browser.call('POST', unbindUrl('wecom', orgAdmin.id), {}, { 'x-jms-org': DEFAULT_ORG_ID })).status,
  ).toBe(200)
})

test('return addresses stay here, and what is switched off leads nowhere; the sign-in page leads to no QR code by itself', async () => {
  await server.aPerson('yves')
  const browser = await signedIn('yves')
  await bind(browser, 'wecom', 'yves')
  for (const bad of ['https://evil.example/', '//evil.example', '/\\evil.example']) {
    const signInClient = openTestBrowser(server)
    expect(await go(signInClient, await scanToSignIn(signInClient, 'wecom', 'yves', bad))).toBe('/ui/')
    expect((await messageOf(browser, page('wecom', `qr/bind/?redirect_url=${encodeURIComponent(bad)}`))).url).toBe(
      '/ui/',
    )
  }
  const methods = async () => (await server.call('GET', '/api/v1/settings/public/')).body.data
  expect(await methods()).toMatchObject({
    AUTH_WECOM: true,
    LOGIN_METHODS: MESSENGER_NAMES.map((name) => ({ name: TITLES[name], url: page(name, 'qr/login/') })),
  })
  expect((await openTestBrowser(server).call('GET', '/core/auth/login/', undefined, html)).status).not.toBe(302)
  const signInClient = openTestBrowser(server)
  const back = await scanToSignIn(signInClient, 'wecom', 'yves')
  await settingsOf(server.kernel).change({ AUTH_WECOM: false })
  expect(await messageOf(signInClient, back)).toMatchObject({ message: 'WeCom is not enabled', url: LOCAL })
  expect(await messageOf(signInClient, page('wecom', 'qr/login/'))).toMatchObject({ message: 'WeCom is not enabled' })
  expect(await messageOf(browser, page('wecom', 'qr/bind/'))).toMatchObject({
    message: 'WeCom is not enabled',
    url: PROFILE_PAGE,
  })
  expect(await methods()).toMatchObject({
    AUTH_WECOM: false,
    LOGIN_METHODS: [{ name: 'DingTalk' }, { name: 'FeiShu' }],
  })
})

test('FeiShu’s check of its event address gets its own question back, as data and nothing else', async () => {
  const url = '/api/v1/authentication/feishu/event/subscription/callback/'
  const question = { challenge: '<script>alert(1)</script>', type: 'url_verification' }
  const { status, body, headers } = await server.call('POST', url, { body: question })
  expect([status, body]).toEqual([200, question])
  expect(headers['content-type']).toContain('application/json')
  expect((await server.call('POST', url, { body: { challenge: 'x'.repeat(70_000) } })).status).toBe(413)
})
