import { DEFAULT_ORG_ID, ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, openTestServer, type TestServer } from '../../../test/server.ts'
import { settleAfterDepartures } from './departures.ts'

const TICKETS = '/api/v1/tickets/tickets/'
const OPEN = `${TICKETS}open/?type=apply_asset`
const FLOWS = '/api/v1/tickets/flows/'
const GRANTS = '/api/v1/perms/asset-permissions/'
const MINE = '/api/v1/perms/users/assets/'

let server: TestServer
let applicant: Caller
let first: Caller
let second: Caller
let third: Caller
let elsewhere: string
let stranger: Caller
/** Ids in the Default organization, and of an asset in another. */
const ids = { asset: '', web: '', node: '', identity: '', foreign: '' }

beforeAll(async () => {
  server = await openTestServer()
  elsewhere = await server.anOrg('Elsewhere')
  applicant = await server.aPerson('applicant')
  first = await server.aPerson('first')
  second = await server.aPerson('second')
  third = await server.aPerson('third')
  stranger = await server.aPerson('stranger', { org: elsewhere })
  const identity = {
    name: 'ops',
    username: 'ops',
    protocol: 'ssh',
    login_mode: 'auto',
    password: 'Secret-1',
    auto_push: false,
  }
  ids.identity = await made('/api/v1/assets/system-users/', identity)
  ids.asset = await anAsset('db-1')
  ids.web = await anAsset('web-1')
  ids.foreign = await anAsset('theirs', elsewhere)
  ids.node = await made('/api/v1/assets/nodes/', { value: 'Databases' })
})
afterAll(() => server?.close())

async function made(path: string, draft: object, org = DEFAULT_ORG_ID): Promise<string> {
  const { status, body } = await server.admin.in(org).post(path, draft)
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.id
}
const anAsset = (hostname: string, org?: string) =>
  made('/api/v1/assets/assets/', { hostname, ip: '10.0.0.7', platform: 'Linux', protocols: ['ssh/22'] }, org)

const aRequest = (title: string, meta: object = {}, rest: object = {}) => ({
  title,
  type: 'apply_asset',
  org_id: DEFAULT_ORG_ID,
  comment: 'for the migration',
  meta: {
    apply_assets: [ids.asset],
    apply_system_users: [ids.identity],
    apply_actions: ['connect', 'upload_file', 'download_file', 'updownload'],
    apply_date_start: '2026-01-02 03:04:05',
    apply_date_expired: '2096-01-09 03:04:05',
    ...meta,
  },
  ...rest,
})
async function opened(title: string, meta: object = {}, by = applicant) {
  const { status, body } = await by.post(OPEN, aRequest(title, meta))
  expect([title, status, status === 201 ? undefined : body]).toEqual([title, 201, undefined])
  return body
}
/** Makes the organization's flow: one list of deciders a level. */
async function decidedBy(...levels: Caller[][]) {
  const rules = levels.map((people) => ({ strategy: 'custom_user', assignees: people.map(({ id }) => id) }))
  const [flow] = (await server.admin.get(`${FLOWS}?type=apply_asset`)).body
  const { status } = await server.admin.put(`${FLOWS}${flow.id}/`, {
    type: 'apply_asset',
    approval_level: rules.length,
    rules,
  })
  expect(status).toBe(200)
}
const act = (by: Caller, verb: 'approve' | 'reject' | 'close', id: string) => by.put(`${TICKETS}${id}/${verb}/`, {})
const inbox = async (of: Caller, id: string): Promise<string[]> =>
  (await of.get('/api/v1/notifications/site-message/')).body
    .filter(({ message }: { message: string }) => message.includes(id))
    .map(({ subject }: { subject: string }) => subject)
const seenBy = async (who: Caller, id: string) => (await who.get(`${TICKETS}${id}/`)).status

