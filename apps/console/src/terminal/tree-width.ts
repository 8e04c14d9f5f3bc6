/** How wide the tree beside the terminals is; kept in this browser. */

export const TREE_MIN_PX = 100
/** Room for names in a tree, also on a small or magnified screen. */
const USUAL_MIN_PX = 240
const KEY = 'luna_left_width'

/** Half of the window at most. */
export const treeMaxPx = (): number => innerWidth / 2

/** The width the person left it at, else a fifth of the window, or what names need. */
export function storedWidth(): number {
  const stored = Number(localStorage.getItem(KEY))
  const wanted = stored > 0 ? stored : Math.max(USUAL_MIN_PX, innerWidth / 5)
  return Math.round(Math.max(TREE_MIN_PX, Math.min(wanted, treeMaxPx())))
}

export const keepWidth = (px: number): void => localStorage.setItem(KEY, String(px))
