import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTestBrowser, type TestBrowser } from '../../../../test/browser.ts'
import { openTestServer, PASSWORD, type TestServer } from '../../../../test/server.ts'
import { aGuarded, codeOf } from '../../authentication/second-factor/otp-fixture.ts'
import { type ChatServer, startChatServer } from '../../notifications/chats/chat-server-fixture.ts'
import { type MessengerServer, startMessengerServer } from '../../notifications/messengers/messenger-server-fixture.ts'
import { settingsOf } from '../../settings/index.ts'
import { confirmationState, openConfirmation } from '../index.ts'

const DECISIONS = '/api/v1/tickets/card-decisions/'
const TICKETS = '/api/v1/tickets/tickets/'

let messengers: MessengerServer
let chats: ChatServer
let server: TestServer
let ann: { id: string }
let applicant: { id: string }
beforeAll(async () => {
  messengers = await startMessengerServer()
  chats = await startChatServer()
  server = await openTestServer({ ...messengers.environment, ...chats.environment })
  for (const values of [...Object.values(messengers.settings), chats.settings.slack, chats.settings.teams])
    await settingsOf(server.kernel).change(values as never)
  ann = await aReviewer('ann')
  applicant = await server.aPerson('applicant')
})
afterAll(async () => {
  await server?.close()
  await messengers?.close()
  await chats?.close()
})
beforeEach(() => {
  for (const name of ['wecom', 'dingtalk', 'feishu'] as const) messengers.messages[name].length = 0
  for (const name of ['slack', 'teams'] as const) chats.messages[name].length = 0
})

/** Somebody who is known in every messenger by their name. */
async function aReviewer(
  name: string,
  person: Promise<{ id: string }> = server.aPerson(name),
): Promise<{ id: string }> {
  const { id } = await person
  for (const messenger of ['wecom', 'dingtalk', 'feishu'] as const) messengers.people[messenger].add(name)
  chats.people.set(`${name}@example.com`, `U0${name.toUpperCase()}`)
  await server.kernel.pool.query(
    `UPDATE users_user SET wecom_id = $2, dingtalk_id = $2, feishu_id = $2, language = 'en' WHERE id = $1`,
    [id, name],
  )
  return { id }
}

async function aTicket(
  assignees: readonly { id: string }[],
  type: 'login_asset_confirm' | 'command_confirm' = 'login_asset_confirm',
) {
  const { id } = await openConfirmation(server.kernel, {
    type,
    title: 'Login asset confirm web-1',
    orgId: DEFAULT_ORG_ID,
    applicant: { id: applicant.id, display: 'App of test(applicant)' },
    meta: {
      apply_login_user: 'applicant(applicant)',
      apply_login_asset: 'web-1(10.0.0.1)',
      apply_login_system_user: 'root(root)',
    },
    assignees: assignees.map((one) => one.id),
    waiting: () => ['Somebody waits. [free](http://evil.example)'],
  })
  return id
}

/** The buttons of the card that a person got, by their labels. */
async function buttonsOf(name: 'wecom' | 'dingtalk' | 'feishu', person: string): Promise<Record<string, string>> {
  const card = () => messengers.messages[name].find(({ to, buttons }) => to.includes(person) && buttons)
  await expect.poll(() => card()?.buttons?.length).toBe(3)
  return Object.fromEntries(card()?.buttons ?? [])
}
const codeIn = (address: string | undefined) => new URL(address ?? '').searchParams.get('code') ?? ''

async function browserOf(username: string): Promise<TestBrowser> {
  const browser = openTestBrowser(server)
  const { status } = await browser.call('POST', '/core/auth/login/', { username, password: PASSWORD })
  expect(status).toBe(200)
  return browser
}
const stateOf = async (id: string) => (await confirmationState(server.kernel.db, 'login_asset_confirm', id))?.state
const stepOf = async (id: string) =>
  (await server.kernel.pool.query('SELECT process_map->0 AS step FROM tickets_ticket WHERE id = $1', [id])).rows[0].step

