import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import type { Come } from '../run-import.ts'
import { secretText } from '../values.ts'

/** An import that is proven. The proof works in a transaction, whose end drops its tables. */
export type Proving = Come

/**
 * Their side of a proof, in temporary tables of our database: so that it compares sets, however many
 * there are, and holds nothing but a batch in memory. Ids in them are theirs; `ours` is the id here.
 */
const TABLES: Readonly<Record<string, string>> = {
  their_person: 'id uuid, ours uuid, username text, is_valid boolean',
  their_member: 'person uuid, grp uuid',
  /** Permissions that count now. `protocols` is null where all of them do. */
  their_permission: 'id uuid, org text, actions integer, protocols text[]',
  their_group: 'id uuid, org text',
  /** Permissions here that are from there. */
  their_came: 'id uuid',
  their_naming: 'permission uuid, person uuid',
  their_naming_group: 'permission uuid, grp uuid',
  their_covering: 'permission uuid, target uuid',
  their_covering_node: 'permission uuid, path ltree',
  their_target: 'id uuid, org text, ours uuid, family text, name text, protocols text[], is_active boolean',
  their_place: 'target uuid, path ltree',
  /** Version 2: system users of permissions. Version 3 and 4: words of permissions. */
  their_account_of: 'permission uuid, account text',
  /** Version 2: system users; no target. Version 3 and 4: usernames on a target, for a protocol. */
  their_account: 'target uuid, account text, ours uuid, name text, protocol text',
}
export type TheirTable = keyof typeof TABLES

const INDEXED: Readonly<Record<string, readonly string[]>> = {
  their_naming: ['person', 'permission'],
  their_naming_group: ['grp', 'permission'],
  their_member: ['person', 'grp'],
  their_permission: ['id'],
  their_group: ['id'],
  their_came: ['id'],
  their_covering: ['permission'],
  their_covering_node: ['permission'],
  their_target: ['id', 'ours'],
  their_place: ['path'],
  their_account_of: ['permission'],
  their_account: ['target', 'account'],
}

export async function makeTheirTables(db: Database): Promise<void> {
  for (const [name, columns] of Object.entries(TABLES))
    await db.execute(sql.raw(`CREATE TEMP TABLE ${name} (${columns}) ON COMMIT DROP`))
}

/** Adds rows of one batch. Values are as JSON has them. */
export async function fill(db: Database, table: TheirTable, rows: readonly object[]): Promise<void> {
  if (!rows.length) return
  const name = sql.raw(table)
  await db.execute(
    sql`INSERT INTO ${name} SELECT * FROM json_populate_recordset(NULL::${name}, ${JSON.stringify(rows, storable)})`,
  )
}

/** A value without what PostgreSQL does not store, which MySQL does. */
const storable = (_name: string, value: unknown) => (typeof value === 'string' ? secretText(value) : value)

/** After all rows: indexes, and statistics for the planner. Pairs that are there twice count once. */
export async function settleTheirTables(db: Database): Promise<void> {
  for (const [name, columns] of Object.entries(INDEXED))
    for (const column of columns)
      await db.execute(sql.raw(`CREATE INDEX ON ${name} ${column === 'path' ? 'USING gist ' : ''}(${column})`))
  for (const name of Object.keys(TABLES)) await db.execute(sql.raw(`ANALYZE ${name}`))
}

/** SQL: the id here of a row of theirs that has come, of one of these kinds. */
export const cameAs = ({ name }: Proving, kind: string, theirs: SQL): SQL =>
  sql`(SELECT a.id::uuid FROM kernel_arrival a WHERE a.source = ${name} AND a.kind = ${kind} AND a.key = ${theirs}::text)`
