import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTestBrowser, type TestBrowser } from '../../../../test/browser.ts'
import { licenseSettings } from '../../../../test/license.ts'
import { type Caller, openTestServer, PASSWORD, type TestServer } from '../../../../test/server.ts'
import { signed } from '../../../../test/signed.ts'
import { settingsOf } from '../../settings/index.ts'

const TOKENS = '/api/v1/authentication/tokens/'
const LOGIN = '/core/auth/login/'
const GUARD = '/core/auth/login/guard/'
const WAIT = '/core/auth/login/wait-confirm/'
const STATUS = '/api/v1/authentication/login-confirm-ticket/status/'
const PROFILE = '/api/v1/users/profile/'
const TICKETS = '/api/v1/tickets/tickets/'
const ALWAYS = [0, 1, 2, 3, 4, 5, 6].map((id) => ({ id, value: '00:00~00:00' }))
const NEVER_TODAY = [{ id: (new Date().getDay() + 3) % 7, value: '00:00~00:00' }]

let server: TestServer
let person: Caller
let reviewer: Caller
let outsider: Caller
beforeAll(async () => {
  server = await openTestServer(licenseSettings(30))
  person = await server.aPerson('ruled')
  reviewer = await server.aPerson('reviewer')
  outsider = await server.aPerson('outsider')
})
afterAll(() => server?.close())
beforeEach(async () => {
  await server.kernel.pool.query('DELETE FROM acls_login_acl')
  await server.kernel.pool.query('DELETE FROM tickets_ticket')
  await server.kernel.pool.query('DELETE FROM authentication_failure')
})

async function rule(action: string, rules: object, more: object = {}) {
  const { status, body } = await server.admin.post('/api/v1/acls/login-acls/', {
    name: action,
    user: person.id,
    action,
    rules: { ip_group: ['*'], time_period: ALWAYS, ...rules },
    reviewers: action === 'confirm' ? [reviewer.id] : [],
    ...more,
  })
  expect([status, body]).toMatchObject([201, {}])
  return body.id as string
}

const credentials = { username: 'ruled', password: PASSWORD }
const token = (browser = openTestBrowser(server)) => browser.call('POST', TOKENS, credentials)
/** By the form of the page, to the end of its redirects. */
async function page(browser: TestBrowser): Promise<string> {
  const { body } = await browser.call('POST', LOGIN, credentials)
  return body.next === GUARD ? String((await browser.call('GET', GUARD)).headers.location) : (body.next ?? body.error)
}
const signedIn = async (browser: TestBrowser) => (await browser.call('GET', PROFILE)).body.username === 'ruled'
const myTickets = async (caller: Caller) => (await caller.get(`${TICKETS}?limit=10`)).body.results

test.each([
  ['allow', {}, undefined],
  ['allow', { ip_group: ['10.0.0.0/8'] }, 'from this address'],
  ['allow', { time_period: [] }, undefined],
  ['allow', { time_period: NEVER_TODAY }, 'at this time'],
  ['allow', { ip_group: ['10.0.0.0/8'], time_period: [] }, 'from this address'],
  ['reject', {}, 'from this address'],
  ['reject', { ip_group: ['10.0.0.0/8'] }, undefined],
  ['reject', { time_period: [] }, 'from this address'],
  ['reject', { time_period: NEVER_TODAY }, undefined],
])(
  '[A3.19] a rule that says %s for %j: refused %s, by page and by API, after the right password only',
  async (action, rules, refused) => {
    await rule(action, rules)
    const wrong = await server.call('POST', TOKENS, { body: { ...credentials, password: 'wrong' } })
    expect(wrong.body.error).toBe('password_failed')
    await server.kernel.pool.query('DELETE FROM authentication_failure')
    const { status, body } = await token()
    if (refused) {
      expect([status, body.error]).toEqual([400, 'acl_not_allow'])
      expect(body.msg).toContain(refused)
    } else expect(status).toBe(201)
    await server.kernel.pool.query('DELETE FROM authentication_failure')
    expect(await page(openTestBrowser(server))).toBe(refused ? 'acl_not_allow' : '/ui/')
  },
)

