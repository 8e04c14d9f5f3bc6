// Class 29: decisions by cards. Readers of a card, of a call of Slack, or with an account there try to decide in
// the name of others, twice, or what was never shown.
import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type ChatServer,
  SIGNING_SECRET,
  startChatServer,
} from '../../apps/server/src/domains/notifications/chats/chat-server-fixture.ts'
import {
  type Answer,
  aBrowserOf,
  admin,
  aName,
  anOrganization,
  aPerson,
  type CookieJar,
  call,
  fine,
  PASSWORD,
  type Person,
  place,
} from './visitor.ts'

const CALLS = '/api/v1/tickets/slack/interactions/'
const TICKETS = '/api/v1/tickets/tickets/'
const FLOWS = '/api/v1/tickets/flows/'
/** A person who counts no more has no language. */
const GONE = /^(This button does not count any more|该按钮已失效)$/

interface Reviewer {
  person: Person
  /** Their account in Slack. */
  account: string
  browser: CookieJar
}

let slack: ChatServer
let keeper: Person
let applicant: Person
let meta: Record<string, unknown>
beforeAll(async () => {
  slack = await startChatServer(place.slackPort)
  await change({ ...slack.settings.slack, SLACK_CHANNEL_ENABLED: false, SLACK_SIGNING_SECRET: SIGNING_SECRET })
  const org = await anOrganization()
  keeper = (await admin()).in(org)
  applicant = await aPerson({ org })
  const identity = { name: 'ops', username: 'ops', protocol: 'ssh', login_mode: 'auto', password: 'Secret-1' }
  const made = async (path: string, draft: object) => fine(await keeper.call('POST', path, draft)).id
  meta = {
    apply_assets: [
      await made('/api/v1/assets/assets/', {
        hostname: 'db-1',
        ip: '10.0.0.7',
        platform: 'Linux',
        protocols: ['ssh/22'],
      }),
    ],
    apply_system_users: [await made('/api/v1/assets/system-users/', { ...identity, auto_push: false })],
    apply_actions: ['connect'],
    apply_date_start: '2026-01-02 03:04:05',
    apply_date_expired: '2096-01-09 03:04:05',
  }
})
afterAll(async () => {
  await change({ SLACK_ENABLED: false, SLACK_SIGNING_SECRET: '' })
  await slack?.close()
})
beforeEach(() => void (slack.messages.slack.length = 0))

const change = async (values: object) =>
  fine(await (await admin()).call('PATCH', '/api/v1/settings/setting/?category=slack', values))

async function aReviewer(): Promise<Reviewer> {
  const person = await aPerson({ org: applicant.org })
  const { email } = fine(await keeper.call('PATCH', `/api/v1/users/users/${person.id}/`, { language: 'en' }))
  const account = `U${person.id.slice(-12).toUpperCase()}`
  slack.people.set(email, account)
  return { person, account, browser: await aBrowserOf(person.username) }
}

/** Has requests of the organization decided by these people, one list for each level. */
async function decidedBy(...levels: Reviewer[][]): Promise<void> {
  const rules = levels.map((people) => ({ strategy: 'custom_user', assignees: people.map(({ person }) => person.id) }))
  const [flow] = fine(await keeper.call('GET', `${FLOWS}?type=apply_asset`))
  fine(await keeper.call('PUT', `${FLOWS}${flow.id}/`, { type: 'apply_asset', approval_level: rules.length, rules }))
}

async function aTicket(): Promise<string> {
  const draft = { title: aName('request'), type: 'apply_asset', org_id: applicant.org, meta }
  return fine(await applicant.call('POST', `${TICKETS}open/?type=apply_asset`, draft)).id
}

/** The codes of the buttons of the next card that arrives at somebody's account. */
async function cardOf({ account }: Reviewer): Promise<{ approve: string; reject: string }> {
  const at = () => slack.messages.slack.findIndex(({ to, body }) => to === account && codesIn(body).length === 2)
  await expect.poll(at).toBeGreaterThanOrEqual(0)
  const [message] = slack.messages.slack.splice(at(), 1)
  const [approve = '', reject = ''] = codesIn(message?.body)
  return { approve, reject }
}
const codesIn = (body: unknown) => [...JSON.stringify(body).matchAll(/"value":"([\w-]{43})"/g)].map(([, code]) => code)

const stateOf = async (id: string) => {
  const { state, approval_step } = fine(await applicant.call('GET', `${TICKETS}${id}/`))
  return [state, approval_step]
}
const OPEN = ['open', 1]

const send = ({ headers, body }: { headers: Record<string, string>; body: string }) =>
  call('POST', CALLS, body, headers).then(({ status }) => status)
