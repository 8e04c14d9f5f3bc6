import { sql } from 'drizzle-orm'
import type { Call } from '../../../kernel/access/call.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { deleteListed } from '../../../kernel/resource/delete.ts'
import { resourcesOf } from '../../../kernel/resource/registry.ts'
import { applicationPermissions } from '../application-permission.resource.ts'
import { assetPermissions } from '../asset-permission.resource.ts'

/** A permission, and a person or group that it names. */
export interface StandingGrant {
  permission: string
  subject_kind: 'user' | 'group'
  subject: string
}

/** What tells grants apart. */
export const grantKey = ({ permission, subject }: StandingGrant): string => `${permission} ${subject}`

/**
 * Takes people and groups out of permissions, in the way and with the log of an administrator who
 * does it by hand, in the caller's name. Sessions that lose their right end by themselves. Answers
 * the keys of the grants that were there.
 * @param call in the organization of the permissions
 * @param db the transaction of the decision
 */
export async function withdrawGrants(
  kernel: Kernel,
  db: Database,
  call: Call,
  grants: readonly StandingGrant[],
): Promise<Set<string>> {
  const withdrawn = new Set<string>()
  for (const kind of [assetPermissions, applicationPermissions])
    for (const [subjectKind, field] of [
      ['user', 'users'],
      ['group', 'user_groups'],
    ] as const) {
      const relation = kind.relations.find((one) => one.field === field)
      const resource = relation && resourcesOf(kernel).find(relation.definition.name)
      const wanted = grants.filter(({ subject_kind }) => subject_kind === subjectKind)
      if (!relation || !resource || !wanted.length) continue
      const { table, owner, target } = relation.pairs
      const { rows } = await db.execute<{ id: string; permission: string; subject: string }>(sql`
        SELECT ${table}.id::text, ${owner} AS permission, ${target} AS subject
        FROM ${table} JOIN unnest(${sql.param(wanted.map(({ permission }) => permission))}::uuid[],
          ${sql.param(wanted.map(({ subject }) => subject))}::uuid[]) AS w (permission, subject)
          ON ${owner} = w.permission AND ${target} = w.subject
        WHERE ${table}.family = ${kind.family} AND ${table}.org_id = ${call.org.id}::uuid`)
      if (!rows.length) continue
      const ids = rows.map(({ id }) => id).join(',')
      await deleteListed(resource, { kernel, db, call, parameters: {}, query: { ids } })
      for (const { permission, subject } of rows)
        withdrawn.add(grantKey({ permission, subject_kind: subjectKind, subject }))
    }
  return withdrawn
}
