import type { TargetFamily } from '@sallyport/contract/target.ts'
import { findApplication } from './application-tree.ts'
import type { TreeItem } from './asset-tree.ts'
import { findAsset } from './use-asset-tree.ts'

/** The target of a terminal. */
export interface Target {
  family: TargetFamily
  id: string
  /** Host name of an asset, name of an application. */
  name: string
  /** Disabled by an administrator. */
  inactive: boolean
}

/** An item of a tree as a target. */
export function targetOf({ id, name, meta, chkDisabled }: TreeItem): Target {
  const family = meta.type === 'application' ? 'application' : 'asset'
  return { family, id, name: meta.data.hostname ?? name, inactive: chkDisabled === true }
}

/** A granted target, or undefined when it is not granted or gone. */
export async function findTarget(family: TargetFamily, id: string): Promise<Target | undefined> {
  const item = await (family === 'asset' ? findAsset(id) : findApplication(id))
  return item && targetOf(item)
}
