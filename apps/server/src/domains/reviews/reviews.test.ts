import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  ANN,
  admin,
  as,
  auditor,
  BOB,
  bob,
  type DomainServer,
  openDomainServer,
  otherAdmin,
} from '../../../test/domain-server.ts'
import { PreparingClient } from '../../kernel/database/preparing-client.ts'
import { publicRootKey } from '../audits/root-key.ts'
import { carryOn } from './carry-on.ts'
import { followReviews, remindOfReviews } from './clock.ts'
import { registerReviews } from './index.ts'
import { askedPeople } from './visibility.ts'

const REVIEWS = '/api/v1/reviews/access-reviews/'
const LINES = '/api/v1/reviews/access-review-lines/'
const CARL = '44444444-4444-4444-8444-444444444444'
const DORA = '55555555-5555-4555-8555-555555555555'
const carl = as({ user: CARL, orgRoles: ['User'] })
const asBob = { ...bob, 'x-test-org-roles': 'User' }

const VERIFIER = fileURLToPath(new URL('../../../../../deploy/audit/verify-audits.mjs', import.meta.url))

let server: DomainServer
const ids: Record<string, string> = {}

beforeAll(async () => {
  server = await openDomainServer(registerReviews)
  const { make, call, pool } = server
  for (const [id, name] of [
    [CARL, 'carl'],
    [DORA, 'dora'],
  ]) {
    await pool.query(
      "INSERT INTO users_user (id, username, name, email) VALUES ($1, $2, initcap($2), $2 || '@example.com')",
      [id, name],
    )
    await pool.query('INSERT INTO orgs_member (org, "user", role) VALUES ($1, $2, \'User\')', [DEFAULT_ORG_ID, id])
  }
  const root = (await call('GET', '/api/v1/assets/nodes/')).body[0].id
  ids.web = (await call('POST', `/api/v1/assets/nodes/${root}/children/`, { value: 'Web' })).body.id
  const asset = { ip: '10.0.0.1', platform: 'Linux', protocols: ['ssh/22'] }
  ids.web1 = (await make('assets/assets', { ...asset, hostname: 'web-1', nodes: [ids.web] })).id
  ids.db1 = (await make('assets/assets', { ...asset, hostname: 'db-1', nodes: [root] })).id
  ids.root = (
    await make('assets/system-users', { name: 'root', username: 'root', protocol: 'ssh', login_mode: 'manual' })
  ).id
  ids.group = (await make('users/groups', { name: 'Operators', users: [CARL, DORA] })).id
  ids.permission = (
    await make('perms/asset-permissions', {
      name: 'web',
      users: [BOB, CARL],
      user_groups: [ids.group],
      nodes: [ids.web],
      system_users: [ids.root],
      actions: ['connect', 'upload_file'],
    })
  ).id
  ids.database = (
    await make('perms/asset-permissions', {
      name: 'database',
      users: [ANN],
      assets: [ids.db1],
      system_users: [ids.root],
    })
  ).id
  await make('perms/asset-permissions', { name: 'off', is_active: false, users: [BOB], assets: [ids.db1] })
  // Dora worked on web-1 a week ago, and Carl long ago; nobody was on the database.
  for (const [user, days] of [
    [DORA, 7],
    [CARL, 200],
  ])
    await pool.query(
      `INSERT INTO terminal_session (org_id, "user", user_id, asset, asset_id, "system_user", system_user_id, date_start, is_finished)
       VALUES ($1, 'u', $2, 'a', $3, 's', $4, now() - make_interval(days => $5), true)`,
      [DEFAULT_ORG_ID, user, ids.web1, ids.root, days],
    )
})
afterAll(() => server?.close())

const linesOf = async (review: string, headers = admin, query = '') =>
  (await server.call('GET', `${LINES}?review=${review}${query}`, undefined, headers)).body as {
    id: string
    subject_name: string
    permission_name: string
    uses: number
    [field: string]: unknown
  }[]
