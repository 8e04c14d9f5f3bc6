import { appChangeAuthPlanExecution } from '@sallyport/contract/resources/accounts/app-change-auth-plan-execution.ts'
import { changeAuthPlanExecution } from '@sallyport/contract/resources/accounts/change-auth-plan-execution.ts'
import type { ActionContext } from '../../../generic/view/actions.ts'
import { api } from '../../../lib/api.ts'
import { forget } from '../../../lib/query.ts'
import { addressOf } from '../../../navigation/routes.ts'

type Run = (row: { id: string }, context: ActionContext) => Promise<void>

/** Starts a run, and goes to where it can be watched. */
const start =
  (path: string, page: string, isRehearsal: boolean): Run =>
  async ({ id }, { go }) => {
    const { task } = await api.post<{ task: string }>(path, { plan: id, is_rehearsal: isRehearsal })
    await forget(path)
    const address = addressOf(page, { id: task })
    if (address) go(address)
  }

export const runPlan = start(changeAuthPlanExecution.path, 'AssetChangeAuthPlanExecutionDetail', false)
export const rehearsePlan = start(changeAuthPlanExecution.path, 'AssetChangeAuthPlanExecutionDetail', true)
export const runAppPlan = start(appChangeAuthPlanExecution.path, 'AppChangeAuthPlanExecutionDetail', false)
export const rehearseAppPlan = start(appChangeAuthPlanExecution.path, 'AppChangeAuthPlanExecutionDetail', true)
