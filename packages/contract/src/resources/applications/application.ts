import { type Draft, defineResource, type Row } from '../../define.ts'
import { BULK, CRUD, FILES } from '../../operations.ts'
import { APPLICATION_ATTRS, APPLICATION_CATEGORIES, APPLICATION_TYPE_LABELS } from './application-types.ts'

/** Databases, remote apps and Kubernetes clusters (docs/rules/applications.md, A1.06). */
export const application = defineResource({
  name: 'application',
  path: '/api/v1/applications/applications/',
  label: 'Application',
  scope: 'org',
  bearsRights: true,
  operations: [...CRUD, ...BULK, ...FILES, 'suggestions'],
  permission: { list: ['org_admin', 'component'], write: ['org_admin', 'component'], suggestions: ['org_member'] },
  display: '{name}({type})',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    name: { type: 'string', label: 'Name', required: true, maxLength: 128, unique: 'org' },
    category: { type: 'choice', label: 'Category', choices: APPLICATION_CATEGORIES, required: true },
    category_display: { type: 'string', label: 'Category name', readOnly: true },
    type: { type: 'choice', label: 'Type', choices: APPLICATION_TYPE_LABELS, required: true },
    type_display: { type: 'string', label: 'Type name', readOnly: true },
    attrs: { type: 'object', label: 'Attributes', required: true, shapeBy: 'type', shapes: APPLICATION_ATTRS },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    date_updated: { type: 'datetime', label: 'Updated', readOnly: true },
    created_by: { type: 'string', label: 'Created by', readOnly: true, nullable: true },
    comment: { type: 'text', label: 'Comment', default: '', maxLength: 128 },
    domain: {
      type: 'ref',
      label: 'Domain',
      helpText: 'Only if it is reached through gateways',
      nullable: true,
      to: 'domain',
    },
    domain_display: { type: 'string', label: 'Domain name', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  mini: ['id', 'name'],
  suggestions: { fields: ['id', 'name', 'category', 'type'], filters: ['category', 'type', 'type__in', 'name'] },
  search: ['name', 'type', 'category'],
  filters: [
    'name',
    'category',
    'type',
    { name: 'type__in', match: 'custom', hidden: true },
    { name: 'domain', match: 'exact', hidden: true },
  ],
  ordering: '*',
  defaultOrder: ['name'],
})
export type Application = Row<typeof application>
export type ApplicationDraft = Draft<typeof application>
