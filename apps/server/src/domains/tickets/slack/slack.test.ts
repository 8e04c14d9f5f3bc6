import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTestBrowser, type TestBrowser } from '../../../../test/browser.ts'
import { openTestServer, PASSWORD, type TestServer } from '../../../../test/server.ts'
import { type ChatServer, SIGNING_SECRET, startChatServer } from '../../notifications/chats/chat-server-fixture.ts'
import { settingsOf } from '../../settings/index.ts'
import { decisionButtons } from '../cards/decision-link.ts'
import { confirmationState, openConfirmation } from '../index.ts'

const CALLS = '/api/v1/tickets/slack/interactions/'
const OWN = '/api/v1/tickets/slack-account/'

let slack: ChatServer
let server: TestServer
let applicant: { id: string }
beforeAll(async () => {
  slack = await startChatServer()
  server = await openTestServer(slack.environment)
  await settingsOf(server.kernel).change({ ...slack.settings.slack, SLACK_SIGNING_SECRET: SIGNING_SECRET } as never)
  applicant = await server.aPerson('applicant')
})
afterAll(async () => {
  await server?.close()
  await slack?.close()
})
beforeEach(() => {
  slack.messages.slack.length = 0
  slack.answers.length = 0
})

/** Somebody whose mail Slack knows, signed in in a browser. */
async function aReviewer(name: string): Promise<{ id: string; account: string; browser: TestBrowser }> {
  const { id } = await server.aPerson(name)
  await server.kernel.pool.query("UPDATE users_user SET language = 'en' WHERE id = $1", [id])
  const account = `U0${name.toUpperCase()}`
  slack.people.set(`${name}@example.com`, account)
  const browser = openTestBrowser(server)
  await browser.call('POST', '/core/auth/login/', { username: name, password: PASSWORD })
  return { id, account, browser }
}

interface Button {
  text: { text: string }
  value?: string
  url?: string
}

/** A ticket, and the buttons of the card that a reviewer got about it. */
async function aCard(reviewer: { id: string; account: string }): Promise<{ id: string; buttons: Button[] }> {
  slack.messages.slack.length = 0
  const { id } = await openConfirmation(server.kernel, {
    type: 'login_asset_confirm',
    title: 'Login asset confirm web-1',
    orgId: DEFAULT_ORG_ID,
    applicant: { id: applicant.id, display: 'App(applicant)' },
    meta: { apply_login_asset: 'web-1(10.0.0.1)', apply_login_system_user: 'root(root)' },
    assignees: [reviewer.id],
    waiting: () => ['Somebody waits.'],
  })
  const card = () => slack.messages.slack.find(({ to }) => to === reviewer.account)?.body
  await expect.poll(card).toBeDefined()
  const blocks = card()?.blocks as { type: string; elements?: Button[] }[]
  return { id, buttons: blocks.flatMap(({ elements = [] }) => elements) }
}
const approveOf = ({ buttons }: { buttons: Button[] }) => buttons[0]?.value ?? ''
const stateOf = async (id: string) => (await confirmationState(server.kernel.db, 'login_asset_confirm', id))?.state

const call = ({ headers, body }: { headers: Record<string, string>; body: string }) =>
  fetch(`${server.url}${CALLS}`, { method: 'POST', headers, body }).then(({ status }) => status)
/** Presses a button, and answers what Slack is to show. */
async function press(account: string, value: string): Promise<string> {
  slack.answers.length = 0
  expect(await call(slack.press(account, value))).toBe(200)
  await expect.poll(() => slack.answers.length).toBe(1)
  return String(slack.answers[0]?.text)
}
const pageIn = (text: string) => new URL(/http\S+/.exec(text)?.[0] ?? '')
async function bind({ browser, account }: { browser: TestBrowser; account: string }, value: string) {
  const code = pageIn(await press(account, value)).searchParams.get('code')
  return browser.call('POST', `/api/v1/tickets/slack-bindings/${code}/`, { password: PASSWORD })
}

