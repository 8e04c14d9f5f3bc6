import type { Draft, FilterName, ResourceDefinition, Row } from '@sallyport/contract/define.ts'
import type { CallOptions, Query } from './transport.ts'

/** Rows that are read at a time. */
const PAGE = 100

type Value = string | number | boolean | null | undefined

/** Filters, search and order of a list. */
export type ListQuery<D extends ResourceDefinition, K extends keyof Row<D> = keyof Row<D>> = {
  [N in FilterName<D>]?: Value
} & {
  /** Words, of which each must be found in the row. */
  search?: string | undefined
  /** A field; with a leading `-` it descends. */
  order?: string | undefined
  ids?: readonly string[] | undefined
  /** Those alone are read. */
  fields?: readonly K[] | undefined
}

export interface Page<T> {
  /** Rows in all. */
  count: number
  results: T[]
}

type When = Pick<CallOptions, 'signal' | 'timeout'>

/** The calls of a resource, as far as the server offers them to the caller. */
export interface ResourceCalls<D extends ResourceDefinition> {
  /**
   * The rows of a list, read a page at a time as they are wanted. Rows that are added or removed
   * meanwhile may be missed or come twice.
   */
  list<K extends keyof Row<D> = keyof Row<D>>(query?: ListQuery<D, K>, when?: When): AsyncGenerator<Pick<Row<D>, K>>
  page<K extends keyof Row<D> = keyof Row<D>>(
    query: ListQuery<D, K> & { limit: number; offset?: number },
    when?: When,
  ): Promise<Page<Pick<Row<D>, K>>>
  get(id: string, when?: When): Promise<Row<D>>
  create(draft: Draft<D>, when?: When): Promise<Row<D>>
  /** All or none. */
  createMany(drafts: readonly Draft<D>[], when?: When): Promise<Row<D>[]>
  /** Changes what is given. */
  patch(id: string, changes: Partial<Draft<D>>, when?: When): Promise<Row<D>>
  /** Writes the whole row; what is left out goes back to its default. */
  put(id: string, draft: Draft<D>, when?: When): Promise<Row<D>>
  remove(id: string, when?: When): Promise<void>
}

type Call = <T>(method: string, path: string, options?: CallOptions) => Promise<T>

/** `parameters`: those of the definition's path (`:filter_id`). */
export function resourceCalls<D extends ResourceDefinition>(
  call: Call,
  definition: D,
  parameters: Readonly<Record<string, string>> = {},
): ResourceCalls<D> {
  const path = definition.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''))
  const at = (id: string) => `${path}${encodeURIComponent(id)}/`
  const page: ResourceCalls<D>['page'] = (query, when) => call('GET', path, { ...when, query: queryOf(query) })
  return {
    page,
    async *list(query, when) {
      for (let offset = 0; ; offset += PAGE) {
        const { count, results } = await page({ ...(query as typeof query & object), limit: PAGE, offset }, when)
        yield* results
        if (offset + PAGE >= count || !results.length) return
      }
    },
    get: (id, when) => call('GET', at(id), when),
    create: (body, when) => call('POST', path, { ...when, body }),
    createMany: (body, when) => call('POST', path, { ...when, body }),
    patch: (id, body, when) => call('PATCH', at(id), { ...when, body }),
    put: (id, body, when) => call('PUT', at(id), { ...when, body }),
    remove: (id, when) => call('DELETE', at(id), when),
  }
}

/** Lists with commas between, as the server reads them. */
const queryOf = (query: Readonly<Record<string, unknown>>): Query =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : (value as Value)]),
  )
