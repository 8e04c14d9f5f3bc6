/**
 * What a change of rights would do (`?preview=true`), in the company of bench/company.ts, through HTTP
 * on the embedded PostgreSQL. Each line gives the median and p95 in milliseconds for one kind of
 * change, with how many rights it touches and how much processor time it takes.
 *
 *   node_modules/.bin/node bench/preview.ts            # BENCH_ROUNDS=40 changes of each kind
 *   BENCH_ONLY=node node_modules/.bin/node bench/preview.ts     # kinds whose name says so
 */
import { at, ORG, SEED, SIZE, timed } from './company.ts'
import { keepRatio } from './figures.ts'
import { administratorToken, openInstallation } from './installation.ts'
import { processorTime } from './processor-time.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 40)
const WARM_UP = 5
const TARGET_MS = 500

interface Change {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  body?: unknown
}

interface Kind {
  name: string
  /** Query of the ids that it is about, in an order without meaning. */
  about: string
  change(ids: string[]): Change
}

const api = (path: string, id: string) => `/api/v1/${path}/${id}/`
/** What each table is known by in every run: ids are others each time. */
const WORDS: Readonly<Record<string, string>> = {
  users_user: 'username',
  assets_asset: 'hostname',
  assets_node: 'key',
}
const wordOf = (from: string) => WORDS[from] ?? 'name'
const random = (from: string, where = 'true', more = "''") =>
  `SELECT id::text, ${more}::text AS other FROM ${from} t WHERE ${where} ORDER BY md5(${wordOf(from)}) LIMIT $1`
/** One of a table for each of another one. */
const another = (table: string, where: string, of: string) =>
  `(SELECT id FROM ${table} o WHERE ${where} ORDER BY md5(o.${wordOf(table)} || t.${wordOf(of)}) LIMIT 1)`

/** Most groups of the company have no grants: there is nothing to compare. */
const HAS_GRANTS = (group: string) =>
  `EXISTS (SELECT 1 FROM perms_permission_user_group pg WHERE pg.usergroup = ${group}.id)`

const KINDS: readonly Kind[] = [
  {
    name: 'permission switched off',
    about: random('perms_permission', 'is_active'),
    change: ([id = '']) => ({ method: 'PATCH', url: api('perms/asset-permissions', id), body: { is_active: false } }),
  },
  {
    name: 'permission with fewer actions',
    about: random('perms_permission', 'is_active'),
    change: ([id = '']) => ({
      method: 'PATCH',
      url: api('perms/asset-permissions', id),
      body: { actions: ['connect'] },
    }),
  },
  {
    name: 'permission renamed',
    about: random('perms_permission', 'is_active'),
    change: ([id = '']) => ({
      method: 'PATCH',
      url: api('perms/asset-permissions', id),
      body: { name: `Named ${id}` },
    }),
  },
  {
    name: 'permission gets a node',
    about: random('perms_permission', 'is_active', another('assets_node', 'nlevel(o.path) >= 3', 'perms_permission')),
    change: ([id = '', node]) => ({
      method: 'PATCH',
      url: api('perms/asset-permissions', id),
      body: { nodes: [node] },
    }),
  },
  {
    name: 'permission deleted',
    about: random('perms_permission', 'is_active'),
    change: ([id = '']) => ({ method: 'DELETE', url: api('perms/asset-permissions', id) }),
  },
  {
    name: 'person joins a group with grants',
    about: random(
      'users_user',
      "username LIKE 'user%'",
      another(
        'users_user_group',
        `NOT EXISTS (SELECT 1 FROM users_user_group_user m WHERE m.usergroup = o.id AND m."user" = t.id) AND ${HAS_GRANTS('o')}`,
        'users_user',
      ),
    ),
    change: ([id, group]) => ({
      method: 'POST',
      url: '/api/v1/users/users-groups-relations/',
      body: { user: id, usergroup: group },
    }),
  },
  {
    name: 'person switched off',
    about: random('users_user', "username LIKE 'user%'"),
    change: ([id = '']) => ({ method: 'PATCH', url: api('users/users', id), body: { is_active: false } }),
  },
  {
    name: 'asset switched off',
    about: random('assets_asset'),
    change: ([id = '']) => ({ method: 'PATCH', url: api('assets/assets', id), body: { is_active: false } }),
  },
  {
    name: 'asset taken to another node',
    about: random('assets_asset', 'true', another('assets_node', 'nlevel(o.path) >= 3', 'assets_asset')),
    change: ([id = '', node]) => ({ method: 'PATCH', url: api('assets/assets', id), body: { nodes: [node] } }),
  },
  {
    name: 'node of about 50 assets moved',
    about: random('assets_node', 'nlevel(path) = 4', another('assets_node', 'nlevel(o.path) = 3', 'assets_node')),
    change: ([id, parent = '']) => ({
      method: 'PUT',
      url: `${api('assets/nodes', parent)}children/add/`,
      body: { nodes: [id] },
    }),
  },
  {
    name: 'node of about 250 assets moved',
    about: random('assets_node', 'nlevel(path) = 3', another('assets_node', 'nlevel(o.path) = 2', 'assets_node')),
    change: ([id, parent = '']) => ({
      method: 'PUT',
      url: `${api('assets/nodes', parent)}children/add/`,
      body: { nodes: [id] },
    }),
  },
  {
    name: 'group with grants deleted',
    about: random('users_user_group', HAS_GRANTS('t')),
    change: ([id = '']) => ({ method: 'DELETE', url: api('users/groups', id) }),
  },
  {
    name: 'system user of another protocol',
    about: random('assets_system_user', "name LIKE 'root%'"),
    change: ([id = '']) => ({ method: 'PATCH', url: api('assets/system-users', id), body: { protocol: 'telnet' } }),
  },
  {
    name: 'rule about a person everywhere',
    about: random('users_user', "username LIKE 'user%'", 'username'),
    change: ([person = '', username = '']) => accessRule([person], { users: { username_group: [username] } }),
  },
  {
    name: 'rule about a machine for everybody',
    about: random('assets_asset', 'true', "(SELECT id || ' ' || t.hostname FROM users_user LIMIT 1)"),
    change: ([, other = '']) => {
      const [person = '', hostname = ''] = other.split(' ')
      return accessRule([person], { assets: { hostname_group: [hostname] } })
    },
  },
  {
    name: 'rule about everybody everywhere',
    about: random('users_user', "username LIKE 'user%'"),
    change: ([person = '']) => accessRule([person], {}),
  },
]

