import { defineResource, type Row } from '../../define.ts'
import { executionFields } from './change-auth.ts'

/** One run of a plan for assets. It is started by a POST of the plan's id. */
export const changeAuthPlanExecution = defineResource({
  name: 'change_auth_plan_execution',
  path: '/api/v1/xpack/change-auth-plan/plan-execution/',
  label: 'Plan run',
  scope: 'org',
  operations: ['list', 'retrieve'],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  needsLicense: true,
  display: '{id}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    plan: { type: 'ref', label: 'Plan', to: 'change_auth_plan', readOnly: true },
    username: { type: 'string', label: 'Username', readOnly: true },
    assets_amount: { type: 'integer', label: 'Number of assets', readOnly: true },
    nodes_amount: { type: 'integer', label: 'Number of nodes', readOnly: true },
    ...executionFields,
  },
  // The mount searches the user name.
  search: [],
  filters: [{ name: 'plan_id', match: 'custom', hidden: true }, 'trigger'],
  ordering: ['date_start'],
  defaultOrder: ['-date_start'],
})
export type ChangeAuthPlanExecution = Row<typeof changeAuthPlanExecution>