test('[A3.21] where an organization has no flow of its own the global one decides, never that of another', async () => {
  const inElsewhere = server.admin.in(elsewhere)
  const [flow] = (await inElsewhere.get(`${FLOWS}?type=apply_asset`)).body
  const theirs = {
    type: 'apply_asset',
    approval_level: 1,
    rules: [{ strategy: 'custom_user', assignees: [stranger.id] }],
  }
  expect((await inElsewhere.put(`${FLOWS}${flow.id}/`, theirs)).body.org_id).toBe(elsewhere)
  const ticket = await opened('Nothing of our own yet')
  expect(ticket.process_map).toMatchObject([{ assignees: [server.admin.id] }])
  expect((await act(applicant, 'close', ticket.id)).status).toBe(200)
})

test('[A3.21 A2.49] a request is opened with its names, steps, comment and messages; the form describes itself', async () => {
  await decidedBy([first], [second, third])
  const ticket = await opened('Need the database', { apply_nodes: [ids.node] })
  expect(ticket).toMatchObject({
    state: 'open',
    status: 'open',
    approval_step: 1,
    type_display: 'Apply for asset',
    applicant: applicant.id,
    applicant_display: 'applicant of test(applicant)',
    org_name: 'Default',
    comment: 'for the migration',
    serial_num: expect.stringMatching(/^20\d{6}0\d{3}$/),
    meta: {
      apply_permission_name: `Need the database(${ticket.id.slice(0, 4)})`,
      apply_nodes: [ids.node],
      apply_nodes_display: ['/Default/Databases'],
      apply_assets_display: ['db-1(10.0.0.7)'],
      apply_system_users_display: ['ops(ops)'],
      apply_actions: ['connect', 'upload_file', 'download_file', 'updownload'],
      apply_actions_display: ['Connect', 'Upload file', 'Download file', 'Upload download'],
      apply_date_start: '2026-01-02 03:04:05',
    },
    process_map: [
      {
        approval_level: 1,
        state: 'notified',
        assignees: [first.id],
        assignees_display: ['first of test(first)'],
        processor: '',
      },
      { approval_level: 2, state: 'notified', assignees: [second.id, third.id] },
    ],
  })
  expect(ticket.body).toContain('Assets asked for: db-1(10.0.0.7)')
  expect([ids.asset, ids.node, ids.identity].filter((id) => ticket.body.includes(id))).toEqual([])
  expect([await seenBy(first, ticket.id), await seenBy(second, ticket.id), await seenBy(stranger, ticket.id)]).toEqual([
    200, 404, 404,
  ])
  await expect
    .poll(() => inbox(first, ticket.id))
    .toEqual(['applicant of test (applicant) is waiting for your approval: Need the database'])
  const { body } = await applicant.options(`${TICKETS}?action=open&type=apply_asset`)
  expect(body.actions.POST.title.required).toBe(true)
  expect(Object.keys(body.actions.POST.meta.children)).toContain('apply_system_users')
  expect(body.actions.POST.meta.children.apply_actions.choices).toContainEqual({
    value: 'connect',
    display_name: 'Connect',
  })
  const ofAnyType = await applicant.options(TICKETS)
  expect([ofAnyType.status, ofAnyType.body.actions.GET.meta]).toEqual([
    200,
    expect.not.objectContaining({ children: expect.anything() }),
  ])
  const badge = `${TICKETS}?assignees__id=${first.id}&status=open/`
  expect((await first.get(badge)).body).toMatchObject([{ id: ticket.id }])
  expect((await first.get(`${TICKETS}?status=open&limit=1&assignees__id=${first.id}/`)).body.count).toBe(1)
  expect(
    (await applicant.get(`${TICKETS}?search=database&order=serial_num&type=apply_asset`)).body[0].meta.apply_assets,
  ).toEqual([ids.asset])
})

