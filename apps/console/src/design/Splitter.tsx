import type { CSSProperties, KeyboardEvent, PointerEvent } from 'react'
import styles from './Splitter.module.css'

interface SplitterProps {
  'aria-label': string
  /** The direction of the line itself: a vertical one parts left from right. */
  orientation?: 'vertical' | 'horizontal'
  value: number
  min: number
  max: number
  /** By which the arrow keys move it. */
  step: number
  /** The value of a place of the pointer, in pixels of the window. */
  valueAt: (place: { x: number; y: number }) => number
  /** Told a whole number between `min` and `max`. */
  onChange: (value: number) => void
  className?: string
  style?: CSSProperties
}

const KEYS = { vertical: ['ArrowLeft', 'ArrowRight'], horizontal: ['ArrowUp', 'ArrowDown'] } as const

/** The edge between two parts of a page: dragged, or moved with arrows, Home and End (WAI-ARIA, window splitter). */
export function Splitter(props: SplitterProps) {
  const { orientation = 'vertical', value, min, max, step, valueAt, onChange, className = '', style } = props
  const set = (wanted: number) => onChange(Math.round(Math.max(min, Math.min(wanted, max))))
  const handleMove = (event: PointerEvent<HTMLDivElement>) => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) set(valueAt({ x: event.clientX, y: event.clientY }))
  }
  const handleKey = (event: KeyboardEvent) => {
    const [less, more] = KEYS[orientation]
    const wanted = { [less]: value - step, [more]: value + step, Home: min, End: max }[event.key]
    if (wanted === undefined) return
    event.preventDefault()
    set(wanted)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved; this is the window splitter pattern
    <div
      className={`${styles.edge} ${styles[orientation]} ${className}`}
      style={style}
      role="separator"
      aria-orientation={orientation}
      aria-label={props['aria-label']}
      aria-valuemin={Math.round(min)}
      aria-valuemax={Math.round(max)}
      aria-valuenow={Math.round(value)}
      tabIndex={0}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={handleMove}
      onKeyDown={handleKey}
    />
  )
}
