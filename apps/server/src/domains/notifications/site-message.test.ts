import { once } from 'node:events'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { openTestBrowser } from '../../../test/browser.ts'
import { type Caller, openTestServer, PASSWORD, type TestServer } from '../../../test/server.ts'
import { usersUser } from '../users/tables.ts'
import { notify, notifySubscribers } from './index.ts'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server?.close())

const INBOX = '/api/v1/notifications/site-message/'
const unread = async (person: Caller) => (await person.get(`${INBOX}unread-total/`)).body.total
const tell = (people: readonly Caller[], subject: string) =>
  notify(
    server.kernel,
    people.map(({ id }) => id),
    (say) => ({
      subject,
      paragraphs: [say('Hello {{name}},', { name: '<b>Bob</b>' })],
      link: { text: 'Look', path: '/ui/' },
    }),
  )

test('[A3.06 A4.05 B3.12 B4.11 B7.22 B7.23] messages are read by those they were sent to, unread until they are marked', async () => {
  const [ann, bob] = [await server.aPerson('ann'), await server.aPerson('bob')]
  await tell([ann, bob], 'First')
  await tell([ann], 'Second')
  expect([await unread(ann), await unread(bob)]).toEqual([2, 1])
  const page = (await ann.get(`${INBOX}?offset=0&limit=15&has_read=false`)).body
  expect([page.count, page.results.map(({ subject }: { subject: string }) => subject)]).toEqual([
    2,
    ['Second', 'First'],
  ])
  const [second, first] = page.results
  expect(second).toEqual({
    id: expect.any(String),
    subject: 'Second',
    message: '<p>Hello &lt;b&gt;Bob&lt;/b&gt;,</p><p><a href="/ui/">Look</a></p>',
    has_read: false,
    read_at: null,
    date_created: expect.stringMatching(/^\d{4}\/\d\d\/\d\d /),
    date_updated: expect.any(String),
    sender: '',
  })
  // Reading does not mark, and what is not one's own can be neither read nor marked.
  expect((await ann.get(`${INBOX}${second.id}/`)).body.has_read).toBe(false)
  expect((await bob.get(`${INBOX}${second.id}/`)).status).toBe(404)
  expect(await bob.patch(`${INBOX}mark-as-read/`, { ids: [second.id] })).toMatchObject({
    status: 200,
    body: { detail: 'ok' },
  })
  expect([await unread(ann), await unread(bob)]).toEqual([2, 1])

  expect((await ann.patch(`${INBOX}mark-as-read/`, { ids: [first.id] })).body).toEqual({ detail: 'ok' })
  expect([await unread(ann), await unread(bob)]).toEqual([1, 1])
  const read = (await ann.get(`${INBOX}?has_read=true`)).body
  expect(read.map(({ id, read_at }: { id: string; read_at: string }) => [id, typeof read_at])).toEqual([
    [first.id, 'string'],
  ])
  expect((await ann.get(INBOX)).body).toHaveLength(2)
  for (const body of [{}, { ids: 'x' }, { ids: ['x'] }, []])
    expect((await ann.patch(`${INBOX}mark-as-read/`, body)).status).toBe(400)
  expect((await ann.delete(`${INBOX}${first.id}/`)).status).toBe(404)
})

test('[A3.06] a message is written in the language of its reader; people who are gone or disabled are passed over', async () => {
  const [cleo, dan] = [await server.aPerson('cleo'), await server.aPerson('dan')]
  await server.kernel.db.update(usersUser).set({ language: 'cn' }).where(eq(usersUser.id, cleo.id))
  await server.admin.patch(`/api/v1/users/users/${dan.id}/`, { is_active: false })
  await tell([cleo, dan], 'Language')
  await notify(server.kernel, ['11111111-1111-4111-8111-111111111111'], () => ({ subject: 's', paragraphs: ['p'] }))
  expect((await cleo.get(INBOX)).body[0].message).toContain('，您好')
  const { rows } = await server.kernel.pool.query('SELECT 1 FROM notifications_recipient WHERE user_id = $1', [dan.id])
  expect(rows).toEqual([])
})

