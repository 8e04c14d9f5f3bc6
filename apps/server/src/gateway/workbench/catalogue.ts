import { literal as mysqlLiteral } from '../repl/mysql/mysql-dialect.ts'
import { literal as postgresqlLiteral } from '../repl/postgresql/catalogue.ts'

/** What is in a database, level by level: each answers rows whose first value is a name. */
export interface Catalogue {
  /** Names. */
  schemas(): string
  /** Names, and what they are: `table`, `view`, or another word of the database's own. */
  relations(schema: string): string
  /** Names, types, whether they may be NULL (`YES`), and whether they are in the primary key (`PRI`). */
  columns(schema: string, relation: string): string
}

export const MYSQL_CATALOGUE: Catalogue = {
  schemas: () => 'SELECT schema_name FROM information_schema.schemata ORDER BY 1',
  relations: (
    schema,
  ) => `SELECT table_name, IF(table_type LIKE '%VIEW', 'view', IF(table_type = 'BASE TABLE', 'table', LOWER(table_type)))
FROM information_schema.tables WHERE table_schema = ${mysqlLiteral(schema)} ORDER BY 1`,
  columns: (schema, relation) => `SELECT column_name, column_type, is_nullable, column_key
FROM information_schema.columns WHERE table_schema = ${mysqlLiteral(schema)} AND table_name = ${mysqlLiteral(relation)} ORDER BY ordinal_position`,
}

export const POSTGRESQL_CATALOGUE: Catalogue = {
  // One's own first, those of the server last.
  schemas:
    () => `SELECT nspname FROM pg_catalog.pg_namespace WHERE nspname !~ '^pg_(toast|temp)' AND pg_catalog.has_schema_privilege(oid, 'USAGE')
ORDER BY nspname IN ('pg_catalog', 'information_schema'), nspname <> 'public', 1`,
  relations: (
    schema,
  ) => `SELECT c.relname, CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'f' THEN 'foreign table' ELSE 'table' END
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = ${postgresqlLiteral(schema)} AND c.relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY 1`,
  columns: (
    schema,
    relation,
  ) => `SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), CASE WHEN a.attnotnull THEN 'NO' ELSE 'YES' END,
  CASE WHEN a.attnum = ANY (i.indkey) THEN 'PRI' ELSE '' END
FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_catalog.pg_index i ON i.indrelid = c.oid AND i.indisprimary
WHERE n.nspname = ${postgresqlLiteral(schema)} AND c.relname = ${postgresqlLiteral(relation)} AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`,
}
