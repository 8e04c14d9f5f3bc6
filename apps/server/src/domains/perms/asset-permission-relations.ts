import { sql } from 'drizzle-orm'
import { invalid } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { DeleteContext, StoredRow, WrittenContext } from '../../kernel/resource/mount.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { bindSystemUsers } from './binding.ts'
import { anyOf } from './grants.ts'
import { recordLinks } from './link-log.ts'
import { RELATIONS, type Relation } from './relations.ts'

/** The five pair lists of permissions, written one pair at a time; the same effects as editing the permission. */
export function mountAssetPermissionRelations(kernel: Kernel): void {
  for (const relation of RELATIONS) mountRelation(kernel, relation)
}

function mountRelation(kernel: Kernel, relation: Relation): void {
  const { name, definition, pairs, target, display, searched } = relation
  mountResource(kernel, definition, {
    table: pairs.table,
    unaudited: true,
    search: (pattern) => {
      const found = sql.join(
        searched.map((column) => sql`${column} ILIKE ${pattern}`),
        sql` OR `,
      )
      return sql`(EXISTS (SELECT 1 FROM ${target} t WHERE t.id = ${pairs.target} AND (${found}))
        OR EXISTS (SELECT 1 FROM perms_asset_permission p WHERE p.id = ${pairs.owner} AND p.name ILIKE ${pattern}))`
    },
    computed: [
      {
        fields: [`${name}_display`],
        async load(rows, { db }) {
          const { rows: found } = await db.execute<{ id: string; text: string }>(
            sql`SELECT t.id, ${display} AS text FROM ${target} t WHERE t.id = ${anyOf(rows.map((row) => String(row[name])))}`,
          )
          const texts = new Map(found.map(({ id, text }) => [id, text]))
          return rows.map((row) => ({ [`${name}_display`]: texts.get(String(row[name])) ?? '' }))
        },
      },
    ],
    rules: {
      afterWrite: [(context) => bindAndRecord(relation, context)],
      afterDelete: [(context) => recordRemoved(relation, context)],
    },
  })
}

async function bindAndRecord(relation: Relation, { kernel, db, call, row, stored }: WrittenContext): Promise<void> {
  const permission = await permissionOf(db, stored.assetpermission)
  await bindSystemUsers(db, String(stored.assetpermission))
  const id = String(stored[relation.name])
  if (row && row.assetpermission === stored.assetpermission && row[relation.name] === id) return
  if (row)
    await recordLinks(kernel, db, call, await permissionOf(db, row.assetpermission), [
      { relation, added: [], removed: [String(row[relation.name])] },
    ])
  await recordLinks(kernel, db, call, permission, [{ relation, added: [id], removed: [] }])
}

async function recordRemoved(relation: Relation, { kernel, db, call, rows }: DeleteContext): Promise<void> {
  const byPermission = Map.groupBy(rows, (row: StoredRow) => String(row.assetpermission))
  for (const [id, pairs] of byPermission) {
    await recordLinks(kernel, db, call, await permissionOf(db, id), [
      { relation, added: [], removed: pairs.map((row) => String(row[relation.name])) },
    ])
  }
}

async function permissionOf(db: Kernel['db'], id: unknown): Promise<{ name: string; org_id: string }> {
  const { rows } = await db.execute<{ name: string; org_id: string }>(
    sql`SELECT name, org_id FROM perms_asset_permission WHERE id = ${String(id)}::uuid`,
  )
  if (!rows[0]) throw invalid({ assetpermission: 'Not found.' })
  return rows[0]
}
