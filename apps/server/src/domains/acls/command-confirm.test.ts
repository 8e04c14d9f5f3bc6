import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { finishSession } from '../terminal/index.ts'
import { settleCommandReviews } from './command-review.ts'
import { type CommandReviewFixture, openCommandReviewFixture, TICKETS } from './command-review-fixture.ts'

const URL = '/api/v1/assets/cmd-filters/command-confirm/'

let fixture: CommandReviewFixture
let component: Record<string, string>
beforeAll(async () => {
  fixture = await openCommandReviewFixture()
  const { kernel } = fixture.server
  // The service account of a gateway, by a token of its own.
  await kernel.pool.query(
    `INSERT INTO users_user (name, username, email, role) VALUES ('door', 'door', 'door@example.com', 'App')`,
  )
  const { hashKey } = await import('../../kernel/access/random-secret.ts')
  await kernel.pool.query(
    `INSERT INTO authentication_private_token (key_hash, user_id) SELECT $1, id FROM users_user WHERE username = 'door'`,
    [hashKey('token-of-door')],
  )
  component = { authorization: 'Token token-of-door' }
})
afterAll(() => fixture?.close())
beforeEach(async () => {
  const { pool } = fixture.server.kernel
  await pool.query('DELETE FROM assets_command_filter_rule')
  await pool.query('DELETE FROM tickets_ticket')
})

const ask = (body: object) => fixture.server.call('POST', URL, { headers: component, body })
const asComponent = (method: string, url: string) => fixture.server.call(method, url, { headers: component })

/** A session in which a rule asks; returns the answer to the component. */
async function aWaiting(more?: object) {
  const rule = await fixture.aRule(more)
  const session = await fixture.aSession()
  const { status, body } = await ask({ session_id: session.id, cmd_filter_rule_id: rule, run_command: 'reboot now' })
  expect([status, body]).toMatchObject([200, {}])
  const [ticket] = await fixture.openTickets()
  if (!ticket) throw new Error('no ticket was opened')
  return { rule, session, body, ticket }
}

test('[A3.18] a rule that needs confirming names who confirms', async () => {
  const { server, filterId, reviewers } = fixture
  const path = `/api/v1/assets/cmd-filters/${filterId}/rules/`
  const refused = { status: 400, body: { reviewers: ['Choose who confirms'] } }
  const reboot = { filter: filterId, content: 'reboot' }
  expect(await server.admin.post(path, { ...reboot, action: 2 })).toMatchObject(refused)
  expect(await server.admin.post(path, { ...reboot, action: 2, reviewers: [] })).toMatchObject(refused)
  const { id } = (await server.admin.post(path, { ...reboot, action: 0 })).body
  const change = (body: object) => server.admin.patch(`${path}${id}/`, body)
  expect(await change({ action: 2 })).toMatchObject(refused)
  expect((await change({ action: 2, reviewers: [reviewers[0].id] })).status).toBe(200)
  expect(await change({ reviewers: [] })).toMatchObject(refused)
  expect((await change({ priority: 3 })).body.reviewers).toHaveLength(1)
})

test('[A2.52 B4.13] a component asks the reviewers of a rule: the ticket names who, where, as whom and the command, and is decided', async () => {
  const { rule, session, body, ticket } = await aWaiting()
  const url = `${URL}${ticket.id}/status/`
  expect(body).toEqual({
    check_confirm_status: { method: 'GET', url },
    close_confirm: { method: 'DELETE', url },
    ticket_detail_url: expect.stringMatching(new RegExp(`/ui/tickets/tickets/${ticket.id}\\?type=command_confirm$`)),
    reviewers: ['first of test(first)', 'second of test(second)'],
  })
  expect(ticket).toMatchObject({
    title: 'Command confirm reboot now',
    org_id: DEFAULT_ORG_ID,
    applicant_display: 'worker of test(worker)',
    meta: {
      apply_run_user: 'worker of test(worker)',
      apply_run_asset: 'web-1(127.0.0.1)',
      apply_run_system_user: 'root(root)',
      apply_run_command: 'reboot now',
      apply_from_session_id: session.id,
      apply_from_cmd_filter_rule_id: rule,
      apply_from_cmd_filter_id: fixture.filterId,
      apply_from_cmd_filter_name: 'dangerous',
      apply_from_cmd_filter_rule_priority: 50,
    },
  })
  expect((await asComponent('GET', url)).body).toEqual({ status: 'await', action: 'open', processor: '' })
  const [reviewer] = fixture.reviewers
  expect((await reviewer.put(`${TICKETS}${ticket.id}/approve/`)).status).toBe(200)
  const approved = { status: 'approved', action: 'approved', processor: 'first of test(first)' }
  expect((await asComponent('GET', url)).body).toEqual(approved)
  // Giving up what has been decided changes nothing.
  expect((await asComponent('DELETE', url)).body).toEqual(approved)
})