test('a review arrives as a card in each messenger: who asks, for what, where, until when, and both decisions', async () => {
  const id = await aTicket([ann])
  for (const name of ['wecom', 'dingtalk', 'feishu'] as const) {
    const buttons = await buttonsOf(name, 'ann')
    expect(Object.keys(buttons)).toEqual(['Approve', 'Reject', 'Open the ticket'])
    expect(buttons['Open the ticket']).toBe(`http://localhost:8080/ui/tickets/tickets/${id}`)
    for (const label of ['Approve', 'Reject'])
      expect(buttons[label]).toMatch(/^http:\/\/localhost:8080\/ui\/decide-ticket\?code=[\w-]{43}$/)
    const text = messengers.messages[name][0]?.text ?? ''
    for (const words of ['Applicant: App of test', 'Asset: web-1(10.0.0.1)', 'System user: root(root)'])
      expect(text).toContain(words)
    expect(text).toMatch(/Waits until: \d{4}-\d\d-\d\d \d\d:\d\d/)
  }
  // DingTalk reads Markdown.
  expect(messengers.messages.dingtalk[0]?.text).not.toContain('](http')
  for (const name of ['slack', 'teams'] as const) {
    await expect.poll(() => chats.messages[name].length).toBe(1)
    const card = JSON.stringify(chats.messages[name][0]?.body)
    expect(card).toContain('Asset: web-1(10.0.0.1)')
    expect(card.match(/decide-ticket\?code=[\w-]{43}/g)).toHaveLength(2)
  }
  const { rows } = await server.kernel.pool.query('SELECT * FROM tickets_decision_link WHERE ticket = $1', [id])
  expect(rows).toHaveLength(10)
  expect(JSON.stringify(rows)).not.toContain(codeIn((await buttonsOf('feishu', 'ann')).Approve))
})

test('a button decides behind the sign-in and a fresh proof of its person, once; the ticket says where', async () => {
  const id = await aTicket([ann])
  const { Approve, Reject } = await buttonsOf('feishu', 'ann')
  const path = `${DECISIONS}${codeIn(Approve)}/`
  const browser = await browserOf('ann')
  expect(await browser.call('GET', path)).toMatchObject({
    status: 200,
    headers: { 'cache-control': 'no-store' },
    body: { decision: 'approved', place: 'feishu', is_open: true, proof: 'password', ticket: { id } },
  })
  // Neither nobody, nor another reviewer, nor a key of the person.
  expect((await server.call('POST', path)).status).toBe(401)
  await server.aPerson('bob')
  const stranger = await browserOf('bob')
  for (const method of ['GET', 'POST'])
    expect((await stranger.call(method, path, method === 'POST' ? {} : undefined)).status).toBe(404)
  const key = await server.signIn('ann', PASSWORD)
  expect((await key.post(path, { password: PASSWORD })).body.code).toBe('browser_only')
  expect((await browser.call('POST', `${DECISIONS}${'x'.repeat(43)}/`, { password: PASSWORD })).status).toBe(404)
  for (const password of ['', 'Herring-1'])
    expect(await browser.call('POST', path, { password })).toMatchObject({
      status: 400,
      body: { password: expect.anything() },
    })
  expect(await stateOf(id)).toBe('open')

  expect(await browser.call('POST', path, { password: PASSWORD })).toMatchObject({
    status: 200,
    body: { state: 'approved' },
  })
  expect(await stepOf(id)).toMatchObject({ state: 'approved', processor: ann.id, decided_in: 'feishu' })
  expect((await browser.call('GET', path)).body).toMatchObject({ is_open: false, ticket: { state: 'approved' } })
  expect(await browser.call('POST', path, { password: PASSWORD })).toMatchObject({
    status: 400,
    body: { code: 'decision_used' },
  })
  const other = `${DECISIONS}${codeIn(Reject)}/`
  expect(await browser.call('POST', other, { password: PASSWORD })).toMatchObject({
    status: 400,
    body: { code: 'ticket_closed' },
  })
})