/** Carries on all reviews that begin or end, as a worker does: this server is none. */
async function work(): Promise<void> {
  const { rows } = await server.pool.query(
    "SELECT r.id FROM reviews_access_review r JOIN kernel_job j ON j.id = r.job AND j.queue = 'reviews.carry_on'",
  )
  for (const { id } of rows) await carryOn(server.kernel, id)
}
const follow = (now?: Date) => followReviews(server.kernel, now).then(work)
const read = async (review: string) => (await server.call('GET', `${REVIEWS}${review}/`)).body
/** A review, once it has begun. */
async function begin(body: object = {}) {
  const { id } = await server.make('reviews/access-reviews', { name: 'Quarter', ...body })
  await work()
  return read(id)
}
const decide = (review: string, lines: string[], verdict: string, headers = admin, comment = '') =>
  server.call('POST', `${REVIEWS}${review}/decisions/`, { lines, verdict, comment }, headers)
/** Ends a review, and answers it as it is then. */
async function end(review: string) {
  expect((await server.call('POST', `${REVIEWS}${review}/end/`, {})).body).toMatchObject({ state: 'ending' })
  await work()
  return read(review)
}
const asked = async (review: string) =>
  (await server.db.execute<{ user_id: string; lines: number }>(askedPeople(review))).rows

test('a review lists what each person and group is granted, with the last use, and not what is switched off', async () => {
  const review = await begin()
  expect(review).toMatchObject({ state: 'open', lines_amount: 4, open_amount: 4, own_amount: 4 })
  const lines = await linesOf(review.id)
  expect(lines.map(({ subject_name, permission_name, uses }) => [subject_name, permission_name, uses])).toEqual([
    ['Ann(ann)', 'database', 0],
    ['Bob(bob)', 'web', 0],
    ['Carl(carl)', 'web', 0],
    ['Operators', 'web', 1],
  ])
  expect(lines[3]).toMatchObject({
    subject_kind: 'group',
    members_amount: 2,
    nodes: ['/Default/Web'],
    system_users: ['root'],
    actions: ['connect', 'upload_file'],
    verdict: 'open',
    can_decide: true,
    changes: [],
  })
  expect(lines[0]).toMatchObject({ targets: ['db-1'], targets_amount: 1, last_use: null })
  expect(lines[2]?.last_use, 'long before the 90 days').not.toBeNull()
  expect((await linesOf(review.id, admin, '&unused=true')).length).toBe(3)
  const chosen = await begin({ asset_permissions: [ids.database] })
  expect((await linesOf(chosen.id)).map(({ permission_name }) => permission_name)).toEqual(['database'])
  for (const { id } of [review, chosen]) expect((await end(id)).state).toBe('ended')
})

test('a withdrawal takes the person out of the permission, in the operate log as by hand; a confirmation changes nothing', async () => {
  const review = await begin({ asset_permissions: [ids.permission], reviewers: [ANN] })
  const [bobs, carls, group] = await linesOf(review.id)
  expect((await decide(review.id, [String(bobs?.id)], 'withdraw', admin, 'left the team')).body).toEqual({
    confirmed: 0,
    withdrawn: 1,
    gone: 0,
  })
  expect((await decide(review.id, [String(group?.id)], 'confirm')).body).toEqual({
    confirmed: 1,
    withdrawn: 0,
    gone: 0,
  })
  const permission = (await server.call('GET', `/api/v1/perms/asset-permissions/${ids.permission}/`)).body
  expect(permission).toMatchObject({ users: [CARL], user_groups: [ids.group] })
  const { rows } = await server.pool.query(
    'SELECT resource FROM audits_operate_log WHERE object_id = ANY($1) ORDER BY id DESC LIMIT 3',
    [[ids.permission, review.id]],
  )
  expect(rows.map(({ resource }) => resource)).toEqual([
    'Quarter: Operators, web',
    'Quarter: Bob(bob), web',
    'web REMOVE Bob',
  ])
  const { rows: kept } = await server.pool.query(
    `SELECT r.table_name FROM audits_operate_log o JOIN kernel_undo_log k ON k.log = o.id
     JOIN kernel_undo_row r ON r.change = k.change WHERE o.resource = 'web REMOVE Bob'`,
  )
  expect(kept, 'it can be taken back').toEqual([{ table_name: 'perms_permission_user' }])
  // Somebody else takes Carl out meanwhile, and changes what the permission gives.
  await server.call('PATCH', `/api/v1/perms/asset-permissions/${ids.permission}/`, { users: [], actions: ['connect'] })
  const [, changed, other] = await linesOf(review.id)
  expect([changed?.changes, other?.changes]).toEqual([['gone'], ['actions']])
  expect(other?.actions, 'as it was').toEqual(['connect', 'upload_file'])
  expect((await decide(review.id, [String(carls?.id)], 'confirm')).body).toEqual({
    confirmed: 0,
    withdrawn: 0,
    gone: 1,
  })
  const again = await decide(review.id, [String(bobs?.id)], 'confirm')
  expect([again.status, again.body.lines]).toEqual([400, ['A grant among these was withdrawn already.']])
  expect((await server.call('DELETE', `${REVIEWS}${review.id}/`)).body.code).toBe('review_begun')
  expect((await server.call('PATCH', `${REVIEWS}${review.id}/`, { asset_permissions: [] })).status).toBe(400)
  expect(
    (await server.call('PUT', `${REVIEWS}${review.id}/`, { name: 'Quarter', date_end: review.date_end })).status,
  ).toBe(200)
  await end(review.id)
  expect((await decide(review.id, [String(group?.id)], 'withdraw')).body.code).toBe('review_not_open')
  await server.call('PATCH', `/api/v1/perms/asset-permissions/${ids.permission}/`, {
    users: [BOB, CARL],
    actions: ['connect', 'upload_file'],
  })
})

