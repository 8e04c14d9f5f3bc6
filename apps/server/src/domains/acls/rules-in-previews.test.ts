import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Company, makeCompany, storeCompany } from '../../../test/random-company.ts'
import { type Caller, openTestServer, type TestServer } from '../../../test/server.ts'
import { commandRulesFor } from '../command-filters/index.ts'
import { mayConnect } from '../perms/index.ts'
import { targetReviewers } from './index.ts'

const RULES = '/api/v1/acls/login-asset-acls/'
const FILTERS = '/api/v1/assets/cmd-filters/'

let server: TestServer
let company: Company
let org: string
let caller: Caller
let reviewers: string[]
let rights: Right[]

beforeAll(async () => {
  server = await openTestServer()
  company = makeCompany(3)
  await storeCompany(server.kernel.pool, company)
  org = company.orgs[0] ?? ''
  caller = server.admin.in(org)
  for (const [at, { id }] of company.assets.entries())
    await server.kernel.pool.query('UPDATE assets_asset SET hostname = $2, ip = $3 WHERE id = $1', [
      id,
      `m${at}`,
      `10.0.${at % 3}.7`,
    ])
  const name = (table: string, ids: { id: string }[], word: string) =>
    Promise.all(
      ids.map(({ id }, at) =>
        server.kernel.pool.query(`UPDATE ${table} SET name = $2, username = $3 WHERE id = $1`, [
          id,
          `${word}${at}`,
          `${word}${at % 5}`,
        ]),
      ),
    )
  await name('assets_system_user', company.systemUsers, 'account')
  await Promise.all(
    company.users.map(({ id }, at) =>
      server.kernel.pool.query('UPDATE users_user SET username = $2 WHERE id = $1', [id, `p${at}`]),
    ),
  )
  reviewers = company.users.filter(({ id }) => isMember(id)).map(({ id }) => id)
  const own = <T extends { org: string; id: string }>(list: T[]) =>
    list.filter((one) => one.org === org).map(({ id }) => id)
  const grant = {
    ...{ users: reviewers, nodes: own(company.nodes).slice(0, 1), system_users: own(company.systemUsers) },
    ...{ is_active: true, actions: ['connect'], date_expired: '2099-01-01 00:00:00 +0000' },
  }
  const [permission] = own(company.permissions)
  expect((await caller.patch(`/api/v1/perms/asset-permissions/${permission}/`, grant)).status).toBe(200)
  rights = await rightsOf()
})
afterAll(() => server?.close())

const isMember = (id: string) => company.members.some((one) => one.org === org && one.user === id)

interface Row {
  person: { id: string }
  target: { id: string }
  account: { id: string }
}
const keyOf = ({ person, target, account }: Row) => `${person.id} ${target.id} ${account.id}`

interface Right {
  key: string
  login: Parameters<typeof targetReviewers>[1]
  situation: Parameters<typeof mayConnect>[1]
}

/** All rights that open sessions, which no rule changes. */
async function rightsOf(): Promise<Right[]> {
  const { db, pool } = server.kernel
  const { rows: accounts } = await pool.query(
    'SELECT id, name, username, protocol FROM assets_system_user WHERE org_id = $1',
    [org],
  )
  const { rows: targets } = await pool.query(
    'SELECT id, hostname AS name, ip AS address FROM assets_asset WHERE org_id = $1',
    [org],
  )
  const { rows: people } = await pool.query('SELECT id, username FROM users_user WHERE id = ANY($1)', [
    company.users.map(({ id }) => id),
  ])
  const all = people.flatMap(({ id: userId, username }) =>
    targets.flatMap((one) =>
      accounts.map(({ id: systemUserId, ...systemUser }): Right => {
        const target = { family: 'asset' as const, id: one.id }
        const login = { username, target: { ...target, org_id: org, name: one.name, address: one.address }, systemUser }
        return { key: `${userId} ${one.id} ${systemUserId}`, login, situation: { userId, target, systemUserId } }
      }),
    ),
  )
  const allowed = await Promise.all(all.map(async ({ situation }) => (await mayConnect(db, situation)).allowed))
  return all.filter((_, at) => allowed[at])
}

/** The reviewers, or the command rules, that a session of each right would ask: '' for none. */
async function facts(part: 'confirmations' | 'commands'): Promise<Map<string, string>> {
  const { db } = server.kernel
  const ask = {
    confirmations: async ({ login }: Right) => (await targetReviewers(db, login)).sort().join(),
    commands: async ({ situation }: Right) =>
      (await commandRulesFor(db, situation))
        .map((rule) => `${rule.id} ${rule.pattern} ${rule.action} ${rule.priority}`)
        .join(),
  }[part]
  return new Map(await Promise.all(rights.map(async (right) => [right.key, await ask(right)] as const)))
}

type Change = [method: 'post' | 'patch' | 'put' | 'delete', url: string, body?: object]

