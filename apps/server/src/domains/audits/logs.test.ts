import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  ANN,
  admin,
  auditor,
  bob,
  component,
  type DomainServer,
  openDomainServer,
  otherAdmin,
  superAdmin,
} from '../../../test/domain-server.ts'
import type { Call } from '../../kernel/access/call.ts'
import { recordLooks } from '../../kernel/secrets/looks.ts'
import { CHAINED_LOGS, recordFileOperations, recordLogin, recordPasswordChange, sealLog, verifyLog } from './index.ts'

const DEFAULT = '00000000-0000-0000-0000-000000000002'
let server: DomainServer
beforeAll(async () => {
  server = await openDomainServer()
})
afterAll(() => server?.close())

const list = async (path: string, headers = auditor) =>
  (await server.call('GET', `/api/v1/audits/${path}`, undefined, headers)).body

test("an organization's auditor sees the logins of its members, root also those of unknown names", async () => {
  const { db } = server
  await recordLogin(db, {
    username: 'ann',
    type: 'W',
    ip: '192.168.1.7',
    userAgent: 'Firefox',
    mfa: true,
    backend: 'Password',
    success: true,
  })
  await recordLogin(db, {
    username: 'nobody\0',
    type: 'T',
    ip: 'not an address at all',
    userAgent: 'x'.repeat(300),
    reason: 'user_not_exist',
    success: false,
  })
  expect(await list('login-logs/')).toMatchObject([
    {
      username: 'ann',
      type_display: 'Web',
      city: 'LAN',
      mfa: 1,
      mfa_display: 'Enabled',
      reason_display: '',
      backend_display: 'Password',
      status: true,
      status_display: 'Success',
    },
  ])
  expect(await list('login-logs/?status=False', superAdmin)).toMatchObject([
    {
      username: 'nobody',
      ip: 'not an address ',
      city: 'Unknown',
      mfa: 2,
      reason: 'user_not_exist',
      reason_display: 'No such user',
      status: false,
    },
  ])
  expect(await list('login-logs/', otherAdmin)).toEqual([])
  expect(await list('login-logs/?search=192.168&type=W&mfa=1')).toHaveLength(1)
  expect((await server.call('GET', '/api/v1/audits/login-logs/', undefined, bob)).status).toBe(403)
  expect((await server.call('POST', '/api/v1/audits/login-logs/', {}, superAdmin)).status).toBe(404)
})

test('dates are bounds in the zone of who asks', async () => {
  await server.pool.query(
    `INSERT INTO audits_operate_log ("user", action, resource_type, resource, org_id, datetime) VALUES ('Ann(ann)', 'delete', 'Asset', 'dated', $1, '2026-05-01 16:30:00+00')`,
    [DEFAULT],
  )
  const count = async (query: string) => (await list(`operate-logs/?search=dated&${query}`)).length
  // Half past midnight in Shanghai.
  expect(await count('date_from=2026-05-02 00:30:00&date_to=2026-05-02 00:30:00')).toBe(1)
  expect(await count('date_from=2026-05-02 00:30:01')).toBe(0)
  expect(await count(`date_to=${encodeURIComponent('2026/05/01 16:29:59 +0000')}`)).toBe(0)
})

test('every change is written down with its author, and a refused one is not', async () => {
  const { call, make } = server
  const label = await make('assets/labels', { name: 'env', value: 'prod' })
  await call('PATCH', `/api/v1/assets/labels/${label.id}/`, { comment: 'x' })
  expect((await call('PATCH', `/api/v1/assets/labels/${label.id}/`, { is_active: 'perhaps' })).status).toBe(400)
  await call('DELETE', `/api/v1/assets/labels/${label.id}/`)
  const rows = await list('operate-logs/?resource_type=Label&order=datetime')
  expect(
    rows.map((row: { action: string; resource: string; user: string; org_id: string }) => [
      row.action,
      row.resource,
      row.user,
      row.org_id,
    ]),
  ).toEqual(['create', 'update', 'delete'].map((action) => [action, 'env:prod', 'Ann(ann)', DEFAULT]))
  expect(rows[0]).toMatchObject({ action_display: 'Create', resource_type_display: 'Label', remote_addr: '127.0.0.1' })
  expect(await list('operate-logs/?resource_type=Label', otherAdmin)).toEqual([])
})

