import type { TargetFamily } from '@sallyport/contract/target.ts'
import { applicationTarget } from './application-target.ts'
import { assetTarget } from './asset-target.ts'
import type { TargetKind } from './target-kind.ts'

/** What tokens can be made for, by family. */
export const TARGET_KINDS: Readonly<Record<TargetFamily, TargetKind>> = {
  asset: assetTarget,
  application: applicationTarget,
}
