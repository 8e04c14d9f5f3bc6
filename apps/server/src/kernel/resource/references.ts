import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import type { Field, ResourceDefinition } from '@sallyport/contract/define.ts'
import type { FieldErrors } from '@sallyport/contract/errors.ts'
import { and, or, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Database } from '../database/database.ts'
import { invalid } from '../errors/app-error.ts'
import { translate } from '../i18n/translate.ts'
import { anyOf, isId, scopeOf } from './conditions.ts'
import { columnOf, type Mount, type ReadContext, readableColumns } from './mount.ts'
import { type MountedResource, resourcesOf } from './registry.ts'

/**
 * Checks that every referenced row exists for this call: in its organization, and not somebody
 * else's. A row may be given by name too, as people write it in spreadsheets: the draft then gets
 * its id. Reports what refers to no row or to several, at its place.
 */
export async function resolveReferences(
  {
    definition,
    mount,
  }: {
    definition: Pick<ResourceDefinition, 'name' | 'fields'>
    mount: Pick<Mount, 'refersToAllOrgs' | 'checksItself'>
  },
  draft: Record<string, unknown>,
  caller: ReadContext,
  errors: FieldErrors,
): Promise<void> {
  const { call } = caller
  const context = mount.refersToAllOrgs
    ? { ...caller, call: { ...call, org: { ...call.org, id: ROOT_ORG_ID } } }
    : caller
  for (const name of Object.keys(definition.fields))
    if (!mount.checksItself?.includes(name)) await resolveField({ definition, name, draft, context, errors })
}

/**
 * A rule for a list of references that its resource checks by itself: ids that name nothing here are
 * left out without a word, those of other organizations as those of no row. A name that means nobody
 * is refused.
 */
export const leaveOutUnknown =
  <D extends ResourceDefinition>(definition: D, name: keyof D['fields'] & string) =>
  async (context: ReadContext & { draft: Record<string, unknown> }): Promise<void> => {
    const errors: FieldErrors = {}
    await resolveField({ definition, name, draft: context.draft, context, errors, leavesOut: true })
    if (Object.keys(errors).length) throw invalid(errors)
  }

async function resolveField({
  definition,
  name,
  draft,
  context,
  errors,
  leavesOut = false,
}: {
  definition: Pick<ResourceDefinition, 'name' | 'fields'>
  name: string
  draft: Record<string, unknown>
  context: ReadContext
  errors: FieldErrors
  leavesOut?: boolean
}): Promise<void> {
  const value = draft[name]
  const field = definition.fields[name]
  if (!field?.to || value === undefined || value === null) return
  const target = resourcesOf(context.kernel).find(field.to)
  if (!target) throw new Error(`${definition.name}.${name} refers to ${field.to}, which is not mounted`)
  const texts = (Array.isArray(value) ? value : [value]).map(String)
  const named = await meantByName(target, field, texts, context)
  const ids = texts.map((text) => named.get(text)?.[0] ?? text)
  const missing = new Set(await missingReferences(target, field, ids, context))
  const excepted = await exceptedReferences(
    target,
    field,
    ids.filter((id) => !missing.has(id)),
    context,
  )
  const { language } = context.call
  const wrong = (text: string, at: number) => {
    const id = ids[at] ?? ''
    if ((named.get(text)?.length ?? 0) > 1)
      return translate(language, 'Several objects are named "{{name}}": give the id.', { name: text })
    if (excepted.has(id)) return translate(language, field.except?.why ?? '')
    return missing.has(id) && !(leavesOut && isId(target.definition, id))
      ? translate(language, 'Invalid pk "{{id}}" - object does not exist.', { id: text })
      : undefined
  }
  for (const [at, text] of texts.entries()) {
    const message = wrong(text, at)
    if (message) errors[Array.isArray(value) ? `${name}.${at}` : name] = [message]
  }
  const kept = leavesOut ? ids.filter((id) => !missing.has(id)) : ids
  if (named.size || leavesOut) draft[name] = Array.isArray(value) ? [...new Set(kept)] : kept[0]
}