test('[A2.49] a fault of a request is reported at its place; no answer shows what exists elsewhere', async () => {
  const refusal = async (body: unknown, path = OPEN) => {
    const answer = await applicant.post(path, body)
    return [answer.status, answer.body]
  }
  const text = [expect.any(String)]
  expect(await refusal(aRequest('x', { apply_assets: [], apply_nodes: null }))).toEqual([
    400,
    { meta: { apply_nodes: text, apply_assets: text } },
  ])
  expect(await refusal(aRequest('x', { apply_date_expired: '2026-01-02 03:04:05' }))).toEqual([
    400,
    { meta: { apply_date_expired: text } },
  ])
  expect(await refusal(aRequest('x', { apply_date_start: null }))).toEqual([400, { meta: { apply_date_start: text } }])
  expect(await refusal(aRequest('x', { apply_date_expired: '9999-12-31 23:59:59 -1200' }))).toEqual([
    400,
    { meta: { apply_date_expired: ['Datetime has wrong format.'] } },
  ])
  expect(await refusal(aRequest('x', { apply_actions: ['root'] }))).toEqual([400, { meta: { apply_actions: [text] } }])
  expect(await refusal(aRequest('x', { apply_system_users: undefined }))).toEqual([
    400,
    { meta: { apply_system_users: text } },
  ])
  const missing = '00000000-0000-4000-8000-000000000001'
  const [foreign, nowhere] = [
    await refusal(aRequest('x', { apply_assets: [ids.foreign] })),
    await refusal(aRequest('x', { apply_assets: [missing] })),
  ]
  expect(foreign[0]).toBe(400)
  expect(JSON.stringify(foreign).replace(ids.foreign, missing)).toBe(JSON.stringify(nowhere))
  const orgs = [elsewhere, missing, ROOT_ORG_ID, 'x'].map((org_id) => refusal(aRequest('x', {}, { org_id })))
  const refusals = await Promise.all(orgs)
  expect(new Set(refusals.map((one) => JSON.stringify(one))).size).toBe(1)
  expect(refusals[0]).toEqual([400, { org_id: text }])
  expect(await refusal(aRequest('x', {}, { type: 'general' }))).toEqual([400, { type: text }])
  expect(await refusal(aRequest('x', {}, { type: 'login_asset_confirm' }), `${TICKETS}open/`)).toEqual([
    400,
    { type: text },
  ])
  for (const [type, message] of [
    ['x', 'There is no such type of ticket'],
    ['', 'This field is required.'],
    [null, 'This field is required.'],
    [undefined, 'This field is required.'],
  ])
    expect(await refusal(aRequest('x', {}, { type }), `${TICKETS}open/`)).toEqual([400, { type: [message] }])
  expect(await refusal({ title: 'x', type: 'general', org_id: DEFAULT_ORG_ID, meta: {} }, `${TICKETS}open/`)).toEqual([
    400,
    { code: 'no_flow', detail: expect.any(String) },
  ])
  for (const odd of [[], null, 'x'])
    expect(await refusal(odd, `${TICKETS}open/`)).toEqual([400, { non_field_errors: text }])
})

test('odd values anywhere in a request are refused or taken harmlessly, and never end in a fault', async () => {
  const odd = [
    null,
    '',
    -1,
    9e15,
    true,
    [],
    {},
    [{ id: {} }],
    [null],
    'x'.repeat(20_000),
    'a\u0000b',
    '\ud800',
    '2026-99-99',
    ['\u0000'],
    [[1]],
  ]
  const request = aRequest('odd')
  const faults: string[] = []
  for (const value of odd) {
    const bodies = [
      ...Object.keys(request).map((key) => ({ ...request, [key]: value })),
      ...Object.keys({ ...request.meta, apply_nodes: 0, apply_permission_name: 0 }).map((key) =>
        aRequest('odd', { [key]: value }),
      ),
    ]
    for (const body of bodies)
      if ((await applicant.post(`${TICKETS}open/`, body)).status >= 500) faults.push(JSON.stringify(body).slice(0, 300))
  }
  expect(faults).toEqual([])
})

