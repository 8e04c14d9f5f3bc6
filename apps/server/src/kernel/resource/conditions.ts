import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import type { Field, Filter, ResourceDefinition } from '@sallyport/contract/define.ts'
import { and, asc, desc, eq, ilike, inArray, or, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { isRoot } from '../access/call.ts'
import { familyOfRows, targetLimits } from '../access/target-limits.ts'
import { asText } from '../database/statements/written-once.ts'
import { type AppError, invalid } from '../errors/app-error.ts'
import { parseDateTime } from './datetime.ts'
import { columnOf, type Mount, type ReadContext, readableColumns } from './mount.ts'
import { list } from './query.ts'
import { selectedIds } from './selection.ts'

export const NOTHING = sql`false`

/**
 * `column = ANY(values)`: the same statement for any number of values, where a list of parameters
 * would make a new one for each.
 */
export function anyOf(column: PgColumn, values: readonly unknown[]): SQL {
  return sql`${column} = ANY(${sql.param(values)})`
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const INTEGER = /^-?\d{1,15}$/

export const isUuid = (text: unknown): text is string => typeof text === 'string' && UUID.test(text)

/**
 * Whether a text can be an id of this resource: PostgreSQL would refuse a comparison with anything
 * else.
 */
export function isId(definition: ResourceDefinition, text: string): boolean {
  switch (definition.fields.id?.type) {
    case 'integer':
      return INTEGER.test(text)
    case 'uuid':
      return UUID.test(text)
    default:
      return text.length > 0 && text.length <= 256
  }
}

/**
 * Rows that exist for this call: by organization, owner, route parameters and the resource's own
 * scope.
 */
export function scopeOf(
  { definition, mount }: { definition: ResourceDefinition; mount: Mount },
  context: Pick<ReadContext, 'kernel' | 'call' | 'parameters' | 'query'>,
): SQL | undefined {
  const { call } = context
  const conditions: (SQL | undefined)[] = []
  if (definition.scope === 'org' && !isRoot(call)) {
    const orgId = columnOf(mount.table, 'org_id')
    if (mount.sharesRootRows) conditions.push(inArray(orgId, [call.org.id, ROOT_ORG_ID]))
    // With `=`, an order by organization would say nothing to PostgreSQL.
    else conditions.push(mount.readByOrg ? anyOf(orgId, [call.org.id]) : eq(orgId, call.org.id))
  }
  if (definition.scope === 'self' && mount.owner) conditions.push(call.user ? eq(mount.owner, call.user.id) : NOTHING)
  for (const [name, column] of Object.entries(mount.parameters ?? {})) {
    const value = context.parameters[name] ?? ''
    conditions.push(matchable(column, value) ? eq(column, value) : NOTHING)
  }
  conditions.push(mount.scope?.(context), limitOf({ definition, mount }, context))
  return and(...conditions)
}

/** Rows that are targets, for a service identity that is limited to some. */
function limitOf(
  { definition, mount }: { definition: ResourceDefinition; mount: Mount },
  { call }: Pick<ReadContext, 'call'>,
): SQL | undefined {
  const family = call.scope?.limitsTargets ? familyOfRows(definition.name) : undefined
  return family && call.user
    ? targetLimits.value.within(family, columnOf(mount.table, 'id'), sql`${call.user.id}::uuid`)
    : undefined
}

/** Scope, selection, filters and search of a list call. */
export async function listConditions(
  resource: { definition: ResourceDefinition; mount: Mount },
  context: ReadContext,
): Promise<{ where: SQL | undefined; narrowed: boolean }> {
  const scope = scopeOf(resource, context)
  const narrowing = [
    ...(await selectionConditions(resource, context)),
    ...(await filterConditions(resource, context)),
    searchCondition(resource, context),
  ].filter((condition) => condition !== undefined)
  return { where: and(scope, ...narrowing), narrowed: narrowing.length > 0 || limitOf(resource, context) !== undefined }
}

async function selectionConditions(
  { definition, mount }: { definition: ResourceDefinition; mount: Mount },
  context: ReadContext,
): Promise<SQL[]> {
  const id = columnOf(mount.table, 'id')
  const among = (ids: string[]) => {
    const usable = ids.filter((one) => isId(definition, one))
    return usable.length ? anyOf(id, usable) : NOTHING
  }
  const conditions: SQL[] = []
  if (context.query.ids) conditions.push(among(list(context.query.ids)))
  // An expired reference selects nothing, never everything (B7.37).
  if (context.query.spm) conditions.push(among(await selectedIds(context.db, context.call, context.query.spm)))
  return conditions
}

async function filterConditions(
  { definition, mount }: { definition: ResourceDefinition; mount: Mount },
  context: ReadContext,
): Promise<(SQL | undefined)[]> {
  const conditions: (SQL | undefined)[] = []
  for (const declared of definition.filters) {
    const filter: Filter = typeof declared === 'string' ? { name: declared } : declared
    const value = context.query[filter.name]
    if (value === undefined || value === '') continue
    const custom = mount.filters?.[filter.name]
    if (custom) conditions.push(await custom(value, context, filter.name))
    else conditions.push(matchCondition(definition, mount, filter, value, context.call.timeZone))
  }
  return conditions
}

function matchCondition(
  definition: ResourceDefinition,
  mount: Mount,
  filter: Filter,
  value: string,
  timeZone: string,
): SQL | undefined {
  const relation = mount.relations?.[filter.name]
  if (relation) {
    if (!matchable(relation.target, value)) throw unreadable(filter.name)
    return sql`EXISTS (SELECT 1 FROM ${relation.table} WHERE ${relation.owner} = ${columnOf(mount.table, 'id')} AND ${relation.target} = ${value})`
  }
  const column = readableColumns(mount)[filter.name]
  if (!column) throw new Error(`filter ${filter.name} of ${definition.name} has nothing to compare`)
  if (filter.match === 'contains') return ilike(column, `%${escapeLike(value)}%`)
  if (filter.match === 'startsWith') return ilike(column, `${escapeLike(value)}%`)
  const field = definition.fields[filter.name]
  const typed = filterValue(field, column, value, timeZone)
  if (typed === undefined) throw unreadable(filter.name)
  return eq(column, typed)
}

/** The 400 on a key of the query whose value is not of its kind: it would show everything, or nothing. */
export const unreadable = (name: string): AppError => invalid({ [name]: 'This value cannot be read.' })

/** The filter's text as a value of the column; undefined when it is none. */
function filterValue(field: Field | undefined, column: PgColumn, value: string, timeZone: string): unknown {
  if (column.dataType === 'date') return parseDateTime(value, timeZone)
  if (field?.type === 'boolean' || column.dataType === 'boolean') return readBoolean(value)
  return matchable(column, value) ? value : undefined
}

const TRUE = new Set(['1', 'true', 'yes', 'y', 't', 'on'])
const FALSE = new Set(['0', 'false', 'no', 'n', 'f', 'off'])

/** `1`, `true`, `0`, `false` in any case; undefined for anything else. */
export function readBoolean(value: unknown): boolean | undefined {
  const text = String(value).toLowerCase()
  return TRUE.has(text) ? true : FALSE.has(text) ? false : undefined
}

/** The value of a filter that is a UUID. Throws 400 for anything else. */
export function readableId(name: string, value: string): string {
  if (!isUuid(value)) throw unreadable(name)
  return value
}

/** The value of a filter that is yes or no. Throws 400 for anything else. */
export function readableBoolean(name: string, value: string): boolean {
  const read = readBoolean(value)
  if (read === undefined) throw unreadable(name)
  return read
}

function matchable(column: PgColumn, value: string): boolean {
  if (column.columnType === 'PgUUID') return UUID.test(value)
  if (column.dataType === 'number') return INTEGER.test(value)
  return !value.includes('\0')
}

/**
 * Words separated by blanks or commas, each of which must be found in some search field
 * (docs/rules/api.md#lists).
 */
function searchCondition(
  { definition, mount }: { definition: ResourceDefinition; mount: Mount },
  { query }: ReadContext,
): SQL | undefined {
  const words = (query.search ?? '')
    .replaceAll('\0', '')
    .split(/[\s,]+/)
    .filter(Boolean)
    .slice(0, 20)
  if (!words.length) return undefined
  const columns = definition.search.map((name) => readableColumns(mount)[name]).filter((column) => column !== undefined)
  return and(
    ...words.map((word) => {
      const pattern = `%${escapeLike(word)}%`
      const found = columns.map((column) =>
        column.columnType === 'PgText' || column.columnType === 'PgVarchar'
          ? ilike(column, pattern)
          : sql`${column}::text ILIKE ${pattern}`,
      )
      if (mount.search) found.push(mount.search(pattern))
      return found.length ? or(...found) : NOTHING
    }),
  )
}

export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

/** Orders that nobody asked for, as text: by resource, with its organization first or without. */
const ownOrders = new WeakMap<Mount, { byOrg?: SQL; plain?: SQL }>()

/** The requested order, or the resource's own; the id comes last, so that pages never overlap. */
export function orderOf(
  { definition, mount }: { definition: ResourceDefinition; mount: Mount },
  { query, call }: Pick<ReadContext, 'query' | 'call'>,
): SQL {
  const asked = askedOrder(definition, mount, list(query.order))
  const words = asked.length ? asked : definition.defaultOrder
  const isByOrg = mount.readByOrg && words[0]?.replace(/^-/, '') === 'id' && !isRoot(call)
  if (asked.length) return sql.join(orderTerms(mount, words, isByOrg), sql`, `)
  let own = ownOrders.get(mount)
  if (!own) ownOrders.set(mount, (own = {}))
  return (own[isByOrg ? 'byOrg' : 'plain'] ??= asText(sql.join(orderTerms(mount, words, isByOrg), sql`, `)))
}

/** The fields to order by, with `-` where descending. Throws 400 for what is no field. */
function askedOrder(definition: ResourceDefinition, mount: Mount, named: readonly string[]): readonly string[] {
  if (!named.length) return named
  const columns = readableColumns(mount)
  const allowed = (name: string) =>
    Object.hasOwn(columns, name) &&
    (definition.ordering === '*' ? !definition.fields[name]?.writeOnly : definition.ordering.includes(name))
  // A column that is shown but not stored is no order; what is no column at all is a mistake.
  if (
    named.some((word) => !Object.hasOwn(definition.fields, word.replace(/^-/, '')) && !allowed(word.replace(/^-/, '')))
  )
    throw unreadable('order')
  return named.filter((word) => allowed(word.replace(/^-/, '')))
}

function orderTerms(mount: Mount, words: readonly string[], isByOrg: boolean | undefined): SQL[] {
  const columns = readableColumns(mount)
  const last = words[0]?.startsWith('-') ? desc : asc
  const terms = words.flatMap((word) => {
    const column = columns[word.replace(/^-/, '')]
    return column ? [word.startsWith('-') ? desc(column) : asc(column)] : []
  })
  const { id } = columns
  if (id && !words.some((word) => word.replace(/^-/, '') === 'id')) terms.push(last(id))
  return isByOrg ? [last(columnOf(mount.table, 'org_id')), ...terms] : terms
}
