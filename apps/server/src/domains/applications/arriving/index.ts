import type { ArrivalRun, ArrivingRow, Outcomes } from '../../../kernel/arrivals/arrival.ts'
import { arrive } from '../../../kernel/arrivals/arrive.ts'
import { applicationsAccount, applicationsApplication } from '../tables.ts'

/** Stores applications. A new one is confirmed to be where it is there. */
export const arriveApplications = (run: ArrivalRun, rows: readonly ArrivingRow[]): Promise<Outcomes> =>
  arrive(run, { kind: 'application', table: applicationsApplication }, rows)

/** Stores accounts of applications; a trigger gives them the organization of the application. */
export const arriveApplicationAccounts = (run: ArrivalRun, rows: readonly ArrivingRow[]): Promise<Outcomes> =>
  arrive(run, { kind: 'application_account', table: applicationsAccount }, rows)
