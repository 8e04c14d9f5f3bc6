import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTestServer, type TestServer } from '../../../../test/server.ts'
import { notifySubscribers } from '../notify.ts'
import { documentedCode, type Receiver, startReceiver } from './webhook-receiver-fixture.ts'

const PATH = '/api/v1/notifications/webhooks/'
const MESSAGES = '/api/v1/notifications/webhook-deliveries/'
const SECRET = `whsec_${Buffer.from('a key of thirty-two bytes, Herring').toString('base64')}`

let receiver: Receiver
let server: TestServer
beforeAll(async () => {
  receiver = await startReceiver(SECRET)
  server = await openTestServer()
})
afterAll(async () => {
  await server?.close()
  await receiver?.close()
})
beforeEach(() => {
  receiver.taken.length = 0
  receiver.calls.length = 0
  receiver.answer = () => 204
})

const kinds = [
  'ticket.opened',
  'ticket.level_approved',
  'ticket.ended',
  'session.started',
  'session.ended',
  'alarm.raised',
]
let number = 0
async function aWebhook(values: object = {}) {
  number += 1
  const { status, body } = await server.admin.post(PATH, {
    name: `hook ${number}`,
    url: `${receiver.url}/hook/${number}`,
    secret: SECRET,
    kinds,
    ...values,
  })
  expect([status, body]).toEqual([201, expect.anything()])
  return body as { id: string; url: string }
}
const remove = ({ id }: { id: string }) => server.admin.delete(`${PATH}${id}/`)
const messagesOf = async ({ id }: { id: string }) =>
  (await server.admin.get(`${MESSAGES}?webhook=${id}&order=date_created`)).body as {
    id: string
    kind: string
    state: string
    tries: number
    status: number | null
    error: string
    body: string
  }[]

const ticket = (title: string, type = 'login_confirm') =>
  server.kernel.pool
    .query<{ id: string }>(
      `INSERT INTO tickets_ticket (title, type, applicant_display, org_id, serial_num, process_map)
       VALUES ($1, $2, 'Ann(ann)', $3, $1, '[{"approval_level": 1, "assignees_display": ["Bob(bob)"]}]') RETURNING id`,
      [title, type, DEFAULT_ORG_ID],
    )
    .then(({ rows }) => rows[0]?.id ?? '')
const close = (id: string) =>
  server.kernel.pool.query("UPDATE tickets_ticket SET state = 'rejected', status = 'closed' WHERE id = $1", [id])

/** Has what waits for a second attempt tried now. */
async function tryNow() {
  await server.kernel.pool.query(
    "UPDATE kernel_job SET date_due = now() WHERE queue = 'notifications.deliver_webhook' AND state = 'waiting'",
  )
  await server.kernel.events.publish('jobs.due', { queues: ['notifications.deliver_webhook'] })
}