test('[A2.52] the reviewers find the command, who sent it and a link to the ticket in their site messages', async () => {
  const { ticket } = await aWaiting()
  for (const reviewer of fixture.reviewers)
    await expect
      .poll(async () => (await reviewer.get('/api/v1/notifications/site-message/')).body)
      .toContainEqual(
        expect.objectContaining({
          subject: 'worker of test (worker) is waiting for your confirmation',
          message: expect.stringMatching(new RegExp(`reboot now.*${ticket.id}`)),
        }),
      )
})

test('[A2.52 B7.25] lists of tickets find it by type, state, command, who asked and who decides, for those whom it concerns', async () => {
  const { ticket } = await aWaiting()
  const { person, reviewers, server } = fixture
  const stranger = await server.aPerson('outsider')
  const found = async (query: string, by = reviewers[0]) =>
    (await by.get(`${TICKETS}?${query}&limit=9&offset=0`)).body.results.map(({ id }: { id: string }) => id)
  const one = [ticket.id]
  for (const [query, expected] of [
    ['type=command_confirm', one],
    ['type=login_confirm', []],
    ['type=command_confirm&status=open&state=open', one],
    ['status=closed', []],
    ['search=reboot', one],
    [`applicant=${person.id}`, one],
    [`assignees__id=${reviewers[1].id}`, one],
    [`assignees__id=${person.id}`, []],
  ] as const)
    expect([query, await found(query)]).toEqual([query, expected])
  expect(await found('type=command_confirm', person)).toEqual(one)
  expect(await found('type=command_confirm', stranger)).toEqual([])
})

/** Entries of the operate log for a ticket, newest first. */
const logged = async (ticket: string) => {
  const { body } = await fixture.server.admin.get(`/api/v1/audits/operate-logs/?object_id=${ticket}`)
  return (body as { user: string; action: string; changes: { field: string; after: string }[] }[]).map(
    ({ user, action, changes }) => [user, action, changes[0]?.field, changes[0]?.after],
  )
}
const WORKER = 'worker of test(worker)'

test('[A2.52] the operate log says who asked, who accepted or rejected, and who gave up; what nobody did has no row', async () => {
  const approved = await aWaiting()
  const [reviewer] = fixture.reviewers
  await reviewer.put(`${TICKETS}${approved.ticket.id}/approve/`)
  expect(await logged(approved.ticket.id)).toEqual([
    ['first of test(first)', 'update', 'state', 'Approved'],
    [WORKER, 'create', 'type', 'Command confirm'],
  ])
  const rejected = await aWaiting()
  await reviewer.put(`${TICKETS}${rejected.ticket.id}/reject/`)
  expect((await logged(rejected.ticket.id))[0]).toEqual(['first of test(first)', 'update', 'state', 'Rejected'])
  const given = await aWaiting()
  await asComponent('DELETE', given.body.close_confirm.url)
  // Once more: what is closed is not closed again.
  await asComponent('DELETE', given.body.close_confirm.url)
  expect(await logged(given.ticket.id)).toEqual([
    [WORKER, 'update', 'state', 'Closed'],
    [WORKER, 'create', 'type', 'Command confirm'],
  ])
  const dropped = await aWaiting()
  await change('DELETE', dropped.rule)
  await settleCommandReviews(fixture.server.kernel)
  expect(await logged(dropped.ticket.id)).toEqual([[WORKER, 'create', 'type', 'Command confirm']])
})

test('[A2.52] those whom it concerns see the session of the command while it waits, which gives them no right to it; strangers see neither', async () => {
  const { session, ticket } = await aWaiting()
  const url = `${TICKETS}${ticket.id}/session/`
  const [reviewer] = fixture.reviewers
  for (const caller of [reviewer, fixture.person]) {
    const { status, body } = await caller.get(url)
    expect([status, body]).toMatchObject([200, { id: session.id, can_join: false, can_terminate: false }])
  }
  // Each of several tickets has its own.
  const later = await aWaiting()
  for (const one of [{ session, ticket }, later])
    expect((await reviewer.get(`${TICKETS}${one.ticket.id}/session/`)).body.id).toBe(one.session.id)
  const kill = '/api/v1/terminal/tasks/kill-session-for-ticket/'
  expect((await reviewer.post(kill, [session.id])).status).toBe(403)
  const other = await fixture.server.anOrg(`next-door-${crypto.randomUUID().slice(0, 8)}`)
  const stranger = await fixture.server.aPerson(`stranger-${crypto.randomUUID().slice(0, 8)}`)
  for (const caller of [stranger, stranger.in(other)]) {
    for (const read of [url, `${TICKETS}${ticket.id}/`]) expect((await caller.get(read)).status).toBe(404)
    for (const verdict of ['approve', 'reject', 'close'])
      expect((await caller.put(`${TICKETS}${ticket.id}/${verdict}/`)).status).toBe(404)
  }
  expect((await reviewer.put(`${TICKETS}${ticket.id}/close/`)).status).toBe(403)
  expect((await fixture.person.put(`${TICKETS}${ticket.id}/approve/`)).status).toBe(403)
  // A reviewer finds it whichever organization they look at.
  const found = await reviewer.in(other).get(`${TICKETS}${ticket.id}/`)
  expect([found.status, found.body.body]).toEqual([200, expect.not.stringContaining(session.id)])
})

