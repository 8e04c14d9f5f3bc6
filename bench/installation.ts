/** The whole product on an embedded PostgreSQL of its own, in a folder that goes away with it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { loadConfig } from '../apps/server/src/config.ts'
import { hashKey } from '../apps/server/src/kernel/access/random-secret.ts'
import { startEmbeddedPostgres } from '../apps/server/src/kernel/database/embedded.ts'
import { sharedBuffers } from '../apps/server/src/kernel/database/shared-buffers.ts'
import { openServer } from '../apps/server/src/server.ts'

/** Password of the first administrator, `admin`. */
export const PASSWORD = 'Bench-password-1'

/** `environment`: settings besides those of every benchmark. */
export async function openInstallation(environment: Readonly<Record<string, string>> = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'sallyport-bench-'))
  const postgres = await startEmbeddedPostgres({
    directory: join(directory, 'postgres'),
    log: () => {},
    // As of `npm start`.
    settings: { shared_buffers: sharedBuffers() },
  })
  const config = loadConfig({
    SALLYPORT_DATA_DIR: directory,
    SALLYPORT_HTTP_PORT: '0',
    SALLYPORT_SSH_PORT: '0',
    SALLYPORT_LOG_LEVEL: 'silent',
    SALLYPORT_ADMIN_PASSWORD: PASSWORD,
    // One person sends all there is to measure.
    SALLYPORT_REQUESTS_PER_PERSON: '999999999',
    SALLYPORT_REQUESTS_PER_ADDRESS: '999999999',
    ...environment,
  })
  const server = await openServer({ config, database: postgres.connection, demo: false })
  return {
    server,
    directory,
    async close() {
      await server.close()
      await postgres.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Signs the first administrator in; answers the bearer token. */
export async function administratorToken(pool: pg.Pool): Promise<string> {
  const token = 'bench-token-of-the-administrator'
  await pool.query(
    `INSERT INTO authentication_bearer_token (token_hash, token_sealed, user_id, remote_addr, date_expired)
     SELECT $1, '\\x00', id, '127.0.0.1', now() + interval '1 day' FROM users_user WHERE username = 'admin'`,
    [hashKey(token)],
  )
  return token
}
