/** What others need of batch commands: one command on many machines. */
export { agentRunMilliseconds } from './agent-time.ts'
export {
  type AdmittedRun,
  commandExecutionsOf,
  RUN_COMMAND,
  type RunContext,
  runAdmission,
} from './command-execution.resource.ts'
export { type OutputPiece, publishRunNews } from './live-output.ts'
export {
  beginExecution,
  finishExecution,
  type HostOutcome,
  holdHosts,
  releaseHosts,
  type StoredExecution,
  skipHosts,
  storeOutcome,
  unfinishedExecutions,
  type WaitingHost,
} from './progress.ts'
export { outcomesOf } from './results.ts'