test('[A3.19] a rule that does not match is skipped for the next; from nowhere else than allow rules say', async () => {
  const elsewhere = { ip_group: ['10.0.0.0/8'] }
  await rule('reject', elsewhere, { priority: 1 })
  await rule('allow', elsewhere, { priority: 2 })
  expect((await token()).body.error).toBe('acl_not_allow')
  await rule('allow', {}, { priority: 4 })
  expect((await token()).status).toBe(201)
  await rule('reject', { time_period: [] }, { priority: 3 })
  expect((await token()).body.error).toBe('acl_not_allow')
})

test('[A3.19] a rule holds for its person alone', async () => {
  await rule('reject', {}, { user: outsider.id })
  expect((await token()).status).toBe(201)
  await rule('reject', {})
  expect((await token()).body.error).toBe('acl_not_allow')
})

test('[A3.19] the first active rule by priority decides alone, and refusals are in the login log', async () => {
  await rule('reject', {}, { priority: 60 })
  const allow = await rule('allow', {}, { priority: 10 })
  expect((await token()).status).toBe(201)
  await server.admin.patch(`/api/v1/acls/login-acls/${allow}/`, { is_active: false })
  expect((await token()).body.error).toBe('acl_not_allow')
  const log = await server.admin.in('root').get('/api/v1/audits/login-logs/?limit=1')
  expect(log.body.results[0]).toMatchObject({ username: 'ruled', status: false, reason: 'acl_not_allow' })
})

test('[A3.19] among rules of one priority the one changed last decides, then the one that comes first by name', async () => {
  const reject = await rule('reject', {}, { name: 'b' })
  const allow = await rule('allow', {}, { name: 'a' })
  expect((await token()).status).toBe(201)
  await server.admin.patch(`/api/v1/acls/login-acls/${reject}/`, { comment: 'changed last' })
  expect((await token()).body.error).toBe('acl_not_allow')
  // Changed in the same moment, they count by their names.
  await server.kernel.pool.query('UPDATE acls_login_acl SET date_updated = now()')
  expect((await token()).status).toBe(201)
  await server.admin.patch(`/api/v1/acls/login-acls/${allow}/`, { name: 'c' })
  await server.kernel.pool.query('UPDATE acls_login_acl SET date_updated = now()')
  expect((await token()).body.error).toBe('acl_not_allow')
})

test('[A3.19] a person at an address of one of several allow rules sees that the time is the reason', async () => {
  await rule('allow', { ip_group: ['10.0.0.0/8'] })
  await rule('allow', { time_period: NEVER_TODAY }, { name: 'another' })
  expect((await token()).body.msg).toContain('at this time')
})

test('[A3.19] a rule made while a sign-in is under way still refuses it at the end', async () => {
  await rule('confirm', {})
  const browser = openTestBrowser(server)
  await page(browser)
  const [ticket] = await myTickets(reviewer)
  await reviewer.put(`${TICKETS}${ticket.id}/approve/`)
  await rule('reject', {})
  expect(String((await browser.call('GET', GUARD)).headers.location)).toBe(LOGIN)
  expect(await signedIn(browser)).toBe(false)
})