async function missingReferences(
  target: MountedResource,
  field: Field,
  ids: readonly string[],
  context: ReadContext,
): Promise<string[]> {
  if (!ids.length) return []
  const key = columnOf(target.mount.table, field.by === 'name' ? 'name' : 'id')
  const usable = field.by === 'name' ? ids : ids.filter((id) => isId(target.definition, id))
  const known = foundBefore(target, key, context)
  const asked = usable.filter((id) => !known.has(id))
  const found = asked.length
    ? await context.db
        .select({ key })
        .from(target.mount.table)
        .where(and(anyOf(key, asked), scopeFor(target, context)))
    : []
  for (const row of found) known.add(String(row.key))
  return ids.filter((id) => !known.has(id))
}

/** Those of these ids that the field excepts. */
async function exceptedReferences(
  { mount: { table } }: MountedResource,
  { except }: Field,
  ids: readonly string[],
  { db }: ReadContext,
): Promise<ReadonlySet<string>> {
  if (!except || !ids.length) return new Set()
  const id = columnOf(table, 'id')
  const rows = await db
    .select({ id: sql<string>`${id}::text` })
    .from(table)
    .where(and(anyOf(id, [...ids]), sql`${columnOf(table, except.field)} = ${except.value}`))
  return new Set(rows.map((row) => row.id))
}

const foundOfCalls = new WeakMap<Database, Map<string, Set<string>>>()

/**
 * References that were already looked up for rows of the same bulk call: thousands of rows name the
 * same few. Empty for a call of one row.
 */
function foundBefore(
  { definition }: MountedResource,
  { name }: PgColumn,
  { db, call, bulk }: ReadContext,
): Set<string> {
  if (!bulk) return new Set()
  let inCall = foundOfCalls.get(db)
  if (!inCall) foundOfCalls.set(db, (inCall = new Map()))
  const key = `${definition.name}.${name} ${call.org.id}`
  let known = inCall.get(key)
  if (!known) inCall.set(key, (known = new Set()))
  return known
}

const scopeFor = (target: MountedResource, context: ReadContext) =>
  scopeOf(target, { ...context, parameters: {}, query: {} })

/**
 * Ids by texts that are not ids. First the row's display is tried (`Ann(ann)`), then what is unique
 * to it (a user name), then any part of its display (a name that others may have too): a text that
 * is found in one way is not tried in the next.
 */
async function meantByName(
  target: MountedResource,
  field: Field,
  texts: readonly string[],
  context: ReadContext,
): Promise<ReadonlyMap<string, string[]>> {
  const names = field.by === 'name' ? [] : texts.filter((text) => !isId(target.definition, text))
  if (!names.length) return new Map()
  const ways = waysToName(target)
  const { table } = target.mount
  const rows = await context.db
    .select({
      id: sql<string>`${columnOf(table, 'id')}::text`,
      parts: sql<(string | null)[]>`array[${sql.join(ways, sql`, `)}]::text[]`,
    })
    .from(table)
    .where(and(or(...ways.map((way) => sql`${way} = ANY(${sql.param(names)}::text[])`)), scopeFor(target, context)))
  const meant = new Map<string, string[]>()
  for (const name of names) {
    for (const at of ways.keys()) {
      const ids = rows.filter(({ parts }) => parts[at] === name).map(({ id }) => id)
      if (!ids.length) continue
      meant.set(name, ids)
      break
    }
  }
  return meant
}

function waysToName({ definition, mount }: MountedResource): SQL[] {
  const columns = readableColumns(mount)
  const shown = placeholdersOf(definition).filter((name) => columns[name])
  const unique = Object.entries(definition.fields).flatMap(([name, field]) =>
    field.unique && columns[name] ? [name] : [],
  )
  const parts = [...new Set([...unique, ...shown])].map((name) => sql`${columns[name]}::text`)
  return shown.length > 1 || !shown.length ? [inWords(definition, columns), ...parts] : parts
}

const placeholdersOf = ({ display }: ResourceDefinition) =>
  [...display.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')

/** The display, `{name}({username})`, as an SQL expression. */
function inWords({ display }: ResourceDefinition, columns: ReturnType<typeof readableColumns>): SQL {
  const pieces = display
    .split(/(\{\w+\})/)
    .filter(Boolean)
    .map((piece) => {
      const name = /^\{(\w+)\}$/.exec(piece)?.[1]
      if (name === undefined) return sql`${piece}::text`
      return columns[name] ? sql`coalesce(${columns[name]}::text, '')` : sql`''::text`
    })
  return sql`(${sql.join(pieces, sql` || `)})`
}
