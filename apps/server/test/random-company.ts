import { randomUUID } from 'node:crypto'
import type pg from 'pg'

/**
 * A small random company, as plain lists, for comparing answers of SQL with a walk through them.
 * Only tests use it.
 */
export interface Company {
  orgs: string[]
  users: { id: string }[]
  members: { user: string; org: string }[]
  groups: { id: string; org: string; users: string[] }[]
  nodes: { id: string; key: string; org: string }[]
  assets: { id: string; org: string; nodes: string[]; protocols: string[]; active: boolean }[]
  systemUsers: { id: string; org: string; protocol: string }[]
  permissions: Permission[]
}

interface Permission {
  id: string
  org: string
  valid: boolean
  active: boolean
  start: Date
  end: Date
  actions: number
  users: string[]
  groups: string[]
  assets: string[]
  nodes: string[]
  systemUsers: string[]
}

const DAY = 86_400_000

/** The same seed makes a company of the same shape. */
export function makeCompany(seed: number): Company {
  let state = seed * 2654435761
  const random = () => {
    state = (Math.imul(state ^ (state >>> 15), state | 1) + 0x6d2b79f5) >>> 0
    return ((state ^ (state >>> 14)) >>> 0) / 4294967296
  }
  const below = (n: number) => Math.floor(random() * n)
  const some = <T>(list: readonly T[], most: number): T[] => {
    const wanted = below(most + 1)
    return [...new Set(Array.from({ length: list.length ? wanted : 0 }, () => list[below(list.length)] as T))]
  }
  const orgs = [randomUUID(), randomUUID()]
  const users = Array.from({ length: 4 }, () => ({ id: randomUUID() }))
  // Some have left an organization whose permissions still name them.
  const members = users.flatMap(({ id }) => orgs.filter(() => random() < 0.85).map((org) => ({ user: id, org })))
  const company: Company = { orgs, users, members, groups: [], nodes: [], assets: [], systemUsers: [], permissions: [] }
  orgs.forEach((org, index) => {
    const groups = Array.from({ length: 2 }, () => ({
      id: randomUUID(),
      org,
      users: some(users, 3).map(({ id }) => id),
    }))
    const nodes = makeNodes(String(seed * 10 + index + 1000), org, below)
    const assets = Array.from({ length: 12 }, () => ({
      id: randomUUID(),
      org,
      nodes: some(nodes, 2).map(({ key }) => key),
      protocols: random() < 0.7 ? ['ssh'] : ['rdp', 'vnc'],
      active: random() < 0.9,
    }))
    // Every asset is in some node.
    for (const asset of assets) if (!asset.nodes.length) asset.nodes.push(nodes[0]?.key ?? '')
    const systemUsers = ['ssh', 'ssh', 'rdp'].map((protocol) => ({ id: randomUUID(), org, protocol }))
    const permissions = Array.from({ length: 5 }, (): Permission => {
      const active = random() < 0.85
      const start = new Date(Date.now() + (random() < 0.1 ? DAY : -DAY))
      const end = new Date(Date.now() + (random() < 0.1 ? -DAY / 2 : 2 * DAY))
      return {
        id: randomUUID(),
        org,
        active,
        start,
        end,
        valid: active && start.getTime() < Date.now() && end.getTime() > Date.now(),
        actions: [0, 1, 3, 6, 24, 255][below(6)] ?? 0,
        users: some(users, 2).map(({ id }) => id),
        groups: some(groups, 1).map(({ id }) => id),
        assets: some(assets, 3).map(({ id }) => id),
        nodes: some(random() < 0.2 ? nodes.slice(0, 1) : nodes.slice(1), 2).map(({ id }) => id),
        systemUsers: some(systemUsers, 3).map(({ id }) => id),
      }
    })
    company.groups.push(...groups)
    company.nodes.push(...nodes)
    company.assets.push(...assets)
    company.systemUsers.push(...systemUsers)
    company.permissions.push(...permissions)
  })
  return company
}

function makeNodes(root: string, org: string, below: (n: number) => number): Company['nodes'] {
  const nodes = [{ id: randomUUID(), key: root, org }]
  for (let number = 0; number < 9; number++) {
    const parent = nodes[below(nodes.length)]
    if (parent) nodes.push({ id: randomUUID(), key: `${parent.key}:${number}`, org })
  }
  return nodes
}

export async function storeCompany(pool: pg.Pool, company: Company): Promise<void> {
  const insert = async (table: string, rows: readonly Record<string, unknown>[]) => {
    for (const row of rows) {
      const columns = Object.keys(row)
      await pool.query(
        `INSERT INTO ${table} (${columns.map((name) => `"${name}"`).join(', ')}) VALUES (${columns.map((_, index) => `$${index + 1}`).join(', ')})`,
        Object.values(row),
      )
    }
  }
  const pairs = (table: string, column: string, ids: (one: Permission) => string[]) =>
    insert(
      table,
      company.permissions.flatMap((one) => ids(one).map((id) => ({ permission: one.id, [column]: id }))),
    )
  await insert(
    'orgs_organization',
    company.orgs.map((id) => ({ id, name: id })),
  )
  await insert(
    'users_user',
    company.users.map(({ id }) => ({ id, name: id, username: id, email: `${id}@example.com` })),
  )
  await insert('orgs_member', company.members)
  await insert(
    'users_user_group',
    company.groups.map(({ id, org }) => ({ id, name: id, org_id: org })),
  )
  await insert(
    'users_user_group_user',
    company.groups.flatMap(({ id, users }) => users.map((user) => ({ usergroup: id, user }))),
  )
  await insert(
    'assets_node',
    company.nodes.map(({ id, key, org }) => ({
      id,
      key,
      org_id: org,
      value: key,
      full_value: `/${key}`,
      parent_key: key.includes(':') ? key.slice(0, key.lastIndexOf(':')) : '',
    })),
  )
  await insert(
    'assets_system_user',
    company.systemUsers.map(({ id, org, protocol }) => ({ id, org_id: org, name: id, username: 'root', protocol })),
  )
  await insert(
    'assets_asset',
    company.assets.map(({ id, org, protocols, active }) => ({
      id,
      org_id: org,
      hostname: id,
      ip: '10.0.0.1',
      platform: 'Linux',
      protocols: protocols.map((one) => `${one}/22`),
      is_active: active,
    })),
  )
  const idOf = new Map(company.nodes.map(({ id, key }) => [key, id]))
  await insert(
    'assets_asset_node',
    company.assets.flatMap(({ id, nodes }) => nodes.map((key) => ({ asset_id: id, node_id: idOf.get(key) }))),
  )
  await insert(
    'perms_permission',
    company.permissions.map(({ id, org, active, start, end, actions }) => ({
      id,
      org_id: org,
      family: 'asset',
      name: id,
      is_active: active,
      date_start: start,
      date_expired: end,
      actions,
    })),
  )
  await pairs('perms_permission_user', 'user', (one) => one.users)
  await pairs('perms_permission_user_group', 'usergroup', (one) => one.groups)
  await pairs('perms_permission_target', 'asset', (one) => one.assets)
  await pairs('perms_permission_node', 'node', (one) => one.nodes)
  await pairs('perms_permission_system_user', 'systemuser', (one) => one.systemUsers)
}
