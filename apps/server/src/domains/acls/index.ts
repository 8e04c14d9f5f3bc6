import type { Kernel } from '../../kernel/kernel.ts'
import { onMembershipEnded, organizationsHold } from '../orgs/index.ts'
import { registerCommandConfirm } from './command-confirm.ts'
import { followCommandReviews } from './command-review.ts'
import { addCommandRulesToPreviews } from './command-rules-in-previews.ts'
import { registerLoginAssetCheck } from './login-asset-check.ts'
import { registerRuleReach } from './rule-reach.ts'
import { addAccessRulesToPreviews } from './rules-in-previews.ts'
import { aclsLoginAssetAcl, aclsLoginAssetAclReviewer } from './tables.ts'

export { askForCommand, COMMAND_CONFIRM, commandReviewers, MAX_CONFIRMED } from './command-review.ts'
export { checkIpGroup, isInIpGroup, isIpGroupEntry } from './ip-group.ts'
export { withListedRules } from './login-acl.resource.ts'
export { askForTarget } from './login-asset-check.ts'
export { judgeLogin, type LoginRuling, signInRules } from './login-rule.ts'
export { targetReviewers } from './target-review.ts'

/** Rules about signing in and about connecting to assets, and the reviews of commands. */
export function registerAcls(kernel: Kernel): void {
  registerLoginAssetCheck(kernel)
  registerRuleReach(kernel)
  addAccessRulesToPreviews(kernel)
  addCommandRulesToPreviews(kernel)
  registerCommandConfirm(kernel)
  followCommandReviews(kernel)
  organizationsHold({ field: 'login_asset_acls', label: 'Asset access rule', from: aclsLoginAssetAcl, uncounted: true })
  // Reviewers must belong to the organization, as is checked when a rule is written: people who
  // leave it are taken off its rules.
  onMembershipEnded({
    label: 'Asset access rule',
    links: aclsLoginAssetAclReviewer,
    person: aclsLoginAssetAclReviewer.user_id,
    thing: aclsLoginAssetAclReviewer.acl_id,
    orgId: aclsLoginAssetAcl.org_id,
  })
}