/** Presses a button, signed; answers what Slack shows then. */
async function press(account: string, code: string): Promise<string> {
  slack.answers.length = 0
  expect(await send(slack.press(account, code))).toBe(200)
  await expect.poll(() => slack.answers.length).toBe(1)
  return String(slack.answers[0]?.text)
}
const bindingIn = (text: string) =>
  `/api/v1/tickets/slack-bindings/${new URL(/http\S+/.exec(text)?.[0] ?? '').searchParams.get('code')}/`
async function bind({ account, browser }: Reviewer, code: string): Promise<void> {
  fine(await browser.call('POST', bindingIn(await press(account, code)), { password: PASSWORD }))
}

const pathOf = (code: string) => `/api/v1/tickets/card-decisions/${code}/`
const decide = ({ browser }: Reviewer, code: string): Promise<Answer> =>
  browser.call('POST', pathOf(code), { password: PASSWORD })

test('a call that Slack has not signed, has signed for another body or long ago, or that comes again, decides nothing', async () => {
  const ann = await aReviewer()
  await decidedBy([ann])
  const id = await aTicket()
  const { approve } = await cardOf(ann)
  await bind(ann, approve)
  slack.answers.length = 0
  const good = slack.press(ann.account, approve)
  const { 'x-slack-signature': signature = '', 'x-slack-request-timestamp': seconds = '' } = good.headers
  const signed = (headers: Record<string, string>, body = good.body) => ({
    headers: { ...good.headers, ...headers },
    body,
  })
  const by = (key: string) => `v0=${createHmac('sha256', key).update(`v0:${seconds}:${good.body}`).digest('hex')}`
  const now = Number(seconds)
  const refused = [
    signed({ 'x-slack-signature': '' }),
    signed({ 'x-slack-signature': 'v0=' }),
    signed({ 'x-slack-signature': signature.slice(0, -1) }),
    signed({ 'x-slack-signature': signature.slice(3) }),
    signed({ 'x-slack-signature': signature.replace('v0', 'v1') }),
    signed({ 'x-slack-signature': by('') }),
    signed({ 'x-slack-signature': by('undefined') }),
    signed({ 'x-slack-request-timestamp': '' }),
    signed({ 'x-slack-request-timestamp': `${now + 1}` }),
    signed({ 'x-slack-request-timestamp': `0${seconds}` }),
    signed({ 'x-slack-request-timestamp': `${seconds}.0` }),
    signed({}, `${good.body}&payload=x`),
    signed({}, good.body.replace(ann.account, 'U0BOSS')),
    signed({}, ''),
    slack.press(ann.account, approve, new Date(Date.now() - 310_000)),
    slack.press(ann.account, approve, new Date(Date.now() + 310_000)),
  ]
  for (const [at, one] of refused.entries()) expect([at, await send(one)]).toEqual([at, 401])
  // The same as a page of the browser of the person themselves would send it.
  expect(
    (await ann.browser.call('POST', CALLS, good.body, { 'content-type': good.headers['content-type'] ?? '' })).status,
  ).toBe(401)
  expect(await stateOf(id)).toEqual(OPEN)
  expect(slack.answers).toEqual([])

  const copies = await Promise.all(Array.from({ length: 10 }, () => send(good)))
  expect(copies.filter((status) => status === 200)).toHaveLength(1)
  await expect.poll(() => stateOf(id)).toEqual(['approved', 1])
  expect(await send(good)).toBe(401)
  await expect.poll(() => slack.answers.length).toBe(1)
})

test('a signed call decides only by the account that the person of the card has bound, and an account is one person', async () => {
  const [ann, eve] = [await aReviewer(), await aReviewer()]
  await decidedBy([ann, eve])
  const id = await aTicket()
  const [anns, eves] = [await cardOf(ann), await cardOf(eve)]
  // Before anybody has bound anything: the page is of use to the person of the card alone.
  const page = bindingIn(await press(eve.account, anns.approve))
  for (const method of ['GET', 'POST']) {
    const body = method === 'POST' ? { password: PASSWORD } : undefined
    expect((await eve.browser.call(method, page, body)).status).toBe(404)
    expect((await ann.person.call(method, page, body)).body.code).toBe('browser_only')
    expect((await call(method, page, body)).status).toBe(401)
  }
  // Nor does it bind without the proof of that person.
  for (const body of [{}, { password: 'Herring-1' }, { password: '' }])
    expect((await ann.browser.call('POST', page, body)).status).toBe(400)
  expect(fine(await ann.browser.call('GET', '/api/v1/tickets/slack-account/')).is_bound).toBe(false)

  await bind(ann, anns.approve)
  await bind(eve, eves.approve)
  expect(await press(eve.account, anns.approve)).toBe('This card is for another person')
  expect(await press(ann.account, eves.approve)).toBe('This card is for another person')
  // The code of the page that eve's press has made before binds her account to ann no more.
  expect((await ann.browser.call('POST', page, { password: PASSWORD })).status).toBe(404)
  for (const code of ['x'.repeat(43), '', `${anns.approve}x`, anns.approve.slice(1), "' OR true --"]) {
    if (code) expect(await press(ann.account, code)).toMatch(GONE)
    else expect(await send(slack.press(ann.account, code))).toBe(200)
  }
  expect(await stateOf(id)).toEqual(OPEN)

  const third = await aReviewer()
  await decidedBy([third])
  await aTicket()
  const taken = bindingIn(await press(ann.account, (await cardOf(third)).approve))
  const { status, body } = await third.browser.call('POST', taken, { password: PASSWORD })
  expect([status, body.code]).toEqual([400, 'slack_account_taken'])
})

