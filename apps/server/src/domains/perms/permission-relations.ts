import { eq, sql } from 'drizzle-orm'
import { invalid } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import {
  columnOf,
  type DeleteContext,
  type StoredRow,
  type WriteContext,
  type WrittenContext,
} from '../../kernel/resource/mount.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { anyOf } from './grants.ts'
import { type LoggedPermission, recordLinks } from './link-log.ts'
import type { PermissionKind } from './permission-kind.ts'
import type { Relation } from './relations.ts'

/**
 * The links of permissions as resources, written one at a time with the same effects as editing the
 * permission.
 */
export function mountPermissionRelations(kernel: Kernel, kind: PermissionKind): void {
  for (const relation of kind.relations) mountRelation(kernel, kind, relation)
}

function mountRelation(kernel: Kernel, kind: PermissionKind, relation: Relation): void {
  const { name, definition, pairs, table, target, display, searched } = relation
  mountResource(kernel, definition, {
    table,
    scope: () => eq(columnOf(table, 'family'), kind.family),
    unaudited: true,
    search: (pattern) => {
      const found = sql.join(
        searched.map((column) => sql`${column} ILIKE ${pattern}`),
        sql` OR `,
      )
      return sql`(EXISTS (SELECT 1 FROM ${target} t WHERE t.id = ${pairs.target} AND (${found}))
        OR EXISTS (SELECT 1 FROM perms_permission p WHERE p.id = ${pairs.owner} AND p.name ILIKE ${pattern}))`
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
      beforeWrite: [(context) => refuseSecond(kind, relation, context)],
      afterWrite: [(context) => bindAndRecord(kind, relation, context)],
      afterDelete: [(context) => recordRemoved(kind, relation, context)],
    },
  })
}

/**
 * Refuses a link that exists, with a message at the fields' names on the wire, which differ from
 * those of the unique index.
 */
async function refuseSecond(kind: PermissionKind, relation: Relation, { db, draft, row }: WriteContext): Promise<void> {
  const { pairs, name } = relation
  const { permission, other } = endsOf(kind, relation, { ...row, ...draft })
  const { rows } = await db.execute<{ id: string }>(
    sql`SELECT id FROM ${pairs.table} WHERE ${pairs.owner} = ${permission} AND ${pairs.target} = ${other} AND id <> ${row?.id ?? 0}`,
  )
  if (rows.length) throw invalid({ [kind.owner]: 'This field must be unique.', [name]: 'This field must be unique.' })
}

/**
 * Ids of both ends of a link. Each of these resources has names of its own for them, so their rules
 * are typed as those of any resource, and read a link here alone.
 */
const endsOf = (
  { owner }: PermissionKind,
  { name }: Relation,
  row: StoredRow,
): { permission: string; other: string } => ({
  permission: String(row[owner]),
  other: String(row[name]),
})

async function bindAndRecord(
  kind: PermissionKind,
  relation: Relation,
  { kernel, db, call, row, stored }: WrittenContext,
): Promise<void> {
  const now = endsOf(kind, relation, stored)
  const before = row && endsOf(kind, relation, row)
  const isSame = before?.permission === now.permission && before.other === now.other
  const permissions = await permissionsOf(db, kind, before ? [now.permission, before.permission] : [now.permission])
  const permission = permissions(now.permission)
  await kind.afterAdding(db, now.permission)
  if (isSame) return
  await recordLinks(kernel, db, call, [
    ...(before ? [{ relation, permission: permissions(before.permission), added: [], removed: [before.other] }] : []),
    { relation, permission, added: [now.other], removed: [] },
  ])
}

async function recordRemoved(
  kind: PermissionKind,
  relation: Relation,
  { kernel, db, call, rows }: DeleteContext,
): Promise<void> {
  const pairs = rows.map((row) => endsOf(kind, relation, row))
  const removed = Map.groupBy(pairs, ({ permission }) => permission)
  const permissions = await permissionsOf(db, kind, [...removed.keys()])
  const changes = [...removed].map(([id, some]) => ({
    relation,
    permission: permissions(id),
    added: [],
    removed: some.map(({ other }) => other),
  }))
  await recordLinks(kernel, db, call, changes)
}

async function permissionsOf(
  db: Kernel['db'],
  { owner, definition }: PermissionKind,
  ids: readonly string[],
): Promise<(id: string) => LoggedPermission> {
  const { rows } = await db.execute<{ id: string; name: string; org_id: string }>(
    sql`SELECT id, name, org_id FROM perms_permission WHERE id = ${anyOf(ids)}`,
  )
  const found = new Map(rows.map((row) => [row.id, { ...row, type: definition.name }]))
  return (id) => {
    const permission = found.get(id.toLowerCase())
    if (!permission) throw invalid({ [owner]: 'Not found.' })
    return permission
  }
}