function accessRule(reviewers: string[], groups: object): Change {
  const body = { name: 'rule', users: {}, assets: {}, system_users: {}, reviewers, ...groups }
  return { method: 'POST', url: '/api/v1/acls/login-asset-acls/', body }
}

/** Only kinds whose name has this in it. */
const ONLY = process.env.BENCH_ONLY ?? ''

/** Processor milliseconds so far of the server and its database. */
const processorMs = () => {
  const { own, below } = processorTime(process.pid)
  return own + below
}

const { server, close } = await openInstallation()
try {
  const { pool } = server.kernel
  for (const statement of SEED) await pool.query(statement)
  console.log(SIZE)
  const token = await administratorToken(pool)
  let slow = 0
  for (const { name, about, change } of KINDS.filter((kind) => kind.name.includes(ONLY))) {
    const { rows } = await pool.query<{ id: string; other: string }>(about, [ROUNDS + WARM_UP])
    const times: number[] = []
    const [touched, named]: [number[], number[]] = [[], []]
    let large = 0
    let [spent, n] = [0, 0]
    for (const [index, { id, other }] of rows.entries()) {
      const { method, url, body } = change([id, other])
      const ask = async () => {
        const answer = await fetch(`${server.url}${url}?preview=true`, {
          method,
          headers: {
            authorization: `Bearer ${token}`,
            'x-jms-org': ORG,
            ...(body ? { 'content-type': 'application/json' } : {}),
          },
          ...(body ? { body: JSON.stringify(body) } : {}),
        })
        const answered = await answer.json()
        if (answer.status !== 200) {
          if (answered.code !== 'no_preview') throw new Error(`${name}: ${answer.status} ${JSON.stringify(answered)}`)
          large++
          return
        }
        if (!answered.is_exact || !answered.confirmations.is_exact) large++
        touched.push(answered.touched.rights_at_most)
        const { begin, end, others } = answered.confirmations
        const lists = [answered.gained, answered.lost, answered.changed, begin, end, others]
        named.push(lists.reduce((sum, { count }) => sum + count, 0))
      }
      const began = processorMs()
      const time = await timed(ask)
      spent += processorMs() - began
      n++
      if (index >= Math.min(WARM_UP, rows.length / 4)) times.push(time)
    }
    for (const list of [times, touched, named]) list.sort((a, b) => a - b)
    const p95 = at(times, 0.95)
    if (p95 >= TARGET_MS) slow++
    keepRatio(`preview, ${name}: p95, of its median`, p95 / at(times, 0.5), 'less')
    console.log(
      `${name.padEnd(34)} p50 ${at(times, 0.5).toFixed(0).padStart(5)} ms  p95 ${p95.toFixed(0).padStart(5)} ms  rights touched p50 ${at(touched, 0.5)}, p95 ${at(touched, 0.95)}; processor ${(spent / n).toFixed(0).padStart(4)} ms; named ${at(named, 0.5)}, ${at(named, 0.95)}${large ? `; ${large} too large to compare` : ''}${p95 < TARGET_MS ? '' : `  over ${TARGET_MS} ms`}`,
    )
  }
  process.exitCode = slow ? 1 : 0
} finally {
  await close()
}
