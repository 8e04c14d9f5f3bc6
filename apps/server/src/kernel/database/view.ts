import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'

/**
 * A view of another domain as the resource engine mounts it: its rows are listed, never written.
 */
export const tableOf = (view: { id: PgColumn }): PgTable => view.id.table