test('reviewers see and decide their lines alone, nobody confirms their own access, and other organizations learn nothing', async () => {
  const review = await begin({ reviewers: [BOB], asset_permissions: [ids.permission] })
  expect(await asked(review.id)).toEqual([{ user_id: BOB, lines: 3 }])
  const lines = await linesOf(review.id, asBob)
  expect(lines).toHaveLength(3)
  const [own, carls] = lines.map(({ id }) => id)
  expect((await decide(review.id, [String(own)], 'confirm', asBob)).status).toBe(403)
  // Carl's line goes to Carl, who is then asked about it alone.
  const handed = await server.call('POST', `${REVIEWS}${review.id}/assignments/`, { lines: [own], reviewer: CARL })
  expect(handed.body).toEqual({ lines: 1 })
  expect(await asked(review.id)).toEqual(
    expect.arrayContaining([
      { user_id: BOB, lines: 2 },
      { user_id: CARL, lines: 1 },
    ]),
  )
  expect((await linesOf(review.id, carl)).map(({ id }) => id)).toEqual([own])
  expect((await server.call('GET', `${REVIEWS}${review.id}/`, undefined, carl)).body).toMatchObject({
    lines_amount: 1,
    own_amount: 1,
  })
  expect((await decide(review.id, [String(carls)], 'withdraw', carl)).status).toBe(400)
  expect((await decide(review.id, [String(own)], 'confirm', carl)).status).toBe(200)
  expect((await server.call('POST', `${REVIEWS}${review.id}/end/`, {}, carl)).status).toBe(403)
  expect((await server.call('GET', `${REVIEWS}${review.id}/record/`, undefined, asBob)).status).toBe(403)
  const dora = as({ user: DORA, orgRoles: ['User'] })
  expect((await server.call('GET', `${REVIEWS}${review.id}/`, undefined, dora)).status).toBe(404)
  expect(await linesOf(review.id, dora)).toEqual([])
  for (const path of ['decisions', 'assignments', 'end'])
    expect(
      (
        await server.call(
          'POST',
          `${REVIEWS}${review.id}/${path}/`,
          { lines: [own], verdict: 'confirm', reviewer: null },
          otherAdmin,
        )
      ).status,
    ).toBe(404)
  expect(await linesOf(review.id, otherAdmin)).toEqual([])
  expect((await decide(review.id, [], 'confirm')).status).toBe(400)
  await end(review.id)
})

