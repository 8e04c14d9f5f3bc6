import type { ExplainedStep, Remedy, StepName } from '@sallyport/contract/resources/perms/explanation.ts'

export const passed = (step: StepName, text: string): ExplainedStep => ({ step, state: 'passed', text, remedy: null })

export const asks = (step: StepName, text: string): ExplainedStep => ({ step, state: 'asks', text, remedy: null })

export const failed = (step: StepName, text: string, remedy?: Remedy | undefined): ExplainedStep => ({
  step,
  state: 'failed',
  text,
  remedy: remedy ?? null,
})
