import { literal as mysqlLiteral } from '../repl/mysql/mysql-dialect.ts'
import { literal as oracleLiteral, typeOf as oracleType } from '../repl/oracle/oracle-dialect.ts'
import { literal as postgresqlLiteral } from '../repl/postgresql/catalog.ts'
import { literal as sqlServerLiteral } from '../repl/sqlserver/sqlserver-dialect.ts'

/** Content of a database, level by level: each query answers rows whose first value is a name. */
export interface Catalog {
  /** Names. */
  schemas(): string
  /** Names, and what they are: `table`, `view`, or another word of the database's own. */
  relations(schema: string): string
  /** Names, types, whether they may be NULL (`YES`), and whether they are in the primary key (`PRI`). */
  columns(schema: string, relation: string): string
}

export const MYSQL_CATALOG: Catalog = {
  schemas: () => 'SELECT schema_name FROM information_schema.schemata ORDER BY 1',
  relations: (
    schema,
  ) => `SELECT table_name, IF(table_type LIKE '%VIEW', 'view', IF(table_type = 'BASE TABLE', 'table', LOWER(table_type)))
FROM information_schema.tables WHERE table_schema = ${mysqlLiteral(schema)} ORDER BY 1`,
  columns: (schema, relation) => `SELECT column_name, column_type, is_nullable, column_key
FROM information_schema.columns WHERE table_schema = ${mysqlLiteral(schema)} AND table_name = ${mysqlLiteral(relation)} ORDER BY ordinal_position`,
}

export const POSTGRESQL_CATALOG: Catalog = {
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

/** Content of the database that the application leads to. */
export const SQLSERVER_CATALOG: Catalog = {
  // One's own first, then those that hold something.
  schemas:
    () => `SELECT s.name FROM sys.schemas s WHERE s.name = SCHEMA_NAME() OR EXISTS (SELECT 1 FROM sys.objects o WHERE o.schema_id = s.schema_id AND o.type IN (N'U', N'V'))
ORDER BY CASE WHEN s.name = SCHEMA_NAME() THEN 0 ELSE 1 END, s.name`,
  relations: (schema) => `SELECT o.name, CASE o.type WHEN N'V' THEN N'view' ELSE N'table' END
FROM sys.objects o JOIN sys.schemas s ON s.schema_id = o.schema_id WHERE s.name = ${sqlServerLiteral(schema)} AND o.type IN (N'U', N'V') ORDER BY o.name`,
  columns: (
    schema,
    relation,
  ) => `SELECT c.name, t.name + CASE WHEN t.name IN (N'nchar', N'nvarchar') THEN N'(' + CASE c.max_length WHEN -1 THEN N'max' ELSE CAST(c.max_length / 2 AS nvarchar(10)) END + N')'
  WHEN t.name IN (N'char', N'varchar', N'binary', N'varbinary') THEN N'(' + CASE c.max_length WHEN -1 THEN N'max' ELSE CAST(c.max_length AS nvarchar(10)) END + N')'
  WHEN t.name IN (N'decimal', N'numeric') THEN N'(' + CAST(c.precision AS nvarchar(10)) + N',' + CAST(c.scale AS nvarchar(10)) + N')' ELSE N'' END,
  CASE c.is_nullable WHEN 1 THEN N'YES' ELSE N'NO' END,
  CASE WHEN EXISTS (SELECT 1 FROM sys.indexes i JOIN sys.index_columns k ON k.object_id = i.object_id AND k.index_id = i.index_id
    WHERE i.object_id = c.object_id AND i.is_primary_key = 1 AND k.column_id = c.column_id) THEN N'PRI' ELSE N'' END
FROM sys.columns c JOIN sys.types t ON t.user_type_id = c.user_type_id JOIN sys.objects o ON o.object_id = c.object_id JOIN sys.schemas s ON s.schema_id = o.schema_id
WHERE s.name = ${sqlServerLiteral(schema)} AND o.name = ${sqlServerLiteral(relation)} ORDER BY c.column_id`,
}

export const ORACLE_CATALOG: Catalog = {
  // One's own first.
  schemas: () =>
    "SELECT username FROM all_users ORDER BY CASE WHEN username = SYS_CONTEXT('USERENV', 'CURRENT_SCHEMA') THEN 0 ELSE 1 END, username",
  // A materialized view is there as a table, too.
  relations: (schema) => `SELECT object_name, MIN(LOWER(object_type)) FROM all_objects
WHERE owner = ${oracleLiteral(schema)} AND object_type IN ('TABLE', 'VIEW', 'MATERIALIZED VIEW') GROUP BY object_name ORDER BY object_name`,
  columns: (
    schema,
    relation,
  ) => `SELECT c.column_name, ${oracleType('c')}, CASE c.nullable WHEN 'N' THEN 'NO' ELSE 'YES' END,
  CASE WHEN EXISTS (SELECT 1 FROM all_constraints p JOIN all_cons_columns k ON k.owner = p.owner AND k.constraint_name = p.constraint_name
    WHERE p.constraint_type = 'P' AND p.owner = c.owner AND p.table_name = c.table_name AND k.column_name = c.column_name) THEN 'PRI' END
FROM all_tab_columns c WHERE c.owner = ${oracleLiteral(schema)} AND c.table_name = ${oracleLiteral(relation)} ORDER BY c.column_id`,
}
