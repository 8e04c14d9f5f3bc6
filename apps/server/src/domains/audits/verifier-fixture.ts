/** A database of its own, its signed roots kept in a folder, and the verifier, which knows nothing of the server. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { expect } from 'vitest'
import { createTestDatabase } from '../../../test/database.ts'
import { runToEnd } from '../../../test/run-to-end.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { KeyRing } from '../../kernel/secrets/key-ring.ts'
import { secretKey } from '../../kernel/secrets/secret-key.ts'
import { createVault, type Vault } from '../../kernel/secrets/vault.ts'

export const VERIFIER = fileURLToPath(new URL('../../../../../deploy/audit/verify-audits.mjs', import.meta.url))

export interface Verified {
  pool: pg.Pool
  db: Database
  secrets: Vault
  kernel: Kernel
  directory: string
  /** Keeps what the roots are now, as somebody elsewhere does every day. */
  keepRoots(): Promise<void>
  /** What the verifier says of the database as it is, without the server. */
  verified(...logs: string[]): Promise<{ code: number | null; said: string[] }>
  close(): Promise<void>
}

export async function openVerified(): Promise<Verified> {
  const database = await createTestDatabase()
  const pool = new pg.Pool({ ...database.connection, max: 4 })
  const db: Database = drizzle(pool)
  const secrets = createVault(new KeyRing([secretKey(randomBytes(32))]))
  const kernel = { app: { log: { info() {} } }, db, secrets } as unknown as Kernel
  const directory = await mkdtemp(join(tmpdir(), 'audits-'))
  const at = (file: string) => join(directory, file)
  const { host, port, user, password, database: name } = database.connection as Record<string, string | number>
  const environment = {
    PGHOST: String(host),
    PGPORT: String(port ?? 5432),
    PGUSER: String(user),
    PGPASSWORD: String(password ?? ''),
    PGDATABASE: String(name),
  }
  /** By log: what the verifier asks, which never changes. */
  const asked = new Map<string, string>()
  async function exportLog(log: string): Promise<void> {
    const sql = asked.get(log) ?? (await runToEnd(process.execPath, [VERIFIER, 'sql', log])).stdout
    asked.set(log, sql)
    const rows = await runToEnd('psql', ['-qAtX', '-v', 'ON_ERROR_STOP=1'], { input: sql, environment })
    expect(rows.stderr).toBe('')
    await writeFile(at(log), rows.stdout)
  }
  return {
    pool,
    db,
    secrets,
    kernel,
    directory,
    async keepRoots() {
      const { rows } = await pool.query('SELECT number::int, body, signature FROM audits_root ORDER BY number')
      const key = await pool.query('SELECT public_key FROM audits_root_key')
      await writeFile(at('roots.json'), JSON.stringify(rows))
      await writeFile(at('key.pem'), key.rows[0].public_key)
    },
    async verified(...logs) {
      await Promise.all(logs.map(exportLog))
      const checked = await runToEnd(process.execPath, [
        VERIFIER,
        ...['check', '--roots', at('roots.json'), '--key', at('key.pem')],
        ...logs.map(at),
      ])
      return { code: checked.code, said: `${checked.stdout}${checked.stderr}`.trim().split('\n').slice(1) }
    },
    async close() {
      await pool.end()
      await database.drop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
