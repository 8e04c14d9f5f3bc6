/**
 * Adds today's schema with the demo's data to the collection; `npm run release-schema`
 * (CONTRIBUTING.md).
 */
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { resources } from '@sallyport/contract/resources/all-fixture.ts'
import { loadConfig } from '../../src/config.ts'
import { signRoot } from '../../src/domains/audits/roots.ts'
import { startEmbeddedPostgres } from '../../src/kernel/database/embedded.ts'
import { openServer, type Server } from '../../src/server.ts'
import { licenseSettings } from '../license.ts'
import { ADMIN_PASSWORD } from '../server.ts'
import { RELEASE_SECRET_KEY, type Release, readRows, releaseFile, writeRelease } from './release.ts'

const MIGRATIONS = fileURLToPath(new URL('../../migrations/', import.meta.url))

const [name = new Date().toISOString().slice(0, 10)] = process.argv.slice(2)
await writeRelease(name, await makeRelease())
console.log(`${releaseFile(name)}: ${(await stat(releaseFile(name))).size} bytes`)

async function makeRelease(): Promise<Release> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-release-'))
  const postgres = await startEmbeddedPostgres({ directory: join(folder, 'postgres'), log: () => {} })
  try {
    const config = loadConfig({
      SALLYPORT_DATA_DIR: folder,
      SALLYPORT_HTTP_PORT: '0',
      SALLYPORT_SSH_PORT: '0',
      SALLYPORT_ADMIN_PASSWORD: ADMIN_PASSWORD,
      SALLYPORT_SECRET_KEY: RELEASE_SECRET_KEY,
      SALLYPORT_LOG_LEVEL: 'silent',
      ...licenseSettings(30),
    })
    const server = await openServer({ config, database: postgres.connection, demo: true })
    try {
      // The chained entries of its rows must hold by later versions.
      await signRoot(server.kernel)
      return {
        migrations: await migrationsHere(),
        lists: await countLists(server),
        ...(await readRows(server.kernel.pool)),
      }
    } finally {
      await server.close()
    }
  } finally {
    await postgres.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function migrationsHere(): Promise<Release['migrations']> {
  const names = (await readdir(MIGRATIONS)).filter((file) => file.endsWith('.sql')).sort()
  return Promise.all(names.map(async (file) => ({ name: file, sql: await readFile(MIGRATIONS + file, 'utf8') })))
}

async function countLists({ kernel }: Server): Promise<Release['lists']> {
  const signIn = await kernel.app.inject({
    method: 'POST',
    url: '/api/v1/authentication/tokens/',
    payload: { username: 'admin', password: ADMIN_PASSWORD },
  })
  const headers = { authorization: `Bearer ${signIn.json().token}`, 'x-jms-org': ROOT_ORG_ID }
  const lists: Release['lists'] = {}
  for (const { path, operations } of resources) {
    if (!operations.includes('list') || path.includes(':')) continue
    const answer = await kernel.app.inject({ method: 'GET', url: `${path}?limit=1`, headers })
    const count = answer.statusCode === 200 ? answer.json().count : 0
    if (count) lists[path] = count
  }
  return lists
}