test('[A3.06] system administrators send to people, to groups and to everybody; nobody else does, and no message goes to nobody', async () => {
  const { admin } = server
  const [eve, fay, gus] = [await server.aPerson('eve'), await server.aPerson('fay'), await server.aPerson('gus')]
  const group = (await admin.post('/api/v1/users/groups/', { name: 'crew', users: [fay.id] })).body
  const words = { subject: 'Tonight', message: '<p>The door is closed tonight.</p>' }
  expect((await eve.post(`${INBOX}send/`, { ...words, is_broadcast: true })).status).toBe(403)
  expect(await admin.post(`${INBOX}send/`, words)).toMatchObject({
    status: 400,
    body: { user_ids: [expect.any(String)] },
  })
  expect(
    (await admin.post(`${INBOX}send/`, { ...words, user_ids: ['11111111-1111-4111-8111-111111111111'] })).status,
  ).toBe(400)
  expect((await admin.post(`${INBOX}send/`, { ...words, subject: ' ', is_broadcast: true })).status).toBe(400)
  expect((await admin.post(`${INBOX}send/`, { ...words, user_ids: [eve.id], group_ids: [group.id] })).body).toEqual({
    detail: 'ok',
  })
  expect([await unread(eve), await unread(fay), await unread(gus)]).toEqual([1, 1, 0])
  expect((await eve.get(INBOX)).body[0]).toMatchObject({ ...words, sender: 'Administrator(admin)' })
  await admin.post(`${INBOX}send/`, { ...words, is_broadcast: true })
  expect([await unread(eve), await unread(gus)]).toEqual([2, 1])
})

test('[A3.06] each person chooses channels; only the known names are taken, and only for one’s own account or by a system administrator', async () => {
  const { admin } = server
  const [hal, ida] = [await server.aPerson('hal'), await server.aPerson('ida')]
  const own = `/api/v1/notifications/user-msg-subscription/${hal.id}/`
  expect((await hal.get(own)).body).toEqual({ user_id: hal.id, receive_backends: ['email', 'site_msg'] })
  expect((await hal.get('/api/v1/users/profile/')).body.receive_backends).toEqual(['email', 'site_msg'])
  expect((await hal.patch(own, { receive_backends: ['site_msg', 'wecom', 'site_msg'] })).body.receive_backends).toEqual(
    ['wecom', 'site_msg'],
  )
  expect((await hal.get('/api/v1/users/profile/')).body.receive_backends).toEqual(['wecom', 'site_msg'])
  for (const receive_backends of [['sms'], 'email', null, [1], undefined])
    expect((await hal.patch(own, { receive_backends })).body).toEqual({ receive_backends: [expect.any(String)] })
  expect((await ida.get(own)).status).toBe(404)
  expect((await ida.patch(own, { receive_backends: [] })).status).toBe(404)
  expect((await ida.get(own.replace(hal.id, '11111111-1111-4111-8111-111111111111'))).status).toBe(404)
  expect((await admin.put(own, { receive_backends: [] })).body.receive_backends).toEqual([])
  const { body: log } = await admin.get('/api/v1/audits/operate-logs/?resource_type=User&order=-datetime&search=hal')
  const ofHal = log.filter(({ resource }: { resource: string }) => resource.endsWith('(hal)'))
  expect(
    ofHal.slice(0, 2).map(({ user, changes }: { user: string; changes: unknown }) => [user, changes]),
  ).toMatchObject([
    ['Administrator(admin)', [{ label: 'Message channels', added: [], removed: ['wecom', 'site_msg'] }]],
    [expect.stringMatching(/\(hal\)$/), [{ label: 'Message channels', added: ['wecom'], removed: ['email'] }]],
  ])
  expect((await admin.get(own.replace(hal.id, 'nobody'))).status).toBe(404)
  const all = (await admin.get('/api/v1/notifications/user-msg-subscription/')).body
  expect(all.find((row: { user_id: string }) => row.user_id === hal.id).receive_backends).toEqual([])
  const first = (await admin.get('/api/v1/notifications/user-msg-subscription/?limit=1')).body
  const second = (await admin.get(first.next.slice(first.next.indexOf('/api/')))).body
  expect([first.count, first.previous, ...first.results, ...second.results]).toEqual([
    all.length,
    null,
    ...all.slice(0, 2),
  ])
  expect((await hal.get('/api/v1/notifications/user-msg-subscription/')).status).toBe(403)
  expect((await hal.options(own)).body.actions.PATCH.receive_backends.required).toBe(true)
})

