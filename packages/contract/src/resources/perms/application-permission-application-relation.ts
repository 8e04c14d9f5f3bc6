import { type Draft, defineResource, type Row } from '../../define.ts'
import { BULK, CRUD } from '../../operations.ts'

export const applicationPermissionApplicationRelation = defineResource({
  name: 'application_permission_application_relation',
  path: '/api/v1/perms/application-permissions-applications-relations/',
  label: 'Application permission applications',
  scope: 'org',
  bearsRights: true,
  operations: [...CRUD, ...BULK],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{applicationpermission} {application}',
  fields: {
    id: { type: 'integer', label: 'ID', readOnly: true },
    application: { type: 'ref', label: 'Application', required: true, to: 'application' },
    application_display: { type: 'string', label: 'Application', readOnly: true },
    applicationpermission: {
      type: 'ref',
      label: 'Application permission',
      required: true,
      to: 'application_permission',
    },
    applicationpermission_display: { type: 'string', label: 'Application permission', readOnly: true },
  },
  search: [],
  filters: ['id', 'application', 'applicationpermission'],
  ordering: ['id'],
  defaultOrder: ['id'],
})
export type ApplicationPermissionApplicationRelation = Row<typeof applicationPermissionApplicationRelation>
export type ApplicationPermissionApplicationRelationDraft = Draft<typeof applicationPermissionApplicationRelation>
