/** A database of its own, its signed roots kept in a folder, and the verifier, which knows nothing of the server. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { expect } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { runToEnd } from '../../../test/run-to-end.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { KeyRing } from '../../kernel/secrets/key-ring.ts'
import { secretKey } from '../../kernel/secrets/secret-key.ts'
import { createVault, type Vault } from '../../kernel/secrets/vault.ts'

export const VERIFIER = fileURLToPath(new URL('../../../../../deploy/audit/verify-audits.mjs', import.meta.url))

/** Something that somebody does to the database, and the logs that tell of it. */
export interface Deed {
  logs: readonly string[]
  /** Throws where the database refuses it. */
  act(db: Database): Promise<unknown>
}

export interface Verified {
  pool: pg.Pool
  db: Database
  secrets: Vault
  kernel: Kernel
  directory: string
  /**
   * Keeps what the roots are now, as somebody elsewhere does: in the place of what was kept before,
   * or in one more file.
   */
  keepRoots(file?: string): Promise<void>
  /** The verifier's findings for the database as it is, without the server. */
  verified(...logs: string[]): Promise<{ code: number | null; findings: string[] }>
  /**
   * The verifier's findings for each log after each deed, all by one process. Each is undone again.
   * Undefined where the database refused it.
   */
  verdicts(deeds: readonly Deed[]): Promise<(string[] | undefined)[]>
  /** The verifier's input for a log, in a transaction: each line as in the file. */
  linesOf(db: Database, log: string): Promise<unknown[][]>
  close(): Promise<void>
}

class Undone extends Error {}

/**
 * @param existing a database to look at, which stays whose it is
 * @param ring of its secrets
 */
export async function openVerified(
  existing?: TestDatabase,
  ring = new KeyRing([secretKey(randomBytes(32))]),
): Promise<Verified> {
  const database = existing ?? (await createTestDatabase())
  const pool = new pg.Pool({ ...database.connection, max: 4 })
  const db: Database = drizzle(pool)
  const secrets = createVault(ring)
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
  async function questionOf(log: string): Promise<string> {
    const question = asked.get(log) ?? (await runToEnd(process.execPath, [VERIFIER, 'sql', log])).stdout
    asked.set(log, question)
    return question
  }
  async function exportLog(log: string): Promise<void> {
    const input = await questionOf(log)
    const rows = await runToEnd('psql', ['-qAtX', '-v', 'ON_ERROR_STOP=1'], { input, environment })
    expect(rows.stderr).toBe('')
    await writeFile(at(log), rows.stdout)
  }
  async function linesOf(tx: Database, log: string): Promise<unknown[][]> {
    const answers = (await tx.execute(sql.raw(await questionOf(log)))) as unknown as pg.QueryResult[]
    return (answers.at(-1)?.rows ?? []).map((row) => Object.values(row)[0] as unknown[])
  }
  let kept: string[] = []
  const check = (logs: readonly string[]) =>
    runToEnd(process.execPath, [VERIFIER, 'check', '--roots', ...kept.map(at), '--key', at('key.pem'), ...logs])
  /** Does it, writes down what the verifier would read, and undoes it. Answers the files. */
  async function fileAfter({ logs, act }: Deed): Promise<string[] | undefined> {
    const folder = await mkdtemp(at('deed-'))
    const files = logs.map((log) => join(folder, log))
    try {
      await db.transaction(async (tx) => {
        try {
          await tx.transaction((inner) => act(inner))
        } catch (error) {
          throw new Undone('refused', { cause: error })
        }
        for (const [n, log] of logs.entries()) {
          const lines = await linesOf(tx, log)
          await writeFile(String(files[n]), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
        }
        throw new Undone('done')
      })
    } catch (error) {
      if (!(error instanceof Undone)) throw error
      if (error.message === 'refused') return undefined
    }
    return files
  }
  return {
    pool,
    linesOf,
    async verdicts(deeds) {
      const written: (string[] | undefined)[] = []
      for (const deed of deeds) written.push(await fileAfter(deed))
      const { stdout } = await check(written.flatMap((files) => files ?? []))
      const findings = stdout.trim().split('\n').slice(1)
      return written.map((files) => files && findings.splice(0, files.length))
    },
    db,
    secrets,
    kernel,
    directory,
    async keepRoots(file) {
      kept = file ? [...kept, file] : ['roots.json']
      const { rows } = await pool.query('SELECT number::int, body, signature FROM audits_root ORDER BY number')
      const key = await pool.query('SELECT public_key FROM audits_root_key')
      await writeFile(at(file ?? 'roots.json'), JSON.stringify(rows))
      await writeFile(at('key.pem'), key.rows[0].public_key)
    },
    async verified(...logs) {
      await Promise.all(logs.map(exportLog))
      const checked = await check(logs.map(at))
      const findings = `${checked.stdout}${checked.stderr}`.trim().split('\n')
      return { code: checked.code, findings: findings.filter((line) => !line.includes(' roots are signed')) }
    },
    async close() {
      await pool.end()
      if (!existing) await database.drop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
