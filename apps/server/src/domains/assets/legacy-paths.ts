import type { Kernel } from '../../kernel/kernel.ts'

const OLD_NAMES = ['admin-user', 'system-user', 'domain', 'gateway', 'cmd-filter', 'asset-user'] as const

/**
 * Old singular addresses send their callers on; 307 keeps method and body (contract/assets.yaml
 * conventions). Who may is asked there.
 */
export function registerLegacyPaths(kernel: Kernel): void {
  for (const name of OLD_NAMES) {
    // A wildcard does not stand for nothing, so the list has an address of its own.
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
