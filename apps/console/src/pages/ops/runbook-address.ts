import { addressOf } from '../../navigation/routes.ts'

/** The tab of a runbook's page in which it is run; its name in the address. */
export const RUN_TAB = 'Run'

/** Address of its schedules. */
export const SCHEDULES_TAB = 'Schedules'

/** In the query of that tab: which schedule is changed there. */
export const SCHEDULE = 'schedule'

/** Where a runbook is run, on whichever of its two pages this person has; `asks` goes into the query. */
export function runAddress(id: string, asks: Readonly<Record<string, string>> = {}): string | undefined {
  const page = addressOf('RunbookDetail', { id }) ?? addressOf('MyRunbookDetail', { id })
  return page && `${page}?${new URLSearchParams({ activeTab: RUN_TAB, ...asks })}`
}
