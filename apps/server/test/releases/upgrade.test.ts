import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CHAINED_LOGS } from '../../src/domains/audits/chain.ts'
import { signRoot } from '../../src/domains/audits/roots.ts'
import { openVerified } from '../../src/domains/audits/verifier-fixture.ts'
import { migrate } from '../../src/kernel/database/migrate.ts'
import { KeyRing } from '../../src/kernel/secrets/key-ring.ts'
import { readKeys } from '../../src/kernel/secrets/key-source.ts'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../database.ts'
import { openTestServer } from '../server.ts'
import { signed } from '../signed.ts'
import { catalogOf } from './catalog.ts'
import { RELEASE_SECRET_KEY, type Release, readRelease, restoreRelease } from './release.ts'

const RELEASES = readdirSync(fileURLToPath(new URL('./', import.meta.url))).filter((name) => name.endsWith('.json.gz'))

/**
 * What later migrations changed in rows on purpose: a table that is gone, or `table.column` whose
 * values are others now, and why. Everything else that a release held must still be there, value
 * for value.
 */
const CHANGED: Readonly<Record<string, string>> = {}

describe.each(RELEASES.map((file) => file.replace('.json.gz', '')))('an installation of the release %s', (name) => {
  let release: Release
  let database: TestDatabase
  let pool: pg.Pool

  beforeEach(async () => {
    release = await readRelease(name)
    database = await createEmptyDatabase()
    await restoreRelease(release, database.connection)
    pool = new pg.Pool({ ...database.connection, max: 1 })
  })
  afterEach(async () => {
    await pool?.end()
    await database?.drop()
  })

  test('becomes the same as a fresh one, and keeps every row', async () => {
    await migrate(pool)
    const fresh = await createTestDatabase()
    const freshPool = new pg.Pool({ ...fresh.connection, max: 1 })
    try {
      expect(await catalogOf(pool)).toEqual(await catalogOf(freshPool))
      const applied = `SELECT name FROM kernel_migration ORDER BY name`
      expect((await pool.query(applied)).rows).toEqual((await freshPool.query(applied)).rows)
    } finally {
      await freshPool.end()
      await fresh.drop()
    }
    const changed: string[] = []
    for (const [table, rows] of Object.entries(release.tables)) changed.push(...(await changesOf(table, rows)))
    expect(changed).toEqual([])
    expect(await verdictOnLogs()).toEqual({ code: 0, others: [] })
  })

  /** The verifier's findings for the logs, which the release has signed, besides that they hold. */
  async function verdictOnLogs(): Promise<{ code: number | null; others: string[] }> {
    const configured = { dataDirectory: '', secretKey: RELEASE_SECRET_KEY, nextSecretKey: undefined }
    const audits = await openVerified(database, new KeyRing((await readKeys(configured)).keys))
    try {
      await signRoot(audits.kernel)
      await audits.keepRoots()
      const { code, findings } = await audits.verified(...CHAINED_LOGS)
      expect(findings).toHaveLength(CHAINED_LOGS.length)
      // Behind that it remarks that the demo's days are long past.
      return { code, others: findings.filter((line) => !/: \d+ rows hold, signed up to row \d+\b/.test(line)) }
    } finally {
      await audits.close()
    }
  }

  test('is served by this version: everybody and everything is listed, and its secrets open', async () => {
    const server = await openTestServer({ SALLYPORT_SECRET_KEY: RELEASE_SECRET_KEY }, database)
    try {
      const admin = server.admin.in(ROOT_ORG_ID)
      const fewer: string[] = []
      for (const [path, count] of Object.entries(release.lists)) {
        const { status, body } = await admin.get(`${path}?limit=1`)
        if (status !== 200 || !(body.count >= count)) fewer.push(`${path}: ${status}, ${body.count} of ${count}`)
      }
      expect(fewer).toEqual([])
      const registration = await server.call('POST', '/api/v1/terminal/terminal-registrations/', {
        body: { name: 'reader', type: 'koko' },
        headers: { authorization: 'BootstrapToken bootstrap-token-of-tests' },
      })
      const { body: identities } = await server.admin.get('/api/v1/assets/system-users/')
      const withSecret = identities.filter((one: { login_mode: string }) => one.login_mode === 'auto')
      expect(withSecret.length).toBeGreaterThan(2)
      for (const { id } of withSecret) {
        const path = `/api/v1/assets/system-users/${id}/auth-info/`
        const { body } = await server.call('GET', path, {
          headers: signed(path, registration.body.service_account.access_key),
        })
        expect(body.password || body.token).toMatch(/^Demo-/)
      }
    } finally {
      await server.close()
    }
  })

  /**
   * Tables and columns of the release whose values are not what they were, but for those that are
   * no more or changed on purpose.
   */
  async function changesOf(table: string, rows: string): Promise<string[]> {
    if (CHANGED[table]) return []
    const { rows: now } = await pool.query<{ column: string }>(
      `SELECT attname AS column FROM pg_attribute
       WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
      [table],
    )
    if (!now.length) return [`${table} is gone`]
    const held = new Set((JSON.parse(rows) as object[]).flatMap((row) => Object.keys(row)))
    const columns = now
      .map(({ column }) => column)
      .filter((column) => held.has(column) && !CHANGED[`${table}.${column}`])
    const list = columns.map((column) => pg.escapeIdentifier(column)).join(', ')
    const name = pg.escapeIdentifier(table)
    const { rows: lost } = await pool.query(
      `SELECT ${list} FROM jsonb_populate_recordset(NULL::${name}, $1::jsonb) EXCEPT ALL SELECT ${list} FROM ${name}`,
      [rows],
    )
    return lost.length
      ? [`${table}: ${lost.length} rows are not what they were, such as ${JSON.stringify(lost[0])}`]
      : []
  }
})