test('[A3.21 A4.01] two levels: the second sees and decides it after the first; the permission is there at once, as applied for', async () => {
  const newcomer = await server.aPerson('newcomer')
  // The approver of the first level may be the one for the second level of another ticket.
  await decidedBy([second], [first])
  await act(second, 'approve', (await opened('Another')).id)
  await decidedBy([first], [second, third])
  const { id } = await opened('Two levels', {}, newcomer)
  expect((await act(second, 'approve', id)).status).toBe(404)
  expect((await act(newcomer, 'approve', id)).status).toBe(403)
  // The next approver is asked in turn; those who were named at the start count where the flow has
  // lost the level.
  const shortened = await opened('Shortened')
  await decidedBy([first])
  expect((await act(first, 'approve', shortened.id)).body.process_map[1].assignees).toEqual([second.id, third.id])
  await decidedBy([first], [third])
  const passed = await act(first, 'approve', id)
  expect(passed.body).toMatchObject({ state: 'open', status: 'open', approval_step: 2 })
  expect(passed.body.meta).toEqual((await newcomer.get(`${TICKETS}${passed.body.id}/`)).body.meta)
  expect(passed.body.process_map).toMatchObject([
    { state: 'approved', processor: first.id },
    { state: 'notified', assignees: [third.id] },
  ])
  expect([await seenBy(third, id), await seenBy(second, id)]).toEqual([200, 404])
  expect((await act(first, 'approve', id)).status).toBe(403)
  expect((await first.get(`${TICKETS}?assignees__id=${first.id}&status=open&ids=${id}`)).body).toHaveLength(1)
  await expect.poll(() => inbox(third, id)).toHaveLength(1)
  expect((await newcomer.get(`${MINE}?id=${ids.asset}`)).body).toEqual([])
  const done = await act(third, 'approve', id)
  expect(done.body).toMatchObject({ state: 'approved', status: 'closed' })
  expect((await newcomer.get(`${MINE}?id=${ids.asset}`)).body).toMatchObject([{ hostname: 'db-1' }])
  const grant = (await server.admin.get(`${GRANTS}${id}/`)).body
  expect(grant).toMatchObject({
    name: `Two levels(${id.slice(0, 4)})`,
    from_ticket: true,
    created_by: `Ticket:${id}`,
    users: [newcomer.id],
    assets: [ids.asset],
    nodes: [],
    system_users: [ids.identity],
    actions: ['connect', 'upload_file', 'download_file', 'updownload'],
    org_name: 'Default',
  })
  expect(new Date(grant.date_expired)).toEqual(new Date('2096-01-09 03:04:05'))
  expect(grant.comment).toContain('first of test (first), third of test (third)')
  expect((await act(third, 'reject', id)).status).toBe(400)
  await expect
    .poll(() => inbox(newcomer, id).then((subjects) => subjects.toSorted()))
    .toEqual([
      'first of test (first) approved your ticket Two levels, which now waits for the next level',
      'third of test (third) approved your ticket Two levels',
    ])
  expect((await server.admin.in(elsewhere).get(`${GRANTS}${id}/`)).status).toBe(404)
})

test('before they accept, approvers of each level see what the request gives; names of machines in a node are for administrators', async () => {
  await decidedBy([first], [server.admin])
  const asked = { apply_assets: [], apply_nodes: [ids.node], apply_date_start: '2090-01-02 03:04:05' }
  await server.admin.put(`/api/v1/assets/nodes/${ids.node}/assets/add/`, { assets: [ids.asset, ids.web] })
  const { id } = await opened('Looked at', asked)
  const preview = async (by: Caller) => by.put(`${TICKETS}${id}/approve/?preview=true`, {})
  expect((await preview(first)).body.gained).toEqual({ count: 2, people: 1, targets: 2, rows: [] })
  expect((await preview(first.in(elsewhere))).body.gained).toMatchObject({ count: 2, rows: [] })
  expect([(await preview(second)).status, (await preview(applicant)).status]).toEqual([404, 403])
  expect((await first.put(`${TICKETS}${id}/reject/?preview=true`, {})).body.code).toBe('no_preview')
  expect((await act(first, 'approve', id)).body, 'nothing was decided by looking').toMatchObject({ approval_step: 2 })
  const { gained } = (await preview(server.admin)).body
  expect(gained.rows).toMatchObject([
    { person: { id: applicant.id }, target: { name: 'db-1(10.0.0.7)' }, account: { name: 'ops' } },
    { target: { name: 'web-1(10.0.0.7)' } },
  ])
  expect((await server.admin.get(`${GRANTS}${id}/`)).status).toBe(404)
  await act(server.admin, 'reject', id)
  await server.admin.put(`/api/v1/assets/nodes/${ids.node}/assets/remove/`, { assets: [ids.asset, ids.web] })
})

