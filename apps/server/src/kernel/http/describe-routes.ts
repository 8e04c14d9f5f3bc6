import type { Access } from '@sallyport/contract/access.ts'
import type { FastifyContextConfig } from 'fastify'
import type { Call } from '../access/call.ts'
import { may, type RegisteredRoute } from '../access/guard.ts'
import { translate } from '../i18n/translate.ts'
import type { Kernel } from '../kernel.ts'
import { type FieldMetadata, fieldsMetadata, metadataBody, readMetadata } from '../resource/described/metadata.ts'
import type { ReadContext } from '../resource/mount.ts'
import { fieldsOfBody } from '../resource/plain-fields.ts'
import { singleValues } from '../resource/query.ts'
import { resourcesOf } from '../resource/registry.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH']

/**
 * OPTIONS at every address of the API that has none: existing consoles ask it before they show a
 * list or a form (B7.27), wherever that stands. Each call is described by its `rows` and
 * `takes`, for those who may make it. To be called once all routes are registered.
 */
export function describeRoutes(kernel: Kernel): void {
  const isDescribed = new Set(kernel.routes.flatMap(({ method, url }) => (method === 'OPTIONS' ? [url] : [])))
  const plain = kernel.routes.filter(
    ({ method, url }) => METHODS.includes(method) && url.startsWith('/api/') && !isDescribed.has(url),
  )
  for (const [url, routes] of Map.groupBy(plain, (route) => route.url)) {
    kernel.app.route({
      method: 'OPTIONS',
      url,
      config: commonConfig(routes),
      handler: async ({ call, query }) => describe(kernel, routes, call, singleValues(query)),
    })
  }
}

/** Everybody who may make one of the calls may ask about it. */
function commonConfig(routes: readonly RegisteredRoute[]): FastifyContextConfig {
  const access: Access[] = [...new Set(routes.flatMap((route) => route.access))]
  const all = (key: 'needsLicense' | 'rootOrg' | 'withoutCaller') => routes.every(({ config }) => config[key])
  return {
    access,
    summary: `${routes[0]?.config.summary}: metadata`,
    needsLicense: all('needsLicense'),
    rootOrg: all('rootOrg'),
    withoutCaller: all('withoutCaller'),
  }
}

function describe(
  kernel: Kernel,
  routes: readonly RegisteredRoute[],
  call: Call,
  query: ReadContext['query'],
): Record<string, unknown> {
  const actions: Record<string, Record<string, FieldMetadata>> = {}
  for (const { method, access, config } of routes) {
    if (!may(access, call)) continue
    const { rows, takes } = config
    if (method === 'GET') actions.GET = rows ? readMetadata(rows, call, query) : {}
    else actions[method] = takes ? fieldsMetadata(fieldsOfBody(takes, query), call, query) : {}
  }
  const shown = routes.map(({ config }) => config.rows).find(Boolean)
  const resource = resourcesOf(kernel)
    .all()
    .find(({ definition }) => definition === shown)
  resource?.mount.metadata?.(actions, call, query)
  const name = shown?.label ? translate(call.language, shown.label) : (routes[0]?.config.summary ?? '')
  return metadataBody(name, actions)
}