test('a webhook hears of tickets, sessions and alarms, each once, by messages that the documented code takes', async () => {
  const hook = await aWebhook({ all_orgs: true })
  const id = await ticket('web-1 for a day')
  await close(id)
  const { rows } = await server.kernel.pool.query<{ id: string }>(
    `INSERT INTO terminal_session (org_id, "user", asset, "system_user", user_id, remote_addr, is_success)
     VALUES ($1, 'Ann(ann)', 'web-1(10.0.0.1)', 'root(root)', 'u1', '10.1.1.1', false) RETURNING id`,
    [DEFAULT_ORG_ID],
  )
  const session = rows[0]?.id
  const set = (columns: string) =>
    server.kernel.pool.query(`UPDATE terminal_session SET ${columns} WHERE id = $1`, [session])
  await set('is_success = true')
  await set('is_finished = true, date_end = now()')
  await notifySubscribers(server.kernel, 'ServerPerformanceMessage', () => ({
    subject: 'Disk',
    paragraphs: ['It is full.'],
    link: { text: 'x', path: '/ui/monitor' },
  }))
  await expect.poll(() => receiver.taken.length).toBe(5)
  const organization = { id: DEFAULT_ORG_ID, name: 'Default' }
  const by = (kind: string) => receiver.taken.find((event) => event.kind === kind)
  expect(by('ticket.opened')).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    kind: 'ticket.opened',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    organization,
    data: {
      ticket: id,
      number: 'web-1 for a day',
      type: 'login_confirm',
      title: 'web-1 for a day',
      state: 'open',
      level: 1,
      applicant: { id: null, name: 'Ann(ann)' },
      approvers: ['Bob(bob)'],
      decided_by: null,
      decided_in: null,
      page: `/ui/tickets/tickets/${id}`,
    },
  })
  expect(by('ticket.ended')?.data).toMatchObject({ ticket: id, state: 'rejected' })
  const data = {
    session,
    user: { id: 'u1', name: 'Ann(ann)' },
    target: { name: 'web-1(10.0.0.1)' },
    address: '10.1.1.1',
  }
  expect(by('session.started')).toMatchObject({ organization, data: { ...data, ended: null } })
  expect(by('session.ended')).toMatchObject({ data: { ...data, ended: expect.stringMatching(/Z$/) } })
  expect(by('alarm.raised')).toMatchObject({
    organization: null,
    data: { alarm: 'ServerPerformanceMessage', title: 'Disk', text: ['It is full.'], page: '/ui/monitor' },
  })
  for (const { headers, id: sent, event, path } of receiver.calls) {
    expect([sent, path]).toEqual([event?.id, new URL(hook.url).pathname])
    expect(headers['content-type']).toBe('application/json')
  }
  await expect
    .poll(async () => (await server.admin.get(`${PATH}${hook.id}/`)).body)
    .toMatchObject({
      waiting_amount: 0,
      failed_amount: 0,
      dropped: 0,
      date_last_sent: expect.stringMatching(/^\d{4}\/\d\d\/\d\d /),
    })
  expect((await messagesOf(hook)).map(({ state, tries, status }) => [state, tries, status])).toEqual(
    Array(5).fill(['sent', 1, 204]),
  )
  await remove(hook)
})

test('the documented code refuses what was changed, is old, or was signed with another secret', async () => {
  const hook = await aWebhook()
  await ticket('signed')
  await expect.poll(() => receiver.taken.length).toBe(1)
  const [{ headers, body } = { headers: {}, body: '' }] = receiver.calls
  const read = await documentedCode()
  expect(read(headers, body, SECRET)?.kind).toBe('ticket.opened')
  expect(read(headers, body.replace('signed', 'Signed'), SECRET)).toBeUndefined()
  expect(read(headers, body, 'a secret that nobody else knows')).toBeUndefined()
  expect(read({ ...headers, 'webhook-id': 'another' }, body, SECRET)).toBeUndefined()
  expect(read(headers, body, SECRET, Date.now() + 301_000)).toBeUndefined()
  await remove(hook)
})