test('[A4.01] one of two simultaneous approvals of a level counts, also where both approvers decide the next; the permission is granted once', async () => {
  await decidedBy([first, second], [first, second])
  const { id } = await opened('At once')
  const bothApprove = () => whileLocked(id, () => [act(first, 'approve', id), act(second, 'approve', id)])
  expect((await bothApprove()).map(({ status }) => status).sort()).toEqual([200, 400])
  const { body } = await applicant.get(`${TICKETS}${id}/`)
  expect([body.approval_step, body.status]).toEqual([2, 'open'])
  expect((await bothApprove()).map(({ status }) => status).sort()).toEqual([200, 400])
  expect((await server.admin.get(`${GRANTS}?ids=${id}`)).body).toHaveLength(1)
})

test('[A4.01] rejecting or withdrawing at the second level ends the ticket and grants nothing', async () => {
  await decidedBy([first], [second])
  for (const [verb, by, state] of [
    ['reject', second, 'rejected'],
    ['close', applicant, 'closed'],
  ] as const) {
    const { id } = await opened(`To ${verb}`)
    await act(first, 'approve', id)
    // Only who applied withdraws: those who decide would leave no trace of having rejected it.
    for (const decider of [first, second]) expect((await act(decider, 'close', id)).status).toBe(403)
    expect((await act(by, verb, id)).body).toMatchObject({
      state,
      status: 'closed',
      process_map: [{ state: 'approved' }, { state }],
    })
    expect((await act(second, 'approve', id)).status).toBe(400)
    expect((await server.admin.get(`${GRANTS}${id}/`)).status).toBe(404)
  }
})

/** Lets calls on a ticket go on only when all of them wait for it. */
async function whileLocked<T>(id: string, calls: () => Promise<T>[]): Promise<T[]> {
  const client = await server.kernel.pool.connect()
  try {
    await client.query('BEGIN')
    await client.query('SELECT 1 FROM tickets_ticket WHERE id = $1 FOR UPDATE', [id])
    const started = calls()
    const waiting = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    // Not asked in the transaction, which sees only the connections that there were at its first look.
    await expect.poll(async () => (await server.kernel.pool.query(waiting)).rows[0].n).toBe(started.length)
    await client.query('COMMIT')
    return await Promise.all(started)
  } finally {
    client.release()
  }
}

test('[A4.01] nobody approves a ticket of their own while somebody else can; the only one who can may', async () => {
  await decidedBy([applicant, first])
  const shared = await opened('Shared')
  expect((await act(applicant, 'approve', shared.id)).status).toBe(403)
  expect((await act(first, 'approve', shared.id)).status).toBe(200)
  await decidedBy([applicant])
  const own = await opened('Own')
  expect((await act(applicant, 'approve', own.id)).body.state).toBe('approved')
  // Others count at their own level alone.
  await decidedBy([first], [applicant])
  const last = await opened('Last at the second level')
  await act(first, 'approve', last.id)
  expect((await act(applicant, 'approve', last.id)).body.state).toBe('approved')
  await expect.poll(() => inbox(applicant, last.id)).toContainEqual(expect.stringContaining('first of test'))
  expect(await inbox(applicant, own.id), 'nobody is told what they did').toEqual([
    'applicant of test (applicant) is waiting for your approval: Own',
  ])
  // A person who can't sign in any more can't approve it either.
  const sleeper = await server.aPerson('sleeper')
  await decidedBy([applicant, sleeper])
  const left = await opened('Left alone')
  expect((await act(applicant, 'approve', left.id)).status).toBe(403)
  await server.admin.patch(`/api/v1/users/users/${sleeper.id}/`, { is_active: false })
  expect((await act(applicant, 'approve', left.id)).body.state).toBe('approved')
})

