import type { ResourceDefinition } from '@sallyport/contract/define.ts'
import { resources } from '@sallyport/contract/resources/all-fixture.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestBrowser } from '../browser.ts'
import { type Answer, type Caller, openTestServer, type TestServer } from '../server.ts'
import { callOf, comparable, idOfNothing, namingCalls, ownAddress } from './foreign-ids.ts'
import { makeOneOfEach, type OneOfEach, type Row } from './one-of-each.ts'

let server: TestServer
/** Administrators of two organizations that have nothing to do with each other. */
let ours: Caller
let theirs: Caller
/** A member of ours. */
let person: Caller
let rows: OneOfEach
let theirRows: OneOfEach
/** Their organization. */
let elsewhere: string

beforeAll(async () => {
  server = await openTestServer()
  const here = await server.anOrg('Here')
  elsewhere = await server.anOrg('Elsewhere')
  ours = await server.aPerson('ours', { orgRoles: ['Admin'], org: here })
  theirs = await server.aPerson('theirs', { orgRoles: ['Admin'], org: elsewhere })
  person = await server.aPerson('person', { org: here })
  rows = await makeOneOfEach(server, ours, here)
  theirRows = await makeOneOfEach(server, theirs, elsewhere)
  await server.admin.in(here).patch(`/api/v1/users/users/${person.id}/`, { password: 'Another-one-1' })
  person = await server.signIn('person', 'Another-one-1', here)
})
afterAll(() => server?.close())

const listed = resources.filter(({ operations, path }) => operations.includes('list') && !path.includes(':'))
const rowsOf = ({ body }: Answer): Row[] => (Array.isArray(body) ? body : (body.results ?? []))
const idsOf = (answer: Answer): string[] => rowsOf(answer).map(({ id }) => String(id))

/**
 * Rows that every organization has in common; of flows the global ones, `tickets/flow.test.ts`
 * tells them from those of one organization.
 */
const SHARED = ['platform', 'ticket_flow']
/** Lists that answer nobody without a question of their own. */
const ASKED: Record<string, (caller: Pick<Caller, 'id'>) => string> = { login_acl: ({ id }) => `user=${id}` }

test('[A6.15] no list, and no count, of one organization has a row that another sees too', async () => {
  const wrong: string[] = []
  let seen = 0
  for (const { name, path } of listed) {
    if (SHARED.includes(name)) continue
    const [mine, others] = await Promise.all(
      [ours, theirs].map((caller) => caller.get(`${path}?limit=1000&offset=0&${ASKED[name]?.(caller) ?? ''}`)),
    )
    if (!mine || !others || mine.status === 403) continue
    seen += idsOf(mine).length
    for (const id of idsOf(mine)) if (idsOf(others).includes(id)) wrong.push(`${name} ${id} is in both lists`)
    for (const answer of [mine, others])
      if ((answer.body.count ?? idsOf(answer).length) !== idsOf(answer).length)
        wrong.push(`${name} counts ${answer.body.count} for ${idsOf(answer).length} rows`)
  }
  expect(wrong).toEqual([])
  // Logs of what was made, people, grants: the lists were not empty.
  expect(seen).toBeGreaterThan(40)
})

/**
 * How a person comes by a row of what is their own; what is missing here cannot be made without
 * another domain's story, which its tests tell.
 */
const OWN: Record<string, () => Promise<unknown>> = {
  access_key: () => person.post('/api/v1/authentication/access-keys/', {}),
  favorite_asset: async () => {
    await ours.patch(`/api/v1/perms/asset-permissions/${rows.asset_permission?.id}/`, {
      users: [person.id],
      assets: [rows.asset?.id],
      system_users: [rows.system_user?.id],
    })
    return person.post('/api/v1/assets/favorite-assets/', { asset: rows.asset?.id })
  },
  list_view: () => person.post('/api/v1/users/list-views/', { list: 'Asset', name: 'of mine' }),
  saved_statement: () =>
    person.post('/api/v1/applications/saved-statements/', {
      application: rows.application?.id,
      name: 'of mine',
      statement: 'select 1',
    }),
  site_message: () =>
    server.admin.post('/api/v1/notifications/site-message/send/', {
      user_ids: [person.id],
      subject: 'For you',
      message: 'alone',
    }),
  own_invitation: () => theirs.post('/api/v1/users/users/invite/', { user: person.id }),
  sign_in: () =>
    openTestBrowser(server).call('POST', '/core/auth/login/', { username: 'person', password: 'Another-one-1' }),
}
const own = resources.filter(({ scope, path }) => scope === 'self' && !path.includes(':'))

