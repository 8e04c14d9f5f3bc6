import { defineResource, type Row } from '../../define.ts'
import { executionFields } from './change-auth.ts'

/** One run of a plan for applications. It is started by a POST of the plan's id. */
export const appChangeAuthPlanExecution = defineResource({
  name: 'app_change_auth_plan_execution',
  path: '/api/v1/xpack/change-auth-plan/app-plan-execution/',
  label: 'App plan run',
  scope: 'org',
  operations: ['list', 'retrieve'],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  needsLicense: true,
  display: '{id}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    plan: { type: 'ref', label: 'Plan', to: 'app_change_auth_plan', readOnly: true },
    username: { type: 'string', label: 'Username', readOnly: true },
    apps_display: { type: 'strings', label: 'Applications', readOnly: true },
    system_users_display: { type: 'strings', label: 'System user', readOnly: true },
    apps_amount: { type: 'integer', label: 'Number of applications', readOnly: true },
    system_users_amount: { type: 'integer', label: 'Number of system users', readOnly: true },
    ...executionFields,
  },
  search: [],
  filters: [{ name: 'plan_id', match: 'custom', hidden: true }, 'trigger'],
  ordering: ['date_start'],
  defaultOrder: ['-date_start'],
})
export type AppChangeAuthPlanExecution = Row<typeof appChangeAuthPlanExecution>