test('[A3.21] only who can sign in decides: where of a level nobody is left, the system administrators do, without those who can not', async () => {
  const [past, pastAdmin] = [await server.aPerson('past'), await server.aPerson('past-admin', { role: 'Admin' })]
  await decidedBy([first], [past, second])
  const one = await opened('One is left')
  await decidedBy([first], [past])
  const none = await opened('Nobody is left')
  for (const { id } of [past, pastAdmin])
    await server.admin.patch(`/api/v1/users/users/${id}/`, { date_expired: '2020-01-01T00:00:00Z' })
  const atSecond = async ({ id }: { id: string }) => (await act(first, 'approve', id)).body.process_map[1].assignees
  expect(
    (await opened('Nobody from the start')).process_map.map((step: { assignees: string[] }) => step.assignees),
  ).toEqual([[first.id], [server.admin.id]])
  // The flow has lost the level: those who were named at the start count.
  await decidedBy([first])
  expect([await atSecond(one), await atSecond(none)]).toEqual([[second.id], [server.admin.id]])
  // The approver of an earlier level does not count for the waiting one.
  const late = await server.aPerson('late')
  await decidedBy([first], [late])
  const { id } = await opened('Left at the second level')
  await act(first, 'approve', id)
  await server.admin.patch(`/api/v1/users/users/${late.id}/`, { date_expired: '2020-01-01T00:00:00Z' })
  expect((await act(server.admin, 'approve', id)).status).toBe(404)
  await settleAfterDepartures(server.kernel)
  expect((await act(server.admin, 'approve', id)).body.state).toBe('approved')
})

const amend = (by: Caller, id: string, meta: object) => by.put(`${TICKETS}${id}/amend/`, { meta })
const comments = async (of: Caller, id: string): Promise<string[]> =>
  (await of.get(`/api/v1/tickets/comments/?ticket_id=${id}`)).body.map(({ body }: { body: string }) => body)

