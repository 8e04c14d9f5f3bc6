import { afterAll, beforeAll, expect, test } from 'vitest'
import { as, type DomainServer, openDomainServer } from '../../../../test/domain-server.ts'
import { type Company, makeCompany, storeCompany } from '../../../../test/random-company.ts'
import { mayConnect } from '../may-connect.ts'

let server: DomainServer

beforeAll(async () => {
  server = await openDomainServer()
})
afterAll(() => server?.close())

/** All rights in an organization as sessions ask for them, one by one: person target account → actions. */
async function rights(company: Company, org: string): Promise<Map<string, string>> {
  const targets = company.assets.filter((one) => one.org === org)
  const accounts = company.systemUsers.filter((one) => one.org === org)
  const found = new Map<string, string>()
  for (const { id: userId } of company.users)
    await Promise.all(
      targets.flatMap(({ id }) =>
        accounts.map(async ({ id: systemUserId }) => {
          const answer = await mayConnect(server.db, { userId, target: { family: 'asset', id }, systemUserId })
          if (answer.allowed) found.set(`${userId} ${id} ${systemUserId}`, answer.actions.join())
        }),
      ),
    )
  return found
}

interface Row {
  person: { id: string }
  target: { id: string }
  account: { id: string }
  actions?: string[]
}
const keyOf = ({ person, target, account }: Row) => `${person.id} ${target.id} ${account.id}`

type Change = [method: 'POST' | 'PATCH' | 'PUT' | 'DELETE', url: string, body?: unknown]

/** Changes of every kind that bears rights, in an order in which each finds what it changes. */
function changesOf(company: Company, org: string): Change[] {
  const own = <T extends { org: string }>(list: T[]) => list.filter((one) => one.org === org)
  const [groups, nodes, assets, accounts, permissions] = [
    own(company.groups),
    own(company.nodes),
    own(company.assets),
    own(company.systemUsers),
    own(company.permissions),
  ]
  const people = company.users.filter(({ id }) => company.members.some((one) => one.org === org && one.user === id))
  const id = (list: { id: string }[], at: number) => list[at % list.length]?.id ?? ''
  const PERMISSIONS = '/api/v1/perms/asset-permissions/'
  const leaf = nodes.filter(({ key }) => !nodes.some((other) => other.key.startsWith(`${key}:`)))
  return [
    [
      'PATCH',
      `${PERMISSIONS}${id(permissions, 0)}/`,
      { is_active: true, actions: ['connect'], users: people.map((one) => one.id) },
    ],
    [
      'PATCH',
      `${PERMISSIONS}${id(permissions, 1)}/`,
      { nodes: [id(nodes, 0)], system_users: accounts.map((one) => one.id) },
    ],
    [
      'PATCH',
      `${PERMISSIONS}${id(permissions, 2)}/`,
      { actions: ['all'], user_groups: groups.map((one) => one.id), is_active: true },
    ],
    ['PATCH', `${PERMISSIONS}${id(permissions, 3)}/`, { comment: 'nothing' }],
    [
      'POST',
      PERMISSIONS,
      {
        name: 'new',
        users: [id(people, 0)],
        nodes: [id(nodes, 1)],
        system_users: [id(accounts, 0)],
        actions: ['connect', 'upload_file'],
      },
    ],
    [
      'POST',
      '/api/v1/perms/asset-permissions-users-relations/',
      { assetpermission: id(permissions, 1), user: id(people, 1) },
    ],
    [
      'POST',
      '/api/v1/perms/asset-permissions-nodes-relations/',
      { assetpermission: id(permissions, 0), node: id(nodes, 3) },
    ],
    // Each group loses all of its people and gets others: that moves rights, whatever the company is.
    ...groups.flatMap((group): Change[] => [
      ['PATCH', `/api/v1/users/groups/${group.id}/`, { users: [] }],
      ['POST', '/api/v1/users/users-groups-relations/', { user: id(people, 0), usergroup: group.id }],
      ['PATCH', `/api/v1/users/groups/${group.id}/`, { users: people.map((one) => one.id) }],
    ]),
    ['PATCH', `/api/v1/users/groups/${id(groups, 0)}/`, { users: [id(people, 0), id(people, 2)] }],
    ['PUT', `/api/v1/assets/nodes/${id(nodes, 0)}/children/add/`, { nodes: [id(leaf, 0)] }],
    ['PUT', `/api/v1/assets/nodes/${id(nodes, 1)}/children/add/`, { nodes: [id(leaf, 1)] }],
    ['PUT', `/api/v1/assets/nodes/${id(nodes, 2)}/assets/replace/`, { assets: [id(assets, 0), id(assets, 1)] }],
    ['PUT', `/api/v1/assets/nodes/${id(nodes, 0)}/assets/add/`, { assets: [id(assets, 3), id(assets, 4)] }],
    ['PUT', `/api/v1/assets/nodes/${id(nodes, 0)}/assets/remove/`, { assets: [id(assets, 3)] }],
    ['PATCH', `/api/v1/assets/assets/${id(assets, 2)}/`, { is_active: false }],
    ['PATCH', `/api/v1/assets/assets/${id(assets, 5)}/`, { protocols: ['rdp/3389'] }],
    [
      'PATCH',
      '/api/v1/assets/assets/',
      assets.slice(6, 10).map((one, at) => ({ id: one.id, is_active: at % 2 === 0 })),
    ],
    ['PATCH', `/api/v1/assets/system-users/${id(accounts, 0)}/`, { protocol: 'rdp' }],
    ['PATCH', `/api/v1/users/users/${id(people, 0)}/`, { is_active: false }],
    ['PATCH', `/api/v1/users/users/${id(people, 0)}/`, { is_active: true }],
    ['POST', `/api/v1/users/users/${id(people, 1)}/remove/`],
    ['DELETE', `/api/v1/users/groups/${id(groups, 1)}/`],
    ['DELETE', `/api/v1/assets/assets/${id(assets, 11)}/`],
    ['DELETE', `/api/v1/assets/system-users/${id(accounts, 1)}/`],
    ['DELETE', `${PERMISSIONS}${id(permissions, 0)}/`],
    [
      'DELETE',
      `${PERMISSIONS}?ids=${permissions
        .slice(1, 3)
        .map((one) => one.id)
        .join()}`,
    ],
    ['DELETE', `/api/v1/users/users/${id(people, 0)}/`],
  ]
}

