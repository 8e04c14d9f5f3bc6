import type { Writable } from 'node:stream'
import { createZstdDecompress } from 'node:zlib'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { makeSchema } from '../../../kernel/database/migrate.ts'
import { StartRefusal } from '../../../kernel/start-refusal.ts'
import type { Dump, DumpedTable } from './dump.ts'
import { EXACT_TEXT, NO_LIMITS } from './dump.ts'

/** Reads the rows of a table into the database. */
type Read = (table: DumpedTable, unpack: ReturnType<typeof createZstdDecompress>, target: Writable) => Promise<void>

/**
 * Makes an empty database what it was when the backup was made: the schema by the migrations of that
 * time, then the rows. All of it is one transaction, so that half of it is never there. Needs no
 * more rights than those of the owner of the database.
 *
 * Triggers do not fire: what they write is among the rows. Foreign keys and indexes are taken away
 * and made again behind the rows, which checks what refers to what, and is far faster.
 * @param client a connection of its own, which must be closed when this throws
 */
export async function loadDatabase(
  client: pg.ClientBase,
  { migrations, tables, sequences }: Pick<Dump, 'migrations' | 'tables' | 'sequences'>,
  read: Read,
): Promise<void> {
  await client.query('BEGIN')
  await client.query(`${EXACT_TEXT}; ${NO_LIMITS}; SET LOCAL maintenance_work_mem = '256MB'`)
  await makeSchema(client, migrations)
  const aside = await definitionsOf(client)
  const all = await tablesNow(client)
  for (const one of aside) await client.query(one.drop)
  for (const name of all) await client.query(`ALTER TABLE ${pg.escapeIdentifier(name)} DISABLE TRIGGER USER`)
  // Migrations bring rows of their own.
  await client.query(`TRUNCATE ${all.map((name) => pg.escapeIdentifier(name)).join(', ')}`)
  for (const table of tables) if (table.part) await loadTable(client, table, read)
  for (const { name, value, is_called } of sequences)
    await client.query('SELECT setval($1::regclass, $2, $3)', [pg.escapeIdentifier(name), value, is_called])
  for (const one of aside.toReversed()) await client.query(one.make)
  for (const name of all) await client.query(`ALTER TABLE ${pg.escapeIdentifier(name)} ENABLE TRIGGER USER`)
  // Nodes of before have ended. That is no alarm, and others need not ask whether they still answer.
  await client.query('UPDATE kernel_node SET is_running = false, address = NULL, port = NULL, certificate = NULL')
  await client.query('COMMIT')
  await client.query('ANALYZE')
}

async function loadTable(client: pg.ClientBase, table: DumpedTable, read: Read): Promise<void> {
  const list = table.columns.map((column) => pg.escapeIdentifier(column)).join(', ')
  // Nobody else sees the rows before they are committed.
  const copy = client.query(copyFrom(`COPY ${pg.escapeIdentifier(table.name)} (${list}) FROM STDIN WITH (FREEZE)`))
  await read(table, createZstdDecompress(), copy)
  if (copy.rowCount !== table.rows)
    throw new StartRefusal(`The backup is damaged: ${table.name} has ${copy.rowCount} rows instead of ${table.rows}`)
}

/** Indexes, then foreign keys, which need some of them: how each is taken away, and made again. */
async function definitionsOf(client: pg.ClientBase): Promise<{ drop: string; make: string }[]> {
  const { rows } = await client.query<{ drop: string; make: string }>(`
    SELECT format('DROP INDEX %s', i.indexrelid::regclass) AS drop, pg_get_indexdef(i.indexrelid) AS make, 2 AS turn,
      i.indexrelid AS oid
    FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
      AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype <> 'f')
    UNION ALL
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname),
      format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)), 1, oid
    FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace
    ORDER BY turn, oid DESC`)
  return rows
}

async function tablesNow(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' ORDER BY 1`,
  )
  return rows.map(({ name }) => name)
}
