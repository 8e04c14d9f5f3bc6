import type { TargetFamily } from '@sallyport/contract/target.ts'
import { assetTarget } from './asset-target.ts'
import type { TargetKind } from './target-kind.ts'

/** Families of targets that tokens can be made for. */
const kinds = new Map<TargetFamily, TargetKind>([[assetTarget.family, assetTarget]])

/** Lets targets of one more family be connected to by token. */
export function addTargetKind(kind: TargetKind): void {
  kinds.set(kind.family, kind)
}

/** Undefined for a family of which this installation has none. */
export const targetKind = (family: TargetFamily): TargetKind | undefined => kinds.get(family)
