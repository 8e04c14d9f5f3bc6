/** Calls that name a row of others: one for each id that the address and the body of a route take. */
import { randomUUID } from 'node:crypto'
import type { Field, Fields } from '@sallyport/contract/define.ts'
import { resources } from '@sallyport/contract/resources/all-fixture.ts'
import type { RegisteredRoute } from '../../src/kernel/access/guard.ts'
import { fieldsOfBody } from '../../src/kernel/resource/plain-fields.ts'
import type { Answer } from '../server.ts'
import { essentialsOf, exampleOf, type OneOfEach, type Row } from './one-of-each.ts'

/** Rows by the name of their resource: the callers' own, and of others with whom they have nothing to do. */
export interface Sides {
  own: OneOfEach
  foreign: OneOfEach
}

export interface NamingCall {
  /** Which route, and where in it the id stands. */
  place: string
  /** The resource of the row that is named. */
  kind: string
  isInBody: boolean
  call(id: unknown): { address: string; body?: unknown }
}

const NOTHING = '11111111-1111-4111-8111-111111111111'

/** Fields of bodies and addresses, by what they name where no definition says it. */
const NAMED: Record<string, string> = {
  ...Object.fromEntries(resources.map(({ name }) => [name, name])),
  user_id: 'user',
  users: 'user',
  user_ids: 'user',
  asset_id: 'asset',
  assets: 'asset',
  hosts: 'asset',
  instance_id: 'asset',
  target_id: 'asset',
  node_id: 'node',
  nodes: 'node',
  systemuser: 'system_user',
  system_user_id: 'system_user',
  system_users: 'system_user',
  run_as: 'system_user',
  app: 'application',
  apps: 'application',
  applications: 'application',
  session_id: 'session',
  plan: 'change_auth_plan',
  cmd_filter: 'command_filter',
  filter_id: 'command_filter',
  groups: 'user_group',
  user_groups: 'user_group',
  usergroup: 'user_group',
  '/api/v1/xpack/change-auth-plan/app-plan-execution/ plan': 'app_change_auth_plan',
  '/api/v1/assets/backup-execution/ plan': 'account_backup_plan',
  '/api/v1/xpack/gathered-user/task-executions/ task': 'gathered_user_task',
}

const kindOf = (name: string, field: Field, url: string) =>
  field.type === 'object' ? undefined : (field.to ?? NAMED[`${url} ${name}`] ?? NAMED[name])

/** The values that a body needs besides the required ones, by the resource. */
const ESSENTIALS: Record<string, Row> = {
  runbook_schedule: { interval: 5 },
  group_mapping: { match: 'everybody' },
  webhook: { url: 'https://hook.example.com/', secret: 'secret-of-webhook-in-the-walks' },
  directory: { server_uri: 'ldap://directory.example.org' },
  openid_provider: { issuer: 'https://openid.example.org', signature_alg: 'RS256', signature_key: '' },
  saml_provider: { metadata_url: 'https://saml.example.org/metadata', metadata_xml: '', sp_certificate: '' },
  cas_server: { server_url: 'https://cas.example.org/cas/' },
  radius_server: { host: 'radius.example.org', secret: 'secret-of-radius-in-the-walks' },
}
/** The query that an address needs. */
const QUERIES: Record<string, Row> = {
  '/api/v1/xpack/change-auth-plan/plan/:id/nodes/': { action: 'add' },
  '/api/v1/xpack/change-auth-plan/app-plan/:id/systemusers/': { action: 'add' },
}
/** Fields that no two rows may have the same. */
const UNIQUE = /^(name|hostname|username|value)$/

/**
 * Adds what a POST that says no more than it must makes of other resources, such as logs, links and
 * the caller's own things.
 */
export async function makeOthers(
  routes: readonly RegisteredRoute[],
  own: OneOfEach,
  post: (address: string, body: unknown) => Promise<Answer>,
): Promise<void> {
  for (const { name, path } of resources) {
    const route = routes.find(({ method, url }) => method === 'POST' && url === path)
    if (own[name] || !route) continue
    const { address, body } = callOf(own, route)
    const { status, body: made } = await post(address, body)
    if (status === 201) own[name] = made
  }
}

/**
 * The resource of each parameter of an address: by its prefix, else by its name, else by the piece
 * before it.
 */
