import { getTableName, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { invalid, refused } from '../../../kernel/errors/app-error.ts'
import type { terminalCommandStorage, terminalReplayStorage } from '../tables.ts'

/** Input of the rules of both kinds of storages (docs/rules/terminal.md#command_storage). */
interface Writing {
  draft: { type?: string; meta?: Record<string, unknown>; is_default?: boolean }
  row: { id: string; type: string; meta: Record<string, unknown> } | undefined
  query: Readonly<Record<string, string>>
  db: Database
}

/** The type decides the shape, and what was stored there would be lost. */
export function keepType({ draft, row }: Pick<Writing, 'draft' | 'row'>): void {
  if (row && draft.type !== undefined && draft.type !== row.type)
    throw invalid({ type: 'The type of a storage cannot be changed' })
}

/** Pages that say the type in the address say it in the body as well: two that differ are a mistake. */
export function readType({ draft, row, query }: Pick<Writing, 'draft' | 'row' | 'query'>): void {
  if (!row && query.type && query.type !== draft.type) throw invalid({ type: 'The address says another type' })
}

/**
 * Keys are for the place that they were entered for: a person who changes it enters them again.
 * Otherwise everybody who may change it could have them sent to an address of their own.
 */
export function askKeysAgain({ draft, row }: Pick<Writing, 'draft' | 'row'>): void {
  const sent = draft.meta
  if (!row || !sent) return
  const keys = Object.keys(row.meta).filter((name) => isKey(row.meta[name]))
  const isMoved = Object.entries(sent).some(
    ([name, value]) => !keys.includes(name) && JSON.stringify(value) !== JSON.stringify(row.meta[name] ?? null),
  )
  const missing = keys.filter((name) => !Object.hasOwn(sent, name))
  if (isMoved && missing.length)
    throw invalid(
      Object.fromEntries(missing.map((name) => [`meta.${name}`, 'The storage is elsewhere now: enter its keys again'])),
    )
}

/** Sealed by itself. */
const isKey = (value: unknown) => typeof value === 'object' && value !== null && Object.hasOwn(value, '$sealed')

/** Whichever is made the default last is it. */
export const oneDefault =
  (table: typeof terminalCommandStorage | typeof terminalReplayStorage) =>
  async ({ draft, row, db }: Pick<Writing, 'draft' | 'row' | 'db'>): Promise<void> => {
    if (!draft.is_default) return
    const others: SQL = row ? sql`AND id <> ${row.id}` : sql``
    await db.execute(
      sql`UPDATE ${sql.identifier(getTableName(table))} SET is_default = false WHERE is_default ${others}`,
    )
  }

/** Built-in rows are not deleted (docs/rules/terminal.md#replay_storage). */
export function refuseBuiltIn({ rows }: { rows: readonly { type: string }[] }): void {
  if (rows.some(({ type }) => type === 'server' || type === 'null'))
    throw refused('built_in', 'This storage is built in and cannot be deleted')
}
