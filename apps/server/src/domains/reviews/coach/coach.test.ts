import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import type { AccessProposal } from '@sallyport/contract/resources/reviews/access-proposal.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  ANN,
  admin,
  auditor,
  BOB,
  bob,
  type DomainServer,
  openDomainServer,
  otherAdmin,
  superAdmin,
} from '../../../../test/domain-server.ts'
import { registerReviews } from '../index.ts'
import { makeSuggestions } from '../sample.ts'
import { lookAround, lookEverywhere } from './look.ts'

const PROPOSALS = '/api/v1/reviews/proposals/'
const PERMISSIONS = '/api/v1/perms/asset-permissions/'

let server: DomainServer
const ids: Record<string, string> = {}

/** A permission as old as the window wants it, with sessions so many days ago. */
async function grant(name: string, body: object, days: readonly number[] = []): Promise<void> {
  const { make, pool } = server
  ids[name] = (
    await make('perms/asset-permissions', {
      name,
      users: [BOB],
      system_users: [ids[`${name}-user`] ?? ids.root],
      ...body,
    })
  ).id
  await pool.query(
    "UPDATE perms_permission SET date_created = now() - interval '100 days', date_start = date_created WHERE id = $1",
    [ids[name]],
  )
  await pool.query("UPDATE perms_permission SET date_start = now() - interval '100 days' WHERE id = $1", [ids[name]])
  for (const day of days)
    await pool.query(
      `INSERT INTO terminal_session (org_id, "user", user_id, asset, asset_id, "system_user", system_user_id, date_start, is_finished)
       SELECT $1, 'b', $2, 'a', asset::text, 's', $3, now() - make_interval(days => $4), true
       FROM perms_permission_target WHERE permission = $5`,
      [DEFAULT_ORG_ID, BOB, ids.root, day, ids[name]],
    )
}

beforeAll(async () => {
  server = await openDomainServer(registerReviews)
  const { make, pool } = server
  ids.root = (
    await make('assets/system-users', { name: 'root', username: 'root', protocol: 'ssh', login_mode: 'manual' })
  ).id
  for (const name of ['idle', 'busy', 'while', 'wide'])
    ids[`${name}-1`] = (
      await make('assets/assets', { hostname: `${name}-1`, ip: '10.0.0.1', platform: 'Linux', protocols: ['ssh/22'] })
    ).id
  await grant('idle', { assets: [ids['idle-1']] })
  await grant('busy', { assets: [ids['busy-1']], actions: ['connect', 'updownload'] }, [1, 40, 80])
  await grant('while', { assets: [ids['while-1']], actions: ['connect'] }, [50, 55])
  await grant('wide', { assets: [ids['wide-1']], users: [ANN, BOB], actions: ['connect'] }, [1, 80])
  await make('perms/asset-permissions', {
    name: 'young',
    users: [BOB],
    assets: [ids['idle-1']],
    system_users: [ids.root],
  })
  // Bob brought a file to the busy machine, and nobody took one from there.
  await pool.query(
    `INSERT INTO audits_ftp_log (org_id, "user", user_id, asset, asset_id, "system_user", operate, filename)
     VALUES ($1, 'b', $2, 'a', $3, 's', 'Upload', '/tmp/f')`,
    [DEFAULT_ORG_ID, BOB, ids['busy-1']],
  )
  await pool.query(
    "UPDATE users_user SET date_joined = now() - interval '200 days', last_login = now() WHERE id = $1",
    [ANN],
  )
  await pool.query(
    `INSERT INTO users_user (id, username, name, email, date_joined) VALUES ('66666666-6666-4666-8666-666666666666', 'gone', 'Gone', 'gone@example.com', now() - interval '300 days')`,
  )
  await pool.query(
    "INSERT INTO orgs_member (org, \"user\", role) VALUES ($1, '66666666-6666-4666-8666-666666666666', 'User')",
    [DEFAULT_ORG_ID],
  )
})
afterAll(() => server?.close())

const found = async (query = '?state=open') =>
  (await server.call('GET', `${PROPOSALS}${query}`)).body as AccessProposal[]
const one = async (kind: string, name: string) => {
  const all = await found('')
  const proposal = all.find((row) => row.kind === kind && row.object_name === name)
  if (!proposal) throw new Error(`${kind} ${name} is not among ${all.map((row) => `${row.kind} ${row.object_name}`)}`)
  return proposal
}
const act = (proposal: AccessProposal, word: string, body: object = {}, headers = admin) =>
  server.call('POST', `${PROPOSALS}${proposal.id}/${word}/`, body, headers)