test('[A2.52] a component gives up in the name of its person', async () => {
  const { body, ticket } = await aWaiting()
  const closed = { status: 'rejected', action: 'closed', processor: '' }
  expect((await asComponent('DELETE', body.close_confirm.url)).body).toEqual(closed)
  expect((await fixture.reviewers[0].put(`${TICKETS}${ticket.id}/approve/`)).status).toBe(400)
})

test('[A2.52 A5.06] what no rule asks about is refused: ended and unknown sessions, rules of others, foreign rules, empty and endless commands', async () => {
  const rule = await fixture.aRule()
  const session = await fixture.aSession()
  const good = { session_id: session.id, cmd_filter_rule_id: rule, run_command: 'reboot' }
  const denies = await fixture.aRule({ action: 0, reviewers: [] })
  const ended = await fixture.aSession()
  await finishSession(fixture.server.kernel.db, ended.id)
  const elsewhere = await fixture.aSession({ asset_id: crypto.randomUUID(), system_user_id: crypto.randomUUID() })
  const nowhere = await fixture.aSession({ asset_id: '', system_user_id: '' })
  const other = await fixture.server.anOrg('elsewhere')
  const foreign = await fixture.aSession({ org_id: other })
  const wrong: [object, string][] = [
    [{ session_id: 'x' }, 'session_id'],
    [{ session_id: crypto.randomUUID() }, 'session_id'],
    [{ session_id: ended.id }, 'session_id'],
    [{ session_id: elsewhere.id }, 'cmd_filter_rule_id'],
    [{ session_id: nowhere.id }, 'cmd_filter_rule_id'],
    [{ session_id: foreign.id }, 'cmd_filter_rule_id'],
    [{ cmd_filter_rule_id: crypto.randomUUID() }, 'cmd_filter_rule_id'],
    [{ cmd_filter_rule_id: denies }, 'cmd_filter_rule_id'],
    [{ cmd_filter_rule_id: 'x' }, 'cmd_filter_rule_id'],
    [{ run_command: '' }, 'run_command'],
    [{ run_command: 'x'.repeat(10_001) }, 'run_command'],
  ]
  for (const [change, field] of wrong) {
    const { status, body } = await ask({ ...good, ...change })
    expect([change, status, Object.keys(body)]).toEqual([change, 400, [field]])
  }
  expect((await fixture.server.admin.post(URL, good)).status).toBe(403)
  expect(await fixture.openTickets()).toEqual([])
  const status = `${URL}${crypto.randomUUID()}/status/`
  for (const method of ['GET', 'DELETE']) expect((await asComponent(method, status)).status).toBe(404)
})

test('[A2.52] nobody confirms their own: a person who is the only reviewer left is refused', async () => {
  const rule = await fixture.aRule({ reviewers: [fixture.person.id] })
  const session = await fixture.aSession()
  const { status, body } = await ask({ session_id: session.id, cmd_filter_rule_id: rule, run_command: 'reboot' })
  expect([status, body.code]).toEqual([400, 'nobody_to_ask'])
})

test('[A2.52] at most 100 confirmations of a person are open, also when they are asked for at once', async () => {
  const rule = await fixture.aRule()
  const session = await fixture.aSession()
  const body = { session_id: session.id, cmd_filter_rule_id: rule, run_command: 'reboot' }
  for (let n = 0; n < 9; n++) await Promise.all(Array.from({ length: 11 }, () => ask(body)))
  const answers = await Promise.all(Array.from({ length: 4 }, () => ask(body)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400])
  expect(await fixture.openTickets()).toHaveLength(100)
})

const ENDED = 'Closed, as the session has ended'
const RULE_CHANGED = 'Closed, as the rule behind it was changed, turned off or deleted'
const NOBODY_LEFT = 'Closed, as nobody is left who could decide it'

