import type { Kernel } from '../kernel.ts'

/**
 * Liveness of the server and its database (contract/dashboard.yaml). The redis_* fields are for
 * clients that read them: the cache is the database. Returns how to answer 503 from now on, which
 * has load balancers send people elsewhere, while all other calls are still answered.
 */
export function registerHealth({ app, pool }: Pick<Kernel, 'app' | 'pool'>): () => void {
  let isLeaving = false
  for (const url of ['/api/health/', '/api/v1/health/']) {
    app.route({
      method: 'GET',
      url,
      config: { access: ['anonymous'], summary: 'Is everything ready?' },
      logLevel: 'warn',
      handler: async (_request, reply) => {
        const start = performance.now()
        const alive = await pool.query('SELECT 1').then(
          () => true,
          () => false,
        )
        const seconds = (performance.now() - start) / 1000
        const isReady = alive && !isLeaving
        if (!isReady) reply.status(503)
        return {
          status: isReady,
          db_status: alive,
          db_time: seconds,
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
