/** Applications as targets: everything about grants and sessions works for them as for assets. */
import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import type { Target } from '@sallyport/contract/target.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askForTarget, registerAcls, targetReviewers } from '../src/domains/acls/index.ts'
import { applicationsListedApplication } from '../src/domains/applications/index.ts'
import { removeMembers } from '../src/domains/orgs/index.ts'
import { isGranted, loadGrants } from '../src/domains/perms/grants.ts'
import { mayConnect, usableSystemUsers } from '../src/domains/perms/index.ts'
import { countLiveSessions, createSession } from '../src/domains/terminal/index.ts'
import { registerTickets } from '../src/domains/tickets/index.ts'
import { ANN, admin, as, BOB, type DomainServer, openDomainServer, superAdmin } from './domain-server.ts'

const PERMISSIONS = '/api/v1/perms/application-permissions/'
const OWNER = 'applicationpermission'

let server: DomainServer
let target: Target
let systemUserId: string
const theirs = '11111111-1111-4111-8111-111111111111'

beforeAll(async () => {
  server = await openDomainServer((kernel) => {
    registerTickets(kernel)
    registerAcls(kernel)
  })
  const { id } = await mysql('gold')
  target = { family: 'application', id }
  const identity = { username: 'keeper', login_mode: 'auto', auto_push: false }
  systemUserId = (await server.make('assets/system-users', { name: 'keeper', protocol: 'mysql', ...identity })).id
})
afterAll(() => server?.close())

const mysql = (name: string) =>
  server.make('applications/applications', {
    name,
    category: 'db',
    type: 'mysql',
    attrs: { host: '10.0.0.8', database: name },
  })
const question = () => ({ userId: BOB, target, systemUserId })
const granted = async () => {
  const grants = await loadGrants(server.db, { family: 'application', subject: { userId: BOB }, orgId: undefined })
  const rows = await server.db
    .select({ id: applicationsListedApplication.id })
    .from(applicationsListedApplication)
    .where(isGranted(grants, applicationsListedApplication))
  return rows.map((row) => row.id)
}

test('the permission question, the granted list and the usable system users follow a permission of the family', async () => {
  expect(await mayConnect(server.db, question())).toMatchObject({ allowed: false, mask: 0 })
  expect(await granted()).toEqual([])
  const permission = await server.make('perms/application-permissions', {
    name: 'everyday',
    category: 'db',
    type: 'mysql',
    users: [BOB],
    applications: [target.id],
    system_users: [systemUserId],
    actions: ['connect', 'download_file'],
  })
  expect(permission).toMatchObject({ applications: [target.id], users: [BOB], is_valid: true })
  expect(await mayConnect(server.db, question())).toMatchObject({ allowed: true, mask: 5 })
  // The same id as that of an asset, which nobody granted.
  expect(await mayConnect(server.db, { ...question(), target: { ...target, family: 'asset' } })).toMatchObject({
    allowed: false,
    mask: 0,
  })
  expect(await granted()).toEqual([target.id])
  const whose = { subject: { userId: BOB }, orgId: undefined }
  expect(await usableSystemUsers(server.db, whose, target)).toMatchObject([{ id: systemUserId, mask: 5 }])

  const asked = `${PERMISSIONS}user/validate/?user_id=${BOB}&application_id=${target.id}&system_user_id=${systemUserId}`
  expect((await server.call('GET', asked)).body).toMatchObject({
    has_permission: true,
    actions: ['connect', 'download_file'],
  })
  const { id: other } = await server.make('assets/system-users', {
    name: 'redis keeper',
    username: 'keeper',
    protocol: 'redis',
    login_mode: 'auto',
    auto_push: false,
  })
  // It is granted as well, and does not fit.
  await server.call('PATCH', `${PERMISSIONS}${permission.id}/`, { system_users: [systemUserId, other] })
  expect(await usableSystemUsers(server.db, whose, target)).toMatchObject([{ id: systemUserId }])
  expect((await server.call('GET', asked.replace(systemUserId, other))).status).toBe(403)
})

test('permissions of the two families do not see each other', async () => {
  const { id: asset } = await server.make('assets/assets', {
    hostname: 'web',
    ip: '10.0.0.1',
    platform: 'Linux',
    protocols: ['ssh/22'],
  })
  // The name is taken in the other family only.
  const [root] = (await server.call('GET', '/api/v1/assets/nodes/')).body
  // All assets of the organization, and not one application.
  const { id } = await server.make('perms/asset-permissions', {
    name: 'everyday',
    users: [BOB],
    assets: [asset],
    nodes: [root.id],
  })
  await mysql('ungranted')
  const names = async (path: string) => (await server.call('GET', path)).body.map((row: { id: string }) => row.id)
  expect(await names('/api/v1/perms/asset-permissions/')).toEqual([id])
  expect(await names(PERMISSIONS)).not.toContain(id)
  expect((await server.call('GET', `${PERMISSIONS}${id}/`)).status).toBe(404)
  expect((await server.call('GET', '/api/v1/perms/asset-permissions-users-relations/')).body).toMatchObject([
    { assetpermission: id, user: BOB },
  ])
  expect((await server.call('GET', '/api/v1/perms/application-permissions-users-relations/')).body).toHaveLength(1)
  expect(await granted()).toEqual([target.id])
  const again = await server.call('POST', PERMISSIONS, { name: 'everyday', category: 'db', type: 'mysql' })
  expect([again.status, again.body]).toEqual([400, { name: ['This field must be unique.'] }])
})

