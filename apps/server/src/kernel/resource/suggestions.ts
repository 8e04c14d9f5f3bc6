import { may } from '../access/guard.ts'
import { sameQuery, unwatched } from '../watched-query.ts'
import { listConditions } from './conditions.ts'
import type { ReadContext } from './mount.ts'
import { presentRows } from './present.ts'
import { type Page, pageOf, wantedFields } from './query.ts'
import { type PageAnswer, readPage, selectRows } from './read.ts'
import type { MountedResource } from './registry.ts'

/** Rows of one answer. */
const SUGGESTIONS = 10

/** Keys that any resource's suggestions understand. */
const COMMON_KEYS = ['search', 'ids', 'limit', 'offset']

/**
 * The picker in forms, which asks at every key press (docs/rules/api.md#suggestions): ten rows
 * at most, as a bare array, or as a page where `limit` or `offset` is sent. People who may not read
 * the list get, and can filter by, no more than what the definition names in `suggestions`.
 */
export async function suggestRows(
  resource: MountedResource,
  context: ReadContext,
  url: string,
): Promise<PageAnswer | Record<string, unknown>[]> {
  const asked: ReadContext = { ...context, query: queryFor(resource, context) }
  const page = wantedPage(context.query)
  if (page) return readPage(resource, asked, page, url)
  const { where } = await listConditions(resource, asked)
  const rows = await selectRows(resource, where, asked, { limit: SUGGESTIONS, offset: 0 })
  return presentRows(resource, rows, wantedFields(resource.definition, asked.query), asked)
}

function queryFor({ definition }: MountedResource, { call, query }: ReadContext): Record<string, string> {
  const shape: Record<string, string> = query.action === 'suggestion' ? { fields_size: 'mini' } : {}
  if (may(definition.permission.list, call))
    return sameQuery(query, { ...unwatched(query), ...shape } as Record<string, string>)
  const { fields, filters } = definition.suggestions ?? { fields: ['id'], filters: [] }
  const allowed = [...COMMON_KEYS, ...filters].filter((key) => query[key] !== undefined)
  const values = { ...Object.fromEntries(allowed.map((key) => [key, query[key] as string])), fields: fields.join(',') }
  return sameQuery(query, values as Record<string, string>)
}

function wantedPage(query: ReadContext['query']): Page | undefined {
  const page = pageOf(query.offset && !query.limit ? { offset: query.offset, limit: String(SUGGESTIONS) } : query)
  return page && { ...page, limit: Math.min(page.limit, SUGGESTIONS) }
}