test('[A1.14 A2.57] subscribers of a kind of system message, members of groups included, get it; the defaults hold until they are changed', async () => {
  const { admin, kernel } = server
  const PATH = '/api/v1/notifications/system-msg-subscription/'
  const [jan, kai] = [await server.aPerson('jan'), await server.aPerson('kai')]
  const list = (await admin.get(PATH)).body
  expect(list.map(({ category, category_label }: Record<string, string>) => [category, category_label])).toEqual([
    ['Operations', 'Operations'],
    ['terminal', 'Sessions'],
  ])
  expect(list[0].children).toEqual([
    {
      message_type: 'ServerPerformanceMessage',
      message_type_label: 'Server performance',
      users: [admin.id],
      groups: [],
      receive_backends: ['email'],
      receivers: [{ name: 'Administrator(admin)', id: admin.id, email: true }],
    },
    {
      message_type: 'TaskFailureMessage',
      message_type_label: 'Failed task',
      users: [],
      groups: [],
      receive_backends: ['email'],
      receivers: [],
    },
  ])
  expect(list[1].children[0]).toMatchObject({ message_type: 'CommandAlertMessage', users: [] })

  const group = (await admin.post('/api/v1/users/groups/', { name: 'watch', users: [kai.id] })).body
  const one = `${PATH}ServerPerformanceMessage/`
  const changed = (await admin.patch(one, { users: [jan.id], groups: [group.id] })).body
  expect(changed).toMatchObject({
    message_type_label: '',
    users: [jan.id],
    groups: [group.id],
    receive_backends: ['email'],
  })
  expect(changed.receivers.map(({ id }: { id: string }) => id)).toEqual([jan.id, kai.id])
  const { body: log } = await admin.get('/api/v1/audits/operate-logs/?resource_type=System%20message%20subscription')
  expect(log[0].changes).toMatchObject([
    { label: 'Recipients', added: ['jan of test(jan)'], removed: ['Administrator(admin)'] },
    { label: 'Groups of recipients', added: ['watch'], removed: [] },
  ])
  expect((await admin.patch(one, { receive_backends: ['feishu'] })).body.receivers[0]).toMatchObject({
    id: jan.id,
    feishu: false,
  })
  const before = await unread(admin)
  await notifySubscribers(kernel, 'ServerPerformanceMessage', () => ({ subject: 'Disk', paragraphs: ['full'] }))
  expect([await unread(jan), await unread(kai), (await unread(admin)) - before]).toEqual([1, 1, 0])

  for (const body of [
    { users: ['x'] },
    { users: ['11111111-1111-4111-8111-111111111111'] },
    { groups: [jan.id] },
    { receive_backends: ['sms'] },
  ])
    expect((await admin.patch(one, body)).status).toBe(400)
  expect((await admin.put(one, { users: [] })).body).toEqual({
    groups: [expect.any(String)],
    receive_backends: [expect.any(String)],
  })
  expect((await admin.patch(`${PATH}Nothing/`, { users: [] })).status).toBe(404)
  expect((await jan.get(PATH)).status).toBe(403)
  expect((await admin.get('/api/v1/notifications/backends/')).body).toEqual([
    { name: 'site_msg', name_display: 'Site message' },
  ])
})

/** A browser of this person, and its socket with the counts that it got. */
async function watch(username: string) {
  const browser = openTestBrowser(server)
  await browser.call('GET', '/core/auth/login/')
  const answer = await browser.call('POST', '/core/auth/login/', { username, password: PASSWORD })
  expect(answer.status).toBe(200)
  return {
    browser,
    ...(await openSocket({ cookie: [...browser.jar].map(([name, value]) => `${name}=${value}`).join('; ') })),
  }
}

