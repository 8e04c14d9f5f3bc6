import { CheckIcon, ChevronRightIcon } from 'lucide-react'
import { type UIEvent, useLayoutEffect, useRef, useState } from 'react'
import styles from './Select.module.css'
import type { TreeOptionRow } from './tree-rows.ts'

/** Lines that are drawn at first, and more of them at the end of the list. */
const DRAWN = 100
/** Pixels from the end at which more are drawn. */
const NEAR_END = 48

interface TreeLinesProps {
  id: string
  label: string
  rows: readonly TreeOptionRow[]
  at: number
  isMultiple: boolean
  chosen: ReadonlySet<string>
  onChoose: (row: TreeOptionRow) => void
  onUnfold: (row: TreeOptionRow) => void
  onPoint: (at: number) => void
}

/** The tree of a TreeSelect, as far as it is looked at. */
export function TreeLines({ id, label, rows, at, isMultiple, chosen, onChoose, onUnfold, onPoint }: TreeLinesProps) {
  const lines = useRef<HTMLDivElement>(null)
  const [drawn, setDrawn] = useState(DRAWN)
  const count = Math.max(drawn, at + 1)
  useLayoutEffect(() => {
    if (at >= 0) lines.current?.children[at]?.scrollIntoView?.({ block: 'nearest' })
  }, [at])
  const handleScroll = ({ currentTarget: { scrollTop, clientHeight, scrollHeight } }: UIEvent<HTMLElement>) => {
    if (scrollTop + clientHeight > scrollHeight - NEAR_END && count < rows.length) setDrawn(count + DRAWN)
  }
  return (
    <div
      ref={lines}
      id={id}
      className={styles.list}
      role="tree"
      aria-label={label}
      aria-multiselectable={isMultiple}
      onScroll={handleScroll}
    >
      {rows.slice(0, count).map((row, index) => (
        // biome-ignore lint/a11y/useFocusableInteractive: focus stays in the input, which names the active line
        // biome-ignore lint/a11y/useKeyWithClickEvents: the input takes the keys, as its pattern asks
        <div
          key={row.option.value}
          id={`${id}-${index}`}
          className={styles.option}
          role="treeitem"
          title={row.option.text}
          aria-level={row.level}
          aria-expanded={row.isLeaf ? undefined : row.isOpen}
          aria-selected={chosen.has(row.option.value)}
          data-highlighted={index === at ? '' : undefined}
          data-selected={chosen.has(row.option.value) ? '' : undefined}
          style={{ paddingInlineStart: 8 + (row.level - 1) * 18 }}
          onMouseMove={() => index !== at && onPoint(index)}
          onClick={() => onChoose(row)}
        >
          {row.isLeaf ? (
            <span className={styles.noFold} />
          ) : (
            // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys do the same
            // biome-ignore lint/a11y/useKeyWithClickEvents: the arrow keys do the same
            <span
              className={styles.fold}
              onClick={(event) => {
                event.stopPropagation()
                onUnfold(row)
              }}
            >
              <ChevronRightIcon aria-hidden="true" />
            </span>
          )}
          <span className={styles.optionLabel}>{row.option.text}</span>
          {chosen.has(row.option.value) && <CheckIcon className={styles.tick} aria-hidden="true" />}
        </div>
      ))}
    </div>
  )
}
