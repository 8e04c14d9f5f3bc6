/**
 * Users, assets, permissions, sessions and logs on a real database; callers are believed by header,
 * so that a test names them in one word.
 */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OrgRole, SystemRole } from '@sallyport/contract/access.ts'
import { DEFAULT_ORG_ID, ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { mountDomainResources } from '../src/domain-resources.ts'
import { registerApplications } from '../src/domains/applications/index.ts'
import { ensureRootNode, registerAssets } from '../src/domains/assets/index.ts'
import { registerAudits, registerForwarding } from '../src/domains/audits/index.ts'
import { storedCredentials } from '../src/domains/authentication/credentials/credentials.ts'
import { commandFilterLinks, registerCommandFilters } from '../src/domains/command-filters/index.ts'
import { registerDashboard } from '../src/domains/dashboard/index.ts'
import { registerOps } from '../src/domains/ops/index.ts'
import { registerOrgs } from '../src/domains/orgs/index.ts'
import { registerPerms } from '../src/domains/perms/index.ts'
import { registerSettings } from '../src/domains/settings/index.ts'
import { registerSystemUsers, systemUserLinks } from '../src/domains/system-users/index.ts'
import { registerTerminal } from '../src/domains/terminal/index.ts'
import { credentials, registerUsers } from '../src/domains/users/index.ts'
import { installAccessGuard } from '../src/kernel/access/guard.ts'
import { openDatabase } from '../src/kernel/database/database.ts'
import { openEvents } from '../src/kernel/events/events.ts'
import { createApp } from '../src/kernel/http/create-app.ts'
import { createJobs } from '../src/kernel/jobs/jobs.ts'
import type { Kernel } from '../src/kernel/kernel.ts'
import { registerSelection } from '../src/kernel/resource/selection.ts'
import { KeyRing } from '../src/kernel/secrets/key-ring.ts'
import { secretKey } from '../src/kernel/secrets/secret-key.ts'
import { createVault } from '../src/kernel/secrets/vault.ts'
import { createTestDatabase } from './database.ts'
import { letGo } from './let-go.ts'

export const OTHER_ORG_ID = '11111111-1111-4111-8111-111111111111'
/** Administers Default, belongs to it. */
export const ANN = '22222222-2222-4222-8222-222222222222'
/** An ordinary member of Default. */
export const BOB = '33333333-3333-4333-8333-333333333333'

type Headers = Record<string, string>

export function as({
  role = 'User',
  orgRoles = [],
  org = DEFAULT_ORG_ID,
  user = ANN,
}: {
  role?: SystemRole
  orgRoles?: OrgRole[]
  org?: string
  user?: string
}): Headers {
  return {
    'x-test-role': role,
    'x-test-user': user,
    'x-test-org-roles': orgRoles.join(','),
    'x-jms-org': org,
    'x-tz': 'Asia/Shanghai',
    cookie: 'django_language=en',
  }
}

export const admin = as({ orgRoles: ['Admin'] })
export const auditor = as({ orgRoles: ['Auditor'] })
export const otherAdmin = as({ orgRoles: ['Admin'], org: OTHER_ORG_ID })
export const superAdmin = as({ role: 'Admin', org: ROOT_ORG_ID })
export const component = as({ role: 'App', org: ROOT_ORG_ID })
export const bob = as({ user: BOB })

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came
  body: any
  raw: Buffer
  headers: Record<string, unknown>
}