test('[A3.19] a sign-in that must be confirmed waits on its page; approval by a reviewer lets it in', async () => {
  await rule('confirm', {})
  const browser = openTestBrowser(server)
  const opened = async (by: TestBrowser) => {
    const { status, headers } = await by.call('GET', WAIT, undefined, { accept: 'text/html' })
    return headers.location ?? status
  }
  expect(await opened(browser)).toBe(LOGIN)
  await token(browser)
  await server.kernel.pool.query(
    "UPDATE authentication_session SET state = jsonb_set(state, '{proven,ticket}', 'null') WHERE user_id IS NULL",
  )
  expect(await opened(browser), 'proven, and nobody asked yet').toBe(GUARD)
  expect(await page(browser)).toBe(WAIT)
  expect(await opened(browser)).toBe(200)
  expect(await signedIn(browser)).toBe(false)
  const waiting = (await browser.call('GET', STATUS)).body
  expect(waiting).toMatchObject({ error: 'login_confirm_wait', data: { ticket_id: expect.any(String) } })
  await server.kernel.pool.query(
    `UPDATE tickets_ticket SET meta = jsonb_set(meta, '{apply_login_datetime}', to_jsonb(now() - interval '100 seconds'))`,
  )
  expect((await browser.call('GET', WAIT)).body).toMatchObject({
    reviewers: ['reviewer of test(reviewer)'],
    seconds: 3600,
    link: expect.stringMatching(`/ui/tickets/tickets/${waiting.data.ticket_id}$`),
    waited: expect.toSatisfy((seconds: number) => seconds >= 100),
  })
  expect(String((await browser.call('GET', GUARD)).headers.location)).toBe(WAIT)
  const [ticket] = await myTickets(reviewer)
  expect(ticket).toMatchObject({
    id: waiting.data.ticket_id,
    type: 'login_confirm',
    state: 'open',
    applicant_display: 'ruled of test(ruled)',
    org_id: '00000000-0000-0000-0000-000000000000',
  })
  expect(ticket.serial_num).toMatch(/^\d{8}\d{4,}$/)
  const approved = await reviewer.put(`${TICKETS}${ticket.id}/approve/`)
  expect(approved.body).toMatchObject({
    state: 'approved',
    status: 'closed',
    process_map: [{ state: 'approved', processor: reviewer.id }],
  })
  expect((await browser.call('GET', STATUS)).body).toEqual({ msg: 'ok' })
  expect(String((await browser.call('GET', GUARD)).headers.location)).toBe('/ui/')
  expect(await signedIn(browser)).toBe(true)
})

test('[A3.19] by API: wait, approve, the same call again with the same cookies brings the token, once', async () => {
  await rule('confirm', {})
  const browser = openTestBrowser(server)
  const first = await token(browser)
  expect([first.status, first.body.error]).toEqual([200, 'login_confirm_wait'])
  const again = await token(browser)
  expect(again.body.data).toEqual(first.body.data)
  await reviewer.put(`${TICKETS}${first.body.data.ticket_id}/approve/`)
  const cookies = new Map(browser.jar)
  expect((await token(browser)).status).toBe(201)
  // Neither the approval nor the proof counts a second time.
  const replay = openTestBrowser(server)
  for (const [name, value] of cookies) replay.jar.set(name, value)
  expect((await token(replay)).body.error).toBe('login_confirm_wait')
})

test('[A3.19] a key of the reviewer that works from some addresses only lets nobody in, and may turn them away', async () => {
  await rule('confirm', {})
  const { ticket_id } = (await token(openTestBrowser(server))).body.data
  const { body: key } = await reviewer.post('/api/v1/authentication/access-keys/', { ip_group: ['127.0.0.0/8'] })
  const decide = (word: string) => {
    const address = `${TICKETS}${ticket_id}/${word}/`
    return server.call('PUT', address, { headers: signed(address, key, 'put') })
  }
  expect((await decide('approve')).body.code).toBe('key_limited_to_addresses')
  expect((await decide('reject')).body).toMatchObject({ state: 'rejected' })
})

