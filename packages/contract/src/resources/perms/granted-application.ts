import { defineResource, type Row } from '../../define.ts'
import {
  APPLICATION_ATTRS,
  APPLICATION_CATEGORIES,
  APPLICATION_TYPE_LABELS,
} from '../applications/application-types.ts'

/**
 * Applications that a person may use (docs/rules/perms.md, A2.64). Also listed for one user
 * and one group: see domains/perms/granted/granted-applications.ts.
 */
export const grantedApplication = defineResource({
  name: 'granted_application',
  path: '/api/v1/perms/users/applications/',
  label: 'My application',
  scope: 'self',
  operations: ['list'],
  permission: { list: ['authenticated'], write: [] },
  display: '{name}({type})',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    name: { type: 'string', label: 'Name', readOnly: true },
    domain: { type: 'ref', label: 'Domain', to: 'domain', readOnly: true, nullable: true },
    category: { type: 'choice', label: 'Category', choices: APPLICATION_CATEGORIES, readOnly: true },
    type: { type: 'choice', label: 'Type', choices: APPLICATION_TYPE_LABELS, readOnly: true },
    attrs: { type: 'object', label: 'Attributes', readOnly: true, shapeBy: 'type', shapes: APPLICATION_ATTRS },
    comment: { type: 'text', label: 'Comment', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    category_display: { type: 'string', label: 'Category name', readOnly: true },
    type_display: { type: 'string', label: 'Type name', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  search: ['name', 'comment'],
  filters: ['id', 'name', 'category', 'type', { name: 'type__in', match: 'custom', hidden: true }, 'comment'],
  ordering: '*',
  defaultOrder: ['name'],
})
export type GrantedApplication = Row<typeof grantedApplication>
