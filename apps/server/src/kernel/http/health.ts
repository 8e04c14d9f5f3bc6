import { statfs } from 'node:fs/promises'
import { hasRoom } from '../database/room.ts'
import type { Kernel } from '../kernel.ts'
import { plainFields } from '../resource/plain-fields.ts'

/** Less is no room to work with: recordings, uploads and journals grow by megabytes. */
const LEAST_FREE_BYTES = 4 * 1024 * 1024

/**
 * Liveness of the server and its database (docs/rules/dashboard.md#health), and whether both have
 * room to write. The redis_* fields are for clients that read them: the cache is the database.
 * Returns how to answer 503 from now on, which has load balancers send people elsewhere, while all
 * other calls are still answered.
 */
export function registerHealth({ app, pool, config }: Pick<Kernel, 'app' | 'pool' | 'config'>): () => void {
  let isLeaving = false
  for (const url of ['/api/health/', '/api/v1/health/']) {
    app.route({
      method: 'GET',
      url,
      config: {
        access: ['anonymous'],
        withoutCaller: true,
        summary: 'Is everything ready?',
        answers: {
          fields: plainFields({
            status: 'boolean',
            db_status: 'boolean',
            db_time: 'float',
            disk_status: 'boolean',
            redis_status: 'boolean',
            redis_time: 'float',
            time: 'integer',
          }),
        },
      },
      logLevel: 'warn',
      handler: async (_request, reply) => {
        const start = performance.now()
        const alive = await pool.query('SELECT 1').then(
          () => true,
          () => false,
        )
        const seconds = (performance.now() - start) / 1000
        const writes = alive && (await hasSpace(config.dataDirectory)) && (await hasRoom(pool))
        const isReady = writes && !isLeaving
        if (!isReady) reply.status(503)
        return {
          status: isReady,
          db_status: alive,
          db_time: seconds,
          disk_status: writes,
          redis_status: alive,
          redis_time: seconds,
          time: Math.floor(Date.now() / 1000),
        }
      },
    })
  }
  return () => {
    isLeaving = true
  }
}

async function hasSpace(folder: string): Promise<boolean> {
  const disk = await statfs(folder).catch(() => undefined)
  return disk === undefined || disk.bavail * disk.bsize >= LEAST_FREE_BYTES
}
