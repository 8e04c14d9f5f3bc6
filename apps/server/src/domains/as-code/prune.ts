import { MOST_CHANGES, MOST_ROWS } from '@sallyport/contract/as-code.ts'
import { and, sql } from 'drizzle-orm'
import { refused } from '../../kernel/errors/app-error.ts'
import { scopeOf } from '../../kernel/resource/conditions.ts'
import { deleteRowsById } from '../../kernel/resource/delete.ts'
import { columnOf } from '../../kernel/resource/mount.ts'
import { type Current, ownRows, resourceOf, rowsNamed } from './current-rows.ts'
import { type Desired, keyOf, nameOf } from './documents.ts'
import { refusalOf } from './door.ts'
import type { Kind } from './kinds.ts'
import { fail, type Run, tooMany } from './run.ts'

/** Rows that are read at a time. */
const SLICE = 500

/** Takes the rows out that no file names. */
export async function prune(run: Run, kind: Kind, desired: readonly Desired[]): Promise<void> {
  const { context, names, outcome } = run
  const resource = resourceOf(context, kind)
  const { table } = resource.mount
  const id = columnOf(table, 'id')
  const first = columnOf(table, kind.key[0] ?? '')
  const all = await context.db
    .select({ id: sql<string>`${id}::text`, name: sql<string>`${first}::text` })
    .from(table)
    .where(and(ownRows(kind, context), scopeOf(resource, context)))
    .limit(MOST_ROWS + 1)
  if (all.length > MOST_ROWS) throw refused('too_large', 'There are more than 20000 rows of this kind: delete by hand.')
  const texts = desired.map(({ form }) => String(form[kind.key[0] ?? '']))
  const named = new Set(kind.isTree ? await Promise.all(texts.map((path) => names.storedPath(path))) : texts)
  const ids = new Set(desired.flatMap((one) => one.id ?? []))
  const keys = new Set(desired.filter((one) => one.id === undefined).map(({ key }) => key))
  const unsure = all.filter((row) => !ids.has(row.id))
  // Those with another first name are certain; the others are read.
  const read = [
    ...unsure.filter(({ name }) => !named.has(name)),
    ...(kind.key.length > 1 ? unsure.filter(({ name }) => named.has(name)) : []),
  ]
  const gone: Current[] = []
  for (let at = 0; at < read.length; at += SLICE) {
    const rows = await rowsNamed(kind, { ids: read.slice(at, at + SLICE).map((row) => row.id) }, context, names)
    gone.push(...rows.filter(({ form }) => !keys.has(keyOf(kind, form))))
    if (gone.length + outcome.changes.length > MOST_CHANGES) throw tooMany()
  }
  const depth = ({ form }: Current) => (kind.isTree ? nameOf(kind, form).split('/').length : 0)
  for (const row of gone.toSorted((one, other) => depth(other) - depth(one))) {
    const name = nameOf(kind, row.form)
    const refusal = refusalOf(kind.definition, 'destroy', context)
    try {
      if (refusal) throw refusal
      await deleteRowsById(resource, [row.id], context)
      outcome.changes.push({ kind: kind.name, name, action: 'delete', fields: [] })
    } catch (thrown) {
      fail(run, kind, { index: null, name }, '', thrown)
    }
  }
}
