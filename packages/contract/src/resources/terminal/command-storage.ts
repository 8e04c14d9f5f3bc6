import { type Draft, defineResource, type Row } from '../../define.ts'

export const commandStorage = defineResource({
  name: 'command_storage',
  path: '/api/v1/terminal/command-storages/',
  label: 'Command storage',
  scope: 'global',
  operations: ['list', 'create', 'retrieve', 'update', 'partial_update', 'destroy', 'metadata'],
  permission: { list: ['super_admin'], write: ['super_admin'] },
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    name: { type: 'string', label: 'Name', required: true, maxLength: 128, unique: 'global' },
    type: { type: 'choice', label: 'Type', choices: { null: 'Null', server: 'Server', es: 'Elasticsearch' }, default: 'server' },
    meta: { type: 'object', label: 'Meta', required: true },
    is_default: { type: 'boolean', label: 'Default storage', default: false },
    comment: { type: 'text', label: 'Comment', default: '' },
  },
  search: ['name', 'type'],
  filters: ['name', 'type', 'is_default', { name: 'real', match: 'custom', hidden: true }],
  ordering: '*',
  defaultOrder: ['name'],
})
export type CommandStorage = Row<typeof commandStorage>
export type CommandStorageDraft = Draft<typeof commandStorage>