test("the address of a button is its person's alone, in a browser, behind a proof, and once", async () => {
  const [ann, eve] = [await aReviewer(), await aReviewer()]
  await decidedBy([ann, eve])
  const id = await aTicket()
  const { approve, reject } = await cardOf(ann)
  const path = pathOf(approve)
  for (const method of ['GET', 'POST']) {
    const body = method === 'POST' ? { password: PASSWORD } : undefined
    expect((await call(method, path, body)).status).toBe(401)
    // Eve decides this ticket as well, but by her own card.
    expect((await eve.browser.call(method, path, body)).status).toBe(404)
    expect((await ann.person.call(method, path, body)).body.code).toBe('browser_only')
    expect((await (await admin()).call(method, path, body)).status).toBe(400)
  }
  for (const body of [undefined, {}, { password: '' }, { password: 'Herring-1' }, { password: {} }, [PASSWORD]])
    expect((await ann.browser.call('POST', path, body)).status).toBe(400)
  // Reading decides nothing, as a preview of a link in a messenger would.
  fine(await ann.browser.call('GET', path))
  expect((await ann.browser.call('HEAD', path)).status).toBeLessThan(500)
  expect(await stateOf(id)).toEqual(OPEN)

  // Both buttons of one card, many times at once: one of them counts, once.
  const presses = Array.from({ length: 8 }, (_, at) => decide(ann, at % 2 ? approve : reject))
  const answers = await Promise.all(presses)
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  for (const { status, body } of answers)
    if (status !== 200) expect(['decision_used', 'ticket_closed']).toContain(body.code)
  const decided = await stateOf(id)
  expect(['approved', 'rejected']).toContain(decided[0])
  for (const code of [approve, reject]) expect((await decide(ann, code)).status).toBe(400)
  expect(await stateOf(id)).toEqual(decided)
})

test('one of two deciders at once wins, and a card of a decided level does not decide the next one', async () => {
  const [ann, ben] = [await aReviewer(), await aReviewer()]
  await decidedBy([ann, ben], [ann])
  const id = await aTicket()
  const [anns, bens] = [await cardOf(ann), await cardOf(ben)]
  const answers = await Promise.all([decide(ann, anns.approve), decide(ben, bens.approve)])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  expect(answers.find(({ status }) => status === 400)?.body.code).toBe('level_decided')
  expect(await stateOf(id)).toEqual(['open', 2])
  // Ann decides the second level too, but by nothing that shows the first.
  expect((await decide(ann, anns.reject)).body.code).toBe('level_decided')
  await bind(ann, anns.reject)
  expect(await press(ann.account, anns.reject)).toBe('Somebody else has just decided this level')
  expect((await decide(ben, bens.reject)).status).toBeGreaterThanOrEqual(400)
  expect(await stateOf(id)).toEqual(['open', 2])
  const second = await cardOf(ann)
  expect(await press(ann.account, second.reject)).toMatch(/^You rejected: /)
  expect(await stateOf(id)).toEqual(['rejected', 2])
})

test('a card decides nothing for somebody whose account is off, or whose request it is', async () => {
  const ann = await aReviewer()
  await decidedBy([ann, await aReviewer()])
  const id = await aTicket()
  const { approve } = await cardOf(ann)
  await bind(ann, approve)
  fine(await keeper.call('PATCH', `/api/v1/users/users/${ann.person.id}/`, { is_active: false }))
  expect(await press(ann.account, approve)).toMatch(GONE)
  expect((await decide(ann, approve)).status).toBe(401)
  expect(await stateOf(id)).toEqual(OPEN)

  const own = await aReviewer()
  await decidedBy([own, await aReviewer()])
  const draft = { title: aName('own'), type: 'apply_asset', org_id: applicant.org, meta }
  const mine = fine(await own.person.call('POST', `${TICKETS}open/?type=apply_asset`, draft)).id
  const card = await cardOf(own)
  expect((await decide(own, card.approve)).status).toBe(403)
  await bind(own, card.approve)
  expect(await press(own.account, card.approve)).toContain('your own')
  expect(fine(await own.person.call('GET', `${TICKETS}${mine}/`)).state).toBe('open')
})
