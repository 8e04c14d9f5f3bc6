import { randomUUID } from 'node:crypto'
import { FORWARDING_PATH } from '@sallyport/contract/resources/audits/forwarding.ts'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { ANN, admin, type DomainServer, openDomainServer, superAdmin } from '../../../../test/domain-server.ts'
import { settingsOf } from '../../settings/index.ts'
import { appendCommands } from '../../terminal/commands/index.ts'
import { endForwardedConnection, storeForwardedConnection } from '../../terminal/forwarding/index.ts'
import { createSession, finishSession, registerBuiltinTerminal } from '../../terminal/index.ts'
import { recordFileOperations, recordLogin, recordPasswordChange } from '../index.ts'
import type { Destination } from './deliver.ts'
import { forwardBatch, noteEvents } from './forwarder.ts'
import { pauseAfter } from './index.ts'
import { type Rsyslog, startRsyslog } from './rsyslog-fixture.ts'
import { syslogTarget, webhookTarget } from './targets.ts'
import { webhookOf } from './webhook.ts'
import { startReceiver, type WebhookReceiver } from './webhook-fixture.ts'

const DEFAULT = '00000000-0000-0000-0000-000000000002'
const SECRET = 'a secret that both of them know'
const WAIT = { timeout: 120_000, interval: 50 }
let server: DomainServer
let rsyslog: Rsyslog
let receiver: WebhookReceiver

beforeAll(async () => {
  server = await openDomainServer()
  rsyslog = await startRsyslog()
  receiver = await startReceiver(SECRET)
})
afterAll(async () => {
  await rsyslog?.close()
  await receiver?.close()
  await server?.close()
})
beforeEach(async () => {
  await server.pool.query('TRUNCATE audits_outbox')
  await server.pool.query("UPDATE audits_forwarding SET sent = 0, dropped = 0, error = ''")
  await noteEvents(server.db, ['syslog'])
})

const to = (transport: 'udp' | 'tcp' | 'tls', more: Partial<Destination> = {}): Destination => ({
  host: '127.0.0.1',
  port: rsyslog.ports[transport],
  transport,
  format: 'rfc5424',
  ca: rsyslog.ca,
  ...more,
})
const forward = (destination: Destination, most?: number) =>
  forwardBatch(server.kernel, syslogTarget(server.kernel, destination), most)
const states = async () => (await server.call('GET', FORWARDING_PATH, undefined, superAdmin)).body
const state = async (of = 'syslog') => (await states()).find(({ target }: { target: string }) => target === of)

const signIn = (username: string, success = true) =>
  recordLogin(server.db, { username, type: 'W', ip: '192.0.2.7', userAgent: 'curl', success })

/** Messages with this word, once there are at least as many. */
async function about(word: string, count: number) {
  const found = () => rsyslog.received().filter(({ text }) => text.includes(word))
  await vi.waitFor(() => expect(found().length).toBeGreaterThanOrEqual(count), WAIT)
  return found()
}
const recordIn = (text: string) => JSON.parse(text.slice(text.indexOf('{')))

test('every log, session and command of the contract reaches a real rsyslog, in the form of the API', async () => {
  const person = { id: ANN, name: 'Ann', username: 'ann' }
  const own = await createSession(server.db, {
    user: 'Ann(ann)',
    asset: 'forwarded-1(10.0.0.1)',
    system_user: 'root(root)',
    user_id: ANN,
    asset_id: randomUUID(),
    org_id: DEFAULT,
    system_user_id: randomUUID(),
    login_from: 'WT',
    remote_addr: '192.0.2.7',
    protocol: 'ssh',
    terminal: await registerBuiltinTerminal(server.kernel, { type: 'koko', name: 'here', remoteAddress: '10.0.0.1' }),
  })
  const of = { asset: 'forwarded-1(10.0.0.1)', system_user: 'root(root)', org_id: DEFAULT, user: 'Ann(ann)' }
  await appendCommands(server.db, [
    { ...of, id: randomUUID(), input: 'echo "héllo]"', output: 'one\ntwo', session: own, timestamp: 1_770_000_000 },
  ])
  await finishSession(server.db, own)
  await recordFileOperations(server.db, [{ ...of, operate: 'Upload', filename: '/srv/x', remote_addr: '192.0.2.7' }])
  await recordPasswordChange(server.db, { user: undefined, signInId: undefined, remoteAddress: 'forwarded-1' }, person)
  await signIn('forwarded-1', false)
  await server.call('POST', '/api/v1/assets/labels/', { name: 'forwarded-1', value: 'v' }, admin)
  expect(await forward(to('tcp'))).toBe('done')
  const received = await about('forwarded-1', 7)
  expect(received.map(({ id }) => id)).toEqual([
    'host_session_log',
    'session_command_log',
    'host_session_log',
    'ftp_log',
    'password_change_log',
    'login_log',
    'operation_log',
  ])
  const [begun, command, ended, , , login] = received.map(({ text }) => recordIn(text))
  expect([begun.is_finished, ended.is_finished]).toEqual([false, true])
  expect(command).toMatchObject({ input: 'echo "héllo]"', output: 'one\ntwo', remote_addr: '192.0.2.7', risk_level: 0 })
  expect(login).toMatchObject({ username: 'forwarded-1', status: false, ip: '192.0.2.7' })
  const [first] = received
  expect(first).toMatchObject({ tag: 'sallyport', priority: '14', data: `[event@32473 id="${own}"]` })
  // What failed is a warning.
  expect(received[5]?.priority).toBe('12')
  expect(await state()).toMatchObject({ is_on: true, waiting: 0, lag_seconds: 0, sent: 7, dropped: 0, error: '' })
})

