/** Of which databases a workbench knows the SQL. */
export type SqlDialect = 'mysql' | 'postgresql' | 'sqlserver' | 'oracle'