/** Makes each change, and compares what its preview has said with what has become of every right. */
async function compare(changes: (made: string[]) => Change[], part: 'confirmations' | 'commands') {
  const made: string[] = []
  let compared = 0
  let before = await facts(part)
  for (let at = 0; ; at++) {
    const [method, url, body] = changes(made)[at] ?? []
    if (!method || !url) break
    const asked = `${method} ${url} ${JSON.stringify(body)}`
    const preview = await caller[method](`${url}?preview=true&limit=10000`, body)
    expect(preview, asked).toMatchObject({ status: 200, body: { gained: { count: 0 }, lost: { count: 0 } } })
    const saved = await caller[method](url, body)
    expect(saved.status, asked).toBeLessThan(300)
    if (method === 'post') made.push(saved.body.id)
    const after = await facts(part)
    const shown = preview.body[part]
    expect(shown.is_exact).toBe(true)
    const rows = (list: { rows: Row[] }) => list.rows.map(keyOf).sort()
    const keys = (which: (was: string, is: string) => boolean) =>
      [...before]
        .filter(([key, was]) => which(was, after.get(key) ?? ''))
        .map(([key]) => key)
        .sort()
    expect(rows(shown.begin), `${asked}: begin`).toEqual(keys((was, is) => !was && !!is))
    expect(rows(shown.end), `${asked}: end`).toEqual(keys((was, is) => !!was && !is))
    expect(rows(shown.others), `${asked}: others`).toEqual(keys((was, is) => !!was && !!is && was !== is))
    compared += shown.begin.count + shown.end.count + shown.others.count
    before = after
  }
  return compared
}

test('a preview of an access rule names exactly who then waits for a reviewer, no longer waits, or waits for another', async () => {
  const rule = (priority: number, more: object = {}) => ({
    ...{ name: crypto.randomUUID(), users: {}, assets: {}, system_users: {}, priority },
    reviewers: [reviewers[0]],
    ...more,
  })
  const compared = await compare(
    ([one = '', two = '', three = '', four = '']) => [
      ['post', RULES, rule(50, { users: { username_group: ['p0', 'p1'] } })],
      ['post', RULES, rule(40, { assets: { ip_group: ['10.0.0.0/24'] }, reviewers: [reviewers[1]] })],
      ['post', RULES, rule(40, { system_users: { protocol_group: ['rdp'], username_group: ['account2'] } })],
      ['post', RULES, rule(60)],
      ['patch', `${RULES}${two}/`, { priority: 70 }],
      ['patch', `${RULES}${one}/`, { reviewers: [reviewers[1]] }],
      ['patch', `${RULES}${one}/`, { comment: 'nothing' }],
      ['patch', `${RULES}${four}/`, { is_active: false }],
      ['patch', `${RULES}${three}/`, { assets: { hostname_group: ['m0', 'm1', 'm2'] } }],
      ['patch', `${RULES}${four}/`, { is_active: true, users: { username_group: ['p2'] } }],
      ['delete', `${RULES}${one}/`],
      ['delete', `${RULES}${two}/`],
    ],
    'confirmations',
  )
  expect(compared, 'the company is large enough to prove something').toBeGreaterThan(30)
}, 60_000)

test('a preview of a command filter names exactly whose commands it then judges, no longer judges, or judges in another way', async () => {
  const own = <T extends { org: string; id: string }>(list: T[]) =>
    list.filter((one) => one.org === org).map(({ id }) => id)
  const [people, accounts, assets, groups] = [
    reviewers,
    own(company.systemUsers),
    own(company.assets),
    own(company.groups),
  ]
  const filter = (more: object) => ({ name: crypto.randomUUID(), ...more })
  const rulesOf = (id: string) => `${FILTERS}${id}/rules/`
  const compared = await compare(
    ([byPerson = '', rule = '', byAccount = '', other = '']) => [
      ['post', FILTERS, filter({ users: [people[0]] })],
      ['post', rulesOf(byPerson), { content: 'reboot', action: 0 }],
      ['post', FILTERS, filter({ system_users: [accounts[0]] })],
      ['post', rulesOf(byAccount), { content: 'halt', action: 0 }],
      ['patch', `${FILTERS}${byAccount}/`, { assets: assets.slice(0, 4), system_users: [] }],
      ['patch', `${rulesOf(byPerson)}${rule}/`, { content: 'reboot\nshutdown' }],
      ['patch', `${FILTERS}${byPerson}/`, { user_groups: groups }],
      ['patch', `${FILTERS}${byPerson}/`, { comment: 'nothing' }],
      ['patch', `${FILTERS}${byPerson}/`, { is_active: false }],
      ['patch', `${FILTERS}${byPerson}/`, { is_active: true }],
      ['delete', `${rulesOf(byAccount)}${other}/`],
      ['delete', `${FILTERS}${byPerson}/`],
    ],
    'commands',
  )
  expect(compared, 'the company is large enough to prove something').toBeGreaterThan(30)
}, 60_000)

test('a preview says by whom connections are confirmed, and how many people and targets the rule meets', async () => {
  const [person] = reviewers
  const asked = await caller.post(`${RULES}?preview=true`, {
    ...{ name: 'all', users: {}, assets: {}, system_users: {}, priority: 1, reviewers: [person] },
  })
  const [row] = asked.body.confirmations.begin.rows
  expect(row).toMatchObject({ before: null, after: [expect.stringContaining('(p')] })
  expect(asked.body.confirmations.touched).toEqual({
    people: company.members.filter((one) => one.org === org).length,
    targets: company.assets.filter((one) => one.org === org).length,
  })
})
