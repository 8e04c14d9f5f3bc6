import { inArray } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { assetsSecretSource } from '../tables.ts'
import { isOutside, type MaybeOutside } from './fetch-secret.ts'
import { placeInWords } from './secret-path.ts'

/** Where the secrets of rows are kept, in words, in order; empty for those that are kept here. One query. */
export async function keptIn(db: Database, rows: readonly (MaybeOutside | undefined)[]): Promise<string[]> {
  const ids = [...new Set(rows.flatMap((row) => (row && isOutside(row) ? row.secret_source : [])))]
  const { id, name, kind, engine } = assetsSecretSource
  const sources = ids.length
    ? await db.select({ id, name, kind, engine }).from(assetsSecretSource).where(inArray(id, ids))
    : []
  const byId = new Map(sources.map((source) => [source.id, source]))
  return rows.map((row) => {
    const source = byId.get(row?.secret_source ?? '')
    if (!row || !source) return ''
    return `${source.name}: ${placeInWords(source, { path: row.secret_path, field: row.secret_field })}`
  })
}
