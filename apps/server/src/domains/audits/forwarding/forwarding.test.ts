import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { ANN, admin, type DomainServer, openDomainServer, superAdmin } from '../../../../test/domain-server.ts'
import { appendCommands, createSession, finishSession, registerBuiltinTerminal } from '../../terminal/index.ts'
import { recordFileOperations, recordLogin, recordPasswordChange } from '../index.ts'
import type { Destination } from './deliver.ts'
import { forwardBatch, noteEvents } from './forwarder.ts'
import { type Rsyslog, startRsyslog } from './rsyslog-fixture.ts'

const DEFAULT = '00000000-0000-0000-0000-000000000002'
const WAIT = { timeout: 30_000, interval: 50 }
let server: DomainServer
let rsyslog: Rsyslog

beforeAll(async () => {
  server = await openDomainServer()
  rsyslog = await startRsyslog()
})
afterAll(async () => {
  await rsyslog?.close()
  await server?.close()
})
beforeEach(async () => {
  await server.pool.query('TRUNCATE audits_outbox')
  await server.pool.query("UPDATE audits_forwarding SET sent = 0, dropped = 0, error = ''")
  await noteEvents(server.db, true)
})

const to = (transport: 'udp' | 'tcp' | 'tls', more: Partial<Destination> = {}): Destination => ({
  host: '127.0.0.1',
  port: rsyslog.ports[transport],
  transport,
  format: 'rfc5424',
  ca: rsyslog.ca,
  ...more,
})
const forward = (destination: Destination, most?: number) => forwardBatch(server.kernel, destination, most)
const state = async () => (await server.call('GET', '/api/v1/audits/forwarding/', undefined, superAdmin)).body

const signIn = (username: string, success = true) =>
  recordLogin(server.db, { username, type: 'W', ip: '192.0.2.7', userAgent: 'curl', success })

/** What has come about this word, once there is as much as that. */
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
  expect(await forward(to('tcp'))).toBe(false)
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

test('over UDP events have the form of the contract, over TLS the receiver is known by its certificate', async () => {
  await signIn('by-udp')
  await forward(to('udp', { format: 'plain' }))
  const [plain] = await about('by-udp', 1)
  expect(plain).toMatchObject({ tag: 'sallyport', priority: '14', text: expect.stringMatching(/^login_log - \{"id":/) })
  await signIn('by-tls')
  const other = await forward(to('tls', { ca: undefined }))
  expect([other, await state()]).toEqual([
    false,
    expect.objectContaining({ waiting: 1, sent: 1, error: expect.stringMatching(/certificate/) }),
  ])
  await forward(to('tls'))
  expect(await about('by-tls', 1)).toHaveLength(1)
  expect(await state()).toMatchObject({ waiting: 0, sent: 2, error: '' })
})

test('while the receiver is away events wait, all of them arrive in order, and beyond the bound the oldest are dropped and counted', async () => {
  await rsyslog.stop()
  for (const n of [1, 2, 3, 4, 5]) await signIn(`waiting-${n}`)
  expect(await forward(to('tcp'), 3)).toBe(false)
  expect(await state()).toMatchObject({ waiting: 3, sent: 0, dropped: 2, error: expect.stringMatching(/ECONNREFUSED/) })
  await rsyslog.start()
  await forward(to('tcp'), 3)
  const names = (await about('waiting-', 3)).map(({ text }) => recordIn(text).username)
  expect(names).toEqual(['waiting-3', 'waiting-4', 'waiting-5'])
  expect(await state()).toMatchObject({ waiting: 0, sent: 3, dropped: 2 })
})

test('nothing is noted while nobody is to be told, and only system administrators see how it goes', async () => {
  await noteEvents(server.db, false)
  await signIn('nobody')
  expect(await state()).toMatchObject({ is_on: false, waiting: 0 })
  expect((await server.call('GET', '/api/v1/audits/forwarding/', undefined, admin)).status).toBe(403)
})