test('at the end by the clock, undecided grants are kept or withdrawn, and the record is signed and in the operate log', async () => {
  const review = await begin({
    undecided: 'withdraw',
    asset_permissions: [ids.permission],
    date_end: inDays(20),
    months: 1,
  })
  const [bobs] = await linesOf(review.id)
  await decide(review.id, [String(bobs?.id)], 'confirm', admin, 'still on call')
  await follow(new Date(Date.now() + 21 * 86_400_000))
  expect((await linesOf(review.id)).map(({ verdict }) => verdict)).toEqual(['confirmed', 'lapsed', 'lapsed'])
  const permission = (await server.call('GET', `/api/v1/perms/asset-permissions/${ids.permission}/`)).body
  expect(permission).toMatchObject({ users: [BOB], user_groups: [] })
  const ended = (await server.call('GET', `${REVIEWS}${review.id}/`, undefined, auditor)).body
  expect(ended).toMatchObject({ state: 'ended', open_amount: 0, confirmed_amount: 1, withdrawn_amount: 2 })
  const { body, signature } = (await server.call('GET', `${REVIEWS}${review.id}/record/`, undefined, auditor)).body
  expect(createHash('sha256').update(body).digest('hex')).toBe(ended.sha256)
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-review-'))
  await writeFile(join(folder, 'key.pem'), await publicRootKey(server.kernel))
  const verified = async (text: string) => {
    await writeFile(join(folder, 'review.json'), JSON.stringify({ body: text, signature }))
    const { status, stdout } = spawnSync(process.execPath, [VERIFIER, 'review', '--key', 'key.pem', 'review.json'], {
      cwd: folder,
      encoding: 'utf8',
    })
    return [status, stdout.trim()]
  }
  expect(await verified(body)).toEqual([0, `review.json: holds, SHA-256 ${ended.sha256}`])
  expect(await verified(body.replace('lapsed', 'confirmed'))).toEqual([
    1,
    'review.json: was changed, or signed with another key',
  ])
  await rm(folder, { recursive: true })
  expect(JSON.parse(body)).toMatchObject({
    name: 'Quarter',
    author: 'Ann(ann)',
    totals: { confirmed: 1, lapsed: 2 },
    lines: [
      { subject_name: 'Bob(bob)', verdict: 'confirmed', decided_by: 'Ann(ann)', comment: 'still on call' },
      {},
      {},
    ],
  })
  const { rows } = await server.pool.query(
    `SELECT changes FROM audits_operate_log WHERE object_id = $1 AND changes::text LIKE '%sha256%' AND "user" = 'Ann(ann)'`,
    [review.id],
  )
  expect(rows[0].changes).toContainEqual({ field: 'sha256', before: '', after: ended.sha256 })
  // A month after the start the next one begins, over what is granted then.
  const followed = async () => (await server.call('GET', `${REVIEWS}?state=open`)).body as { id: string }[]
  expect(await followed()).toEqual([])
  await server.pool.query(
    "UPDATE reviews_access_review SET date_start = now() - interval '1 month 1 day', date_end = now() - interval '1 day' WHERE id = $1",
    [review.id],
  )
  await follow()
  const [next] = await followed()
  expect(next).toMatchObject({ name: 'Quarter', months: 1, lines_amount: 1, asset_permissions: [ids.permission] })
  await follow()
  expect(await followed()).toHaveLength(1)
  await server.call('PATCH', `${REVIEWS}${next?.id}/`, { months: 0, undecided: 'keep' })
  await end(String(next?.id))
  expect((await linesOf(String(next?.id))).map(({ verdict }) => verdict)).toEqual(['kept'])
})

