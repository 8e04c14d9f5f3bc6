import { getTableName, type SQL, sql } from 'drizzle-orm'
import { may } from '../access/guard.ts'
import type { Database } from '../database/database.ts'
import { forbidden, invalid } from '../errors/app-error.ts'
import { translate } from '../i18n/translate.ts'
import type { Kernel } from '../kernel.ts'
import { anyOf, listConditions } from './conditions.ts'
import { columnOf, type ReadContext } from './mount.ts'
import { type MountedResource, resourcesOf } from './registry.ts'
import { contextOf } from './routes.ts'

/** The effect of a deletion on rows of one other kind. */
interface Effect {
  /** Label of their resource, in English. */
  label: string
  /** They are deleted too, or stay and no longer name what is deleted. */
  how: 'deleted' | 'unlinked'
  /** Answers how many there are. */
  count: SQL
}

/**
 * GET /api/v1/common/resources/deletion/?resource=asset&ids=… (or `spm=…`): what would go with these
 * rows, for the question before they are deleted. Answers `{ count, ends: [{ label, how, amount }] }`;
 * rows that the caller does not see are not counted.
 */
export function registerDeletion(kernel: Kernel): void {
  kernel.app.route({
    method: 'GET',
    url: '/api/v1/common/resources/deletion/',
    config: { access: ['authenticated'], summary: 'Say what would be deleted together with these rows' },
    handler: async (request) => {
      const context = contextOf(kernel, request)
      const { resource: name = '', ids = '', spm = '' } = context.query
      const resource = resourcesOf(kernel).find(name)
      if (!resource || resource.definition.path.includes(':')) throw invalid({ resource: 'There is no such resource.' })
      const { permission } = resource.definition
      if (!may(permission.destroy ?? permission.write, context.call)) throw forbidden()
      const { where, narrowed } = await listConditions(resource, { ...context, query: { ids, spm } })
      if (!narrowed) throw invalid({ ids: 'Say which rows.' })
      const id = columnOf(resource.mount.table, 'id')
      const rows = await kernel.db.select({ id }).from(resource.mount.table).where(where)
      return {
        count: rows.length,
        ends: await endsWith(
          resource,
          rows.map((row) => row.id),
          context,
        ),
      }
    },
  })
}

export async function endsWith(resource: MountedResource, ids: readonly unknown[], { kernel, db, call }: ReadContext) {
  const effects = ids.length ? await effectsOf(resource, ids, kernel) : []
  if (!effects.length) return []
  const asked = effects.map(({ count }, at) => sql`select ${at}::int as at, (${count})::int as amount`)
  const { rows } = await db.execute<{ at: number; amount: number }>(sql.join(asked, sql` union all `))
  return rows
    .filter(({ amount }) => amount > 0)
    .map(({ at, amount }) => {
      const { label, how } = effects[at] as Effect
      return { label: translate(call.language, label), how, amount }
    })
    .sort((one, other) => one.how.localeCompare(other.how) || other.amount - one.amount)
}

/** PostgreSQL knows what it deletes by itself, and the resources know what that is for people. */
async function effectsOf(resource: MountedResource, ids: readonly unknown[], kernel: Kernel): Promise<Effect[]> {
  const cascades = await cascadesTo(getTableName(resource.mount.table), kernel.db)
  const others = resourcesOf(kernel).all()
  return cascades.flatMap(({ table, column }) => {
    // Several resources may show one table: the first is what people know it by.
    const own = others.find(({ mount }) => getTableName(mount.table) === table)
    if (own) {
      const from = own.mount.table
      const count = sql`select count(*) from ${from} where ${from}.${sql.identifier(column)} = ANY(${sql.param(ids)})`
      return [{ label: own.definition.label, how: 'deleted', count }]
    }
    return others.flatMap((other) =>
      Object.values(other.mount.relations ?? {})
        .filter((relation) => getTableName(relation.table) === table && relation.target.name === column)
        .map(
          ({ table: links, owner, target }): Effect => ({
            label: other.definition.label,
            how: 'unlinked',
            count: sql`select count(DISTINCT ${owner}) from ${links} where ${anyOf(target, ids)}`,
          }),
        ),
    )
  })
}

/** Columns whose rows go with the row that they name. */
async function cascadesTo(table: string, db: Database): Promise<{ table: string; column: string }[]> {
  const { rows } = await db.execute<{ table: string; column: string }>(sql`
    select other.relname as table, attribute.attname as column
    from pg_constraint key
    join pg_class other on other.oid = key.conrelid
    join pg_attribute attribute on attribute.attrelid = key.conrelid and attribute.attnum = key.conkey[1]
    where key.contype = 'f' and key.confdeltype = 'c' and cardinality(key.conkey) = 1
      and key.confrelid = to_regclass(${table})
    order by 1, 2`)
  return rows
}