test.each(own.filter(({ name }) => name in OWN).map((definition) => [definition.name, definition] as const))(
  '[A6.15] %s: another person neither reads, lists, counts, exports, changes nor deletes it, not even an administrator',
  async (name, { path, operations }) => {
    await OWN[name]?.()
    const [id] = idsOf(await person.get(`${path}?limit=10`))
    expect(id).toBeDefined()
    const has = (operation: ResourceDefinition['operations'][number]) => operations.includes(operation)
    const before = has('retrieve') ? (await person.get(`${path}${id}/`)).body : undefined
    for (const other of [
      ours,
      theirs,
      server.admin,
      server.admin.in('root'),
      await server.aPerson(`other-${name.replaceAll('_', '-')}`),
    ]) {
      const { spm } = (await other.post('/api/v1/common/resources/cache/', { resources: [id] })).body
      for (const query of ['', `ids=${id}`, `id=${id}`, `spm=${spm}`, 'format=csv']) {
        const answer = await other.get(`${path}?limit=100&${query}`)
        expect(JSON.stringify(answer.body)).not.toContain(id)
      }
      expect((await other.get(`${path}?limit=100&ids=${id}`)).body.count ?? 0).toBe(0)
      if (has('retrieve')) expect([400, 404]).toContain((await other.get(`${path}${id}/`)).status)
      if (has('partial_update')) expect([400, 403, 404]).toContain((await other.patch(`${path}${id}/`, {})).status)
      if (has('update')) expect([400, 403, 404]).toContain((await other.put(`${path}${id}/`, before)).status)
      if (has('destroy')) expect([400, 403, 404]).toContain((await other.delete(`${path}${id}/`)).status)
      if (has('bulk_destroy')) await other.delete(`${path}?ids=${id}`)
    }
    if (has('retrieve')) expect((await person.get(`${path}${id}/`)).body).toEqual(before)
    expect(idsOf(await person.get(`${path}?limit=10`))).toContain(id)
  },
)

test('each person’s own resource that is not walked here is a decision', () => {
  expect(
    own
      .map(({ name }) => name)
      .filter((name) => !(name in OWN))
      .sort(),
  ).toEqual([
    'command_execution',
    'granted_application',
    'granted_asset',
    'runbook_schedule',
    'ticket',
    'ticket_comment',
  ])
})

/** Kept for older clients; grants are never cached. */
const WITHOUT_EFFECT = ['/api/v1/perms/users/:user_id/asset-permissions/cache/']

