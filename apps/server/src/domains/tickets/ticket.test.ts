import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, openTestServer, type TestServer } from '../../../test/server.ts'
import { settleAfterDepartures } from './departures.ts'
import {
  confirmationState,
  openConfirmation,
  openConfirmations,
  withdrawConfirmation,
  withdrawSignIn,
} from './index.ts'

const TICKETS = '/api/v1/tickets/tickets/'
const COMMENTS = '/api/v1/tickets/comments/'

let server: TestServer
let applicant: Caller
let reviewer: Caller
let other: Caller
let outsider: Caller

beforeAll(async () => {
  server = await openTestServer()
  ;[applicant, reviewer, other, outsider] = (await Promise.all(
    ['applicant', 'reviewer', 'other', 'outsider'].map((name) => server.aPerson(name)),
  )) as [Caller, Caller, Caller, Caller]
})
afterAll(() => server?.close())

async function aTicket(by = applicant, assignees = [reviewer, other]): Promise<string> {
  const { id } = await openConfirmation(server.kernel, {
    type: 'login_asset_confirm',
    title: 'Login asset confirm web-1',
    orgId: DEFAULT_ORG_ID,
    applicant: { id: by.id, display: 'applicant of test(applicant)' },
    meta: {
      apply_login_user: 'applicant(applicant)',
      apply_login_asset: 'web-1(10.0.0.1)',
      apply_login_system_user: 'root(root)',
    },
    assignees: assignees.map(({ id }) => id),
    waiting: () => [],
  })
  return id
}
const comments = async (caller: Caller, id: string) => (await caller.get(`${COMMENTS}?ticket_id=${id}`)).body
const bodies = async (caller: Caller, id: string) =>
  (await comments(caller, id)).map(({ body }: { body: string }) => body)

test.each([
  {
    action: 'approve',
    by: () => reviewer,
    state: 'approved',
    processor: 'reviewer of test(reviewer)',
    isNotified: true,
  },
  {
    action: 'reject',
    by: () => reviewer,
    state: 'rejected',
    processor: 'reviewer of test(reviewer)',
    isNotified: true,
  },
  { action: 'close', by: () => applicant, state: 'closed', processor: '', isNotified: false },
])(
  '[A4.01 B4.13] $action ends an open ticket for good: $state, noted, and told to the applicant: $told',
  async ({ action, by, state, processor, isNotified }) => {
    const id = await aTicket()
    const { status, body } = await by().put(`${TICKETS}${id}/${action}/`, { ignored: true })
    expect([status, body.state, body.status]).toEqual([200, state, 'closed'])
    expect(body.process_map).toEqual([
      expect.objectContaining({ approval_level: 1, state, processor_display: processor }),
    ])
    for (const again of ['approve', 'reject'])
      expect((await reviewer.put(`${TICKETS}${id}/${again}/`)).status).toBe(400)
    expect((await applicant.put(`${TICKETS}${id}/close/`)).status).toBe(400)
    expect(await bodies(applicant, id)).toEqual([
      'applicant of test (applicant) opened the ticket',
      expect.stringContaining(`${state} the ticket`),
    ])
    const inbox = async () =>
      (await applicant.get('/api/v1/notifications/site-message/')).body.filter((one: { message: string }) =>
        one.message.includes(id),
      )
    if (isNotified) await expect.poll(inbox).toHaveLength(1)
    else expect(await inbox()).toEqual([])
  },
)

test('[A4.01 B4.13] a person who decides a ticket of another does not withdraw it', async () => {
  const id = await aTicket()
  expect((await reviewer.put(`${TICKETS}${id}/close/`)).status).toBe(403)
  expect((await reviewer.put(`${TICKETS}${id}/reject/`)).body.state).toBe('rejected')
})

test('[A4.01 B4.13] one of several simultaneous decisions counts', async () => {
  const id = await aTicket()
  const answers = await Promise.all([
    reviewer.put(`${TICKETS}${id}/approve/`),
    other.put(`${TICKETS}${id}/reject/`),
    applicant.put(`${TICKETS}${id}/close/`),
  ])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
  expect(await bodies(applicant, id)).toHaveLength(2)
})

test('[B7.25 B7.26 B9.08] the open tickets of a reviewer are counted; what a type holds is read with the type or the one ticket', async () => {
  const id = await aTicket()
  const open = `${TICKETS}?assignees__id=${other.id}&status=open&offset=0&limit=15&display=1&draw=1`
  const before = (await other.get(open)).body
  expect(before.count).toBeGreaterThanOrEqual(1)
  expect(before.results.find((row: { id: string }) => row.id === id).meta).toMatchObject({
    apply_login_system_user: 'root(root)',
  })
  expect((await other.get(`${open}&type=login_asset_confirm`)).body.results[0].meta).toMatchObject({
    apply_login_asset: 'web-1(10.0.0.1)',
  })
  expect((await other.get(`${TICKETS}${id}/`)).body.meta).toMatchObject({ apply_login_system_user: 'root(root)' })
  await other.put(`${TICKETS}${id}/approve/`)
  expect((await other.get(open)).body.count).toBe(before.count - 1)
})

