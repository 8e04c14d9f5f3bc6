import { CheckIcon, ChevronRightIcon } from 'lucide-react'
import { type UIEvent, useState } from 'react'
import { nameOf, useLineInView } from './OptionList.tsx'
import styles from './Select.module.css'
import type { TreeOptionRow } from './tree-rows.ts'
import { DRAWN, isNearEnd, type SearchBox } from './use-search-box.ts'
import type { TreeLinesState } from './use-tree-lines.ts'

interface TreeLinesProps {
  list: SearchBox
  lines: TreeLinesState
  isMultiple: boolean
  chosen: ReadonlySet<string>
  onChoose: (row: TreeOptionRow) => void
}

/** The tree of a TreeSelect, as far as it is looked at. */
export function TreeLines({ list, lines, isMultiple, chosen, onChoose }: TreeLinesProps) {
  const { rows, at, setAt, unfold } = lines
  const id = list.listId
  const [drawn, setDrawn] = useState(DRAWN)
  const count = Math.max(drawn, at + 1)
  const inView = useLineInView(at)
  const handleScroll = ({ currentTarget }: UIEvent<HTMLElement>) => {
    if (isNearEnd(currentTarget) && count < rows.length) setDrawn(count + DRAWN)
  }
  return (
    <div
      ref={inView}
      id={id}
      className={styles.list}
      role="tree"
      aria-label={nameOf(list.input.current)}
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
          data-active={index === at || undefined}
          style={{ paddingInlineStart: 8 + (row.level - 1) * 18 }}
          onMouseMove={() => index !== at && setAt(index)}
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
                unfold(row, !row.isOpen)
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
