import { isMatch } from './options.ts'

/** A node of a tree to choose from. */
export interface TreeOption {
  value: string
  text: string
  children?: readonly TreeOption[]
}

/** A line of the tree as it is drawn. */
export interface TreeOptionRow {
  option: TreeOption
  /** 1 for the top. */
  level: number
  isOpen: boolean
  isLeaf: boolean
}

/** The lines of a tree in their order: what lies in a folded branch has none. */
export function treeRows(
  options: readonly TreeOption[],
  isUnfolded: (value: string, level: number) => boolean,
  level = 1,
): TreeOptionRow[] {
  return options.flatMap((option) => {
    const children = option.children ?? []
    const isOpen = children.length > 0 && isUnfolded(option.value, level)
    const row = { option, level, isOpen, isLeaf: children.length === 0 }
    return isOpen ? [row, ...treeRows(children, isUnfolded, level + 1)] : [row]
  })
}

/** The lines of what is looked for, and of what it lies in. */
export function rowsFound(options: readonly TreeOption[], typed: string, level = 1): TreeOptionRow[] {
  return options.flatMap((option) => {
    const below = rowsFound(option.children ?? [], typed, level + 1)
    if (below.length === 0 && !isMatch(option.text, typed)) return []
    return [{ option, level, isOpen: below.length > 0, isLeaf: below.length === 0 }, ...below]
  })
}

/** Options by their values, each with the names above it, the uppermost first. */
export function waysIn(options: readonly TreeOption[]): Map<string, { option: TreeOption; above: readonly string[] }> {
  const ways = new Map<string, { option: TreeOption; above: readonly string[] }>()
  const add = (some: readonly TreeOption[], above: readonly string[]) => {
    for (const option of some) {
      ways.set(option.value, { option, above })
      if (option.children) add(option.children, [...above, option.text])
    }
  }
  add(options, [])
  return ways
}
