import { writeFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RegisteredRoute } from '../../src/kernel/access/guard.ts'
import { pathOf } from '../../src/kernel/http/api-document/operation.ts'
import { type Answer, openTestServer, type TestServer } from '../server.ts'
import { type ApiDocument, readApiDocument } from './documented.ts'
import { makeOneOfEach, type OneOfEach, type Row } from './one-of-each.ts'

/**
 * The API describes itself. Existing consoles ask OPTIONS of every address before they show its list
 * or form, and show nothing without an answer; programs go by the API document.
 */
const BREAKS = new URL('../../../../scripts/api-breaks.mjs', import.meta.url).href
const SHAPE = new URL('../../../../scripts/api-shape.mjs', import.meta.url).href

let server: TestServer
let api: ApiDocument
let rows: OneOfEach

beforeAll(async () => {
  server = await openTestServer()
  rows = await makeOneOfEach(server, server.admin)
  rows.user = (await server.admin.get(`/api/v1/users/users/${(await server.aPerson('somebody')).id}/`)).body
  const grant = {
    name: 'all of it',
    users: [server.admin.id, rows.user?.id],
    user_groups: [rows.user_group?.id],
    assets: [rows.asset?.id],
    nodes: [rows.node?.id],
    system_users: [rows.system_user?.id],
  }
  rows.asset_permission = (await server.admin.post('/api/v1/perms/asset-permissions/', grant)).body
  api = await readApiDocument(server)
})
afterAll(() => server?.close())

/** Calls without a form, by the end of their address: each for a reason. */
const WITHOUT_FORM: readonly RegExp[] = [
  /\/render-to-json\/$/, // the file itself
  /\/import-jobs\/$/, // rows of the create form
  /\/kill-session(-for-ticket)?\/$/, // a bare list of ids
  /\/tickets\/:id\/(approve|reject|close)\/$/, // the body of these is ignored
  /\/(lock|unlock|unblock|check_assets_amount_task)\/$/,
  /\/(password|pubkey)\/reset\/$/,
  /\/users\/refresh\/$/,
  /\/users\/(:id\/)?remove\/$/, // people are named in the address
  /\/profile\/dismiss-guide\/$/,
  /\/own-invitations\/:id\/(accept|decline)\/$/,
  /\/qr\/unbind\/(:user_id\/)?$/,
  /\/access-keys\/$/,
  /\/passkeys\/verify\/options\/$/,
  /\/slack\/interactions\/$/, // called by the messenger
  /\/(card-decisions|slack-bindings)\/:code\/$/, // a password at most, where there is no second factor
  /\/browser-sign-ins\/:code\/(confirm|refuse)\/$/, // the code is in the address
  /\/xpack\/(license\/import|interface\/setting)$/, // files in multipart/form-data
  /\/feishu\/event\/subscription\/callback\/$/, // called by the messenger
  /\/session-join-records\/:id\/finished\/$/,
  /\/command-executions\/:id\/cancel\/$/,
  /\/celery\/task\/:id\/cancel\/$/,
  /\/adhoc-executions\/:id\/retry\/$/,
  /\/doctor\/run\/$/,
  /\/moving\/jumpserver\/stop\/$/, // there is one at most
  /\/capacity\/(run|cancel)\/$/, // the node is named in the address
  /\/monitor\/jobs\/:id\/(retry|cancel)\/$/,
  /\/break-glass-bundles\/:id\/(seal|opened)\/$/, // the bundle is named in the address
  /\/ssh-authorities\/:id\/retire\/$/, // so is the version
  /plan-execution-subtask\/:id\/$/, // tries again what it names
  /\/access-reviews\/:id\/end\/$/, // the review is named in the address
  /\/scim\/(?!providers\/$|providers\/:id\/$)/, // bodies are those of the protocol; a token takes none
  /\/reviews\/proposals\/(:id\/(apply|reopen)|look)\/$/, // so is the suggestion
  /\/recording-moves\/:id\/resume\/$/, // goes on with what it names
  /\/webhooks\/:id\/testing\/$|\/webhook-deliveries\/:id\/send-again\/$/, // named in the address
]
const isForPrograms = ({ access }: RegisteredRoute) =>
  access.every((word) => word === 'component' || word === 'bootstrap_token')
/** Items of a tree are drawn by clients as they come. */
const isTreeItem = (row: Row) => 'pId' in row

/** The resource of a parameter's id, by the piece of the address before it. */
const IN_ADDRESS: Record<string, string> = {
  users: 'user',
  'user-groups': 'user_group',
  'asset-permissions': 'asset_permission',
  assets: 'asset',
  nodes: 'node',
  'system-users': 'system_user',
  gateways: 'gateway',
  'perm-users': 'user',
  'perm-user-groups': 'user_group',
}

const addressOf = (url: string) =>
  url.replaceAll(
    /([\w-]+)\/:\w+/g,
    (_, before: string) => `${before}/${rows[IN_ADDRESS[before] ?? '']?.id ?? '00000000-0000-4000-8000-000000000001'}`,
  )

