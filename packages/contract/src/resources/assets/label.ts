import { type Draft, defineResource, type Row } from '../../define.ts'
import { BULK, CRUD, FILES } from '../../operations.ts'

export const label = defineResource({
  name: 'label',
  path: '/api/v1/assets/labels/',
  label: 'Label',
  scope: 'org',
  operations: [...CRUD, ...BULK, ...FILES],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{name}:{value}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    name: { type: 'string', label: 'Name', helpText: 'The kind of label, such as env', required: true, maxLength: 128 },
    value: {
      type: 'string',
      label: 'Value',
      helpText: 'One of its values, such as production',
      required: true,
      maxLength: 128,
    },
    category: { type: 'choice', label: 'Category', choices: { S: 'System', U: 'User' }, default: 'U', readOnly: true },
    category_display: { type: 'string', label: 'Category name', readOnly: true },
    is_active: { type: 'boolean', label: 'Active', default: true },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    comment: { type: 'text', label: 'Comment', nullable: true },
    asset_count: { type: 'integer', label: 'Number of assets', readOnly: true },
    assets: { type: 'refs', label: 'Assets', to: 'asset' },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
    get_category_display: { type: 'string', label: 'Category name', readOnly: true },
  },
  mini: ['id', 'name'],
  search: ['name', 'value'],
  filters: ['name', 'value', { name: 'distinct', match: 'custom', type: 'boolean', label: 'Distinct', hidden: true }],
  ordering: '*',
  defaultOrder: ['name'],
})
export type Label = Row<typeof label>
export type LabelDraft = Draft<typeof label>
