import { inArray } from 'drizzle-orm'
import type { ReadContext } from '../../../kernel/resource/mount.ts'
import { keptIn, type MaybeOutside } from '../../assets/secret-sources/index.ts'
import { assetsSystemUser } from '../tables.ts'

interface Account extends MaybeOutside {
  systemuser: string | null
}

/**
 * Where secrets of accounts are that are kept outside: the account's own, else its system user's. An
 * account with a secret here never says the latter, since that is not used.
 */
export const keptWhere = { fields: ['kept_in'], load: loadKeptIn } as const

async function loadKeptIn(rows: readonly (Account & { has_own?: boolean })[], { db }: ReadContext) {
  const inherits = rows.flatMap(({ secret_source, systemuser }) => (secret_source ? [] : (systemuser ?? [])))
  const { id, secret_source, secret_path, secret_field } = assetsSystemUser
  const users = inherits.length
    ? await db
        .select({ id, secret_source, secret_path, secret_field })
        .from(assetsSystemUser)
        .where(inArray(id, [...new Set(inherits)]))
    : []
  const byId = new Map(users.map((user) => [user.id, user]))
  const words = await keptIn(
    db,
    rows.map((row) => (row.secret_source ? row : byId.get(row.systemuser ?? ''))),
  )
  return words.map((kept_in) => ({ kept_in }))
}
