import { type Draft, defineResource, type Row } from '../../define.ts'
import { CRUD } from '../../operations.ts'

/** Rows that a person may keep, for all databases together. */
export const SAVED_STATEMENTS_MAX = 500

/**
 * Statements that a person has kept in the workbench of a database, under names of their own. They
 * are texts and no more: one that is run is judged as if it had been typed.
 */
export const savedStatement = defineResource({
  name: 'saved_statement',
  path: '/api/v1/applications/saved-statements/',
  label: 'Saved statement',
  scope: 'self',
  operations: [...CRUD],
  permission: { list: ['authenticated'], write: ['authenticated'] },
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    application: { type: 'uuid', label: 'Application', required: true },
    name: { type: 'string', label: 'Name', required: true, maxLength: 128 },
    statement: { type: 'text', label: 'SQL statement', required: true, maxLength: 65_536 },
    date_updated: { type: 'datetime', label: 'Updated', readOnly: true },
  },
  search: ['name', 'statement'],
  filters: ['application', 'name'],
  ordering: ['name', 'date_updated'],
  defaultOrder: ['name'],
})
export type SavedStatement = Row<typeof savedStatement>
export type SavedStatementDraft = Draft<typeof savedStatement>