test.each([1, 2])(
  'a preview says exactly which rights the change then gives and takes (company %i)',
  async (seed) => {
    const company = makeCompany(seed)
    await storeCompany(server.pool, company)
    const [org = ''] = company.orgs
    const caller = as({ role: 'Admin', org })
    let compared = 0
    let before = await rights(company, org)
    for (const [method, url, body] of changesOf(company, org)) {
      const asked = `${method} ${url} ${JSON.stringify(body ?? null)}`
      const preview = await server.call(
        method,
        `${url}${url.includes('?') ? '&' : '?'}preview=true&limit=10000`,
        body,
        caller,
      )
      const saved = await server.call(method, url, body, caller)
      if (saved.status >= 400) {
        expect(preview, asked).toMatchObject({ status: saved.status, body: saved.body })
        continue
      }
      expect(preview.status, `${asked} ${JSON.stringify(preview.body)}`).toBe(200)
      const after = await rights(company, org)
      const missing = (from: Map<string, string>, other: Map<string, string>) =>
        [...from]
          .filter(([key]) => !other.has(key))
          .map(([key, actions]) => `${key} ${actions}`)
          .sort()
      const listed = (rows: Row[]) => rows.map((row) => `${keyOf(row)} ${row.actions?.join()}`).sort()
      expect(listed(preview.body.gained.rows), `${asked}: gained`).toEqual(missing(after, before))
      expect(listed(preview.body.lost.rows), `${asked}: lost`).toEqual(missing(before, after))
      const others = [...after].filter(([key, actions]) => before.has(key) && before.get(key) !== actions)
      expect(preview.body.changed.rows.map(keyOf).sort(), `${asked}: changed`).toEqual(
        others.map(([key]) => key).sort(),
      )
      compared += preview.body.gained.count + preview.body.lost.count + preview.body.changed.count
      before = after
    }
    expect(compared, 'the company is large enough to prove something').toBeGreaterThan(30)
  },
  60_000,
)
