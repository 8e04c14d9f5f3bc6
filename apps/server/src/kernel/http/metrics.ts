import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { Kernel } from '../kernel.ts'

/** GET /metrics: Prometheus text of this node. Bind the server to a private address or let the proxy keep it from the public. */
export function registerMetrics({ app, pool }: Kernel): Registry {
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
    config: { access: ['anonymous'], summary: 'Prometheus metrics of this node' },
    logLevel: 'warn',
    handler: async (_request, reply) => {
      reply.type(registry.contentType)
      const pools = `# TYPE sallyport_db_connections gauge\nsallyport_db_connections{state="total"} ${pool.totalCount}\nsallyport_db_connections{state="idle"} ${pool.idleCount}\nsallyport_db_connections{state="waiting"} ${pool.waitingCount}\n`
      return (await registry.metrics()) + pools
    },
  })
  return registry
}