test('those whom a ticket concerns comment on it, in the order of time, when it is closed too; nobody else sees or says anything', async () => {
  const id = await aTicket()
  const answer = await applicant.post(`${COMMENTS}?ticket_id=${id}`, { body: 'The disk is full, please.' })
  expect([answer.status, answer.body]).toEqual([
    201,
    expect.objectContaining({
      body: 'The disk is full, please.',
      user: applicant.id,
      user_display: 'applicant of test(applicant)',
      ticket: id,
    }),
  ])
  await reviewer.put(`${TICKETS}${id}/approve/`)
  await other.post(`${COMMENTS}?ticket_id=${id}`, { body: 'Done.', user: outsider.id, user_display: 'somebody else' })
  expect(await comments(reviewer, id)).toMatchObject([
    { body: 'applicant of test (applicant) opened the ticket' },
    { body: 'The disk is full, please.' },
    { body: 'reviewer of test (reviewer) approved the ticket' },
    { body: 'Done.', user_display: 'other of test(other)' },
  ])
  const [logged] = (
    await server.kernel.pool.query(`SELECT 1 FROM audits_operate_log WHERE resource_type ILIKE '%comment%'`)
  ).rows
  expect(logged, 'a comment is a record in itself').toBeUndefined()
  await aTicket(outsider)
  for (const stranger of [outsider, server.admin]) {
    expect((await stranger.get(`${COMMENTS}?ticket_id=${id}`)).status).toBe(400)
    expect((await stranger.post(`${COMMENTS}?ticket_id=${id}`, { body: 'Let me in.' })).status).toBe(400)
  }
  expect((await reviewer.get(COMMENTS)).body).toEqual({ ticket_id: [expect.any(String)] })
  const mine = await aTicket()
  expect((await applicant.get(`${COMMENTS}${answer.body.id}/?ticket_id=${mine}`)).status).toBe(404)
  expect((await applicant.post(`${COMMENTS}?ticket_id=${id}`, { body: ' ' })).status).toBe(400)
})

test('[A3.19] what waits is withdrawn by its kind, its person and their address, and nothing else', async () => {
  const { kernel } = server
  const signIn = async (by: Caller, apply_login_ip: string) =>
    (
      await openConfirmation(kernel, {
        type: 'login_confirm',
        title: 'Login confirm',
        orgId: DEFAULT_ORG_ID,
        applicant: { id: by.id, display: by.id },
        meta: { apply_login_ip },
        assignees: [reviewer.id],
        waiting: () => [],
      })
    ).id
  const gone = await server.aPerson('gone')
  const unseen = await aTicket(applicant, [gone])
  const kept = await aTicket()
  const asked = await aTicket()
  await withdrawConfirmation(kernel, 'login_confirm', kept)
  await withdrawConfirmation(kernel, 'login_asset_confirm', asked)
  const stateOf = async (type: 'login_confirm' | 'login_asset_confirm', id: string) =>
    (await confirmationState(kernel.db, type, id))?.state
  expect([await stateOf('login_asset_confirm', kept), await stateOf('login_asset_confirm', asked)]).toEqual([
    'open',
    'closed',
  ])
  const mine = [await signIn(applicant, '10.1.1.1'), await signIn(applicant, '10.1.1.2')]
  const theirs = await signIn(other, '10.1.1.1')
  await withdrawSignIn(kernel, applicant.id, '10.1.1.1')
  expect(await Promise.all([...mine, theirs].map((id) => stateOf('login_confirm', id)))).toEqual([
    'closed',
    'open',
    'open',
  ])
  expect((await bodies(applicant, mine[0] ?? '')).at(-1)).toBe('Closed, as the applicant has asked anew')
  const open = await openConfirmations(kernel.db, 'login_confirm', 10)
  expect(open.map(({ id, assignees }) => [id, assignees])).toEqual([
    [mine[1], [reviewer.id]],
    [theirs, [reviewer.id]],
  ])
  // A ticket of another kind is none.
  expect(await stateOf('login_asset_confirm', theirs)).toBeUndefined()
  // The applicant gets a message when the server closes a ticket, but not where they have just
  // asked again.
  await withdrawConfirmation(kernel, 'login_confirm', mine[1] ?? '', 'rule')
  const inbox = async () => JSON.stringify((await applicant.get('/api/v1/notifications/site-message/')).body)
  await expect.poll(inbox).toContain('Closed, as the rule behind it was changed')
  expect(await inbox()).not.toContain('asked anew')
  // The applicant waits at the sign-in now: no administrator takes over.
  await server.admin.patch(`/api/v1/users/users/${gone.id}/`, { date_expired: '2020-01-01T00:00:00Z' })
  await settleAfterDepartures(kernel)
  expect((await server.admin.get(`${TICKETS}${unseen}/`)).status).toBe(404)
})

