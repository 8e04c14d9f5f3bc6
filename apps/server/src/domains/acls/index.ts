import type { Kernel } from '../../kernel/kernel.ts'
import { endAssetReviews } from './leaving-reviewers.ts'
import { mountLoginAcls } from './login-acl.ts'
import { mountLoginAssetAcls } from './login-asset-acl.ts'
import { registerLoginAssetCheck } from './login-asset-check.ts'

export { assetReviewers } from './asset-review.ts'
export { isInIpGroup, isIpGroupEntry } from './ip-group.ts'
export { askForAsset } from './login-asset-check.ts'
export { loginRefusal, loginReviewers } from './login-rule.ts'

/** Rules about signing in, and about connecting to assets. */
export function registerAcls(kernel: Kernel): void {
  mountLoginAcls(kernel)
  mountLoginAssetAcls(kernel)
  registerLoginAssetCheck(kernel)
  endAssetReviews()
}