test('a message that is not taken holds up those behind it about the same, nothing else, and arrives in order', async () => {
  const hook = await aWebhook()
  const other = await aWebhook()
  const first = await ticket('first')
  receiver.answer = ({ data }) => (data.ticket === first ? 503 : 204)
  await close(first)
  const second = await ticket('second')
  const arrived = () => receiver.taken.map(({ kind, data }) => [kind, data.ticket])
  await expect.poll(arrived).toEqual(Array(2).fill(['ticket.opened', second]))
  await expect.poll(async () => (await messagesOf(hook))[0]?.tries).toBe(1)
  expect((await messagesOf(hook)).slice(0, 2)).toMatchObject([
    { kind: 'ticket.opened', state: 'waiting', status: 503, error: 'the receiver answered 503' },
    { kind: 'ticket.ended', state: 'waiting', tries: 0 },
  ])
  const inChinese = { headers: { authorization: `Bearer ${server.admin.token}`, cookie: 'django_language=zh-hans' } }
  const { body: shown } = await server.call(
    'GET',
    `/api/v1/notifications/webhook-deliveries/?webhook=${hook.id}`,
    inChinese,
  )
  expect(shown.at(-1)).toMatchObject({ kind: 'ticket.opened', error: '接收方返回 503' })
  expect(receiver.calls.map(({ event }) => event?.kind)).not.toContain('ticket.ended')
  receiver.taken.length = 0
  receiver.answer = () => 204
  await tryNow()
  await expect.poll(() => receiver.taken.length).toBe(4)
  for (const { url } of [hook, other]) {
    const path = new URL(url).pathname
    const calls = receiver.calls.filter((one) => one.path === path && one.event?.data.ticket === first)
    expect(calls.map(({ event }) => event?.kind)).toEqual(['ticket.opened', 'ticket.opened', 'ticket.ended'])
    expect(calls[0]?.id).toBe(calls[1]?.id)
  }
  for (const one of [hook, other]) await remove(one)
})

test('after eleven attempts a message has failed, the next one goes on, and it can be sent again', async () => {
  const hook = await aWebhook()
  receiver.answer = ({ kind }) => (kind === 'ticket.opened' ? 307 : 204)
  const id = await ticket('given up')
  await expect.poll(async () => (await messagesOf(hook))[0]?.tries).toBe(1)
  await close(id)
  await server.kernel.pool.query("UPDATE notifications_webhook_delivery SET tries = 10 WHERE kind = 'ticket.opened'")
  await tryNow()
  await expect.poll(() => receiver.taken.map(({ kind }) => kind)).toEqual(['ticket.ended'])
  const [failed] = await messagesOf(hook)
  expect(failed).toMatchObject({ state: 'failed', tries: 11, status: 307, error: expect.stringContaining('redirects') })
  expect(receiver.calls.map(({ path }) => path)).not.toContain('/elsewhere')
  expect((await server.admin.get(`${PATH}${hook.id}/`)).body).toMatchObject({ failed_amount: 1 })

  receiver.answer = () => 204
  const again = `${MESSAGES}${failed?.id}/send-again/`
  expect(await server.admin.post(again, {})).toMatchObject({ status: 200, body: { state: 'waiting', tries: 0 } })
  await expect.poll(() => receiver.taken.map((event) => event.id)).toContain(receiver.calls[0]?.id)
  await expect.poll(async () => (await messagesOf(hook))[0]).toMatchObject({ state: 'sent', tries: 1, error: '' })
  const anna = await server.aPerson('anna')
  expect((await anna.post(again, {})).status).toBe(403)
  expect((await server.admin.post(again.replace(/.{36}\/send/, `${hook.id}/send`), {})).status).toBe(404)
  await remove(hook)
})

test('a webhook hears of its own organization and its own kinds; one that is off hears nothing', async () => {
  const off = await aWebhook({ is_active: false })
  const tickets = await aWebhook({ kinds: ['ticket.ended'] })
  await notifySubscribers(server.kernel, 'ServerPerformanceMessage', () => ({ subject: 'Disk', paragraphs: [] }))
  const org = (await server.admin.post('/api/v1/orgs/orgs/', { name: 'elsewhere' })).body.id
  await server.kernel.pool.query(
    "INSERT INTO tickets_ticket (title, type, applicant_display, org_id, serial_num) VALUES ('far', 'general', 'x', $1, 'far')",
    [org],
  )
  await server.kernel.pool.query(
    "UPDATE tickets_ticket SET status = 'closed', state = 'closed' WHERE serial_num = 'far'",
  )
  await close(await ticket('near'))
  await expect
    .poll(() => receiver.taken.map(({ kind, data }) => [kind, data.title]))
    .toEqual([['ticket.ended', 'near']])
  expect([await messagesOf(off), (await messagesOf(tickets)).length]).toEqual([[], 1])
  for (const one of [off, tickets]) await remove(one)
})

