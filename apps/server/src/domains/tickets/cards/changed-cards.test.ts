import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Caller, openTestServer, type TestServer } from '../../../../test/server.ts'
import { type ChatServer, startChatServer } from '../../notifications/chats/chat-server-fixture.ts'
import { type MessengerServer, startMessengerServer } from '../../notifications/messengers/messenger-server-fixture.ts'
import { settingsOf } from '../../settings/index.ts'
import { openConfirmation, withdrawConfirmation } from '../index.ts'

const TICKETS = '/api/v1/tickets/tickets/'

let messengers: MessengerServer
let chats: ChatServer
let server: TestServer
let ann: Caller
let bea: Caller
let applicant: { id: string }
beforeAll(async () => {
  messengers = await startMessengerServer()
  chats = await startChatServer()
  server = await openTestServer({ ...messengers.environment, ...chats.environment })
  for (const values of [messengers.settings.feishu, chats.settings.slack, chats.settings.teams])
    await settingsOf(server.kernel).change(values as never)
  applicant = await server.aPerson('applicant')
  ann = await aReviewer('ann')
  bea = await aReviewer('bea')
})
afterAll(async () => {
  await server?.close()
  await messengers?.close()
  await chats?.close()
})
beforeEach(() => {
  messengers.messages.feishu.length = 0
  messengers.changes.length = 0
  for (const list of [chats.messages.slack, chats.messages.teams, chats.changes]) list.length = 0
})

/** Somebody who is known in Slack, in Teams and in FeiShu. */
async function aReviewer(name: string): Promise<Caller> {
  const person = await server.aPerson(name)
  messengers.people.feishu.add(name)
  chats.people.set(`${name}@example.com`, `U0${name.toUpperCase()}`)
  await server.kernel.pool.query("UPDATE users_user SET feishu_id = $2, language = 'en' WHERE id = $1", [
    person.id,
    name,
  ])
  return person
}

const open = async () =>
  (
    await openConfirmation(server.kernel, {
      type: 'login_asset_confirm',
      title: 'Login asset confirm web-1',
      orgId: DEFAULT_ORG_ID,
      applicant: { id: applicant.id, display: 'App(applicant)' },
      meta: { apply_login_asset: 'web-1(10.0.0.1)', apply_login_system_user: 'root(root)' },
      assignees: [ann.id, bea.id],
      waiting: () => ['Somebody waits.'],
    })
  ).id
/** A ticket whose two reviewers have their cards in all three. */
async function aTicket(): Promise<string> {
  const id = await open()
  const cards = () => [chats.messages.slack.length, chats.messages.teams.length, messengers.messages.feishu.length]
  await expect.poll(cards).toEqual([2, 2, 2])
  await expect.poll(async () => (await remembered()).length).toBe(4)
  return id
}
const remembered = async () => (await server.kernel.pool.query('SELECT channel FROM notifications_sent_card')).rows
const wordsOf = ({ body }: { body: Record<string, unknown> }) => JSON.stringify(body.blocks)

test('a card in Slack and FeiShu says who has decided elsewhere, and where, and has no buttons for it any more', async () => {
  const id = await aTicket()
  expect((await bea.put(`${TICKETS}${id}/approve/`, {})).status).toBe(200)
  await expect.poll(() => [chats.changes.length, messengers.changes.length]).toEqual([2, 2])
  expect(chats.changes.map(({ place }) => place.split('/')[0]).toSorted()).toEqual(['DU0ANN', 'DU0BEA'])
  for (const change of chats.changes) {
    expect(wordsOf(change)).toContain('Approved by bea of test (bea), in the API')
    expect(wordsOf(change)).not.toMatch(/decide_|card-decisions|decide-ticket/)
    expect(wordsOf(change)).toContain(`/ui/tickets/tickets/${id}`)
  }
  for (const { text, buttons } of messengers.changes) {
    expect(text).toContain('Approved by bea of test (bea), in the API')
    expect(buttons?.map(([label]) => label)).toEqual(['Open the ticket'])
  }
  await expect.poll(remembered).toEqual([])
})

test('cards of a ticket that its applicant gave up, or that nobody decided in time, say so', async () => {
  const id = await aTicket()
  await withdrawConfirmation(server.kernel, 'login_asset_confirm', id)
  await expect.poll(() => chats.changes.length).toBe(2)
  expect(wordsOf(chats.changes[0] as never)).toContain('Withdrawn by the applicant')
  const late = await open()
  await expect.poll(async () => (await remembered()).length).toBe(4)
  await withdrawConfirmation(server.kernel, 'login_asset_confirm', late, 'time')
  await expect.poll(() => chats.changes.length).toBe(4)
  expect(wordsOf(chats.changes.at(-1) as never)).toContain('Closed, as nobody decided it in time')
})

test('a ticket that is decided before its card arrives: the card says so as well', async () => {
  chats.failure.busy = 'slack'
  const id = await open()
  await expect.poll(() => chats.messages.teams.length).toBe(2)
  expect((await ann.put(`${TICKETS}${id}/reject/`, {})).status).toBe(200)
  delete chats.failure.busy
  const due = async () => {
    // What waits for its next try is due now.
    await server.kernel.pool.query("UPDATE kernel_job SET date_due = now() WHERE state = 'waiting'")
    return chats.changes.length
  }
  await expect.poll(due, { timeout: 20_000 }).toBe(2)
  expect(wordsOf(chats.changes[0] as never)).toContain('Rejected by ann of test (ann), in the API')
})

test('a message that can not be changed any more is left alone, and keeps no other from being changed', async () => {
  const id = await aTicket()
  await server.kernel.pool.query("UPDATE notifications_sent_card SET place = 'DU0ANN/1' WHERE place LIKE 'DU0ANN/%'")
  expect((await bea.put(`${TICKETS}${id}/approve/`, {})).status).toBe(200)
  await expect.poll(() => [chats.changes.length, messengers.changes.length]).toEqual([1, 2])
  await expect.poll(remembered).toEqual([])
})
