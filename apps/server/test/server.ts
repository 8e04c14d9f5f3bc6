/** A whole server on a database of its own, for tests that speak HTTP. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OrgRole, SystemRole } from '@sallyport/contract/access.ts'
import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { loadConfig } from '../src/config.ts'
import { hashCheaply } from '../src/domains/users/password/password.ts'
import { openServer, type Server } from '../src/server.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { letGo } from './let-go.ts'
import { licenseSettings } from './license.ts'
import { measured } from './measured.ts'

// Benchmarks use this file as well, and measure what the product does.
if (process.env.VITEST) hashCheaply()

export const ADMIN_PASSWORD = 'Guarded-door-1'
export const PASSWORD = 'Plain-person-1'

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any
  headers: Record<string, unknown>
}

/** Calls the API as one person, in one organization, with a bearer token. */
export interface Caller {
  id: string
  username: string
  token: string
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
  put(path: string, body?: unknown): Promise<Answer>
  patch(path: string, body?: unknown): Promise<Answer>
  delete(path: string, body?: unknown): Promise<Answer>
  options(path: string): Promise<Answer>
  /** The same person in another organization. */
  in(org: string): Caller
}

export interface TestServer extends Server {
  admin: Caller
  /** Makes a person and signs them in; `orgRoles` are those in `org` (Default when not said). */
  aPerson(username: string, options?: { role?: SystemRole; orgRoles?: OrgRole[]; org?: string }): Promise<Caller>
  /** Makes an organization and answers its id. */
  anOrg(name: string): Promise<string>
  call(method: string, path: string, options?: { body?: unknown; headers?: Record<string, string> }): Promise<Answer>
  signIn(username: string, password: string, org?: string): Promise<Caller>
}

/**
 * On a database of its own where none is given, and with a valid license unless the environment
 * says otherwise.
 */
export async function openTestServer(
  environment: Record<string, string> = {},
  given?: TestDatabase,
  demo = false,
): Promise<TestServer> {
  const database = given ?? (await createTestDatabase())
  const dataDirectory = await mkdtemp(join(tmpdir(), 'sallyport-data-'))
  const config = loadConfig({
    SALLYPORT_DATA_DIR: dataDirectory,
    SALLYPORT_HTTP_PORT: '0',
    SALLYPORT_SSH_PORT: '0',
    SALLYPORT_ADMIN_PASSWORD: ADMIN_PASSWORD,
    SALLYPORT_BOOTSTRAP_TOKEN: 'bootstrap-token-of-tests',
    // The same for every node of one database.
    SALLYPORT_SECRET_KEY: 'secret-key-of-the-nodes-of-a-test',
    SALLYPORT_LOG_LEVEL: 'silent',
    // Tests are read in English; what the default does has tests of its own.
    SALLYPORT_LANGUAGE: 'en',
    ...licenseSettings(30),
    ...environment,
  })
  const server = await measured('servers', () => openServer({ config, database: database.connection, demo }))

  const call: TestServer['call'] = async (method, path, { body, headers = {} } = {}) => {
    const answer = await server.kernel.app.inject({
      method: method as 'GET',
      url: path,
      headers: {
        cookie: 'django_language=en',
        ...headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    })
    const isJson = String(answer.headers['content-type'] ?? '').includes('json')
    return {
      status: answer.statusCode,
      body: isJson && answer.body ? JSON.parse(answer.body) : answer.body,
      headers: answer.headers,
    }
  }
  const caller = (id: string, username: string, token: string, org: string): Caller => {
    const headers = { authorization: `Bearer ${token}`, 'x-jms-org': org }
    const send = (method: string) => (path: string, body?: unknown) => call(method, path, { body, headers })
    return {
      id,
      username,
      token,
      get: (path) => send('GET')(path),
      post: send('POST'),
      put: send('PUT'),
      patch: send('PATCH'),
      delete: send('DELETE'),
      options: (path) => send('OPTIONS')(path),
      in: (other) => caller(id, username, token, other),
    }
  }
  const signIn: TestServer['signIn'] = async (username, password, org = DEFAULT_ORG_ID) => {
    const { status, body } = await call('POST', '/api/v1/authentication/tokens/', { body: { username, password } })
    if (status !== 201) throw new Error(`sign-in of ${username} answered ${status}: ${JSON.stringify(body)}`)
    return caller(body.user.id, username, body.token, org)
  }
  const admin = await signIn('admin', ADMIN_PASSWORD)
  const expectCreated = ({ status, body }: Answer) => {
    if (status !== 201) throw new Error(`create answered ${status}: ${JSON.stringify(body)}`)
    return body
  }
  const opened: TestServer = {
    ...server,
    admin,
    call,
    signIn,
    async aPerson(username, { role = 'User', orgRoles = ['User'], org = DEFAULT_ORG_ID } = {}) {
      const draft = {
        name: `${username} of test`,
        username,
        email: `${username}@example.com`,
        role,
        org_roles: orgRoles,
        password_strategy: 'custom',
        password: PASSWORD,
      }
      expectCreated(await admin.in(org).post('/api/v1/users/users/', draft))
      return signIn(username, PASSWORD, org)
    },
    async anOrg(name) {
      return expectCreated(await admin.post('/api/v1/orgs/orgs/', { name })).id
    },
    async close() {
      await server.close()
      await database.drop()
      await rm(dataDirectory, { recursive: true, force: true })
      letGo(opened, server)
    },
  }
  return opened
}
