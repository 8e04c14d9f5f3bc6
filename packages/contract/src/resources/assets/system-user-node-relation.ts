import { type Draft, defineResource, type Row } from '../../define.ts'
import { BULK, CRUD } from '../../operations.ts'

export const systemUserNodeRelation = defineResource({
  name: 'system_user_node_relation',
  path: '/api/v1/assets/system-users-nodes-relations/',
  label: 'System user nodes',
  scope: 'org',
  operations: [...CRUD, ...BULK],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{systemuser}-{node}',
  fields: {
    id: { type: 'integer', label: 'ID', readOnly: true },
    node: { type: 'ref', label: 'Node', required: true, to: 'node' },
    node_display: { type: 'string', label: 'Node name', readOnly: true },
    systemuser: { type: 'ref', label: 'System user', required: true, to: 'system_user' },
    systemuser_display: { type: 'string', label: 'System user name', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  search: [],
  filters: ['id', 'node', 'systemuser'],
  ordering: '*',
  defaultOrder: ['id'],
})
export type SystemUserNodeRelation = Row<typeof systemUserNodeRelation>
export type SystemUserNodeRelationDraft = Draft<typeof systemUserNodeRelation>
