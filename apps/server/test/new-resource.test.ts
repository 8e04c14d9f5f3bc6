/**
 * A resource is at most definition, migration, server file, page file and Chinese. Here a copy of
 * the server gets a resource by those files alone, and nothing else is touched; that a page is
 * there with its file is what `app/many-resources.test.ts` of the console shows.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { ADMIN_PASSWORD } from './server.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const FILES: Readonly<Record<string, string>> = {
  'packages/contract/src/resources/assets/torch.ts': `
    import { defineResource } from '../../define.ts'
    import { BULK, CRUD, FILES } from '../../operations.ts'
    export const torch = defineResource({
      name: 'torch',
      path: '/api/v1/assets/torches/',
      label: 'Torch',
      scope: 'org',
      operations: [...CRUD, ...BULK, ...FILES],
      permission: { list: ['org_admin'], write: ['org_admin'] },
      display: '{name}',
      fields: {
        id: { type: 'uuid', label: 'ID' },
        name: { type: 'string', label: 'Name', required: true, maxLength: 64 },
        brightness: { type: 'integer', label: 'Brightness in lumens', min: 1, default: 100 },
        org_id: { type: 'string', label: 'Organization', readOnly: true },
      },
      search: ['name'],
      filters: ['name', 'brightness'],
      ordering: ['name', 'brightness'],
      defaultOrder: ['name'],
    })`,
  'apps/server/migrations/299901010000_assets_torch.sql': `
    CREATE TABLE assets_torch (
      id uuid PRIMARY KEY DEFAULT uuidv7(),
      org_id uuid NOT NULL REFERENCES orgs_organization (id),
      name text NOT NULL,
      brightness integer NOT NULL
    );
    CREATE UNIQUE INDEX assets_torch__org_id__name__unique ON assets_torch (org_id, name);`,
  'apps/server/src/domains/assets/torch.resource.ts': `
    import { torch } from '@sallyport/contract/resources/assets/torch.ts'
    import { integer, pgTable, text } from 'drizzle-orm/pg-core'
    import { id, orgId } from '../../kernel/database/columns.ts'
    import type { Kernel } from '../../kernel/kernel.ts'
    import { mountResource } from '../../kernel/resource/routes.ts'
    export const assetsTorch = pgTable('assets_torch', {
      id: id(),
      org_id: orgId(),
      name: text('name').notNull(),
      brightness: integer('brightness').notNull(),
    })
    export default function mountTorch(kernel: Kernel): void {
      mountResource(kernel, torch, { table: assetsTorch })
    }`,
}
const CHINESE = { Torch: '手电筒', 'Brightness in lumens': '亮度（流明）' }
const TORCHES = '/api/v1/assets/torches/'

const house = mkdtempSync(join(tmpdir(), 'sallyport-house-'))
let database: TestDatabase
let url = ''
let stop: () => Promise<unknown> = async () => {}
beforeAll(async () => {
  copyHouse()
  database = await createTestDatabase()
  for (const [path, text] of Object.entries(FILES)) writeFileSync(join(house, path), text)
  const catalog = join(house, 'packages/contract/src/locales/cn/assets.json')
  writeFileSync(catalog, JSON.stringify({ ...JSON.parse(readFileSync(catalog, 'utf8')), ...CHINESE }))
  const { PATH, HOME } = process.env
  const server = spawn(process.execPath, [join(house, 'apps/server/src/main.ts')], {
    env: {
      PATH,
      HOME,
      DATABASE_URL: addressOf(database),
      SALLYPORT_DATA_DIR: join(house, 'data'),
      SALLYPORT_HTTP_PORT: '0',
      SALLYPORT_SSH_PORT: '0',
      SALLYPORT_ADMIN_PASSWORD: ADMIN_PASSWORD,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(server, 'close')
  stop = async () => {
    server.kill('SIGTERM')
    await ended
  }
  let output = ''
  url = await new Promise((ready, failed) => {
    server.stdout.on('data', (bytes) => {
      output += bytes
      const [, address] = output.match(/is ready: (http\S+)/) ?? []
      if (address) ready(address)
    })
    void ended.then(() => failed(new Error(`the server ended:\n${output}`)))
  })
})
afterAll(async () => {
  await stop()
  await database?.drop()
  rmSync(house, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

function addressOf({ connection: { host = '', port = 5432, user, password, database: name } }: TestDatabase): string {
  const secret = typeof password === 'string' ? `:${encodeURIComponent(password)}` : ''
  return `postgres://${user}${secret}@localhost:${port}/${name}?host=${encodeURIComponent(host)}`
}

/** Sources of server and contract, with the packages of this checkout. */
function copyHouse(): void {
  for (const path of ['apps/server/src', 'apps/server/migrations', 'packages/contract/src'])
    cpSync(join(ROOT, path), join(house, path), { recursive: true })
  for (const path of ['package.json', 'apps/server/package.json', 'packages/contract/package.json'])
    cpSync(join(ROOT, path), join(house, path))
  mkdirSync(join(house, 'node_modules/@sallyport'), { recursive: true })
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== '@sallyport') symlinkSync(join(ROOT, 'node_modules', name), join(house, 'node_modules', name))
  symlinkSync(join(house, 'packages/contract'), join(house, 'node_modules/@sallyport/contract'))
}

async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const answer = await fetch(url + path, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.includes('json')
  return { status: answer.status, body: isJson && text ? JSON.parse(text) : text }
}

test('a resource is there by its definition, migration, server file and Chinese alone', async () => {
  const { body } = await call('POST', '/api/v1/authentication/tokens/', {
    username: 'admin',
    password: ADMIN_PASSWORD,
  })
  const admin = { authorization: `Bearer ${body.token}`, cookie: 'django_language=en' }
  const as = (method: string, path: string, sent?: unknown) => call(method, path, sent, admin)

  expect((await call('GET', TORCHES)).status).toBe(401)
  const made = await as('POST', TORCHES, { name: 'pocket' })
  expect(made).toMatchObject({ status: 201, body: { name: 'pocket', brightness: 100 } })
  expect(await as('POST', TORCHES, { name: 'pocket', brightness: 0 })).toEqual({
    status: 400,
    body: { brightness: ['Ensure this value is greater than or equal to 1.'] },
  })
  expect(await as('POST', TORCHES, { name: 'pocket' })).toMatchObject({
    status: 400,
    body: { name: [expect.stringContaining('unique')] },
  })
  expect((await as('PATCH', TORCHES, [{ id: made.body.id, brightness: 900 }])).body).toMatchObject([
    { brightness: 900 },
  ])
  expect((await as('GET', `${TORCHES}?search=pock&brightness=900&limit=10`)).body).toMatchObject({ count: 1 })
  expect((await as('GET', `${TORCHES}?format=csv`)).body).toContain('pocket,900')

  const chinese = await call('OPTIONS', TORCHES, undefined, { ...admin, cookie: 'django_language=zh-hans' })
  expect(chinese.body.name).toBe(CHINESE.Torch)
  expect(chinese.body.actions.POST.brightness).toMatchObject({ label: CHINESE['Brightness in lumens'], min_value: 1 })
  const { components, paths } = (await call('GET', '/api/docs/')).body
  expect([Object.keys(components.schemas.torch.properties).length, Boolean(paths[TORCHES].post)]).toEqual([4, true])
  const log = await as('GET', '/api/v1/audits/operate-logs/?resource_type=Torch')
  expect(log.body.map(({ action }: { action: string }) => action).sort()).toEqual(['create', 'export', 'update'])
  expect((await as('DELETE', `${TORCHES}${made.body.id}/`)).status).toBe(204)
})
