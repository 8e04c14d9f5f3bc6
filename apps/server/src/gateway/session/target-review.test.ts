import { DEFAULT_ORG_ID, ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { privateKey } from '../../../test/license.ts'
import type { Caller } from '../../../test/server.ts'
import { openConfirmation } from '../../domains/tickets/index.ts'
import { issueLicense } from '../../domains/xpack/issue-license.ts'
import { openSshFixture, type SshFixture } from '../listeners/ssh/ssh-fixture.ts'
import type { Terminal } from '../listeners/web/terminal-fixture.ts'

const ACLS = '/api/v1/acls/login-asset-acls/'
const TICKETS = '/api/v1/tickets/tickets/'

let fixture: SshFixture
let reviewer: Caller
let component: Record<string, string>
beforeAll(async () => {
  fixture = await openSshFixture()
  reviewer = await fixture.server.aPerson('reviewer')
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
  await pool.query('DELETE FROM acls_login_asset_acl')
  await pool.query('DELETE FROM tickets_ticket')
})

async function rule(more: object = {}) {
  const { status, body } = await fixture.server.admin.post(ACLS, {
    name: crypto.randomUUID(),
    users: {},
    system_users: {},
    assets: {},
    reviewers: [reviewer.id],
    ...more,
  })
  expect([status, body]).toMatchObject([201, {}])
}

const tickets = async () =>
  (await reviewer.get(`${TICKETS}?limit=10&type=login_asset_confirm`)).body.results as { id: string; state: string }[]
async function decide(verdict: string) {
  const [ticket] = await tickets()
  expect((await reviewer.put(`${TICKETS}${ticket?.id}/${verdict}/`)).status).toBe(200)
}
const waits = async (terminal: Terminal) => terminal.see('must be confirmed by: reviewer of test (reviewer)')

test('[A3.19] a reviewed connection waits in the terminal; approved, it connects, and nothing reached the machine before', async () => {
  await rule()
  const terminal = await fixture.open(fixture.person)
  await waits(terminal)
  expect(terminal.session).toBeUndefined()
  expect((await tickets())[0]).toMatchObject({
    type: 'login_asset_confirm',
    state: 'open',
    applicant_display: 'walker of test(walker)',
    meta: { apply_login_user: 'walker of test(walker)', apply_login_asset: 'web-1(127.0.0.1)' },
  })
  await decide('approve')
  await terminal.see(/[#$]/)
  terminal.type('echo let$((1))in\r')
  await terminal.see('let1in')
  terminal.close()
})

test('[A2.50] a person who confirmed a connection sees its session with the ticket, may watch it, and ends it; nobody else', async () => {
  const { admin, call, aPerson } = fixture.server
  const leaver = await aPerson('leaving-reviewer')
  await rule({ reviewers: [reviewer.id, leaver.id] })
  const terminal = await fixture.open(fixture.person)
  await terminal.see('must be confirmed by:')
  const [ticket] = await tickets()
  const address = `${TICKETS}${ticket?.id}/session/`
  expect(await reviewer.get(address)).toMatchObject({ status: 404, body: {} })
  await decide('approve')
  await terminal.see(/[#$]/)
  const session = (await reviewer.get(address)).body
  expect(session).toMatchObject({
    user_id: fixture.person.id,
    protocol: 'ssh',
    org_name: 'Default',
    can_join: true,
    can_terminate: true,
  })
  expect(session).not.toHaveProperty('command_amount')
  expect((await fixture.person.get(address)).body).toMatchObject({
    id: session.id,
    can_join: false,
    can_terminate: false,
  })
  expect((await admin.get(address)).body).toMatchObject({ id: session.id, can_join: true, can_terminate: false })
  const other = await fixture.server.aPerson('bystander')
  expect(await other.get(address)).toMatchObject({ status: 404, body: {} })
  const validate = (user_id: string) =>
    call('POST', '/api/v1/terminal/sessions/join/validate/', {
      headers: component,
      body: { user_id, session_id: session.id },
    })
  expect([(await validate(reviewer.id)).status, (await validate(other.id)).status]).toEqual([200, 401])
  expect((await validate(leaver.id)).status).toBe(200)
  await admin.patch(`/api/v1/users/users/${leaver.id}/`, { date_expired: '2020-01-01T00:00:00Z' })
  expect((await validate(leaver.id)).status).toBe(401)
  const kill = '/api/v1/terminal/tasks/kill-session-for-ticket/'
  for (const who of [other, fixture.person, admin])
    expect(await who.post(kill, [session.id])).toMatchObject({ status: 403, body: {} })
  // A gateway that links the same once more changes nothing; other tickets and sessions are no
  // pair.
  const link = (body: object) => call('POST', '/api/v1/tickets/ticket-session-relation/', { headers: component, body })
  const pair = { ticket: ticket?.id, session: session.id }
  expect((await link(pair)).status).toBe(201)
  expect((await link({ ...pair, ticket: crypto.randomUUID() })).body).toEqual({ ticket: [expect.any(String)] })
  expect((await link({ ...pair, session: crypto.randomUUID() })).body).toEqual({ session: [expect.any(String)] })
  expect((await other.post('/api/v1/tickets/ticket-session-relation/', pair)).status).toBe(403)
  // Administrators link what is of their own organization.
  const org = await fixture.server.anOrg('elsewhere')
  const chief = await fixture.server.aPerson('chief', { orgRoles: ['Admin'] })
  const chiefElsewhere = await fixture.server.aPerson('chief-elsewhere', { orgRoles: ['Admin'], org })
  expect((await chief.post('/api/v1/tickets/ticket-session-relation/', pair)).status).toBe(201)
  expect((await chiefElsewhere.post('/api/v1/tickets/ticket-session-relation/', pair)).body).toEqual({
    ticket: [expect.any(String)],
  })
  const atRoot = await admin.in(ROOT_ORG_ID).post('/api/v1/tickets/ticket-session-relation/', pair)
  const componentElsewhere = { ...component, 'X-JMS-ORG': org }
  const fromElsewhere = await call('POST', '/api/v1/tickets/ticket-session-relation/', {
    headers: componentElsewhere,
    body: pair,
  })
  expect([atRoot.status, fromElsewhere.status]).toEqual([201, 201])
  // Each pair is one of its own, and only what an approved confirmation let in.
  const again = async (table: 'tickets_ticket' | 'terminal_session', change: object = {}) => {
    const copy = crypto.randomUUID()
    await fixture.server.kernel.pool.query(
      `INSERT INTO ${table} SELECT (jsonb_populate_record(t, $2)).* FROM ${table} t WHERE id = $1`,
      [table === 'tickets_ticket' ? ticket?.id : session.id, { serial_num: copy, ...change, id: copy }],
    )
    return copy
  }
  const secondTicket = { ...pair, ticket: await again('tickets_ticket') }
  const secondSession = { ...pair, session: await again('terminal_session') }
  expect((await chief.post('/api/v1/tickets/ticket-session-relation/', secondTicket)).body).toMatchObject(secondTicket)
  expect((await link(secondSession)).body).toMatchObject(secondSession)
  await fixture.server.kernel.pool.query('DELETE FROM terminal_session WHERE id = $1', [secondSession.session])
  // A session that another ticket let in later is not this one's.
  const later = await again('terminal_session')
  expect((await link({ ...secondTicket, session: later })).status).toBe(201)
  expect((await admin.get(address)).body.id).toBe(session.id)
  await fixture.server.kernel.pool.query('DELETE FROM terminal_session WHERE id = $1', [later])
  const ofAnother = await again('terminal_session', { user_id: other.id })
  expect((await link({ ...pair, session: ofAnother })).body).toEqual({ session: [expect.any(String)] })
  await fixture.server.kernel.pool.query('DELETE FROM terminal_session WHERE id = $1', [ofAnother])
  for (const change of [{ type: 'general' }, { state: 'rejected' }])
    expect((await link({ ...pair, ticket: await again('tickets_ticket', change) })).body).toEqual({
      ticket: [expect.any(String)],
    })
  const logged = await fixture.server.kernel.pool.query(
    `SELECT user_id FROM audits_operate_log WHERE resource_type = 'Ticket session'`,
  )
  expect(logged.rows, 'what a component links is a record in itself').toEqual([{ user_id: chief.id }])
  expect((await reviewer.post(kill, [session.id])).body).toEqual({ ok: [session.id] })
  await terminal.closed
  await expect
    .poll(async () => (await reviewer.get(address)).body)
    .toMatchObject({ is_finished: true, can_join: false, can_terminate: false })
})

test('[A3.19] rejected, it ends with the name of the reviewer and leaves no session', async () => {
  await rule()
  const terminal = await fixture.open(fixture.person)
  await waits(terminal)
  await decide('reject')
  await terminal.closed
  expect(terminal.text() + terminal.errors.join()).toContain('reviewer of test (reviewer) rejected the connection')
  expect(terminal.session).toBeUndefined()
})

test.each(['q', '\x03', 'closing the window'])('[A3.19] leaving by %j withdraws the ticket', async (way) => {
  await rule()
  const terminal = await fixture.open(fixture.person)
  await waits(terminal)
  if (way.length === 1) terminal.type(way)
  else terminal.close()
  await terminal.closed
  await expect.poll(async () => (await tickets()).map(({ state }) => state)).toEqual(['closed'])
})

test('[A3.19] a permission that ended while others thought about it lets nobody in', async () => {
  await rule()
  const terminal = await fixture.open(fixture.person)
  await waits(terminal)
  const path = `/api/v1/perms/asset-permissions/${fixture.permission}/`
  await fixture.server.admin.patch(path, { is_active: false })
  try {
    await decide('approve')
    await terminal.closed
    expect(terminal.text() + terminal.errors.join()).toContain('no permission')
  } finally {
    await fixture.server.admin.patch(path, { is_active: true })
  }
})

test('[A3.19] over SSH a terminal waits too; what has no terminal is refused with the reason, files as well', async () => {
  await rule()
  const plain = await fixture.ssh(fixture.direct, 'echo in')
  expect(plain.code).toBe(255)
  expect(plain.stderr).toMatch(/review|confirm/i)
  const inTerminal = fixture.ssh(fixture.direct, 'echo in', { options: ['-tt'] })
  await expect.poll(async () => (await tickets()).filter(({ state }) => state === 'open').length).toBe(1)
  await decide('approve')
  expect((await inTerminal).stdout.toString()).toContain('in')
})

test.each([
  [{ users: { username_group: ['somebody', 'walker'] } }, true],
  [{ users: { username_group: ['walk*'] } }, false],
  [{ users: { username_group: ['Walker'] } }, false],
  [{ assets: { hostname_group: ['web-1'] } }, true],
  [{ assets: { hostname_group: ['web-2'] } }, false],
  [{ assets: { ip_group: ['127.0.0.0/8'] } }, true],
  [{ assets: { ip_group: ['10.0.0.0/8'] } }, false],
  [{ system_users: { name_group: ['root by key'] } }, true],
  [{ system_users: { name_group: ['root'] } }, false],
  [{ system_users: { protocol_group: ['ssh'] } }, true],
  [{ system_users: { protocol_group: ['rdp'] } }, false],
  [{ is_active: false }, false],
])('[A3.19] the check of gateways: rule %j applies: %s', async (more, applies) => {
  await rule(more)
  const { status, body } = await check()
  expect([status, body.need_confirm]).toEqual([200, applies])
})

const check = (more: object = {}) =>
  fixture.server.call('POST', '/api/v1/acls/login-asset/check/', {
    headers: component,
    body: {
      user_id: fixture.person.id,
      asset_id: fixture.asset,
      system_user_id: fixture.systemUser,
      system_user_username: '',
      ...more,
    },
  })

test('[A3.18 A3.19] the rule with the smallest priority asks; among equals the one changed last, then by name', async () => {
  const { admin, aPerson } = fixture.server
  const other = await aPerson('other-reviewer')
  const asks = async () => (await check()).body.reviewers
  await rule({ name: 'b', priority: 60 })
  await rule({ name: 'a', priority: 50, reviewers: [other.id] })
  expect(await asks()).toEqual(['other-reviewer of test(other-reviewer)'])
  const rules = (await admin.get(ACLS)).body as { id: string; name: string }[]
  const idOf = (name: string) => rules.find((one) => one.name === name)?.id
  await admin.patch(`${ACLS}${idOf('b')}/`, { priority: 49 })
  expect(await asks()).toEqual(['reviewer of test(reviewer)'])
  await admin.patch(`${ACLS}${idOf('b')}/`, { priority: 50 })
  expect(await asks()).toEqual(['reviewer of test(reviewer)'])
  await admin.patch(`${ACLS}${idOf('a')}/`, { comment: 'changed last' })
  expect(await asks()).toEqual(['other-reviewer of test(other-reviewer)'])
  // Changed in the same moment, they count by their names.
  await admin.patch(`${ACLS}${idOf('b')}/`, { comment: 'changed last' })
  await fixture.server.kernel.pool.query('UPDATE acls_login_asset_acl SET date_updated = now()')
  expect(await asks()).toEqual(['other-reviewer of test(other-reviewer)'])
})

test('[A3.19 A6.32] a rule of another organization asks for nothing here', async () => {
  const { admin, anOrg, aPerson } = fixture.server
  const org = await anOrg('next door')
  const theirs = await aPerson('reviewer-next-door', { org })
  const made = await admin
    .in(org)
    .post(ACLS, { name: 'all', users: {}, system_users: {}, assets: {}, reviewers: [theirs.id] })
  expect(made.status).toBe(201)
  expect((await check()).body.need_confirm).toBe(false)
  // Reviewers of other organizations are left out, and nobody can tell that they exist.
  const reviewedBy = (reviewers: string[]) =>
    admin.post(ACLS, { name: crypto.randomUUID(), users: {}, system_users: {}, assets: {}, reviewers })
  const nobody = crypto.randomUUID()
  expect((await reviewedBy([theirs.id, reviewer.id, nobody])).body.reviewers).toEqual([reviewer.id])
  for (const stranger of [theirs.id, nobody])
    expect((await reviewedBy([stranger])).body).toEqual({
      reviewers: ['None of the reviewers belongs to this organization'],
    })
  for (const name of [theirs.username, 'nobody'])
    expect((await reviewedBy([reviewer.id, name])).body).toEqual({
      reviewers: [[], [`Invalid pk "${name}" - object does not exist.`]],
    })
})

test('[A3.19] a rule whose reviewers are all gone still holds: nobody can confirm, and nobody connects', async () => {
  const gone = await fixture.server.aPerson('gone-reviewer')
  await rule({ reviewers: [gone.id] })
  expect((await fixture.server.admin.delete(`/api/v1/users/users/${gone.id}/`)).status).toBe(204)
  expect((await check()).body).toMatchObject({ need_confirm: true, reviewers: [] })
  const terminal = await fixture.open(fixture.person)
  await terminal.see('must be confirmed')
  expect(terminal.session).toBeUndefined()
  terminal.close()
  await terminal.closed
})

test('[A6.21] rules go on being enforced and tickets decided when the license has ended, while nobody changes a rule', async () => {
  await rule()
  const { admin, kernel } = fixture.server
  const ended = issueLicense(privateKey, { corporation: 'Harbour Ltd', days: -3 })
  const rules = async () => (await admin.get(ACLS)).body?.code
  await kernel.pool.query('INSERT INTO xpack_license (document) VALUES ($1)', [ended])
  try {
    await kernel.events.publish('license.changed', {})
    await expect.poll(rules).toBe('license_required')
    expect((await check()).body.need_confirm).toBe(true)
    await kernel.pool.query('DELETE FROM tickets_ticket')
    const terminal = await fixture.open(fixture.person)
    await waits(terminal)
    expect(terminal.session).toBeUndefined()
    await decide('approve')
    await terminal.see(/[#$]/)
    terminal.close()
  } finally {
    await kernel.pool.query('DELETE FROM xpack_license')
    await kernel.events.publish('license.changed', {})
    await expect.poll(rules).toBeUndefined()
  }
})

test('[A3.19] a gateway of its own asks, polls and gives up by the addresses it was given', async () => {
  await rule()
  const { body } = await check()
  expect(body).toMatchObject({
    need_confirm: true,
    check_confirm_status: { method: 'GET', url: `/api/v1/acls/login-asset-confirm/${body.ticket_id}/status/` },
    close_confirm: { method: 'DELETE' },
    reviewers: ['reviewer of test(reviewer)'],
  })
  const call = (method: string) => fixture.server.call(method, body.check_confirm_status.url, { headers: component })
  expect((await call('GET')).body).toEqual({ status: 'await', action: 'open', processor: '' })
  expect((await call('DELETE')).body).toEqual({ status: 'rejected', action: 'closed', processor: '' })
  await check()
  const [ticket] = (await tickets()).filter(({ state }) => state === 'open')
  await reviewer.put(`${TICKETS}${ticket?.id}/approve/`)
  const { body: approved } = await fixture.server.call(
    'GET',
    `/api/v1/acls/login-asset-confirm/${ticket?.id}/status/`,
    {
      headers: component,
    },
  )
  expect(approved).toEqual({ status: 'approved', action: 'approved', processor: 'reviewer of test(reviewer)' })
  expect((await reviewer.get(body.check_confirm_status.url)).status).toBe(403)
})

test('[A3.19] by the addresses of connections a gateway neither reads nor withdraws a ticket of another kind', async () => {
  const signIn = await openConfirmation(fixture.server.kernel, {
    type: 'login_confirm',
    title: 'Login confirm',
    orgId: DEFAULT_ORG_ID,
    applicant: { id: fixture.person.id, display: 'walker of test(walker)' },
    meta: { apply_login_ip: '127.0.0.1' },
    assignees: [reviewer.id],
    waiting: () => [],
  })
  for (const method of ['GET', 'DELETE']) {
    const address = `/api/v1/acls/login-asset-confirm/${signIn.id}/status/`
    expect((await fixture.server.call(method, address, { headers: component })).status).toBe(404)
  }
  expect((await reviewer.get(`${TICKETS}${signIn.id}/`)).body.state).toBe('open')
})

test('[A3.19] rules compare the user name that was typed where none is stored, the stored one, or the person’s own', async () => {
  const systemUser = (name: string, more: object) =>
    fixture.created('/api/v1/assets/system-users/', { name, protocol: 'ssh', auto_push: false, ...more })
  const manual = { login_mode: 'manual', username: '' }
  const asked = await systemUser('asked', manual)
  const stored = await systemUser('stored', { ...manual, username: 'backup' })
  const own = await systemUser('own', { username_same_with_user: true })
  const asks = async (system_user_id: string, ...typed: string[]) => {
    const [system_user_username] = typed
    return (await check({ system_user_id, system_user_username })).body.need_confirm
  }
  await rule({ system_users: { username_group: ['root'] } })
  expect([await asks(asked, 'root'), await asks(asked, 'other'), await asks(asked)]).toEqual([true, false, false])
  expect([await asks(stored, 'root'), await asks(own, 'root')]).toEqual([false, false])
  await rule({ system_users: { username_group: ['walker', 'backup'] } })
  expect([await asks(stored, 'root'), await asks(own, 'root')]).toEqual([true, true])
  const { status, body } = await check({ system_user_id: asked, system_user_username: '' })
  expect([status, body]).toEqual([400, { system_user_username: ['This field is required.'] }])
  expect((await check({ system_user_id: stored, system_user_username: '' })).body.need_confirm).toBe(true)
})

test('[A3.19] unknown ids are reported under their field', async () => {
  for (const key of ['user_id', 'asset_id', 'system_user_id']) {
    for (const value of ['00000000-0000-4000-8000-000000000001', 'x', '']) {
      const { status, body } = await check({ [key]: value })
      expect([status, Object.keys(body)]).toEqual([400, [key]])
    }
  }
})

test('[A3.19 A6.32] a system user of another organization than the asset is unknown', async () => {
  const { admin, anOrg } = fixture.server
  const theirs = await admin
    .in(await anOrg('over there'))
    .post('/api/v1/assets/system-users/', { name: 'theirs', protocol: 'ssh', username: 'root', auto_push: false })
  expect(theirs.status).toBe(201)
  const { status, body } = await check({ system_user_id: theirs.body.id })
  expect([status, Object.keys(body)]).toEqual([400, ['system_user_id']])
})

test('[A3.19] reviewers must belong to the organization; others are dropped without a word; protocols are checked', async () => {
  const elsewhere = await fixture.server.anOrg('Elsewhere')
  const stranger = await fixture.server.aPerson('stranger', { org: elsewhere })
  const draft = { name: 'one', users: {}, system_users: {}, assets: {} }
  const { admin } = fixture.server
  for (const reviewers of [[], [stranger.id]]) {
    const { status, body } = await admin.post(ACLS, { ...draft, reviewers })
    expect([status, Object.keys(body)]).toEqual([400, ['reviewers']])
  }
  const made = await admin.post(ACLS, { ...draft, reviewers: [stranger.id, reviewer.id] })
  expect([made.status, made.body.reviewers, made.body.assets]).toEqual([
    201,
    [reviewer.id],
    { ip_group: ['*'], hostname_group: ['*'] },
  ])
  const odd = await admin.post(ACLS, {
    ...draft,
    name: 'two',
    reviewers: [reviewer.id],
    system_users: { protocol_group: ['ssh', 'gopher'] },
  })
  expect([odd.status, JSON.stringify(odd.body)]).toEqual([400, expect.stringContaining('gopher')])
})
