import { withQuery } from '../lib/api.ts'
import { addressOf } from '../navigation/routes.ts'

/**
 * Where a command rule is shown: opened on the page of its filter, which also says so when the rule
 * has been deleted. `oid`: the organization that they lie in, where that may not be the current one.
 * Undefined for people without that page.
 */
export function ruleAddress(filter: string, rule: string, oid?: string): string | undefined {
  const page = addressOf('CommandFilterDetail', { id: filter })
  return page && withQuery(page, { activeTab: 'rules', rule, oid })
}
