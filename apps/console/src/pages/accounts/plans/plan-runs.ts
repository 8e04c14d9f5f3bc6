import { appChangeAuthPlanExecution } from '@sallyport/contract/resources/accounts/app-change-auth-plan-execution.ts'
import { changeAuthPlanExecution } from '@sallyport/contract/resources/accounts/change-auth-plan-execution.ts'
import { confirmDanger } from '../../../design/dialogs/feedback.tsx'
import type { ActionContext } from '../../../generic/view/actions.ts'
import { api } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { forget } from '../../../lib/query.ts'
import { addressOf } from '../../../navigation/routes.ts'

type Run = (row: { id: string; name: string }, context: ActionContext) => unknown

/** Goes to where a run that has begun can be watched. */
async function watch({ task }: { task: string }, path: string, page: string, go: ActionContext['go']): Promise<void> {
  await forget(path)
  const address = addressOf(page, { id: task })
  if (address) go(address)
}

/** Asks before secrets change: a person who uses one elsewhere is locked out by the new one. */
const change =
  (path: string, page: string): Run =>
  ({ id, name }, { go }) =>
    confirmDanger({
      title: t('Change the secrets now?'),
      content: t(
        '“{{name}}” changes the passwords and keys of all its accounts. People who use one of them elsewhere need the new one then.',
        { name },
      ),
      okText: t('Run@@action'),
      onOk: async () => {
        const begun = await api.post<{ task: string }>(path, { plan: id, is_rehearsal: false }, { quiet: true })
        await watch(begun, path, page, go)
      },
    })

/** Everything but the change, so nothing to ask. */
const rehearse =
  (path: string, page: string): Run =>
  async ({ id }, { go }) =>
    watch(await api.post(path, { plan: id, is_rehearsal: true }), path, page, go)

export const runPlan = change(changeAuthPlanExecution.path, 'AssetChangeAuthPlanExecutionDetail')
export const rehearsePlan = rehearse(changeAuthPlanExecution.path, 'AssetChangeAuthPlanExecutionDetail')
export const runAppPlan = change(appChangeAuthPlanExecution.path, 'AppChangeAuthPlanExecutionDetail')
export const rehearseAppPlan = rehearse(appChangeAuthPlanExecution.path, 'AppChangeAuthPlanExecutionDetail')
