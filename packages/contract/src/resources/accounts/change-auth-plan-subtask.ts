import { defineResource, type Row } from '../../define.ts'
import { subtaskFields, subtaskFilters } from './change-auth.ts'

/** One account in a run of a plan for assets. A PUT without a body tries it again. */
export const changeAuthPlanSubtask = defineResource({
  name: 'change_auth_plan_subtask',
  path: '/api/v1/xpack/change-auth-plan/plan-execution-subtask/',
  label: 'Plan task',
  scope: 'org',
  operations: ['list', 'retrieve'],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  needsLicense: true,
  display: '{username}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    execution: { type: 'ref', label: 'Plan run', to: 'change_auth_plan_execution', readOnly: true },
    username: { type: 'string', label: 'Username', readOnly: true },
    asset: { type: 'ref', label: 'Asset', to: 'asset', readOnly: true },
    asset_info: { type: 'object', label: 'Asset', readOnly: true },
    ...subtaskFields,
  },
  search: ['username'],
  filters: [...subtaskFilters],
  ordering: ['date_start', 'state'],
  defaultOrder: ['place'],
})
export type ChangeAuthPlanSubtask = Row<typeof changeAuthPlanSubtask>
