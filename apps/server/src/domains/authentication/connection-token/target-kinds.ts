import type { TargetFamily } from '@sallyport/contract/target.ts'
import { assetTarget } from './asset-target.ts'
import type { TargetKind } from './target-kind.ts'

/** Families of targets that tokens can be made for. */
export const TARGET_KINDS: Readonly<Partial<Record<TargetFamily, TargetKind>>> = { asset: assetTarget }