test('an approver amends a request within its limits; the applicant sees the changes, and gets what was accepted', async () => {
  await decidedBy([first], [second])
  const ticket = await opened('Too much', { apply_nodes: [ids.node], apply_assets: [ids.asset, ids.web] })
  const { id } = ticket
  for (const [who, status] of [
    [applicant, 403],
    [second, 404],
    [stranger, 404],
    [third, 404],
  ] as const)
    expect((await amend(who, id, { apply_assets: [ids.web] })).status).toBe(status)
  const less = {
    apply_nodes: [],
    apply_assets: [ids.web],
    apply_actions: ['connect'],
    apply_date_expired: '2095-01-09 03:04:05',
  }
  const amended = await amend(first, id, less)
  expect([amended.status, amended.body.meta, amended.body.requested]).toMatchObject([200, less, ticket.meta])
  expect((await applicant.get(`${TICKETS}${id}/`)).body).toMatchObject({ meta: less, requested: ticket.meta })
  expect(await comments(applicant, id)).toContain(
    [
      'first of test (first) changed what is asked for',
      'Nodes asked for: /Default/Databases → -',
      'Assets asked for: db-1(10.0.0.7), web-1(10.0.0.7) → web-1(10.0.0.7)',
      'Actions: Connect, Upload file, Download file, Upload download → Connect',
      'Expires: 2096-01-09 03:04:05 → 2095-01-09 03:04:05',
    ].join('\n'),
  )
  expect((await inbox(applicant, id)).join()).toContain('changed what your ticket Too much asks for')
  // No more than was asked for, by whom the flow names alone.
  const beyond = ['Only who administers the organization may add to what was asked for']
  for (const [field, value] of Object.entries({
    apply_assets: [ids.web, await anAsset('more')],
    apply_actions: ['connect', 'clipboard_copy'],
    apply_date_start: '2025-01-02 03:04:05',
    apply_date_expired: '2097-01-09 03:04:05',
  }))
    expect(await amend(first, id, { [field]: value })).toMatchObject({
      status: 400,
      body: { meta: { [field]: beyond } },
    })
  for (const [field, value] of Object.entries({
    apply_assets: [],
    apply_system_users: [],
    apply_date_expired: '2020-01-01 00:00:00',
  }))
    expect((await amend(first, id, { [field]: value })).body.meta).toHaveProperty(field)
  expect((await amend(first, id, { apply_assets: [ids.foreign] })).status).toBe(400)
  expect((await first.put(`${TICKETS}${id}/amend/`, { meta: 'all' })).status).toBe(400)
  expect((await act(first, 'approve', id)).status).toBe(200)
  // The next level may give back what was asked for, and nothing changes where nothing is sent.
  expect((await amend(first, id, { apply_assets: [ids.web] })).status).toBe(403)
  const count = (await comments(second, id)).length
  expect((await amend(second, id, {})).status).toBe(200)
  expect(await comments(second, id)).toHaveLength(count)
  expect((await amend(second, id, { apply_assets: [ids.asset] })).body.meta.apply_assets).toEqual([ids.asset])
  expect((await act(second, 'approve', id)).body.state).toBe('approved')
  expect((await amend(second, id, less)).status).toBe(400)
  expect((await server.admin.get(`${GRANTS}${id}/`)).body).toMatchObject({
    nodes: [],
    assets: [ids.asset],
    actions: ['connect'],
    date_expired: expect.stringContaining('2095/01/09 03:04:05'),
  })
})

test('an administrator of the organization may grant more than the request asks for', async () => {
  await decidedBy([server.admin])
  const { id } = await opened('Too little', { apply_actions: ['connect'] })
  const more = {
    apply_assets: [ids.asset, ids.web],
    apply_actions: ['connect', 'upload_file'],
    apply_date_expired: '2097-01-09 03:04:05',
  }
  expect((await amend(server.admin, id, more)).body.meta).toMatchObject(more)
  expect((await act(server.admin, 'approve', id)).body.meta).toMatchObject({ apply_assets: more.apply_assets })
  expect((await server.admin.get(`${GRANTS}${id}/`)).body.assets.sort()).toEqual([ids.asset, ids.web].sort())
})

test('a request without a system user, which would grant nothing, is not opened', async () => {
  for (const apply_system_users of [[], null]) {
    const { status, body } = await applicant.post(OPEN, aRequest('For nobody', { apply_system_users }))
    expect([status, body]).toEqual([400, { meta: { apply_system_users: ['Choose system users'] } }])
  }
})

