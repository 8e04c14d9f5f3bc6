import type { ExplainedStep, Remedy, StepName } from '@sallyport/contract/resources/perms/explanation.ts'
import type { Target } from '@sallyport/contract/target.ts'
import type { Say } from '../../kernel/i18n/translate.ts'

export const passed = (step: StepName, text: string): ExplainedStep => ({ step, state: 'passed', text, remedy: null })

export const asks = (step: StepName, text: string): ExplainedStep => ({ step, state: 'asks', text, remedy: null })

export const failed = (step: StepName, text: string, remedy?: Remedy | undefined): ExplainedStep => ({
  step,
  state: 'failed',
  text,
  remedy: remedy ?? null,
})

/** The target's own form. */
export const editTarget = ({ family, id }: Target, say: Say): Remedy => ({
  text: say('Edit the target'),
  resource: family,
  id,
})
