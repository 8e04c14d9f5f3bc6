/**
 * A server with assets and tasks alone, on a real database with a real queue; who calls is stated
 * by a header.
 */

import type { OrgRole, SystemRole } from '@sallyport/contract/access.ts'
import { DEFAULT_ORG_ID, ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { mountDomainResources } from '../../domain-resources.ts'
import type { Call } from '../../kernel/access/call.ts'
import { installAccessGuard } from '../../kernel/access/guard.ts'
import type { SignIn } from '../../kernel/access/sign-in.ts'
import type { Operation } from '../../kernel/audit/audit.ts'
import { openDatabase } from '../../kernel/database/database.ts'
import { openEvents } from '../../kernel/events/events.ts'
import { createApp } from '../../kernel/http/create-app.ts'
import { createJobs } from '../../kernel/jobs/jobs.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { registerSelection } from '../../kernel/resource/selection.ts'
import { KeyRing } from '../../kernel/secrets/key-ring.ts'
import { secretKey } from '../../kernel/secrets/secret-key.ts'
import { createVault } from '../../kernel/secrets/vault.ts'
import { lapsedSignIns, signInOf } from '../authentication/index.ts'
import { commandFilterLinks, registerCommandFilters } from '../command-filters/index.ts'
import { registerOps } from '../ops/index.ts'
import { registerSystemUsers, systemUserLinks } from '../system-users/index.ts'
import { ensureRootNode, registerAssets } from './index.ts'

export const OTHER_ORG_ID = '11111111-1111-4111-8111-111111111111'
export const ANN = '22222222-2222-4222-8222-222222222222'
export const BOB = '33333333-3333-4333-8333-333333333333'

const ORG_NAMES = new Map([
  [DEFAULT_ORG_ID, 'Default'],
  [OTHER_ORG_ID, 'Other'],
  [ROOT_ORG_ID, 'GLOBAL'],
])

interface Caller {
  role?: SystemRole
  orgRoles?: OrgRole[]
  org?: string
  user?: string
}

export function as({ role = 'User', orgRoles = [], org = DEFAULT_ORG_ID, user = ANN }: Caller): Record<string, string> {
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
export const otherAdmin = as({ orgRoles: ['Admin'], org: OTHER_ORG_ID })
export const superAdmin = as({ role: 'Admin', org: ROOT_ORG_ID })
export const component = as({ role: 'App', org: ROOT_ORG_ID })
export const ordinary = as({ orgRoles: ['User'], user: BOB })

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came
  body: any
  raw: Buffer
}

/**
 * @param given a further node on that database; without it, the first on one of its own
 * @param worker whether it does jobs once they are started, or only sends them
 */
export async function openAssetsFixture({
  given,
  ...jobOptions
}: {
  given?: Pick<TestDatabase, 'connection'>
  worker?: boolean
  lookSeconds?: number
} = {}) {
  const own = given ? undefined : await createTestDatabase()
  const database = given ?? (own as TestDatabase)
  const { db, pool, close } = openDatabase(database.connection)
  const app = await createApp({
    logLevel: 'silent',
    trustedProxies: [],
    uploadLimit: () => 1024 * 1024,
    language: 'en',
  })
  const operations: Operation[] = []
  const events = await openEvents(pool, database.connection, app.log)
  const jobs = createJobs({ db, pool }, events, app.log, { worker: true, ...jobOptions })
  const kernel = {
    app,
    db,
    pool,
    jobs,
    events,
    secrets: createVault(new KeyRing([secretKey(Buffer.alloc(32, 7))])),
    audit: { record: async (_db: unknown, _call: unknown, written: Operation[]) => void operations.push(...written) },
    callerNow: async (call: Call) => call,
    signIns: { behind: signInOf, lapsed: (signIns: SignIn[]) => lapsedSignIns({ pool }, signIns) },
    orgNames: async () => ORG_NAMES,
  } as unknown as Kernel
  kernel.routes = installAccessGuard(app, {
    async identify(request, wantedOrg) {
      const role = request.headers['x-test-role'] as SystemRole | undefined
      const id = String(request.headers['x-test-user'])
      const orgRoles = String(request.headers['x-test-org-roles'] ?? '')
        .split(',')
        .filter(Boolean) as OrgRole[]
      const user = role
        ? { id, name: id === ANN ? 'Ann' : 'Bob', username: id === ANN ? 'ann' : 'bob', role }
        : undefined
      return {
        user,
        via: user && 'bearer',
        sessionId: undefined,
        org: { id: wantedOrg ?? DEFAULT_ORG_ID, name: ORG_NAMES.get(wantedOrg ?? DEFAULT_ORG_ID) ?? '' },
        orgRoles,
      }
    },
    isLicensed: () => true,
    hasBootstrapToken: () => false,
  })
  registerSelection(kernel)
  systemUserLinks.provide(commandFilterLinks)
  await mountDomainResources(kernel)
  registerOps(kernel)
  await registerAssets(kernel)
  registerSystemUsers(kernel)
  registerCommandFilters(kernel)
  await pool.query('INSERT INTO orgs_organization (id, name) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    OTHER_ORG_ID,
    'Other',
  ])
  for (const [id, username] of [
    [ANN, 'ann'],
    [BOB, 'bob'],
  ]) {
    await pool.query(
      'INSERT INTO users_user (id, username, name, email) VALUES ($1, $2, $2, $3) ON CONFLICT DO NOTHING',
      [id, username, `${username}@example.com`],
    )
  }
  const root = await ensureRootNode(db, DEFAULT_ORG_ID, 'Default')
  const otherRoot = await ensureRootNode(db, OTHER_ORG_ID, 'Other')
  await app.ready()

  async function call(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS',
    url: string,
    body?: unknown,
    headers: Record<string, string> = admin,
  ): Promise<Answer> {
    const sent = Buffer.isBuffer(body) ? body : body === undefined ? undefined : JSON.stringify(body)
    const type: Record<string, string> = Buffer.isBuffer(body)
      ? {}
      : body === undefined
        ? {}
        : { 'content-type': 'application/json' }
    const answer = await app.inject({
      method,
      url,
      headers: { ...type, ...headers },
      ...(sent === undefined ? {} : { payload: sent }),
    })
    const isJson = String(answer.headers['content-type']).includes('json')
    return {
      status: answer.statusCode,
      body: answer.body ? (isJson ? answer.json() : answer.body) : undefined,
      raw: answer.rawPayload,
    }
  }

  return {
    app,
    kernel,
    pool,
    /** Where another node finds the same rows. */
    connection: database.connection,
    operations,
    root,
    otherRoot,
    call,
    /** Creates a row and answers it; fails the test with the text of a refusal. */
    async make(resource: string, row: Record<string, unknown>, headers = admin) {
      const { status, body } = await call('POST', `/api/v1/assets/${resource}/`, row, headers)
      if (status !== 201) throw new Error(`${resource}: ${status} ${JSON.stringify(body)}`)
      return body
    },
    async close() {
      await jobs.close().catch(() => {})
      await events.close()
      await app.close()
      await close()
      await own?.drop()
    },
  }
}

export type AssetsFixture = Awaited<ReturnType<typeof openAssetsFixture>>