test('a person with a second factor proves it freshly; the password is not enough', async () => {
  const { id: eve, secret } = await aGuarded(server, 'eve')
  await aReviewer('eve', Promise.resolve({ id: eve }))
  const id = await aTicket([{ id: eve }])
  const path = `${DECISIONS}${codeIn((await buttonsOf('wecom', 'eve')).Reject)}/`
  const browser = openTestBrowser(server)
  await browser.call('POST', '/core/auth/login/', { username: 'eve', password: PASSWORD })
  await browser.call('POST', '/core/auth/login/mfa/', { mfa_type: 'otp', code: codeOf(secret) })
  await browser.call('GET', '/core/auth/login/guard/')
  await server.kernel.pool.query(
    `UPDATE authentication_session SET state = state - 'mfa_verified_at' WHERE user_id = $1`,
    [eve],
  )
  expect((await browser.call('GET', path)).body).toMatchObject({ proof: 'mfa', decision: 'rejected' })
  expect(await browser.call('POST', path, { password: PASSWORD })).toMatchObject({
    status: 400,
    body: { code: 'mfa_verify_required' },
  })
  expect(await stateOf(id)).toBe('open')
  const proven = await browser.call('POST', '/api/v1/authentication/otp/verify/', { code: codeOf(secret, 1) })
  expect(proven.status).toBe(200)
  expect(await browser.call('POST', path, {})).toMatchObject({ status: 200, body: { state: 'rejected' } })
  expect(await stepOf(id)).toMatchObject({ processor: eve, decided_in: 'wecom' })
})

test('one of two people who decide at once wins, the other gets a clear word, and an expired button decides nothing', async () => {
  const cat = await aReviewer('cat')
  const id = await aTicket([ann, cat])
  const paths = await Promise.all(
    (['ann', 'cat'] as const).map(
      async (name) => `${DECISIONS}${codeIn((await buttonsOf('dingtalk', name)).Approve)}/`,
    ),
  )
  const browsers = await Promise.all(['ann', 'cat'].map(browserOf))
  const answers = await Promise.all(
    browsers.map((browser, at) => browser.call('POST', paths[at] ?? '', { password: PASSWORD })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  expect(answers.find(({ status }) => status === 400)?.body).toMatchObject({
    code: 'ticket_closed',
    detail: 'This ticket is already closed',
  })
  expect(await stateOf(id)).toBe('approved')

  messengers.messages.dingtalk.length = 0
  const late = await aTicket([ann])
  const path = `${DECISIONS}${codeIn((await buttonsOf('dingtalk', 'ann')).Approve)}/`
  await server.kernel.pool.query(`UPDATE tickets_decision_link SET date_expired = now() WHERE ticket = $1`, [late])
  expect((await browsers[0]?.call('POST', path, { password: PASSWORD }))?.status).toBe(404)
  expect(await stateOf(late)).toBe('open')
})

test('a button is of no use to a person who decides no more, and what is decided elsewhere says so', async () => {
  const id = await aTicket([ann])
  const path = `${DECISIONS}${codeIn((await buttonsOf('feishu', 'ann')).Approve)}/`
  await server.kernel.pool.query('DELETE FROM tickets_assignee WHERE ticket_id = $1', [id])
  const browser = await browserOf('ann')
  expect((await browser.call('POST', path, { password: PASSWORD })).status).toBe(404)
  const inBrowser = await aTicket([ann])
  expect((await browser.call('PUT', `${TICKETS}${inBrowser}/approve/`, {})).status).toBe(200)
  expect(await stepOf(inBrowser)).toMatchObject({ decided_in: 'console' })
  const byKey = await aTicket([ann])
  expect((await (await server.signIn('ann', PASSWORD)).put(`${TICKETS}${byKey}/reject/`, {})).status).toBe(200)
  expect(await stepOf(byKey)).toMatchObject({ decided_in: 'api' })
})