test('before there are 90 days to go by, nothing is suggested, and the page says why', async () => {
  const look = async () => (await server.call('POST', `${PROPOSALS}look/`, {})).body
  const asked = { is_covered: false, is_looking: true, days: 90, installed_days: 0, many_people: 50, date_looked: null }
  expect(await look()).toMatchObject(asked)
  expect(await look(), 'who asks once more waits for the same').toMatchObject(asked)
  const { rows } = await server.pool.query("SELECT data FROM kernel_job WHERE queue = 'reviews.look_around'")
  expect(rows).toEqual([{ data: { org: DEFAULT_ORG_ID } }])
  await lookAround(server.kernel, DEFAULT_ORG_ID)
  expect((await server.call('GET', `${PROPOSALS}coverage/`)).body).toMatchObject({
    is_looking: false,
    date_looked: expect.any(String),
  })
  expect(await found()).toEqual([])
  // The demo shows examples instead: they stay until there is enough to go by, and the page says what they are.
  await server.pool.query('DELETE FROM reviews_look')
  await makeSuggestions({ db: server.kernel.db, call: { org: { id: DEFAULT_ORG_ID } } }, [
    {
      ...{ kind: 'idle_person', object_type: 'user', object_id: BOB, object_name: 'of the demo', change: null },
      facts: { last_seen: 0, date_joined: 0 },
    },
  ])
  const coverage = async () => (await server.call('GET', `${PROPOSALS}coverage/`)).body
  expect(await coverage()).toMatchObject({ is_covered: false, has_samples: true, date_looked: null })
  await lookAround(server.kernel, DEFAULT_ORG_ID)
  expect(await coverage()).toMatchObject({ has_samples: true })
  expect(await found()).toMatchObject([{ object_name: 'of the demo' }])
  await server.pool.query("UPDATE kernel_migration SET applied_at = now() - interval '120 days'")
  await server.call(
    'PATCH',
    '/api/v1/settings/setting/?category=security',
    { SECURITY_MANY_PEOPLE_PER_ASSET: 1 },
    superAdmin,
  )
  await lookEverywhere(server.kernel)
  expect((await server.call('GET', `${PROPOSALS}coverage/`)).body).toMatchObject({
    is_covered: true,
    has_samples: false,
    installed_days: 120,
    many_people: 1,
  })
})

test('use suggests what to take away: unused permissions and actions, rights used for a while, people who are gone, wide machines', async () => {
  expect((await found()).map(({ kind, object_name }) => [kind, object_name])).toEqual([
    ['idle_person', 'Gone(gone)'],
    ['many_people', 'wide-1'],
    ['unused_action', 'busy'],
    ['unused_permission', 'idle'],
    ['used_for_a_while', 'while'],
  ])
  expect(await one('unused_action', 'busy')).toMatchObject({
    facts: { actions: ['download_file'], uses: 3 },
    change: { resource: 'asset_permission', id: ids.busy, body: { actions: ['connect', 'upload_file'] } },
  })
  expect(await one('many_people', 'wide-1')).toMatchObject({
    facts: { people: 2, assets: 1, names: ['wide-1'], permissions: [ids.wide] },
    change: null,
  })
})

test('a suggestion is applied by the write of a change by hand, and is open again where that is taken back', async () => {
  const unused = await one('unused_permission', 'idle')
  expect((await act(unused, 'apply')).body).toMatchObject({ state: 'applied', decided_by: 'Ann(ann)' })
  const stored = async (name: string) => (await server.call('GET', `${PERMISSIONS}${ids[name]}/`)).body
  expect(await stored('idle')).toMatchObject({ is_active: false })
  const { rows } = await server.pool.query(
    `SELECT resource_type, resource FROM audits_operate_log WHERE object_id = ANY($1) ORDER BY id DESC LIMIT 2`,
    [[ids.idle, unused.id]],
  )
  expect(rows).toEqual([
    { resource_type: 'Suggestion', resource: 'idle' },
    { resource_type: 'Asset permission', resource: 'idle' },
  ])
  expect((await act(unused, 'apply')).body.code).toBe('proposal_applied')
  await act(await one('unused_action', 'busy'), 'apply')
  expect((await stored('busy')).actions).toEqual(['connect', 'upload_file'])
  await act(await one('used_for_a_while', 'while'), 'apply')
  const days = (new Date((await stored('while')).date_expired.replaceAll('/', '-')).getTime() - Date.now()) / 86_400_000
  expect(days).toBeGreaterThan(6)
  expect(days).toBeLessThan(8)
  await act(await one('idle_person', 'Gone(gone)'), 'apply')
  const { rows: people } = await server.pool.query("SELECT is_active FROM users_user WHERE username = 'gone'")
  expect(people).toEqual([{ is_active: false }])
  expect((await act(await one('many_people', 'wide-1'), 'apply')).body.code).toBe('no_change')
  await server.call('PATCH', `${PERMISSIONS}${ids.idle}/`, { is_active: true })
  await lookEverywhere(server.kernel)
  expect((await found()).map(({ kind, object_name }) => [kind, object_name])).toEqual([
    ['many_people', 'wide-1'],
    ['unused_permission', 'idle'],
  ])
})

test('a dismissed suggestion stays away with its reason until somebody wants it again, and strangers learn of none', async () => {
  const unused = await one('unused_permission', 'idle')
  expect((await act(unused, 'dismiss')).status).toBe(400)
  expect((await act(unused, 'dismiss', { reason: 'for emergencies' })).body).toMatchObject({
    state: 'dismissed',
    reason: 'for emergencies',
  })
  await lookEverywhere(server.kernel)
  expect((await one('unused_permission', 'idle')).state).toBe('dismissed')
  expect((await act(unused, 'reopen')).body).toMatchObject({ state: 'open', reason: '', date_decided: null })
  for (const headers of [auditor, bob])
    expect((await server.call('GET', PROPOSALS, undefined, headers)).status).toBe(403)
  expect((await server.call('GET', PROPOSALS, undefined, otherAdmin)).body).toEqual([])
  expect((await act(unused, 'apply', {}, otherAdmin)).status).toBe(404)
  // What holds no longer is suggested no longer.
  await server.call('DELETE', `${PERMISSIONS}${ids.idle}/`)
  await lookEverywhere(server.kernel)
  expect((await found()).map(({ kind }) => kind)).toEqual(['many_people'])
})