test('an export of rows as a file is logged, with their number; an empty form to fill in is none', async () => {
  const { call, make } = server
  await make('assets/labels', { name: 'taken', value: 'along' })
  const exported = (query: string) => call('GET', `/api/v1/assets/labels/?search=taken&format=${query}`)
  for (const query of ['csv', 'xlsx&template=update', 'csv&template=import'])
    expect((await exported(query)).status).toBe(200)
  expect((await exported('pdf')).status).toBe(400)
  const rows = await list('operate-logs/?resource_type=Label&action=export&order=datetime')
  expect(rows).toMatchObject(
    ['1 (csv)', '1 (xlsx)'].map((resource) => ({ resource, user: 'Ann(ann)', action_display: 'Export' })),
  )
  expect(rows).toHaveLength(2)
})

test('gateways write file operations; people of the organization read them', async () => {
  const row = {
    user: 'Bob(bob)',
    asset: 'web-1(10.0.0.1)',
    system_user: 'root',
    operate: 'Upload',
    filename: '/tmp/a',
    org_id: DEFAULT,
  }
  for (const who of [auditor, otherAdmin, superAdmin])
    expect((await server.call('POST', '/api/v1/audits/ftp-logs/', row, who)).status).toBe(403)
  expect(await server.call('POST', '/api/v1/audits/ftp-logs/', row, component)).toMatchObject({
    status: 201,
    body: { org_id: DEFAULT, operate_display: 'Upload', is_success: true },
  })
  expect(
    (await server.call('POST', '/api/v1/audits/ftp-logs/', { ...row, operate: 'Chmod' }, component)).body,
  ).toMatchObject({
    operate: expect.anything(),
  })
  await recordFileOperations(server.db, [{ ...row, operate: 'Download', remote_addr: '192.0.2.7', is_success: false }])
  expect(await list('ftp-logs/?search=web-1')).toMatchObject([
    { operate: 'Download', is_success: false },
    { operate: 'Upload' },
  ])
  expect(await list('ftp-logs/', otherAdmin)).toEqual([])
})

test('password changes of members are shown, root shows those of everybody', async () => {
  const [ann, gone] = [
    { id: ANN, name: 'Ann', username: 'ann', role: 'User' as const },
    { id: '11111111-1111-4111-8111-11111111bbbb', name: 'Gone', username: 'gone', role: 'User' as const },
  ]
  await recordPasswordChange(server.db, { user: undefined, remoteAddress: '127.0.0.1' }, ann)
  await recordPasswordChange(server.db, { user: ann, remoteAddress: '192.0.2.7' }, gone)
  const own = { user: 'Ann(ann)', change_by: 'Ann(ann)', remote_addr: '127.0.0.1', user_id: ANN, change_by_id: ANN }
  expect(await list('password-change-logs/')).toMatchObject([own])
  expect(await list('password-change-logs/', superAdmin)).toMatchObject([{ user: 'Gone(gone)' }, own])
  expect(await list('password-change-logs/', otherAdmin)).toEqual([])
})

test('every log seals and verifies as it is really written', async () => {
  const owner = { kind: 'gateway', id: ANN, name: 'gw', orgId: DEFAULT } as const
  await recordLooks(server.db, { remoteAddress: '192.0.2.7' } as Call, 'reveal', 'a test', [owner])
  // Logs of other domains: entries.test.ts.
  const elsewhere = ['session', 'command', 'command_execution', 'ticket', 'task_run']
  const written = CHAINED_LOGS.filter((log) => !elsewhere.includes(log))
  for (const log of written) {
    const rows = await sealLog(server.db, server.kernel.secrets, log)
    expect([log, rows > 0]).toEqual([log, true])
    expect(await verifyLog(server.db, server.kernel.secrets, log)).toEqual({ intact: true, rows })
  }
  await server
    .call('GET', '/api/v1/audits/operate-logs/?format=csv', undefined, admin)
    .then(({ status, body }) => expect([status, String(body)]).toEqual([200, expect.stringContaining('Ann(ann)')]))
})
