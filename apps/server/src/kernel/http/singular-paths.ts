import type { FastifyInstance } from 'fastify'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/**
 * Redirects addresses of a domain that once named their rows in the singular; 307 keeps method and
 * body (docs/rules/api.md#old_addresses, docs/rules/api.md#old_addresses). Access is checked at
 * the new address.
 */
export function registerSingularPaths(app: FastifyInstance, domain: string, names: readonly string[]): void {
  for (const name of names) {
    // A wildcard does not match the empty string, so the list has a route of its own.
    for (const rest of ['', '*']) {
      app.route({
        method: METHODS,
        url: `/api/v1/${domain}/${name}/${rest}`,
        config: { access: ['anonymous'], withoutCsrf: true, summary: `Moved to ${name}s/`, answers: 'moved' },
        handler: ({ url }, reply) => reply.redirect(url.replace(`/${domain}/${name}/`, `/${domain}/${name}s/`), 307),
      })
    }
  }
}
