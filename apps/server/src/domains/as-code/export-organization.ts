import { type AsCodeExport, MOST_EXPORTED } from '@sallyport/contract/as-code.ts'
import { and, sql } from 'drizzle-orm'
import { refused } from '../../kernel/errors/app-error.ts'
import type { Write } from '../../kernel/produced-stream.ts'
import { scopeOf } from '../../kernel/resource/conditions.ts'
import { columnOf, type ReadContext } from '../../kernel/resource/mount.ts'
import { type Current, childFields, ownRows, plainContext, resourceOf, rowsNamed } from './current-rows.ts'
import { type Form, fieldsOf, withoutDefaults } from './form.ts'
import type { Kind } from './kinds.ts'
import { Names } from './names.ts'

/** Rows that are read at a time. */
const SLICE = 500

/** The ids of a kind's rows, by their names in one order whatever the database's own is. */
async function idsOf(kind: Kind, context: ReadContext): Promise<string[]> {
  const resource = resourceOf(context, kind)
  const { table } = resource.mount
  const id = columnOf(table, 'id')
  const order = kind.key.map((name) => sql`${columnOf(table, name)}::text COLLATE "C"`)
  const where = and(ownRows(kind, context), scopeOf(resource, context))
  const { rows } = await context.db.execute<{ id: string }>(
    sql`SELECT ${id}::text AS id FROM ${table} WHERE ${where} ORDER BY ${sql.join([...order, id], sql`, `)} LIMIT ${MOST_EXPORTED + 1}`,
  )
  return rows.map((row) => row.id)
}

/** All ids to export. Throws 400 for more rows than one export has. */
export async function rowsToExport(
  kinds: readonly Kind[],
  context: ReadContext,
): Promise<ReadonlyMap<Kind, readonly string[]>> {
  const ids = new Map<Kind, readonly string[]>()
  let count = 0
  for (const kind of kinds) {
    const some = await idsOf(kind, plainContext(context))
    count += some.length
    if (count > MOST_EXPORTED)
      throw refused('too_large', 'An export has at most 100000 rows: name some kinds, such as ?kinds=assets.')
    ids.set(kind, some)
  }
  return ids
}

/**
 * Writes the rows as JSON, one in each line, which is YAML as well. Rows that go meanwhile are left out.
 */
export async function writeExport(
  ids: ReadonlyMap<Kind, readonly string[]>,
  context: ReadContext,
  write: Write,
): Promise<void> {
  const inside = plainContext(context)
  const names = new Names(inside)
  let isFirst = true
  await write('{')
  for (const [kind, all] of ids) {
    await write(`${isFirst ? '' : ','}\n${JSON.stringify(kind.name)}: [`)
    isFirst = false
    const shared = await sharedKeys(kind, inside)
    let before = '\n  '
    for (let at = 0; at < all.length; at += SLICE) {
      const wanted = all.slice(at, at + SLICE)
      const rows = new Map((await rowsNamed(kind, { ids: wanted }, inside, names)).map((row) => [row.id, row]))
      const lines = wanted.flatMap((id) => {
        const row = rows.get(id)
        return row ? [JSON.stringify(rowInFile(kind, row, shared))] : []
      })
      if (lines.length) await write(before + lines.join(',\n  '))
      if (lines.length) before = ',\n  '
    }
    await write(before === '\n  ' ? ']' : '\n]')
  }
  await write('\n}\n')
}

/** First names that several rows of a kind without unique names have. */
async function sharedKeys(kind: Kind, context: ReadContext): Promise<ReadonlySet<string>> {
  const [first = ''] = kind.key
  if (kind.isTree || kind.definition.fields[first]?.unique) return new Set()
  const resource = resourceOf(context, kind)
  const { table } = resource.mount
  const columns = kind.key.map((name) => columnOf(table, name))
  const rows = await context.db
    .select({ name: sql<string>`${columns[0]}::text` })
    .from(table)
    .where(scopeOf(resource, context))
    .groupBy(...columns)
    .having(sql`count(*) > 1`)
  return new Set(rows.map(({ name }) => name))
}

function rowInFile(
  kind: Kind,
  { id, form, children }: Current,
  shared: ReadonlySet<string>,
): AsCodeExport[string][number] {
  if (kind.isTree) return String(form.full_value)
  const [first = ''] = kind.key
  const named = Object.fromEntries(kind.key.map((name) => [name, form[name]]))
  const shown: Record<string, unknown> = {
    ...(shared.has(String(form[first])) ? { id } : {}),
    ...named,
    ...withoutDefaults(fieldsOf(kind), form, kind),
  }
  const below: Form[] = children.map((child) => withoutDefaults(childFields(kind), child.form))
  if (kind.children && below.length) shown[kind.children.field] = below
  return shown
}