async function openSocket(headers: Record<string, string>) {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws/notifications/site-msg/`, { headers })
  const counts: number[] = []
  const closed = once(socket, 'close').then(([code]) => code as number)
  const waiting: [number, () => void][] = []
  socket.on('message', (data) => {
    const message = JSON.parse(String(data))
    expect(message.type).toBe('unread_count')
    counts.push(message.unread_count)
    for (const [count, done] of waiting) if (count === message.unread_count) done()
  })
  await once(socket, 'open')
  const says = (count: number) =>
    counts.at(-1) === count ? Promise.resolve() : new Promise<void>((done) => waiting.push([count, done]))
  return { socket, counts, closed, says }
}

test('[B7.24] the socket tells the unread count at once, with each new message, and when messages are read', async () => {
  const lou = await server.aPerson('lou')
  const { socket, says } = await watch('lou')
  await says(0)
  socket.send(JSON.stringify({ refresh_every_seconds: 1 }))
  await tell([lou], 'Ding')
  await says(1)
  await tell([lou], 'Dong')
  await says(2)
  const [{ id }] = (await lou.get(INBOX)).body
  await lou.patch(`${INBOX}mark-as-read/`, { ids: [id] })
  await says(1)
  await server.admin.post(`${INBOX}send/`, { subject: 'All', message: 'all', is_broadcast: true })
  await says(2)
  socket.close()
})

test('[B7.24] the socket is for people who are signed in, from pages of ours, and ends with their session', async () => {
  const mia = await server.aPerson('mia')
  const url = `${server.url.replace('http', 'ws')}/ws/notifications/site-msg/`
  const refused = async (headers: Record<string, string>) => {
    const socket = new WebSocket(url, { headers })
    const [error] = await once(socket, 'error')
    return String((error as Error).message)
  }
  expect(await refused({})).toContain('401')
  expect(await refused({ authorization: `Bearer ${mia.token}`, origin: 'https://elsewhere.example.com' })).toContain(
    '403',
  )
  const { browser, closed, says, socket } = await watch('mia')
  await says(0)
  await browser.call('GET', '/core/auth/logout/')
  expect(await closed).toBe(1008)

  const again = await watch('mia')
  await again.says(0)
  await server.admin.patch(`/api/v1/users/users/${mia.id}/`, { is_active: false })
  expect(await again.closed).toBe(1008)
  expect(socket.readyState).toBe(socket.CLOSED)
})

test('[B7.24] one person holds a bounded number of sockets, and a long message of a client ends its socket', async () => {
  const noa = await server.aPerson('noa')
  const headers = { authorization: `Bearer ${noa.token}` }
  const sockets = await Promise.all(Array.from({ length: 20 }, () => openSocket(headers)))
  const beyond = await openSocket(headers)
  expect(await beyond.closed).toBe(1008)
  sockets[0]?.socket.send('x'.repeat(2000))
  expect(await sockets[0]?.closed).toBe(1009)
  for (const { socket } of sockets) socket.close()
})

test('[A3.06] mail follows the inbox for those who want it, while a mail server is set up', async () => {
  const pia = await server.aPerson('pia')
  const saved = await server.admin.patch('/api/v1/settings/setting/?category=email', {
    EMAIL_HOST: '127.0.0.1',
    EMAIL_HOST_USER: 'door@example.com',
  })
  expect(saved.status).toBe(200)
  const mails = async () =>
    (
      await server.kernel.pool.query<{ count: number }>(
        `SELECT count(*)::int FROM kernel_job WHERE queue = 'notifications.send_mail'`,
      )
    ).rows[0]?.count ?? 0
  const before = await mails()
  await tell([pia], 'Mailed')
  expect(await mails()).toBe(before + 1)
  await pia.patch(`/api/v1/notifications/user-msg-subscription/${pia.id}/`, { receive_backends: ['site_msg'] })
  await tell([pia], 'Not mailed')
  expect([await mails(), await unread(pia)]).toEqual([before + 1, 2])
  expect(
    (await server.admin.get('/api/v1/notifications/backends/')).body.map(({ name }: { name: string }) => name),
  ).toEqual(['email', 'site_msg'])
})