test('a pair of the family is written one at a time, once, and in its organization only', async () => {
  const [{ id }] = (await server.call('GET', PERMISSIONS)).body
  const path = '/api/v1/perms/application-permissions-applications-relations/'
  const twice = await server.call('POST', path, { [OWNER]: id, application: target.id })
  expect([twice.status, Object.keys(twice.body).sort()]).toEqual([400, ['application', OWNER]])
  const foreign =
    "INSERT INTO applications_application (org_id, name, category, type) VALUES ($1, $2, 'db', 'mysql') RETURNING id"
  const { rows } = await server.pool.query(foreign, [theirs, 'theirs'])
  expect((await server.call('POST', path, { [OWNER]: id, application: rows[0].id })).status).toBe(400)
  const past = 'INSERT INTO perms_permission_target (permission, application) VALUES ($1, $2)'
  await expect(server.pool.query(past, [id, rows[0].id])).rejects.toThrow(/organization/)
  // A pair of one family in a permission of the other.
  const [asset] = (await server.call('GET', '/api/v1/perms/asset-permissions/')).body
  await expect(server.pool.query(past, [asset.id, target.id])).rejects.toThrow(/perms_permission_target_of/)
})

test('live sessions to a target of the family are rows with its id, and count for its limit alone', async () => {
  const { db } = server
  const row = {
    org_id: DEFAULT_ORG_ID,
    user: 'Bob(bob)',
    asset: 'gold',
    system_user: 'keeper(keeper)',
    user_id: BOB,
    protocol: 'mysql',
  }
  const session = await createSession(db, { ...row, asset_id: target.id, target_family: target.family })
  expect(await countLiveSessions(db, { target })).toBe(1)
  expect(await countLiveSessions(db, { target: { ...target, family: 'asset' } })).toBe(0)
  expect((await server.call('GET', `/api/v1/terminal/sessions/${session}/`)).body).toMatchObject({
    asset: 'gold',
    asset_id: target.id,
  })
})

test('a rule of review holds for a target of the family, and asks its reviewers', async () => {
  const login = (name: string) => ({
    username: 'bob',
    target: { ...target, org_id: DEFAULT_ORG_ID, name, address: '' },
    systemUser: { name: 'keeper', username: 'keeper', protocol: 'mysql' },
  })
  await server.make('acls/login-asset-acls', {
    name: 'gold',
    users: { username_group: ['bob'] },
    assets: { hostname_group: ['gold'], ip_group: ['*'] },
    system_users: { name_group: ['*'], username_group: ['*'], protocol_group: ['*'] },
    reviewers: [ANN],
  })
  expect(await targetReviewers(server.db, login('gold'))).toEqual([ANN])
  expect(await targetReviewers(server.db, login('silver'))).toEqual([])
  const ticket = await askForTarget(server.kernel, { id: BOB, name: 'Bob', username: 'bob' }, login('gold'))
  expect(ticket?.meta).toMatchObject({ apply_login_asset: 'gold' })
})

test('a ticket applies for targets of the family, and its approval grants them', async () => {
  await server.pool.query("UPDATE users_user SET role = 'Admin' WHERE id = $1", [ANN])
  const { id: silver } = await mysql('silver')
  const wanted = {
    title: 'silver',
    type: 'apply_application',
    org_id: DEFAULT_ORG_ID,
    meta: {
      apply_category: 'db',
      apply_type: 'mysql',
      apply_applications: [silver],
      apply_system_users: [systemUserId],
      apply_date_start: '2026-01-02 03:04:05',
      apply_date_expired: '2096-01-02 03:04:05',
    },
  }
  const open = (body: object) =>
    server.call('POST', '/api/v1/tickets/tickets/open/?type=apply_application', body, as({ user: BOB }))
  const nothing = await open({ ...wanted, meta: { ...wanted.meta, apply_applications: [theirs] } })
  expect([nothing.status, nothing.body]).toEqual([400, { meta: { apply_applications: expect.any(Array) } }])
  for (const [field, value] of [
    ['apply_category', 'cloud'],
    ['apply_type', 'no-such-type'],
  ] as const) {
    const { status, body } = await open({ ...wanted, meta: { ...wanted.meta, [field]: value } })
    expect([status, Object.keys(body.meta ?? {})]).toEqual([400, [field]])
  }
  // A target of another type is left out of the request.
  const { id: other } = await server.make('applications/applications', {
    name: 'bronze',
    category: 'db',
    type: 'redis',
    attrs: { host: 'bronze.test', database: 'bronze' },
  })
  const ticket = await open({ ...wanted, meta: { ...wanted.meta, apply_applications: [silver, other] } })
  expect([ticket.status, ticket.body.meta]).toMatchObject([
    201,
    { apply_applications: [silver], apply_applications_display: ['silver(mysql)'], apply_type_display: 'MySQL' },
  ])
  const silverQuestion = { ...question(), target: { family: 'application' as const, id: silver } }
  expect((await mayConnect(server.db, silverQuestion)).allowed).toBe(false)
  const approved = await server.call('PUT', `/api/v1/tickets/tickets/${ticket.body.id}/approve/`, {}, superAdmin)
  expect([approved.status, approved.body.state]).toEqual([200, 'approved'])
  expect((await mayConnect(server.db, silverQuestion)).allowed).toBe(true)
  expect((await server.call('GET', `${PERMISSIONS}${ticket.body.id}/`)).body).toMatchObject({
    from_ticket: true,
    applications: [silver],
  })
})

test('a person who leaves the organization, and a deleted target, lose their grants', async () => {
  await server.call('DELETE', `/api/v1/applications/applications/${target.id}/`, undefined, admin)
  expect(await granted()).not.toContain(target.id)
  expect(await granted()).toHaveLength(1)
  await server.db.transaction((db) => removeMembers(db, [BOB], DEFAULT_ORG_ID))
  const { rows } = await server.pool.query('SELECT 1 FROM perms_permission_user WHERE "user" = $1', [BOB])
  expect(rows).toEqual([])
})