test('[A3.19] a rejection stays the answer until the sign-in is started again; giving up withdraws the ticket', async () => {
  await rule('confirm', {})
  const browser = openTestBrowser(server)
  const { ticket_id } = (await token(browser)).body.data
  await reviewer.put(`${TICKETS}${ticket_id}/reject/`)
  expect((await browser.call('GET', STATUS)).body).toMatchObject({
    error: 'login_confirm_error',
    msg: 'This sign-in was rejected',
  })
  expect((await token(browser)).body).toMatchObject({ error: 'login_confirm_error', data: { ticket_id } })
  expect((await browser.call('DELETE', STATUS)).status).toBe(200)
  const next = (await token(browser)).body
  expect(next.error).toBe('login_confirm_wait')
  expect(next.data.ticket_id).not.toBe(ticket_id)
  expect((await browser.call('DELETE', STATUS)).status).toBe(200)
  expect((await reviewer.get(`${TICKETS}${next.data.ticket_id}/`)).body.state).toBe('closed')
  expect((await reviewer.put(`${TICKETS}${next.data.ticket_id}/approve/`)).status).toBe(400)
  expect((await browser.call('GET', STATUS)).body.error).toBe('login_confirm_error')
})

test('[A3.19] only a reviewer decides: others do not even see the ticket, and the applicant may only withdraw it', async () => {
  await rule('confirm', {})
  const { ticket_id } = (await token()).body.data
  for (const verdict of ['approve', 'reject', 'close'])
    for (const caller of [outsider, server.admin])
      expect((await caller.put(`${TICKETS}${ticket_id}/${verdict}/`)).status).toBe(404)
  expect((await person.put(`${TICKETS}${ticket_id}/approve/`)).status).toBe(403)
  expect((await reviewer.put(`${TICKETS}${ticket_id}/close/`)).status).toBe(403)
  expect(await myTickets(outsider)).toEqual([])
  expect((await reviewer.get(`${TICKETS}?assignees__id=${reviewer.id}&status=open&limit=1`)).body.count).toBe(1)
  expect((await person.put(`${TICKETS}${ticket_id}/close/`)).body.state).toBe('closed')
})

test('[A3.19] one of a simultaneous approval and rejection counts', async () => {
  await rule('confirm', {})
  const { ticket_id } = (await token()).body.data
  const answers = await Promise.all(
    ['approve', 'reject', 'approve', 'reject'].map((one) => reviewer.put(`${TICKETS}${ticket_id}/${one}/`)),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400])
})

test('[A3.19] an approval is for one browser: another that knows name, password and ticket waits for its own', async () => {
  await rule('confirm', {})
  const [mine, other] = [openTestBrowser(server), openTestBrowser(server)]
  const { ticket_id } = (await token(mine)).body.data
  await reviewer.put(`${TICKETS}${ticket_id}/approve/`)
  const theirs = (await token(other)).body
  expect(theirs.error).toBe('login_confirm_wait')
  expect(theirs.data.ticket_id).not.toBe(ticket_id)
  expect((await other.call('GET', STATUS)).body.error).toBe('login_confirm_wait')
  expect((await openTestBrowser(server).call('GET', STATUS)).body).toMatchObject({
    error: 'login_confirm_error',
    data: { ticket_id: '' },
  })
})

test('[A3.19] a proven factor counts for its time alone; a call that cannot be read is refused meanwhile', async () => {
  await rule('confirm', {})
  const browser = openTestBrowser(server)
  await token(browser)
  const goOn = async (body: object) => {
    const answer = await browser.call('POST', TOKENS, body)
    return [answer.status, answer.body.error]
  }
  expect(await goOn({})).toEqual([200, 'login_confirm_wait'])
  expect(await goOn({ password: 7 })).toEqual([400, 'invalid'])
  await server.kernel.pool.query(
    "UPDATE authentication_session SET date_expired = now() - interval '1 second' WHERE user_id IS NULL",
  )
  expect(await goOn({})).toEqual([400, 'invalid'])
})

test('[A3.19] a sign-in that was begun and not finished leaves the session that the browser had', async () => {
  const browser = openTestBrowser(server)
  await page(browser)
  const before = openTestBrowser(server)
  for (const [name, value] of browser.jar) before.jar.set(name, value)
  await rule('confirm', {})
  expect(await page(browser)).toBe(WAIT)
  expect([await signedIn(browser), await signedIn(before)]).toEqual([false, true])
})