test('deleted targets are left out; where nothing is left, the name or id is taken or the applicant has gone, only rejecting is possible', async () => {
  await decidedBy([first])
  const gone = await anAsset('gone')
  const some = await opened('Some are left', { apply_assets: [gone, ids.web] })
  const none = await opened('Nothing is left', { apply_assets: [gone] })
  const taken = await opened('Taken')
  const identity = { name: 'brief', username: 'brief', protocol: 'ssh', login_mode: 'manual' }
  const brief = await made('/api/v1/assets/system-users/', identity)
  const nobody = await opened('No identity is left', { apply_system_users: [brief] })
  await server.admin.delete(`/api/v1/assets/system-users/${brief}/`)
  await server.admin.delete(`/api/v1/assets/assets/${gone}/`)
  const elseGranted = await opened('Its id is taken')
  await made(GRANTS, { name: taken.meta.apply_permission_name })
  // Nobody gets a message of an approval that grants nothing.
  await made(GRANTS, { id: elseGranted.id, name: 'Something else' })
  expect((await act(first, 'approve', some.id)).status).toBe(200)
  expect((await server.admin.get(`${GRANTS}${some.id}/`)).body.assets).toEqual([ids.web])
  for (const { id } of [none, nobody])
    expect(await act(first, 'approve', id)).toMatchObject({ status: 400, body: { code: 'nothing_left' } })
  expect(await act(first, 'approve', taken.id)).toMatchObject({ status: 400, body: { name: expect.anything() } })
  expect(await act(first, 'approve', elseGranted.id)).toMatchObject({ status: 400 })
  const leaver = await server.aPerson('leaver')
  const theirs = await opened('Leaving', {}, leaver)
  await leave(leaver)
  expect(await act(first, 'approve', theirs.id)).toMatchObject({ status: 400, body: { code: 'applicant_gone' } })
  for (const { id } of [none, taken, elseGranted, theirs])
    expect((await first.get(`${TICKETS}${id}/`)).body.status).toBe('open')
  // Some minutes later the request of who left is withdrawn.
  await settleAfterDepartures(server.kernel)
  expect((await first.get(`${TICKETS}${theirs.id}/`)).body).toMatchObject({
    state: 'closed',
    process_map: [{ withdrawn_display: 'Closed, as the applicant does not belong to the organization any more' }],
  })
  expect((await first.get(`${TICKETS}${none.id}/`)).body).toMatchObject({
    status: 'open',
    process_map: [{ assignees: [first.id] }],
  })
  expect((await act(first, 'reject', none.id)).body.state).toBe('rejected')
})

test.each([
  { how: 'left', go: leave },
  {
    how: 'been disabled',
    go: ({ id }: Caller) => server.admin.patch(`/api/v1/users/users/${id}/`, { is_active: false }),
  },
  {
    how: 'expired',
    go: ({ id }: Caller) => server.admin.patch(`/api/v1/users/users/${id}/`, { date_expired: '2020-01-01T00:00:00Z' }),
  },
  { how: 'been deleted', go: ({ id }: Caller) => server.admin.delete(`/api/v1/users/users/${id}/`) },
])(
  'a level whose only decider has $how is decided by the system administrators, and shown to them alone',
  async ({ how, go }) => {
    const decider = await server.aPerson(`decider-${how.replaceAll(' ', '-')}`)
    await decidedBy([decider])
    const { id } = await opened(`Orphan: ${how}`)
    expect(await seenBy(decider, id)).toBe(200)
    await go(decider)
    expect([await seenBy(decider, id), await seenBy(server.admin, id)]).toEqual([how === 'left' ? 404 : 401, 404])
    await settleAfterDepartures(server.kernel)
    expect((await server.admin.get(`${TICKETS}${id}/`)).body.process_map[0].assignees_display).toEqual([
      'Administrator(admin)',
    ])
    // The flow means nobody any more: new tickets go there from the start.
    expect((await opened('Straight')).process_map[0].assignees).toEqual([server.admin.id])
    expect((await act(server.admin, 'approve', id)).body.state).toBe('approved')
  },
)

/** Ends a person's membership of Default. */
async function leave({ id }: Caller): Promise<void> {
  expect((await server.admin.post(`/api/v1/users/users/${id}/remove/`)).status).toBeLessThan(300)
}

test('one person has a hundred open tickets at most; what was closed counts no more', async () => {
  const eager = await server.aPerson('eager')
  await decidedBy([first])
  const { id } = await opened('The first', {}, eager)
  await server.kernel.pool.query(
    `INSERT INTO tickets_ticket (type, title, applicant, applicant_display, org_id, serial_num)
     SELECT 'apply_asset', 'more', $1, 'eager', $2, 'many-' || n FROM generate_series(2, 100) n`,
    [eager.id, DEFAULT_ORG_ID],
  )
  expect(await eager.post(OPEN, aRequest('One more'))).toMatchObject({
    status: 400,
    body: { code: 'too_many_tickets' },
  })
  expect((await act(eager, 'close', id)).status).toBe(200)
  await opened('One more', {}, eager)
})
