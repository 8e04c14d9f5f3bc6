import type { FastifyRequest } from 'fastify'
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { isSameSecret } from '../access/same-secret.ts'
import { forbidden } from '../errors/app-error.ts'
import { inTime } from '../in-time.ts'
import type { Kernel } from '../kernel.ts'

const WANTED = 'Figures are for callers with the token that SALLYPORT_METRICS_TOKEN holds.'

/** Scrapers give up after some ten seconds, just when the figures of a busy pool matter most. */
const DATABASE_MS = 2000

/**
 * GET /metrics: Prometheus text of this node, for callers with the configured token.
 * @param more text of what is read from the database; left out while that is away
 */
export function registerMetrics({ app, pool, config }: Kernel, more: () => Promise<string> = async () => ''): void {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'sallyport_' })
  const duration = new Histogram({
    name: 'sallyport_http_request_seconds',
    help: 'Time to answer HTTP requests, by route',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  app.addHook('onResponse', async (request, reply) => {
    duration.observe(
      { method: request.method, route: request.routeOptions.url ?? 'unknown', status: reply.statusCode },
      reply.elapsedTime / 1000,
    )
  })
  app.route({
    method: 'GET',
    url: '/metrics',
    config: { access: ['anonymous'], withoutCaller: true, summary: 'Prometheus metrics of this node' },
    logLevel: 'warn',
    handler: async (request, reply) => {
      if (!mayMeasure(request, config.metricsToken)) throw forbidden(WANTED)
      reply.type(registry.contentType)
      const pools = `# TYPE sallyport_db_connections gauge\nsallyport_db_connections{state="total"} ${pool.totalCount}\nsallyport_db_connections{state="idle"} ${pool.idleCount}\nsallyport_db_connections{state="waiting"} ${pool.waitingCount}\n`
      const late = () => new Error('the database did not answer in time')
      const stored = await inTime(more(), DATABASE_MS, late).catch((error) => {
        request.log.warn({ err: error }, 'figures of the database are left out')
        return ''
      })
      return (await registry.metrics()) + pools + stored
    },
  })
}

/**
 * Whether what only operators know, such as names of nodes, may be in an answer. That a call comes
 * from this machine says nothing: a proxy on it need not say for whom it calls.
 */
export function mayMeasure({ headers }: FastifyRequest, token: string | undefined): boolean {
  const given = headers.authorization?.match(/^Bearer +(.+)$/i)?.[1]
  return token !== undefined && given !== undefined && isSameSecret(given, token)
}
