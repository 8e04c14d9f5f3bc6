import type { Kernel } from '../../kernel/kernel.ts'

const OLD_NAMES = ['admin-user', 'system-user', 'domain', 'gateway', 'cmd-filter', 'asset-user'] as const

/**
 * Redirects the old singular addresses; 307 keeps method and body (contract/assets.yaml
 * conventions). Access is checked at the new address.
 */
export function registerLegacyPaths(kernel: Kernel): void {
  for (const name of OLD_NAMES) {
    // A wildcard does not match the empty string, so the list has a route of its own.
    for (const rest of ['', '*']) {
      kernel.app.route({
        method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
        url: `/api/v1/assets/${name}/${rest}`,
        config: { access: ['anonymous'], withoutCsrf: true, summary: `Moved to ${name}s/` },
        handler: (request, reply) => reply.redirect(request.url.replace(`/assets/${name}/`, `/assets/${name}s/`), 307),
      })
    }
  }
}