test.each([
  ['the session has ended', ENDED, ({ session }) => finishSession(fixture.server.kernel.db, session.id)],
  ['the rule was deleted', RULE_CHANGED, ({ rule }) => change('DELETE', rule)],
  ['the rule denies now', RULE_CHANGED, ({ rule }) => change('PATCH', rule, { action: 0 })],
  ['its filter was turned off', RULE_CHANGED, () => turnFilter(false)],
  [
    'the reviewers were taken off the rule',
    NOBODY_LEFT,
    ({ rule }) => change('PATCH', rule, { reviewers: [fixture.person.id] }),
  ],
] as [string, string, (waiting: Awaited<ReturnType<typeof aWaiting>>) => Promise<unknown>][])(
  '[A2.52] %s: the ticket can not be approved any more, is withdrawn, and says so in nobody’s name',
  async (_, reason, happens) => {
    const waiting = await aWaiting()
    await happens(waiting)
    const { ticket, body } = waiting
    // It may have been withdrawn already.
    const { status, body: why } = await fixture.reviewers[0].put(`${TICKETS}${ticket.id}/approve/`)
    expect([status, why.code]).toEqual([400, expect.stringMatching(/^(not_awaited|ticket_closed)$/)])
    await settleCommandReviews(fixture.server.kernel)
    expect((await asComponent('GET', body.check_confirm_status.url)).body).toMatchObject({ action: 'closed' })
    await turnFilter(true)
    expect(await whyClosed(ticket.id)).toEqual({ step: reason, by: 'System', comment: reason })
    await expect
      .poll(async () => (await fixture.person.get('/api/v1/notifications/site-message/')).body)
      .toContainEqual(
        expect.objectContaining({
          subject: 'Your ticket Command confirm reboot now was closed',
          message: expect.stringMatching(new RegExp(`${reason}.*${ticket.id}`)),
        }),
      )
  },
)

/** The reason of a closed ticket: at its level, and in its last comment. */
async function whyClosed(ticket: string) {
  const { process_map } = (await fixture.person.get(`${TICKETS}${ticket}/`)).body
  const { body: comments } = await fixture.person.get(`/api/v1/tickets/comments/?ticket_id=${ticket}`)
  const { user_display: by, body: comment } = comments.at(-1)
  return { step: process_map[0].withdrawn_display, by, comment }
}

test('[A2.52] an applicant who gives up is said to have closed the ticket', async () => {
  const { body, ticket } = await aWaiting()
  await asComponent('DELETE', body.close_confirm.url)
  const comment = 'worker of test (worker) closed the ticket'
  expect(await whyClosed(ticket.id)).toEqual({ step: undefined, by: WORKER, comment })
})

test('[A2.52] people who were taken off the rule decide no more, those who are left do', async () => {
  const { rule, ticket } = await aWaiting()
  const [first, second] = fixture.reviewers
  await change('PATCH', rule, { reviewers: [second.id] })
  const refused = await first.put(`${TICKETS}${ticket.id}/approve/`)
  expect([refused.status, refused.body.code]).toEqual([400, 'not_awaited'])
  expect((await second.put(`${TICKETS}${ticket.id}/approve/`)).body.state).toBe('approved')
})

test('[A2.52] a ticket stays while one of its reviewers can still decide it, and is withdrawn once none can', async () => {
  const { aPerson, admin } = fixture.server
  const [first, second] = [await aPerson('leaving-first'), await aPerson('leaving-second')]
  const { ticket, body } = await aWaiting({ reviewers: [first.id, second.id] })
  const turnOff = (id: string) => admin.patch(`/api/v1/users/users/${id}/`, { is_active: false })
  await turnOff(first.id)
  await settleCommandReviews(fixture.server.kernel)
  expect(await fixture.openTickets()).toHaveLength(1)
  await turnOff(second.id)
  await settleCommandReviews(fixture.server.kernel)
  expect((await asComponent('GET', body.check_confirm_status.url)).body).toMatchObject({ action: 'closed' })
  expect((await fixture.person.get(`${TICKETS}${ticket.id}/`)).body.state).toBe('closed')
})

const change = (method: 'PATCH' | 'DELETE', rule: string, body?: object) =>
  fixture.server.admin[method === 'PATCH' ? 'patch' : 'delete'](
    `/api/v1/assets/cmd-filters/${fixture.filterId}/rules/${rule}/`,
    body,
  )
const turnFilter = (is_active: boolean) =>
  fixture.server.admin.patch(`/api/v1/assets/cmd-filters/${fixture.filterId}/`, { is_active })