test('a confirmation that nobody decides is closed within minutes after its hour, with that reason; requests wait on', async () => {
  const { kernel } = server
  const [late, young] = [await aTicket(), await aTicket()]
  const age = (id: string, minutes: number) =>
    kernel.pool.query(`UPDATE tickets_ticket SET date_created = now() - make_interval(mins => $2) WHERE id = $1`, [
      id,
      minutes,
    ])
  await age(late, 61)
  await age(young, 59)
  const request = (
    await kernel.pool.query(
      `INSERT INTO tickets_ticket (type, title, applicant, applicant_display, org_id, serial_num, date_created)
       VALUES ('general', 'days ago', $1, '', $2, 'days-ago', now() - interval '3 days') RETURNING id`,
      [applicant.id, DEFAULT_ORG_ID],
    )
  ).rows[0].id
  await kernel.jobs.send('tickets.forget_waiting', {})
  const state = async (id: string) => (await applicant.get(`${TICKETS}${id}/`)).body.state
  await expect.poll(() => state(late)).toBe('closed')
  expect([await state(young), await state(request)]).toEqual(['open', 'open'])
  expect((await bodies(applicant, late)).at(-1)).toBe('Closed, as nobody decided it in time')
})

test('[B7.25] the list of tickets is filtered by what people look for: type, state, status, title, applicant and who decides', async () => {
  const seeker = await server.aPerson('seeker')
  const [open, approved, rejected] = [
    await aTicket(seeker, [reviewer]),
    await aTicket(seeker, [other]),
    await aTicket(seeker, [reviewer, other]),
  ]
  await other.put(`${TICKETS}${approved}/approve/`)
  await reviewer.put(`${TICKETS}${rejected}/reject/`)
  await server.kernel.pool.query(`UPDATE tickets_ticket SET title = 'Sign in as root' WHERE id = $1`, [approved])
  const found = async (query: string, by = seeker) =>
    (await by.get(`${TICKETS}?${query}&limit=50&offset=0`)).body.results.map(({ id }: { id: string }) => id).sort()
  const all = [open, approved, rejected]
  for (const [query, expected] of [
    ['type=login_asset_confirm', all],
    ['type=login_confirm', []],
    ['status=open', [open]],
    // As existing consoles send it.
    ['status=closed/', [approved, rejected]],
    ['state=approved', [approved]],
    ['state=rejected', [rejected]],
    ['title=Sign+in+as+root', [approved]],
    ['search=as+root', [approved]],
    [`applicant=${seeker.id}`, all],
    [`applicant=${applicant.id}`, []],
    [`assignees__id=${reviewer.id}`, [open, rejected]],
    [`assignees__id=${other.id}&status=closed`, [approved, rejected]],
    [`id=${open}`, [open]],
  ] as const)
    expect([query, await found(query)]).toEqual([query, [...expected].sort()])
  // An approver sees those tickets of the same query that concern them.
  expect(await found(`applicant=${seeker.id}`, reviewer)).toEqual([open, rejected].sort())
  expect(await found(`applicant=${seeker.id}`, outsider)).toEqual([])
  expect((await seeker.get(`${TICKETS}?assignees__id=nobody&limit=5`)).body.results).toEqual([])
})

test('one person waits for a hundred confirmations of a kind at most; those of others, of another kind and decided ones do not count', async () => {
  const fill = (columns: { applicant: string; type: string; state: string }, amount = 100) =>
    server.kernel.pool.query(
      `INSERT INTO tickets_ticket (type, title, applicant, applicant_display, org_id, serial_num, state, status)
       SELECT $1, 'more', $2, '', $3, gen_random_uuid()::text, $4, CASE $4 WHEN 'open' THEN 'open' ELSE 'closed' END FROM generate_series(1, $5)`,
      [columns.type, columns.applicant, DEFAULT_ORG_ID, columns.state, amount],
    )
  const own = { applicant: outsider.id, type: 'login_asset_confirm', state: 'open' }
  await fill({ ...own, applicant: other.id })
  await fill({ ...own, type: 'login_confirm' })
  await fill({ ...own, state: 'closed' })
  await aTicket(outsider)
  await fill(own, 99)
  await expect(aTicket(outsider)).rejects.toMatchObject({ code: 'too_many_tickets' })
  await server.kernel.pool.query(`DELETE FROM tickets_ticket WHERE title = 'more'`)
})

test('[A4.01] a ticket in words: what it is, and each fact of its kind by its label', async () => {
  const { body } = (await applicant.get(`${TICKETS}${await aTicket()}/`)).body
  expect(body.split('<br>')).toEqual([
    'Title: Login asset confirm web-1',
    'Type: Login asset confirm',
    'Status: Open',
    'Applicant: applicant of test(applicant)',
    '',
    'User: applicant(applicant)',
    'Asset: web-1(10.0.0.1)',
    'System user: root(root)',
  ])
})