/** `more` puts further parts on the server, before it is ready. */
export async function openDomainServer(more: (kernel: Kernel) => Promise<void> | void = () => {}) {
  const database = await createTestDatabase()
  const { db, pool, close } = openDatabase(database.connection)
  const dataDirectory = await mkdtemp(join(tmpdir(), 'sallyport-data-'))
  const app = await createApp({
    logLevel: 'silent',
    trustedProxies: [],
    uploadLimit: () => 1024 * 1024,
    language: 'en',
  })
  const events = await openEvents(pool, database.connection, app.log)
  const kernel = {
    config: { dataDirectory, settings: {}, trustedProxies: [] },
    app,
    db,
    pool,
    events,
    jobs: createJobs({ db, pool }, events, app.log, { worker: false }),
    secrets: createVault(new KeyRing([secretKey(Buffer.alloc(32, 7))])),
    audit: { record: async () => {} },
    nodes: { id: 'alone', ofTerminals: async () => [], running: async () => [] },
  } as unknown as Kernel
  kernel.routes = installAccessGuard(app, {
    async identify(request, wantedOrg) {
      const role = request.headers['x-test-role'] as SystemRole | undefined
      const id = String(request.headers['x-test-user'])
      const orgRoles = String(request.headers['x-test-org-roles'] ?? '')
        .split(',')
        .filter(Boolean) as OrgRole[]
      const name = id === BOB ? 'Bob' : 'Ann'
      const user = role ? { id, name, username: name.toLowerCase(), role } : undefined
      return {
        user,
        via: user && 'bearer',
        sessionId: undefined,
        org: { id: wantedOrg ?? DEFAULT_ORG_ID, name: wantedOrg === OTHER_ORG_ID ? 'Other' : 'Default' },
        orgRoles,
      }
    },
    isLicensed: () => true,
    hasBootstrapToken: (request) => request.headers.authorization === 'BootstrapToken letmein',
  })
  registerSelection(kernel)
  await pool.query('INSERT INTO orgs_organization (id, name) VALUES ($1, $2)', [OTHER_ORG_ID, 'Other'])
  await registerSettings(kernel)
  systemUserLinks.provide(commandFilterLinks)
  await mountDomainResources(kernel)
  registerAudits(kernel)
  await registerForwarding(kernel)
  registerOrgs(kernel, () => 'GLOBAL')
  registerUsers(kernel)
  credentials.provide(storedCredentials)
  registerOps(kernel)
  await registerAssets(kernel)
  registerSystemUsers(kernel)
  registerCommandFilters(kernel)
  registerApplications(kernel)
  registerPerms(kernel)
  await registerTerminal(kernel)
  registerDashboard(kernel)
  await more(kernel)
  for (const [id, username] of [
    [ANN, 'ann'],
    [BOB, 'bob'],
  ] as const) {
    await pool.query('INSERT INTO users_user (id, username, name, email) VALUES ($1, $2, initcap($2), $2 || $3)', [
      id,
      username,
      '@example.com',
    ])
    await pool.query('INSERT INTO orgs_member (org, "user", role) VALUES ($1, $2, $3)', [
      DEFAULT_ORG_ID,
      id,
      id === ANN ? 'Admin' : 'User',
    ])
  }
  await ensureRootNode(db, DEFAULT_ORG_ID, 'Default')
  await ensureRootNode(db, OTHER_ORG_ID, 'Other')
  await app.ready()

  async function call(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS',
    url: string,
    body?: unknown,
    headers: Headers = admin,
  ): Promise<Answer> {
    const payload =
      Buffer.isBuffer(body) || typeof body === 'string' ? body : body === undefined ? undefined : JSON.stringify(body)
    const type: Headers =
      payload === undefined || Buffer.isBuffer(body) || typeof body === 'string'
        ? {}
        : { 'content-type': 'application/json' }
    const answer = await server.app.inject({
      method,
      url,
      headers: { ...type, ...headers },
      ...(payload === undefined ? {} : { payload }),
    })
    const isJson = String(answer.headers['content-type']).includes('json')
    return {
      status: answer.statusCode,
      body: answer.body && isJson ? answer.json() : answer.body,
      raw: answer.rawPayload,
      headers: answer.headers,
    }
  }

  const server = {
    app,
    kernel,
    db,
    pool,
    call,
    /** Creates a row and answers it; a refusal fails the test with its text. */
    // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came
    async make(path: string, row: Record<string, unknown>, headers = admin): Promise<any> {
      const { status, body } = await call('POST', `/api/v1/${path}/`, row, headers)
      if (status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
      return body
    },
    async close() {
      await app.close()
      await events.close()
      await close()
      await database.drop()
      await rm(dataDirectory, { recursive: true, force: true })
      letGo(server)
    },
  }
  return server
}

export type DomainServer = Awaited<ReturnType<typeof openDomainServer>>
