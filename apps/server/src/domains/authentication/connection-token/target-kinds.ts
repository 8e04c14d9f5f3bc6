import type { TargetFamily } from '@sallyport/contract/target.ts'
import { assetTarget } from './asset-target.ts'
import type { TargetKind } from './target-kind.ts'

/** What can be connected to by token, by family. */
export const TARGET_KINDS: Readonly<Partial<Record<TargetFamily, TargetKind>>> = { asset: assetTarget }
