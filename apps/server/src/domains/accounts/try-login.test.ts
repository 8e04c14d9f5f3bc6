import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { as, type DomainServer, OTHER_ORG_ID, openDomainServer } from '../../../test/domain-server.ts'
import { openLicense } from '../xpack/license.ts'
import { DatabaseError, databaseLogins, registerAccounts } from './index.ts'

let server: DomainServer
let database: { id: string }
let account: { id: string }
/** Answer of the database to a login. */
let answer: () => void
const tried: unknown[] = []

beforeAll(async () => {
  server = await openDomainServer(registerAccounts)
  // Applications of most types need a license.
  ;(await openLicense(server.kernel)).isValid = () => true
  databaseLogins.provide(async (_, { host, port }, login) => {
    tried.push({ host, port, ...login })
    answer()
    return { isPasswordAsked: true, check: async () => {}, setPassword: async () => {}, close() {} }
  })
  database = await server.make('applications/applications', {
    ...{ name: 'shop', category: 'db', type: 'postgresql' },
    attrs: { host: 'db.example.com', port: 5432, database: 'shop' },
  })
  account = await server.make('assets/system-users', {
    ...{ name: 'shop reader', username: 'reader', password: 'Reader-secret-1' },
    ...{ protocol: 'postgresql', login_mode: 'auto', auto_push: false },
  })
})
afterAll(() => server?.close())

const tryLogin = async (system_user: unknown, { id = database.id, headers = as({ orgRoles: ['Admin'] }) } = {}) => {
  const { statusCode, body } = await server.kernel.app.inject({
    method: 'POST',
    url: `/api/v1/applications/applications/${id}/try-login/`,
    headers,
    payload: { system_user },
  })
  return [statusCode, body && JSON.parse(body)]
}

test('an account is tried at its database, with the stored secret, and nothing is answered of it', async () => {
  answer = () => {}
  expect(await tryLogin(account.id)).toEqual([204, ''])
  expect(tried).toEqual([{ host: 'db.example.com', port: 5432, username: 'reader', password: 'Reader-secret-1' }])
})

test('a refusal of the server is at its field, in words', async () => {
  answer = () => {
    throw new DatabaseError('login', 'password authentication failed')
  }
  expect(await tryLogin(account.id)).toEqual([400, { password: ['The server refused the login'] }])
  answer = () => {
    throw new DatabaseError('unreachable', 'no route to db.example.com\nand more')
  }
  expect(await tryLogin(account.id)).toEqual([
    400,
    expect.objectContaining({ detail: 'The database cannot be reached: no route to db.example.com' }),
  ])
})

test('neither accounts that there are not, nor those of other organizations, nor other applications are tried', async () => {
  tried.length = 0
  expect(await tryLogin('shop')).toEqual([400, { system_user: [expect.any(String)] }])
  expect(await tryLogin(randomUUID())).toEqual([400, { system_user: [expect.any(String)] }])
  const foreign = as({ orgRoles: ['Admin'], org: OTHER_ORG_ID })
  expect((await tryLogin(account.id, { headers: foreign }))[0]).toBe(404)
  expect((await tryLogin(account.id, { headers: as({ orgRoles: ['User'] }) }))[0]).toBe(403)
  const cluster = await server.make('applications/applications', {
    ...{ name: 'k8s', category: 'cloud', type: 'k8s', attrs: { cluster: 'https://10.0.0.8:6443' } },
  })
  expect((await tryLogin(account.id, { id: cluster.id }))[0]).toBe(400)
  expect(tried).toEqual([])
})