test('a pressed button decides for the person who has bound that account behind a fresh proof; the ticket says Slack', async () => {
  const ann = await aReviewer('ann')
  const card = await aCard(ann)
  expect(card.buttons.map(({ text, url, value }) => [text.text, url !== undefined, value !== undefined])).toEqual([
    ['Approve', false, true],
    ['Reject', false, true],
    ['Open the ticket', true, false],
  ])
  const page = pageIn(await press(ann.account, approveOf(card)))
  expect(page.pathname).toBe('/ui/bind-slack')
  expect(await stateOf(card.id)).toBe('open')
  const waiting = `/api/v1/tickets/slack-bindings/${page.searchParams.get('code')}/`
  expect((await ann.browser.call('GET', waiting)).body).toEqual({ slack_name: 'u0ann', proof: 'password' })
  const stranger = await aReviewer('stranger')
  for (const method of ['GET', 'POST']) {
    const body = method === 'POST' ? { password: PASSWORD } : undefined
    expect((await stranger.browser.call(method, waiting, body)).status).toBe(404)
  }
  expect((await ann.browser.call('POST', waiting, {})).body).toMatchObject({ password: expect.anything() })
  expect((await ann.browser.call('GET', OWN)).body).toEqual({ is_bound: false, slack_name: '' })
  expect((await ann.browser.call('POST', waiting, { password: PASSWORD })).body).toEqual({
    is_bound: true,
    slack_name: 'u0ann',
  })
  expect((await ann.browser.call('POST', waiting, { password: PASSWORD })).status).toBe(404)

  expect(await press(ann.account, approveOf(card))).toBe('You approved: Login asset confirm web-1')
  expect(slack.answers[0]).toMatchObject({ replace_original: true })
  expect(await stateOf(card.id)).toBe('approved')
  const { rows } = await server.kernel.pool.query('SELECT process_map->0 AS step FROM tickets_ticket WHERE id = $1', [
    card.id,
  ])
  expect(rows[0].step).toMatchObject({ processor: ann.id, decided_in: 'slack' })
  expect(await press(ann.account, approveOf(card))).toBe('This button was used before')
  expect(slack.answers[0]).toMatchObject({ response_type: 'ephemeral', replace_original: false })
})

test('calls that are unsigned, wrongly signed, old, from the future or replayed are refused and decide nothing', async () => {
  const bob = await aReviewer('bob')
  const card = await aCard(bob)
  expect((await bind(bob, approveOf(card))).status).toBe(200)
  slack.answers.length = 0
  const value = approveOf(card)
  const good = slack.press(bob.account, value)
  const { 'x-slack-signature': _, ...unsigned } = good.headers
  const refused = [
    { ...good, headers: unsigned },
    { ...good, headers: { ...good.headers, 'x-slack-signature': `v0=${'0'.repeat(64)}` } },
    { ...good, body: good.body.replace(bob.account, 'U0BOSS') },
    { ...good, headers: { ...good.headers, 'x-slack-request-timestamp': String(Math.floor(Date.now() / 1000) + 9) } },
    slack.press(bob.account, value, new Date(Date.now() - 301_000)),
    slack.press(bob.account, value, new Date(Date.now() + 302_000)),
  ]
  for (const one of refused) expect(await call(one)).toBe(401)
  expect(await stateOf(card.id)).toBe('open')
  // At once, as copies of one call would come.
  expect((await Promise.all([call(good), call(good), call(good)])).sort()).toEqual([200, 401, 401])
  await expect.poll(() => stateOf(card.id)).toBe('approved')
  expect(await call(good)).toBe(401)
  await settingsOf(server.kernel).change({ SLACK_SIGNING_SECRET: '' } as never)
})

test('another account decides nothing, nor one that is bound no more, nor for somebody who may sign in no more', async () => {
  await settingsOf(server.kernel).change({ SLACK_SIGNING_SECRET: SIGNING_SECRET } as never)
  const cat = await aReviewer('cat')
  const dan = await aReviewer('dan')
  const card = await aCard(cat)
  expect((await bind(cat, approveOf(card))).status).toBe(200)
  expect(await press(dan.account, approveOf(card))).toBe('This card is for another person')
  // The account of cat is no account of dan.
  const other = await aCard(dan)
  const code = pageIn(await press(cat.account, approveOf(other))).searchParams.get('code')
  const taken = await dan.browser.call('POST', `/api/v1/tickets/slack-bindings/${code}/`, { password: PASSWORD })
  expect([taken.status, taken.body.code]).toEqual([400, 'slack_account_taken'])
  expect(await press(cat.account, 'x'.repeat(43))).toBe('This button does not count any more')

  expect((await cat.browser.call('DELETE', OWN)).status).toBe(204)
  expect((await cat.browser.call('DELETE', OWN)).status).toBe(404)
  expect(await press(cat.account, approveOf(card))).toContain('/ui/bind-slack?code=')
  await bind(cat, approveOf(card))
  await server.kernel.pool.query('UPDATE users_user SET is_active = false WHERE id = $1', [cat.id])
  expect(await press(cat.account, approveOf(card))).toBe('This button does not count any more')
  expect([await stateOf(card.id), await stateOf(other.id)]).toEqual(['open', 'open'])
})

test('a button of another messenger decides nothing there: the ticket says where it was decided', async () => {
  const eva = await aReviewer('eva')
  const card = await aCard(eva)
  expect((await bind(eva, approveOf(card))).status).toBe(200)
  const ticket = { id: card.id, type: 'login_asset_confirm', approval_step: 1 } as const
  const [approve] = await decisionButtons(server.kernel, ticket, eva.id, 'feishu', (text) => text)
  expect(approve?.code).toMatch(/^[\w-]{43}$/)
  await press(eva.account, approve?.code ?? '')
  expect(await stateOf(card.id)).toBe('open')
  expect(await press(eva.account, approveOf(card))).toContain('You approved')
})