const described = () =>
  server.kernel.routes.filter(
    ({ method, url }) =>
      /^\/api\/v1\//.test(url) && !url.includes('*') && ['GET', 'POST', 'PUT', 'PATCH'].includes(method),
  )

const rowsOf = ({ status, body }: Answer): Row[] => {
  const list = status === 200 ? (body?.results ?? body) : []
  return Array.isArray(list) ? list.filter((one) => typeof one === 'object' && one !== null) : []
}

test('[B7.27] every address of the API that is read or written answers OPTIONS', async () => {
  const without = described().filter(
    ({ url }) => !server.kernel.routes.some((one) => one.url === url && one.method === 'OPTIONS'),
  )
  expect(without.map(({ url }) => url)).toEqual([])
})

test('[B7.27] OPTIONS of every list names what its rows hold, and answers are as the API document has them', async () => {
  const wrong: string[] = []
  let seen = 0
  for (const { method, url } of described()) {
    if (method !== 'GET') continue
    const answer = await server.admin.get(addressOf(url))
    const [row] = rowsOf(answer)
    const fault = api.fault(method, url, answer)
    if (fault) wrong.push(`${url}: ${fault}`)
    if (!row || isTreeItem(row)) continue
    seen += 1
    const { status, body } = await server.admin.options(addressOf(url))
    const named = status === 200 ? Object.keys(body.actions.GET ?? {}) : []
    const unnamed = Object.keys(row).filter((key) => !named.includes(key))
    if (unnamed.length) wrong.push(`${url}: ${status} ${unnamed}`)
  }
  expect(seen).toBeGreaterThan(50)
  expect(wrong).toEqual([])
})

test('[B7.27] OPTIONS of every call with a body names what it takes', async () => {
  const wrong: string[] = []
  for (const route of described()) {
    const { method, url } = route
    if (method === 'GET' || isForPrograms(route) || WITHOUT_FORM.some((end) => end.test(url))) continue
    const { status, body } = await server.admin.options(addressOf(url))
    if (status === 307) continue // an old address, which leads to the new one
    if (!Object.keys(body.actions?.[method] ?? {}).length) wrong.push(`${method} ${url}: ${status}`)
  }
  expect(wrong).toEqual([])
})

test('the API document has every call of every route, and is valid OpenAPI 3.1', async () => {
  const { paths } = api.document
  const calls = server.kernel.routes.filter(({ method }) => method !== 'HEAD')
  const missing = calls.filter(({ method, url }) => !paths[pathOf(url)]?.[method.toLowerCase()])
  expect(missing.map(({ method, url }) => `${method} ${url}`)).toEqual([])
  expect(await new Validator().validate(structuredClone(api.document))).toMatchObject({ valid: true })
  const ids = Object.values<Record<string, { operationId?: string }>>(paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ operationId }) => operationId ?? []),
  )
  expect(ids.length - new Set(ids).size).toBe(0)
})

test('each example in the API document is what its schema describes', () => {
  const wrong: string[] = []
  let seen = 0
  for (const [name, { examples = [] }] of Object.entries<{ examples?: unknown[] }>(api.document.components.schemas))
    for (const example of examples) {
      seen++
      const fault = api.exampleFault(name, example)
      if (fault) wrong.push(`${fault} ${JSON.stringify(example)}`)
    }
  expect(seen).toBeGreaterThan(300)
  expect(wrong).toEqual([])
})

/** Calls of which the document says only that they answer JSON. Fewer are better: say it by `answers`. */
const SAID_LITTLE = 160

test('the API document says what calls answer', () => {
  const little = server.kernel.routes.filter(
    ({ method, config: { rows, answers = rows } }) => !answers && ['GET', 'POST', 'PUT', 'PATCH'].includes(method),
  )
  const names = little.map(({ method, url }) => `${method} ${url}`)
  expect(names.length, names.join('\n')).toBeLessThanOrEqual(SAID_LITTLE)
})

test('no call breaks programs written for the last release, unless the changes name it', async () => {
  const { RELEASED, refusedChanges } = await import(BREAKS)
  if (process.env.SALLYPORT_WRITE_API) {
    const { shapeOfApi, textOfShape } = await import(SHAPE)
    writeFileSync(RELEASED, textOfShape(shapeOfApi(api.document)))
  }
  const advice = 'keep what programs rely on, or name it in backquotes in CHANGELOG.md with what to do'
  expect(refusedChanges(api.document), advice).toEqual([])
})

/** It ends the sign-in of its caller. */
const ENDS = /\/logout\//

test('refusals, and changes that a person may make, are answered as the API document has them', async () => {
  const member = await server.aPerson('member')
  const wrong: string[] = []
  for (const { method, url } of server.kernel.routes) {
    if (['GET', 'HEAD', 'OPTIONS'].includes(method) || !url.startsWith('/api/') || ENDS.test(url)) continue
    for (const headers of [{ authorization: `Bearer ${member.token}` }, {} as Record<string, string>]) {
      const fault = api.fault(method, url, await server.call(method, addressOf(url), { body: {}, headers }))
      if (fault) wrong.push(`${method} ${url}: ${fault}`)
    }
  }
  expect(wrong).toEqual([])
})
