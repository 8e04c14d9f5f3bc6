import { type Draft, defineResource, type Row } from '../../define.ts'
import { BULK, CRUD, FILES } from '../../operations.ts'

export const node = defineResource({
  name: 'node',
  path: '/api/v1/assets/nodes/',
  label: 'Node',
  scope: 'org',
  bearsRights: true,
  operations: [...CRUD, ...BULK, ...FILES, 'suggestions'],
  permission: { list: ['org_admin'], write: ['org_admin'], suggestions: ['org_member'] },
  display: '{full_value}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    key: { type: 'string', label: 'Key', readOnly: true, maxLength: 64, unique: 'global' },
    value: { type: 'string', label: 'Value', nullable: true, maxLength: 128 },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    name: { type: 'string', label: 'Name', readOnly: true },
    full_value: { type: 'string', label: 'Full path', maxLength: 4096 },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  search: ['value'],
  suggestions: { fields: ['id', 'name', 'full_value'], filters: ['value', 'key', 'id'] },
  filters: ['value', 'key', 'id'],
  ordering: '*',
  defaultOrder: ['parent_key', 'value'],
})
export type Node = Row<typeof node>
export type NodeDraft = Draft<typeof node>
