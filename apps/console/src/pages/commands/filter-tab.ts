import { withQuery } from '../../lib/api.ts'
import { addressOf } from '../../navigation/routes.ts'

/** Address of a tab on a filter's page; `rule`: the rule that is tried. */
export const filterTab = (filter: string, tab: 'rules' | 'try', rule?: string): string =>
  withQuery(addressOf('CommandFilterDetail', { id: filter }) ?? '/', { activeTab: tab, rule })
