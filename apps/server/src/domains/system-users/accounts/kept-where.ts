import { and, inArray, isNotNull, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Database } from '../../../kernel/database/database.ts'
import type { ReadContext } from '../../../kernel/resource/mount.ts'
import { keptIn, type MaybeOutside } from '../../assets/secret-sources/index.ts'
import { assetsSystemUser } from '../tables.ts'

interface Account extends MaybeOutside {
  id: string
  systemuser: string | null
}

/**
 * Where secrets of accounts are that are kept outside: the account's own, else its system user's. An
 * account with a secret here says nothing of the latter, which is not used.
 */
export const keptWhere = (table: PgTable) => ({
  fields: ['kept_in'] as const,
  load: async (rows: readonly Account[], { db }: ReadContext) => {
    const inherited = await inheritedPlaces(db, table, rows)
    const places = rows.map((row) => (row.secret_source ? row : inherited.get(row.id)))
    return (await keptIn(db, places)).map((kept_in) => ({ kept_in }))
  },
})

async function inheritedPlaces(
  db: Database,
  table: PgTable,
  rows: readonly Account[],
): Promise<ReadonlyMap<string, MaybeOutside>> {
  const linked = rows.filter(({ secret_source, systemuser }) => !secret_source && systemuser)
  if (!linked.length) return new Map()
  const { id, secret_source, secret_path, secret_field } = assetsSystemUser
  const users = await db
    .select({ id, secret_source, secret_path, secret_field })
    .from(assetsSystemUser)
    .where(and(inArray(id, [...new Set(linked.flatMap((row) => row.systemuser ?? []))]), isNotNull(secret_source)))
  if (!users.length) return new Map()
  const ids = linked.map((row) => row.id)
  const { rows: empty } = await db.execute<{ id: string }>(sql`
    SELECT id FROM ${table} WHERE id = ANY(${sql.param(ids)}::uuid[]) AND num_nonnulls(password_sealed, private_key_sealed) = 0`)
  const isEmpty = new Set(empty.map((row) => row.id))
  const byUser = new Map(users.map((user) => [user.id, user]))
  return new Map(
    linked.flatMap((row) => {
      const user = isEmpty.has(row.id) ? byUser.get(row.systemuser ?? '') : undefined
      return user ? [[row.id, user]] : []
    }),
  )
}
