import type { FastifyInstance } from 'fastify'
import { notFound } from '../errors/app-error.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
/** Pages of the old platform at the root. */
const OLD_PAGES = [
  'applications',
  'assets',
  'audits',
  'auth',
  'common',
  'ops',
  'orgs',
  'perms',
  'settings',
  'terminal',
  'tickets',
  'users',
]

/**
 * Redirects addresses of earlier versions; 307 keeps method and body
 * (docs/rules/api.md#old_addresses). Access is checked at the new address.
 */
export function registerOldAddresses(app: FastifyInstance): void {
  const config = { access: ['anonymous'] as const, withoutCsrf: true, summary: 'Moved', answers: 'moved' as const }
  app.route({
    method: METHODS,
    url: '/api/:part/v1/*',
    exposeHeadRoute: false,
    config,
    handler: ({ url, params }, reply) => {
      const { part } = params as { part: string }
      // It would lead to itself.
      if (!part) throw notFound()
      return reply.redirect(url.replace(/^\/api\/[^/]+\/v1\//, `/api/v1/${encodeURIComponent(part)}/`), 307)
    },
  })
  for (const part of OLD_PAGES)
    app.route({
      method: METHODS,
      url: `/${part}/*`,
      exposeHeadRoute: false,
      config,
      handler: ({ url }, reply) => reply.redirect(`/core${url}`, 307),
    })
}