test('[A3.19] an approval is for one address: from another it says nothing, and a ticket of its own is opened', async () => {
  await rule('confirm', {})
  const browser = openTestBrowser(server)
  const { ticket_id } = (await token(browser)).body.data
  await reviewer.put(`${TICKETS}${ticket_id}/approve/`)
  await server.kernel.pool.query(
    `UPDATE tickets_ticket SET meta = jsonb_set(meta, '{apply_login_ip}', '"203.0.113.7"') WHERE id = $1`,
    [ticket_id],
  )
  expect((await browser.call('GET', STATUS)).body.error).toBe('login_confirm_error')
  // Components alone ask for an address that is not their own.
  const signedIn = { authorization: `Bearer ${outsider.token}` }
  expect((await browser.call('GET', STATUS, undefined, signedIn)).body.error).toBe('login_confirm_error')
  expect(String((await browser.call('GET', GUARD)).headers.location)).toBe(WAIT)
  const asked = (await browser.call('GET', STATUS)).body
  expect(asked.error).toBe('login_confirm_wait')
  expect(asked.data.ticket_id).not.toBe(ticket_id)
})

test('[A3.19] repeated sign-ins leave one open ticket', async () => {
  await rule('confirm', {})
  for (let n = 0; n < 4; n++) await token()
  const states = (await myTickets(reviewer)).map(({ state }: { state: string }) => state).sort()
  expect(states).toEqual(['closed', 'closed', 'closed', 'open'])
})

test('[A3.19] neither a changed password nor a disabled person comes in by an old approval', async () => {
  const leaver = await server.aPerson('leaver')
  await rule('confirm', {}, { user: leaver.id })
  const browser = openTestBrowser(server)
  const signIn = () => browser.call('POST', TOKENS, { username: 'leaver', password: PASSWORD })
  const { ticket_id } = (await signIn()).body.data
  await reviewer.put(`${TICKETS}${ticket_id}/approve/`)
  await server.admin.patch(`/api/v1/users/users/${leaver.id}/`, { is_active: false })
  expect((await signIn()).body.error).toBe('session_empty')
})

test('[A3.19] the reviewers get a notice, with the person and the address', async () => {
  await rule('confirm', {})
  const { ticket_id } = (await token()).body.data
  const inbox = async () => (await reviewer.get('/api/v1/notifications/site-message/?limit=1')).body.results
  await expect.poll(async () => (await inbox())[0]?.message).toContain(ticket_id)
  const [{ subject, message }] = await inbox()
  expect(subject + message).toContain('ruled of test (ruled)')
  expect(message).toContain('127.0.0.1')
  expect((await outsider.get('/api/v1/notifications/site-message/?limit=1')).body.count).toBe(0)
})

test('[A3.19] a confirm rule with other addresses or times asks nobody', async () => {
  await rule('confirm', { ip_group: ['10.0.0.0/8'] })
  expect((await token()).status).toBe(201)
  await server.kernel.pool.query('DELETE FROM acls_login_acl')
  await rule('confirm', { time_period: NEVER_TODAY }, { priority: 1 })
  expect((await token()).status).toBe(201)
  // The next one that matches does, without any time as at every time.
  await rule('confirm', { time_period: [] })
  expect((await token()).body.error).toBe('login_confirm_wait')
})

test('[A1.01] where people may have one browser at a time, a sign-in ends the one before', async () => {
  const settings = settingsOf(server.kernel)
  const [first, second, third] = [openTestBrowser(server), openTestBrowser(server), openTestBrowser(server)]
  await page(first)
  await page(second)
  expect([await signedIn(first), await signedIn(second)]).toEqual([true, true])
  await settings.set('USER_LOGIN_SINGLE_MACHINE_ENABLED', true)
  try {
    await page(third)
    expect([await signedIn(first), await signedIn(second), await signedIn(third)]).toEqual([false, false, true])
  } finally {
    await settings.set('USER_LOGIN_SINGLE_MACHINE_ENABLED', false)
  }
})
