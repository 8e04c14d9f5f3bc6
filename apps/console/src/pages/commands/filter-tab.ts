import { addressOf } from '../../navigation/routes.ts'

/** Address of a tab on a filter's page. */
export const filterTab = (filter: string, tab: 'rules' | 'try'): string =>
  `${addressOf('CommandFilterDetail', { id: filter }) ?? '/'}?activeTab=${tab}`
