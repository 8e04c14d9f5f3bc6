import { registerSingularPaths } from '../../kernel/http/singular-paths.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { onMembershipEnded, organizationsHold } from '../orgs/index.ts'
import type { SystemUserLinks } from '../system-users/index.ts'
import {
  assetsCommandFilter,
  assetsCommandFilterRule,
  assetsCommandFilterRuleReviewer,
  assetsCommandFilterSystemUser,
} from './tables.ts'

export { boundTo } from './bound-to.ts'
export { commandPattern } from './command-pattern.ts'
export { type ConfirmingRule, confirmingRules, filtersOfRules } from './command-reviewers.ts'
export {
  addBoundTargets,
  COMMAND_RULES_CHANGED,
  type CommandRule,
  type CommandSituation,
  commandRulesFor,
  commandRulesOf,
} from './command-rules.ts'

/** The filters of a system user, as its own field. */
export const commandFilterLinks: SystemUserLinks = {
  cmd_filters: {
    table: assetsCommandFilterSystemUser,
    owner: assetsCommandFilterSystemUser.system_user_id,
    target: assetsCommandFilterSystemUser.filter_id,
  },
}

/** Command filters among what an organization holds, and the end of reviews by people who leave. */
export function registerCommandFilters(kernel: Kernel): void {
  organizationsHold({ field: 'filters', label: 'Command filter', from: assetsCommandFilter, uncounted: true })
  // People who leave an organization no longer review its commands
  // (docs/rules/orgs.md#organization_member).
  onMembershipEnded({
    label: 'Command filter rule',
    links: assetsCommandFilterRuleReviewer,
    person: assetsCommandFilterRuleReviewer.user_id,
    thing: assetsCommandFilterRuleReviewer.rule_id,
    orgId: assetsCommandFilterRule.org_id,
  })
  registerSingularPaths(kernel.app, 'assets', ['cmd-filter'])
}
