import { actionMask, actionNames } from '@sallyport/contract/actions.ts'
import { eq, sql } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import { relatedIds } from '../../kernel/resource/related.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { type LinkChange, recordLinks } from './link-log.ts'
import type { PermissionKind, WritingPermission, WrittenPermission } from './permission-kind.ts'
import { mountPermissionRelations } from './permission-relations.ts'
import type { LinkField, Relation } from './relations.ts'
import { permsPermission } from './tables.ts'
import { isExpired, isValid } from './validity.ts'

/** The permissions of one family of targets, and their relations. */
export function mountPermissions(kernel: Kernel, kind: PermissionKind): void {
  const { relations } = kind
  mountResource(kernel, kind.definition, {
    table: permsPermission,
    scope: () => eq(permsPermission.family, kind.family),
    relations: Object.fromEntries(relations.map(({ field, pairs }) => [field, pairs])),
    filters: kind.filters,
    ...(kind.metadata ? { metadata: kind.metadata } : {}),
    computed: [
      {
        fields: ['is_expired', 'is_valid'],
        load: async (rows) => rows.map((row) => ({ is_expired: isExpired(row), is_valid: isValid(row) })),
      },
      { fields: ['actions'], load: async (rows) => rows.map((row) => ({ actions: actionNames(row.actions) })) },
    ],
    rules: {
      beforeWrite: [
        (context) => nameFamily(kind, context),
        ...(kind.rules ?? []),
        storeActions,
        (context) => addNamed(relations, context),
        (context) => rememberLinks(relations, context),
      ],
      afterWrite: [(context) => bindAndRecord(kind, context)],
    },
  })
  mountPermissionRelations(kernel, kind)
}

/** The address of a new permission decides its family. */
function nameFamily({ family }: PermissionKind, { mode, draft }: WritingPermission): void {
  if (mode === 'create') draft.family = family
}

/**
 * Stores the names of actions as a mask. An empty list is no action; without a list it is the
 * definition's default, all actions.
 */
function storeActions({ draft }: WritingPermission): void {
  if (draft.actions === undefined || typeof draft.actions === 'number') return
  draft.actions = actionMask(draft.actions ?? [])
}

/**
 * On create, `users_display` and the like add the rows of those names; unknown names are ignored.
 * On update only system users can be added so (docs/rules/perms.md#asset_permission).
 */
async function addNamed(relations: readonly Relation[], context: WritingPermission): Promise<void> {
  const { mode, draft, db, row } = context
  for (const { field, target, names, inOrg, pairs } of relations) {
    const wanted = draft[`${field}_display`]
    if (!wanted?.length || (mode !== 'create' && field !== 'system_users')) continue
    const named = sql.join(
      names.map((name) => sql`${name} = ANY(${sql.param(wanted)}::text[])`),
      sql` OR `,
    )
    const { rows } = await db.execute<{ id: string }>(
      sql`SELECT t.id FROM ${target} t WHERE (${named}) AND ${inOrg(context.call.org.id)}`,
    )
    if (!rows.length) continue
    const before = draft[field] ?? (row ? ((await relatedIds(db, pairs, [row.id])).get(row.id) ?? []) : [])
    draft[field] = [...new Set([...before, ...rows.map(({ id }) => id)])]
  }
}

/** The links of the permission before this write, by its draft. */
const heldBefore = new WeakMap<object, Map<LinkField, string[]>>()

async function rememberLinks(relations: readonly Relation[], { draft, row, db }: WritingPermission): Promise<void> {
  const sent = relations.filter(({ field }) => draft[field])
  if (!sent.length) return
  const held = new Map<LinkField, string[]>()
  for (const { field, pairs } of sent)
    held.set(field, row ? ((await relatedIds(db, pairs, [row.id])).get(row.id) ?? []) : [])
  heldBefore.set(draft, held)
}

async function bindAndRecord(
  { definition, relations, afterAdding }: PermissionKind,
  { kernel, db, call, draft, stored }: WrittenPermission,
): Promise<void> {
  const held = heldBefore.get(draft)
  if (!held) return
  const changes: LinkChange[] = relations.flatMap((relation) => {
    const before = held.get(relation.field)
    if (!before) return []
    const after = (draft[relation.field] ?? []).map((id) => id.toLowerCase())
    return [
      {
        relation,
        added: after.filter((id) => !before.includes(id)),
        removed: before.filter((id) => !after.includes(id)),
      },
    ]
  })
  if (changes.some(({ added }) => added.length)) await afterAdding(db, stored.id)
  const permission = { ...stored, type: definition.name }
  await recordLinks(
    kernel,
    db,
    call,
    changes.map((change) => ({ ...change, permission })),
  )
}
