import type { KeyboardEvent, PointerEvent } from 'react'
import { t } from '../lib/i18n.ts'

const MIN_PX = 100
/** Room for names in a tree, also on a small or magnified screen. */
const USUAL_MIN_PX = 240
const STEP_PX = 20
const KEY = 'luna_left_width'

/** A width between 100 px and half of the window. */
function boundedWidth(px: number, windowWidth = innerWidth): number {
  return Math.round(Math.max(MIN_PX, Math.min(px, windowWidth / 2)))
}

/** The width the person left it at, else a fifth of the window, or what names need. */
export function storedWidth(): number {
  const stored = Number(localStorage.getItem(KEY))
  return boundedWidth(stored > 0 ? stored : Math.max(USUAL_MIN_PX, innerWidth / 5))
}

/** The edge between tree and terminals: dragged, or moved with the arrow keys. */
export function Splitter({ width, onWidth }: { width: number; onWidth: (px: number) => void }) {
  const set = (px: number) => {
    const bounded = boundedWidth(px)
    localStorage.setItem(KEY, String(bounded))
    onWidth(bounded)
  }
  const handleMove = (event: PointerEvent<HTMLDivElement>) => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) set(event.clientX)
  }
  const handleKey = ({ key }: KeyboardEvent) => {
    if (key === 'ArrowLeft') set(width - STEP_PX)
    else if (key === 'ArrowRight') set(width + STEP_PX)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved; this is the window splitter pattern
    <div
      className="wt-splitter"
      role="separator"
      aria-orientation="vertical"
      aria-label={t('Width of the tree')}
      aria-valuemin={MIN_PX}
      aria-valuemax={Math.round(innerWidth / 2)}
      aria-valuenow={width}
      tabIndex={0}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={handleMove}
      onKeyDown={handleKey}
    />
  )
}
