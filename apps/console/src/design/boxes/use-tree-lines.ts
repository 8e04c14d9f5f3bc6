import { useMemo, useState } from 'react'
import { isMatch } from './options.ts'
import { rowsFound, type TreeOption, type TreeOptionRow, treeRows } from './tree-rows.ts'
import { type BoxKeyEvent, buttonBelow, lineAfter, lineWithin, type SearchBox, takeKey } from './use-search-box.ts'

/** The lines of the tree, of those that match what is typed, and which one the keys are at. */
export function useTreeLines(tree: readonly TreeOption[], { typed, moved, setMoved }: SearchBox) {
  /** Folded or unfolded by hand; at first the top is unfolded. */
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set())
  const rows = useMemo(
    () => (typed ? rowsFound(tree, typed) : treeRows(tree, (value, level) => (level === 1) !== turned.has(value))),
    [tree, typed, turned],
  )
  // The first match can be taken at once.
  const at = moved ?? (typed ? rows.findIndex(({ option }) => isMatch(option.text, typed)) : -1)
  const unfold = ({ option, isOpen, isLeaf }: TreeOptionRow, next: boolean) => {
    // Matches are unfolded as far as they go.
    if (isLeaf || typed || isOpen === next) return
    const after = new Set(turned)
    if (!after.delete(option.value)) after.add(option.value)
    setTurned(after)
  }
  return { rows, at, setAt: setMoved, unfold }
}

export type TreeLinesState = ReturnType<typeof useTreeLines>

interface TreeKeyOptions {
  /** Left and right are for the text that is typed. */
  hasText: boolean
  choose: (row: TreeOptionRow) => void
}

/** A key in the box of an open tree. */
export function treeKey(event: BoxKeyEvent, lines: TreeLinesState, options: TreeKeyOptions): void {
  const { rows, at, setAt, unfold } = lines
  const row = rows[at]
  const last = rows.length - 1
  const move = (to: number) => takeKey(event, () => setAt(lineWithin(to, last)))
  const to = lineAfter(event.key, at, last)
  const below = event.key === 'ArrowDown' && at === last ? buttonBelow(event.currentTarget) : undefined
  if (below) takeKey(event, () => below.focus())
  else if (to !== undefined) move(to)
  else if (event.key === 'Enter') takeKey(event, () => row && options.choose(row))
  else if (options.hasText || !row) return
  else if (event.key === 'ArrowRight') {
    if (row.isOpen) move(at + 1)
    else takeKey(event, () => unfold(row, true))
  } else if (event.key === 'ArrowLeft') {
    if (row.isOpen) takeKey(event, () => unfold(row, false))
    else move(rows.slice(0, at).findLastIndex(({ level }) => level < row.level))
  }
}