test('a review that is planned begins at its time, with the creators of permissions as reviewers, and may be deleted before', async () => {
  const planned = await begin({ date_start: inDays(2), date_end: inDays(9), decided_by: 'creators', reviewers: [BOB] })
  expect(planned).toMatchObject({ state: 'planned', lines_amount: 0 })
  await follow()
  expect((await server.call('GET', `${REVIEWS}${planned.id}/`)).body.state).toBe('planned')
  await follow(new Date(Date.now() + 3 * 86_400_000))
  expect((await server.call('GET', `${REVIEWS}${planned.id}/`)).body).toMatchObject({ state: 'open', lines_amount: 2 })
  expect(await asked(planned.id), 'Ann made both permissions').toEqual([{ user_id: ANN, lines: 2 }])
  // Messages: Bob is asked about nothing here, and Ann is reminded a day before the end.
  await remindOfReviews(server.kernel, new Date(new Date(planned.date_end).getTime() - 5 * 86_400_000))
  await remindOfReviews(server.kernel, new Date(new Date(planned.date_end).getTime() - 86_400_000 / 2))
  const { rows } = await server.pool.query(
    `SELECT r.user_id, m.subject FROM notifications_site_message m JOIN notifications_recipient r ON r.message_id = m.id
     WHERE m.message LIKE '%' || $1 || '%' ORDER BY m.id`,
    [planned.id],
  )
  expect(rows).toEqual([
    { user_id: ANN, subject: 'You are asked to review access: Quarter' },
    { user_id: ANN, subject: expect.stringContaining('Access review Quarter: ') },
  ])
  await end(planned.id)
  const other = await begin({ date_start: inDays(2), date_end: inDays(9) })
  expect((await server.call('DELETE', `${REVIEWS}${other.id}/`)).status).toBe(204)
  for (const [body, field] of [
    [{ date_start: inDays(3), date_end: inDays(2) }, 'date_end'],
    [{ date_end: inDays(40), months: 1 }, 'date_end'],
    [{ date_end: inDays(-1), date_start: inDays(-2) }, 'date_end'],
  ] as const) {
    const { status, body: answer } = await server.call('POST', REVIEWS, { name: 'x', ...body })
    expect([status, Object.keys(answer)]).toEqual([400, [field]])
  }
})

test('a review begins and ends in the background; what a worker left half done is taken up by the clock', async () => {
  const { id, state, lines_amount } = await server.make('reviews/access-reviews', { name: 'Large' })
  expect([state, lines_amount]).toEqual(['beginning', 0])
  expect((await decide(id, [ids.web ?? ''], 'confirm')).body.code, 'nothing can be decided yet').toBe('review_not_open')
  expect((await server.call('DELETE', `${REVIEWS}${id}/`)).status).toBe(400)
  // The job is lost with its node: the clock sends another.
  await server.pool.query("UPDATE kernel_job SET state = 'failed' WHERE queue = 'reviews.carry_on'")
  await follow()
  expect(await read(id)).toMatchObject({ state: 'open', open_amount: expect.toSatisfy((amount) => amount > 0) })
  expect((await server.call('POST', `${REVIEWS}${id}/end/`, {})).body).toMatchObject({ state: 'ending', sha256: '' })
  expect((await server.call('POST', `${REVIEWS}${id}/end/`, {})).body.code, 'once is enough').toBe('review_not_open')
  await work()
  await work()
  expect(await read(id)).toMatchObject({ state: 'ended', sha256: expect.stringMatching(/^[\da-f]{64}$/) })
})

test('to withdraw many grants of many permissions takes no more statements than to withdraw a few', async () => {
  const people = await server.pool.query(
    `INSERT INTO users_user (username, name, email) SELECT 'm' || n, 'M' || n, 'm' || n || '@example.com'
     FROM generate_series(1, 12) n RETURNING id`,
  )
  await server.pool.query(
    `INSERT INTO orgs_member (org, "user", role) SELECT $1, id, 'User' FROM users_user WHERE username ~ '^m[0-9]+$'`,
    [DEFAULT_ORG_ID],
  )
  const granted = async (amount: number) => {
    const permissions = []
    for (let at = 0; at < amount; at++)
      permissions.push(
        (
          await server.make('perms/asset-permissions', {
            name: `many ${amount} ${at}`,
            users: people.rows.slice(0, amount).map((row) => row.id),
            user_groups: [ids.group],
            assets: [ids.db1],
            system_users: [ids.root],
          })
        ).id,
      )
    return permissions
  }
  const statements: number[] = []
  const query = vi.spyOn(PreparingClient.prototype, 'query')
  for (const amount of [3, 12]) {
    const review = await begin({ asset_permissions: await granted(amount), undecided: 'withdraw' })
    expect(review.lines_amount).toBe(amount * (amount + 1))
    const before = query.mock.calls.length
    expect((await end(review.id)).withdrawn_amount).toBe(amount * (amount + 1))
    statements.push(query.mock.calls.length - before)
  }
  query.mockRestore()
  expect(statements[1]).toBe(statements[0])
})

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