test('a forwarded connection arrives as it begins and as it ends, and a refused one as a warning', async () => {
  const of = { org_id: DEFAULT, user: 'Ann(ann)', user_id: ANN, asset: 'tunnel-1', asset_id: randomUUID() }
  const row = { ...of, system_user: 'root(root)', remote_addr: '192.0.2.7' }
  const id = await storeForwardedConnection(server.db, { ...row, destination: 'db:5432', outcome: 'open' })
  await endForwardedConnection(server.db, id, { outcome: 'closed', bytes_sent: 7, bytes_received: 9 })
  await storeForwardedConnection(server.db, { ...row, destination: 'db:22', outcome: 'refused', reason: 'Not granted' })
  await forward(to('tcp'))
  const received = await about('tunnel-1', 3)
  expect(received.map(({ id, priority }) => [id, priority])).toEqual([
    ['forwarded_connection_log', '14'],
    ['forwarded_connection_log', '14'],
    ['forwarded_connection_log', '12'],
  ])
  expect(received.map(({ text }) => recordIn(text))).toMatchObject([
    { destination: 'db:5432', outcome: 'open' },
    { destination: 'db:5432', outcome: 'closed', bytes_sent: 7, bytes_received: 9 },
    { destination: 'db:22', outcome: 'refused' },
  ])
})