test('no message holds a command, nor any secret', async () => {
  const hook = await aWebhook({ all_orgs: true })
  await ticket('Command confirm mysql -pHerring-1', 'command_confirm')
  await notifySubscribers(
    server.kernel,
    'CommandAlertMessage',
    () => ({ subject: 'Dangerous command: mysql -pHerring-1', paragraphs: ['mysql -pHerring-1'] }),
    DEFAULT_ORG_ID,
  )
  await expect.poll(() => receiver.taken.length).toBe(2)
  // The number of this ticket is its title.
  for (const { data } of receiver.taken) expect(JSON.stringify({ ...data, number: '' })).not.toContain('Herring')
  expect(receiver.taken.map(({ data }) => data.title)).toEqual(expect.arrayContaining([null, 'Danger command alert']))
  await remove(hook)
})

test('beyond 10,000 waiting messages new ones are dropped and counted', async () => {
  const hook = await aWebhook({ url: 'http://127.0.0.1:9/' })
  await server.kernel.pool.query(
    `INSERT INTO notifications_webhook_delivery (org_id, webhook, kind, about, body)
     SELECT $1, $2, 'alarm.raised', n::text, '{}' FROM generate_series(1, 10000) n`,
    [DEFAULT_ORG_ID, hook.id],
  )
  await ticket('no room')
  expect((await server.admin.get(`${PATH}${hook.id}/`)).body).toMatchObject({ waiting_amount: 10_000, dropped: 1 })
  await remove(hook)
})

test('the test sends one message at once, and says why it was not taken', async () => {
  const hook = await aWebhook()
  const testing = `${PATH}${hook.id}/testing/`
  expect(await server.admin.post(testing, {})).toMatchObject({ status: 200, body: { msg: 'The test succeeded' } })
  expect(receiver.taken).toMatchObject([{ kind: 'test', organization: { id: DEFAULT_ORG_ID }, data: {} }])
  receiver.answer = () => 500
  expect(await server.admin.post(testing, {})).toMatchObject({
    status: 400,
    body: { error: 'The message was not taken: the receiver answered 500' },
  })
  for (const [url, why] of [
    ['http://169.254.169.254/latest', /is closed to connections/],
    ['http://8.8.8.8/', /by https alone/],
  ] as const) {
    await server.admin.patch(`${PATH}${hook.id}/`, { url })
    expect((await server.admin.post(testing, {})).body.error).toMatch(why)
  }
  await remove(hook)
})

test('the secret is sealed, never answered, and kept where none is sent; bad input changes nothing', async () => {
  const hook = await aWebhook()
  expect(JSON.stringify((await server.admin.get(`${PATH}${hook.id}/`)).body)).not.toContain('secret')
  const { rows } = await server.kernel.pool.query('SELECT * FROM notifications_webhook')
  expect(JSON.stringify(rows)).not.toContain(SECRET)
  expect((await server.admin.patch(`${PATH}${hook.id}/`, { name: 'renamed', secret: '' })).status).toBe(200)
  await ticket('kept')
  await expect.poll(() => receiver.taken.length).toBe(1)
  for (const [field, value] of [
    ['url', 'ftp://example.com/'],
    ['url', 'https://user:word@example.com/'],
    ['secret', 'short'],
    ['secret', `whsec_${'~'.repeat(40)}`],
    ['kinds', ['ticket.eaten']],
    ['kinds', []],
  ] as const)
    expect(await server.admin.patch(`${PATH}${hook.id}/`, { [field]: value })).toMatchObject({
      status: 400,
      body: { [field]: expect.anything() },
    })
  const { status, body } = await server.admin.post(PATH, { name: 'bare', url: receiver.url, kinds })
  expect([status, body]).toEqual([400, { secret: expect.anything() }])
  await remove(hook)
})
