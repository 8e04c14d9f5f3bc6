import type { ArrivalRun, ArrivingRow, Outcomes } from '../../../kernel/arrivals/arrival.ts'
import { arriveHistory } from '../../../kernel/arrivals/history.ts'
import { terminalCommand, terminalSession } from '../tables.ts'

export {
  type ArrivedSession,
  type ArrivingRecording,
  arrivedSessions,
  markArrivedRecordings,
  type Placed,
  placeRecording,
} from './recordings.ts'

/** Sessions that were over when they came; `arrived_from` says from which product. */
export const arriveSessions = (run: ArrivalRun, rows: readonly ArrivingRow[]): Promise<Outcomes> =>
  arriveHistory(run, terminalSession, rows)

/** Commands of such sessions. */
export const arriveCommands = (run: ArrivalRun, rows: readonly ArrivingRow[]): Promise<Outcomes> =>
  arriveHistory(run, terminalCommand, rows)