test('[A6.15] what belongs to a person by their id is not had by naming another’s', async () => {
  const wrong: string[] = []
  for (const route of server.kernel.routes) {
    // Routes below one person, for those who administer them: theirs may not, nor may the person's
    // equals.
    if (!/\/users\/(users\/)?:(id|user_id)\//.test(route.url) || route.method === 'HEAD' || route.method === 'OPTIONS')
      continue
    if (WITHOUT_EFFECT.includes(route.url)) continue
    const path = route.url
      .replace(/:(id|user_id)\b/, person.id)
      .replaceAll(/:\w+/g, '00000000-0000-4000-8000-000000000001')
    for (const org of [elsewhere, String(rows.label?.org_id)]) {
      const { status, body } = await server.call(route.method, path, {
        headers: { authorization: `Bearer ${theirs.token}`, 'x-jms-org': org },
        ...(route.method === 'GET' ? {} : { body: {} }),
      })
      const isNothing = route.method === 'GET' && status === 200 && JSON.stringify(body.results ?? body) === '[]'
      if (![400, 403, 404].includes(status) && !isNothing) wrong.push(`${route.method} ${route.url}: ${status}`)
    }
  }
  expect(wrong).toEqual([])
  expect((await server.signIn('person', 'Another-one-1')).id).toBe(person.id)
})

/** What may tell, each for a reason. */
const TELLING: readonly string[] = [
  // Administrators invite whom they name: people are everybody's, and whether they accept is theirs.
  'POST /api/v1/users/users/invite/ user',
]
/**
 * docs/rules/web-terminal.md#connection_token: 400 for what does not exist, 403 for what was not
 * granted.
 */
const TOKENS =
  /^(?:GET|POST) \/api\/v1\/(?:authentication|users)\/connection-token\/\S* (?:asset|application|system_user)$/

/** By the route, whatever is named. */
const REFUSED = /^403 .*"permission_denied"/
/**
 * Bodies in which an own row is answered as nothing is, so that the walk shows nothing of them, with
 * why. Whom the route refuses whatever is named is not among them.
 */
const UNREACHED: readonly string[] = [
  // It takes a ticket that let a session in: `session/target-review.test.ts` has one.
  'POST /api/v1/tickets/ticket-session-relation/ session',
  // The sent value is the caller's own note, and is kept as it is.
  'POST /api/v1/assets/system-users/:id/temp-auth/ instance_id',
  'POST /api/v1/applications/saved-statements/ application',
  'PUT /api/v1/applications/saved-statements/:id/ application',
  'PATCH /api/v1/applications/saved-statements/:id/ application',
  // Its rows have no id by which they could be changed.
  'PUT /api/v1/assets/favorite-assets/:id/ asset',
  'PUT /api/v1/assets/favorite-assets/ asset',
  'PATCH /api/v1/assets/favorite-assets/:id/ asset',
  'PATCH /api/v1/assets/favorite-assets/ asset',
  // A task is made in any case, and leaves out what is not theirs.
  'POST /api/v1/assets/assets/:id/tasks/ system_users',
  'POST /api/v1/assets/assets/tasks/ assets',
  'POST /api/v1/assets/system-users/:id/tasks/ asset',
  'POST /api/v1/assets/system-users/:id/tasks/ assets',
]

const isOfRelation = (place: string) => place.includes('-relations/')

/** Their own rows, with those besides that only they make. */
async function rowsOfTheirs(): Promise<OneOfEach> {
  const kept = await server.aPerson('kept', { org: elsewhere })
  const own: OneOfEach = { ...theirRows, user: { id: kept.id } }
  const made = async (method: 'post' | 'patch', path: string, body: Row) => {
    const answer = await theirs[method](`/api/v1/${path}`, body)
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  }
  const users = [theirs.id, kept.id]
  const { asset, application, system_user, user_group, command_filter, runbook } = own
  const grant = { users, assets: [asset?.id], system_users: [system_user?.id] }
  await made('patch', `perms/asset-permissions/${own.asset_permission?.id}/`, grant)
  // Which stays as it is while the other changes.
  await made('post', 'perms/asset-permissions/', { name: 'of theirs', ...grant })
  await made('patch', `perms/application-permissions/${own.application_permission?.id}/`, {
    users,
    applications: [application?.id],
  })
  await made('post', 'users/users-groups-relations/', { user: kept.id, usergroup: user_group?.id })
  await made('post', 'assets/favorite-assets/', { asset: asset?.id })
  await made('post', 'applications/saved-statements/', {
    application: application?.id,
    name: 'of theirs',
    statement: 'select 1',
  })
  await made('post', 'ops/runbook-schedules/', {
    runbook: runbook?.id,
    run_as: system_user?.id,
    hosts: [asset?.id],
    interval: 5,
  })
  await made('post', 'acls/login-acls/', {
    name: 'of theirs',
    user: kept.id,
    reviewers: [],
    rules: { ip_group: ['*'], time_period: [] },
  })
  await made('post', `assets/cmd-filters/${command_filter?.id}/rules/`, { content: 'reboot' })
  for (const { name, path, operations } of resources) {
    if (own[name] || !operations.includes('retrieve')) continue
    const list = `${path.replace(':filter_id', String(command_filter?.id))}?limit=1&offset=0`
    const [row] = rowsOf(await theirs.get(`${list}&${ASKED[name]?.(kept) ?? ''}`))
    if (row) own[name] = row
  }
  return own
}

test('[A6.15] what names a row of others, in an address or a body, is answered as what names nothing', async () => {
  const foreign: OneOfEach = { ...rows, user: { id: ours.id } }
  const own = await rowsOfTheirs()
  const calls = server.kernel.routes
    .filter(({ method }) => method !== 'OPTIONS' && method !== 'HEAD')
    .flatMap((route) => namingCalls({ own, foreign }, route).map((naming) => ({ ...naming, route })))
    .filter(({ place }) => !TELLING.includes(place) && !TOKENS.test(place))
    // Before others take the rows away in which they are named.
    .toSorted((one, other) => Number(isOfRelation(other.place)) - Number(isOfRelation(one.place)))
  const member = await server.aPerson('granted-nothing', { org: elsewhere })
  const here = String(rows.label?.org_id)
  const wrong: string[] = []
  const unreached: string[] = []
  // Everybody who is signed in may name any organization where membership is not asked for.
  for (const { route, place, kind, isInBody, call } of calls)
    for (const caller of [theirs, member])
      for (const org of route.access.includes('authenticated') ? [elsewhere, here] : [elsewhere]) {
        const headers = { authorization: `Bearer ${caller.token}`, 'x-jms-org': org }
        const answerTo = async (id: unknown) => {
          const { address, body } = call(id)
          return comparable(await server.call(route.method, address, { headers, ...(body ? { body } : {}) }))
        }
        const [exists, nothing] = [await answerTo(foreign[kind]?.id), await answerTo(idOfNothing(foreign, kind))]
        if (exists !== nothing) wrong.push(`${place} by ${caller.username}:\n  ${exists}\n  ${nothing}`)
        // Equal answers say something only where an own row is answered otherwise.
        if (isInBody && caller === theirs && org === elsewhere && !REFUSED.test(nothing)) {
          const mine = await answerTo(own[kind]?.id)
          if (mine === nothing) unreached.push(place)
        }
      }
  expect(wrong).toEqual([])
  expect(unreached.toSorted()).toEqual(UNREACHED.toSorted())
  expect(calls.length).toBeGreaterThan(500)
})

/** How an organization is named, by itself or all at once. */
const NAMINGS: Record<string, (org: string) => { headers?: Record<string, string>; query?: string; body?: Row }> = {
  header: (org) => ({ headers: { 'x-jms-org': org } }),
  query: (org) => ({ query: `oid=${org}` }),
  cookie: (org) => ({ headers: { cookie: `django_language=en; X-JMS-ORG=${org}` } }),
  body: (org) => ({ headers: { 'x-jms-org': elsewhere }, body: { org_id: org, organization: org, org } }),
}

/** How many rows each table, and the operate log by kind, has of an organization. */
async function rowsIn(org: string): Promise<string[]> {
  const { pool } = server.kernel
  const { rows: tables } = await pool.query<{ name: string }>(`
    SELECT table_name AS name FROM information_schema.columns JOIN information_schema.tables USING (table_name)
    WHERE column_name = 'org_id' AND table_type = 'BASE TABLE' AND columns.table_schema = 'public'
      AND table_name <> 'kernel_row_count' -- sums of what is there, which a job adds up
    ORDER BY 1`)
  const counts = await pool.query<{ line: string }>(
    `${tables.map(({ name }) => `SELECT '${name} ' || count(*) AS line FROM ${name} WHERE org_id::text = '${org}'`).join(' UNION ALL ')}
    UNION ALL SELECT 'operate log ' || resource_type || ' ' || count(*) FROM audits_operate_log WHERE org_id::text = '${org}' GROUP BY resource_type`,
  )
  return counts.rows.map(({ line }) => line)
}

test.each(Object.keys(NAMINGS))(
  '[A6.15] a person who names a foreign organization by %s leaves no row there: their own rows are where they belong',
  async (way) => {
    const here = String(rows.label?.org_id)
    const wanderer = await server.aPerson(`wanderer-${way}`, { org: elsewhere })
    await theirs.patch(`/api/v1/perms/asset-permissions/${theirRows.asset_permission?.id}/`, {
      users: [theirs.id, wanderer.id],
      assets: [theirRows.asset?.id],
      system_users: [theirRows.system_user?.id],
    })
    const own: OneOfEach = { ...theirRows, user: { id: wanderer.id } }
    const { headers = {}, query = '', body: naming = {} } = NAMINGS[way]?.(here) ?? {}
    const before = await rowsIn(here)
    const reached = new Set<string>()
    for (const route of server.kernel.routes) {
      const { method, url } = route
      if (method === 'OPTIONS' || method === 'HEAD' || url.includes('logout')) continue
      const { address, body } = callOf(own, route)
      const sent = Array.isArray(body) ? body.map((row) => ({ ...row, ...naming })) : { ...(body as Row), ...naming }
      const { status } = await server.call(method, `${address}${address.includes('?') ? '&' : '?'}${query}`, {
        headers: { authorization: `Bearer ${wanderer.token}`, ...headers },
        ...(method === 'GET' ? {} : { body: sent }),
      })
      if (status < 300) reached.add(url)
    }
    expect(await rowsIn(here)).toEqual(before)
    const name = encodeURIComponent(`wanderer-${way} of test(wanderer-${way})`)
    const { body: log } = await theirs.get(`/api/v1/audits/operate-logs/?limit=100&offset=0&user=${name}`)
    expect(log.results.map(({ resource_type }: Row) => resource_type)).toEqual(
      expect.arrayContaining(['User', 'API Key', 'Favorite asset']),
    )
    expect(reached.size).toBeGreaterThan(50)
  },
)

/** What lists and forms are narrowed by. */
const KEYS = 'search limit offset order action type date_from asset user q mark format'.split(' ')

test('a key that is sent twice is no fault, at any address', async () => {
  const twice = KEYS.flatMap((key) => [`${key}=1`, `${key}=2`]).join('&')
  const faults: string[] = []
  for (const { url } of server.kernel.routes.filter(({ method, url }) => method === 'GET' && !url.includes('logout'))) {
    const { status } = await theirs.get(`${ownAddress(theirRows, url)}?${twice}`)
    // Pages of a console that was not built are 503.
    if (status === 500) faults.push(url)
  }
  expect(faults).toEqual([])
})
