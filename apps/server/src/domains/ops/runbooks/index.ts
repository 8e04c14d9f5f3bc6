/** What others need of runbooks: commands by name that are run again and again. */
export { commandOf, FILE_MODE, type ScriptStep, scriptOf } from './compose.ts'
export { MISPLACED, NO_VALUE, runbooksOf } from './runbook.resource.ts'
export { contentsOf, filesOf } from './runbook-file.ts'
export {
  type DueSchedule,
  dueSchedule,
  noteScheduledRun,
  noteUnrun,
  RUN_SCHEDULED,
  runbookOf,
  scheduleCheck,
  sendDueRunbooks,
} from './schedule.resource.ts'
export { type SingleStep, singleStepsOf, singleStepsText } from './single-steps.ts'
export { filled, fits, type HostFacts, isFact, isValue, namesIn, templateOf } from './template.ts'
