import type { TreeItem } from './asset-tree.ts'

/** An asset that a person wants a terminal on. */
export interface Target {
  id: string
  /** Host name. */
  name: string
  /** Disabled by an administrator. */
  inactive: boolean
}

/** An asset of the tree as a target. */
export function targetOf(item: TreeItem): Target {
  return { id: item.id, name: item.meta.data.hostname ?? item.name, inactive: item.chkDisabled === true }
}
