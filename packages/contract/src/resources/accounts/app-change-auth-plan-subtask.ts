import { defineResource, type Row } from '../../define.ts'
import { PLAN_TYPES } from './app-change-auth-plan.ts'
import { subtaskFields, subtaskFilters } from './change-auth.ts'

/** One account in a run of a plan for applications. A PUT without a body tries it again. */
export const appChangeAuthPlanSubtask = defineResource({
  name: 'app_change_auth_plan_subtask',
  path: '/api/v1/xpack/change-auth-plan/app-plan-execution-subtask/',
  label: 'App plan task',
  scope: 'org',
  operations: ['list', 'retrieve'],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  needsLicense: true,
  display: '{app_display}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    execution: { type: 'ref', label: 'App plan run', to: 'app_change_auth_plan_execution', readOnly: true },
    app: { type: 'ref', label: 'Application', to: 'application', readOnly: true },
    app_display: { type: 'string', label: 'Application', readOnly: true },
    system_user: { type: 'ref', label: 'System user', to: 'system_user', readOnly: true },
    system_user_display: { type: 'string', label: 'System user', readOnly: true },
    type: { type: 'choice', label: 'Type', choices: PLAN_TYPES, readOnly: true },
    ...subtaskFields,
  },
  search: [],
  filters: [...subtaskFilters],
  ordering: ['date_start', 'state'],
  defaultOrder: ['place'],
})
export type AppChangeAuthPlanSubtask = Row<typeof appChangeAuthPlanSubtask>