test('over UDP events have the form of the contract, over TLS the receiver is known by its certificate', async () => {
  await signIn('by-udp')
  await forward(to('udp', { format: 'plain' }))
  const [plain] = await about('by-udp', 1)
  expect(plain).toMatchObject({ tag: 'sallyport', priority: '14', text: expect.stringMatching(/^login_log - \{"id":/) })
  await signIn('by-tls')
  const other = await forward(to('tls', { ca: undefined }))
  expect([other, await state()]).toEqual([
    'failed',
    expect.objectContaining({ waiting: 1, sent: 1, error: expect.stringMatching(/certificate/) }),
  ])
  await forward(to('tls'))
  expect(await about('by-tls', 1)).toHaveLength(1)
  expect(await state()).toMatchObject({ waiting: 0, sent: 2, error: '' })
})

test('while the receiver is away events wait, all of them arrive in order, and beyond the bound the oldest are dropped and counted', async () => {
  await rsyslog.stop()
  for (const n of [1, 2, 3, 4, 5]) await signIn(`waiting-${n}`)
  expect(await forward(to('tcp'), 3)).toBe('failed')
  expect(await state()).toMatchObject({ waiting: 3, sent: 0, dropped: 2, error: expect.stringMatching(/ECONNREFUSED/) })
  await rsyslog.start()
  await forward(to('tcp'), 3)
  const names = (await about('waiting-', 3)).map(({ text }) => recordIn(text).username)
  expect(names).toEqual(['waiting-3', 'waiting-4', 'waiting-5'])
  expect(await state()).toMatchObject({ waiting: 0, sent: 3, dropped: 2 })
})

test('nothing is noted while nothing is forwarded, and only system administrators see the state', async () => {
  await noteEvents(server.db, [])
  await signIn('nobody')
  expect(await state()).toMatchObject({ is_on: false, waiting: 0 })
  expect((await server.call('GET', FORWARDING_PATH, undefined, admin)).status).toBe(403)
})

const hook = (address = receiver.url, secret = SECRET) => {
  const webhook = webhookOf(address, secret)
  if (!webhook) throw new Error('no address')
  return webhookTarget(server.kernel, webhook)
}
const tell = (target = hook()) => forwardBatch(server.kernel, target)

test('a webhook gets the same events, signed, once each; a receiver that is away holds up no other', async () => {
  await noteEvents(server.db, ['syslog', 'webhook'])
  for (const n of [1, 2]) await signIn(`hooked-${n}`)
  expect(await tell()).toBe('done')
  expect(receiver.taken.flatMap(({ events }) => events.map(({ record }) => record.username))).toEqual([
    'hooked-1',
    'hooked-2',
  ])
  expect(receiver.refused).toBe(0)
  expect([await state('webhook'), await state()]).toMatchObject([
    { waiting: 0, sent: 2 },
    { waiting: 2, sent: 0 },
  ])
})

test('a message that a webhook does not confirm is sent again with its id and its numbers, and redirects are not followed', async () => {
  await noteEvents(server.db, ['webhook'])
  receiver.taken.length = 0
  await signIn('twice')
  receiver.answer = { status: 503 }
  expect([await tell(), await state('webhook')]).toMatchObject([
    'failed',
    { waiting: 1, sent: 0, error: expect.stringMatching(/503/) },
  ])
  receiver.answer = { status: 307, location: `${receiver.url}/elsewhere` }
  expect([await tell(), await state('webhook')]).toMatchObject([
    'failed',
    { waiting: 1, error: expect.stringMatching(/redirects/) },
  ])
  receiver.answer = { status: 204 }
  expect([await tell(), await state('webhook')]).toMatchObject(['done', { waiting: 0, sent: 1, error: '' }])
  expect(new Set(receiver.taken.map(({ id, path }) => `${id} ${path}`)).size).toBe(1)
  expect(receiver.taken.map(({ events }) => events[0]?.number)).toHaveLength(3)
  expect(new Set(receiver.taken.map(({ events }) => events[0]?.number)).size).toBe(1)
})

test('with another secret the receiver takes nothing', async () => {
  await noteEvents(server.db, ['webhook'])
  await signIn('forged')
  const before = receiver.refused
  expect(await tell(hook(receiver.url, 'a secret that only one of them knows'))).toBe('failed')
  expect(receiver.refused).toBe(before + 1)
})

test.each([
  ['http://169.254.169.254/latest', /is closed to connections/],
  ['http://[fe80::1]/', /is closed to connections/],
  ['http://0.0.0.0/', /is closed to connections/],
  ['https://[64:ff9b::a9fe:a9fe]/', /is closed to connections/],
  ['https://168.63.129.16/', /is closed to connections/],
  ['http://8.8.8.8/', /by https alone/],
])('events do not go to %s', async (address, why) => {
  await expect(hook(address).tell([])).rejects.toThrow(why)
})

test.each([
  ['ftp://siem.example.com/', SECRET, /AUDIT_WEBHOOK_URL/],
  ['https://user:word@siem.example.com/', SECRET, /AUDIT_WEBHOOK_URL/],
  ['https://siem.example.com/', 'short', /AUDIT_WEBHOOK_SECRET/],
  ['https://siem.example.com/', `whsec_${Buffer.alloc(23).toString('base64')}`, /AUDIT_WEBHOOK_SECRET/],
  ['https://siem.example.com/', `whsec_${'~'.repeat(40)}`, /AUDIT_WEBHOOK_SECRET/],
])('no start with %s and %s', (address, secret, why) => {
  expect(() => webhookOf(address, secret)).toThrow(why)
})

test('a system that is away is tried ever less often, within bounds', () => {
  expect([0, 1, 2, 30].map(pauseAfter)).toEqual([2_000, 4_000, 8_000, 300_000])
})

test('a system administrator sends a test event past what waits, and reads what is wrong', async () => {
  const settings = settingsOf(server.kernel)
  const send = async (target: string, who = superAdmin) => {
    const { status, body } = await server.call('POST', `${FORWARDING_PATH}test/`, { target }, who)
    return [status, body.msg ?? body.detail]
  }
  expect((await send('webhook', admin))[0]).toBe(403)
  expect((await send('webhook'))[0]).toBe(404)
  expect((await send('elsewhere'))[0]).toBe(400)
  await settings.set('AUDIT_WEBHOOK_URL', receiver.url)
  await settings.set('AUDIT_WEBHOOK_SECRET', SECRET)
  receiver.taken.length = 0
  try {
    expect(await send('webhook')).toEqual([200, 'The test event was sent'])
    expect(receiver.taken[0]?.events).toMatchObject([{ number: 0, category: 'test' }])
    expect(await state('webhook')).toMatchObject({
      address: receiver.url,
      form: 'JSON, HMAC-SHA256',
      capacity: 100_000,
    })
    receiver.answer = { status: 500 }
    expect(await send('webhook')).toEqual([400, 'the receiver answered 500'])
  } finally {
    receiver.answer = { status: 204 }
    await settings.set('AUDIT_WEBHOOK_URL', '')
  }
})