const kindsIn = (url: string): (string | undefined)[] =>
  [...url.matchAll(/:\w+/g)].map(([parameter]) => {
    const prefix = url.slice(0, url.indexOf(parameter))
    const last = (path: string) => path.split('/').at(-2)
    return (
      resources.find(({ path }) => path === prefix)?.name ??
      NAMED[parameter.slice(1)] ??
      resources.find(({ path }) => last(path) === last(prefix))?.name
    )
  })

/** An address of own rows, but for these parameters. */
export function ownAddress(own: OneOfEach, url: string, change: Record<number, unknown> = {}): string {
  const kinds = kindsIn(url)
  let at = -1
  return url.replace('*', 'x').replaceAll(/:\w+/g, () => {
    at++
    return String(change[at] ?? own[kinds[at] ?? '']?.id ?? NOTHING)
  })
}

let made = 0
/** A body that is right but for what it refers to: own rows, else ids of nothing. */
function bodyOf(own: OneOfEach, fields: Fields, url: string): Row {
  const definition = resources.find((one) => one.fields === fields)?.name ?? ''
  const essentials = { ...essentialsOf(definition), ...ESSENTIALS[definition] }
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]): [string, unknown][] => {
      const given = essentials[name]
      if (given !== undefined) return [[name, UNIQUE.test(name) ? `${given}-${made++}` : given]]
      if (field.readOnly || !field.required) return []
      const kind = kindOf(name, field, url)
      if (kind) return [[name, sentAs(field, own[kind]?.id ?? randomUUID())]]
      return [[name, exampleOf(`${name}-${made++}`, field)]]
    }),
  )
}

const sentAs = ({ type }: Field, id: unknown) => (type === 'refs' || type === 'strings' ? [id] : id)

/** Fields of the body of a call. */
export const takenBy = ({ method, config }: RegisteredRoute): Fields =>
  config.takes && method !== 'DELETE' ? fieldsOfBody(config.takes) : {}

/**
 * A call of a route that speaks of own rows alone.
 * @param change ids in place of those, by the position of the parameter in the address
 * @param named what the body says in place of what it would
 */
export function callOf(
  own: OneOfEach,
  route: RegisteredRoute,
  change: Record<number, unknown> = {},
  named: Row = {},
): { address: string; body?: unknown } {
  const { method, url } = route
  const address = ownAddress(own, url, change)
  if (method === 'DELETE') return { address }
  const body = { ...bodyOf(own, takenBy(route), url), ...named }
  if (method === 'GET') return { address: withQuery(address, Object.keys(named).length ? body : {}) }
  const ofMany = /PUT|PATCH/.test(method) ? resources.find(({ path }) => path === url)?.name : undefined
  // Each of many rows has its id.
  return {
    address: withQuery(address, QUERIES[url] ?? {}),
    body: ofMany ? [{ id: own[ofMany]?.id ?? NOTHING, ...body }] : body,
  }
}

export function namingCalls({ own, foreign }: Sides, route: RegisteredRoute): NamingCall[] {
  const { method, url } = route
  const inAddress = kindsIn(url).flatMap((kind, at): NamingCall[] => {
    if (!kind || !foreign[kind]) return []
    return [
      {
        place: `${method} ${url} parameter ${at + 1}`,
        kind,
        isInBody: false,
        call: (id) => callOf(own, route, { [at]: id }),
      },
    ]
  })
  const inBody = Object.entries(takenBy(route)).flatMap(([name, field]): NamingCall[] => {
    const kind = kindOf(name, field, url)
    if (!kind || !foreign[kind] || field.readOnly || field.by === 'name') return []
    return [
      {
        place: `${method} ${url} ${name}`,
        kind,
        isInBody: true,
        call: (id) => callOf(own, route, {}, { [name]: sentAs(field, id) }),
      },
    ]
  })
  return [...inAddress, ...inBody]
}

const withQuery = (address: string, query: Row) =>
  Object.keys(query).length ? `${address}?${new URLSearchParams(query as Record<string, string>)}` : address

/** An id of that kind which no row has. */
export const idOfNothing = (foreign: OneOfEach, kind: string): unknown =>
  typeof foreign[kind]?.id === 'number' ? 987_654 : randomUUID()

/** The comparable part of an answer, without values that differ each time. */
export function comparable({ status, body }: Answer): string {
  const text = (typeof body === 'string' ? body : (JSON.stringify(body) ?? ''))
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, 'ID')
    .replaceAll(/\w+-\d+\b/g, 'NAME')
  // For a change, only that it was made: the row in the answer is the caller's.
  return status < 300 && body?.id ? `${status}` : `${status} ${text.slice(0, 300)}`
}
