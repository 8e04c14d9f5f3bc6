/** Operations of most resources by name, to be listed in definitions together with others. */
import type { Operation } from './define.ts'

/** One row at a time, and the list. */
export const CRUD = [
  'list',
  'create',
  'retrieve',
  'update',
  'partial_update',
  'destroy',
] as const satisfies readonly Operation[]

/** Many rows in one call: arrays, and deletion by selection or filter. */
export const BULK = ['bulk_create', 'bulk_update', 'bulk_destroy'] as const satisfies readonly Operation[]

/** Spreadsheets in and out. */
export const FILES = ['import', 'export'] as const satisfies readonly Operation[]
