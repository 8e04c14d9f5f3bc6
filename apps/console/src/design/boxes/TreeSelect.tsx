import type { ReactNode } from 'react'
import { BoxInput } from './BoxInput.tsx'
import { Box, Chips, ClearButton, Mark, useChipRoom } from './box-parts.tsx'
import { ListPopup, ListState } from './OptionList.tsx'
import type { InputWords, OptionSource } from './options.ts'
import { TreeLines } from './TreeLines.tsx'
import type { TreeOption, TreeOptionRow } from './tree-rows.ts'
import { type BoxKeyEvent, takeKey, useSearchBox } from './use-search-box.ts'
import { treeKey, useTreeLines } from './use-tree-lines.ts'

const CHIPS = 20
const MORE_CHIPS = 100

export interface TreeSelectProps extends InputWords {
  tree: readonly TreeOption[]
  /** One at most, unless `isMultiple`. */
  value: readonly string[]
  onChange: (value: string[]) => void
  isMultiple?: boolean
  /** The name of a chosen one outside of the tree, with the names above it. */
  wordsOf: (value: string) => string
  /** The same for the eye. */
  labelOf?: (value: string) => ReactNode
  source?: Pick<OptionSource, 'isLoading' | 'error' | 'onRetry'>
  none?: ReactNode
  placeholder?: string | undefined
  disabled?: boolean | undefined
}

/**
 * One or several of a tree, found by typing. Arrows move along the lines, unfold and fold; Enter
 * takes one (WAI-ARIA, combobox with a tree popup).
 */
export function TreeSelect(props: TreeSelectProps) {
  const { tree, value, onChange, isMultiple = false, wordsOf, placeholder, disabled = false, source } = props
  const canClear = value.length > 0 && !disabled
  const room = useChipRoom(CHIPS, MORE_CHIPS)
  // The last of several goes: not while there are more than are shown.
  const takeLast = () => {
    if (value.length <= room.size) onChange(value.slice(0, -1))
  }
  const list = useSearchBox({ disabled, onDelete: canClear ? takeLast : undefined })
  const lines = useTreeLines(tree, list)
  const { rows, at } = lines

  const choose = ({ option }: TreeOptionRow) => {
    if (!isMultiple) {
      onChange([option.value])
      return list.close()
    }
    onChange(value.includes(option.value) ? value.filter((one) => one !== option.value) : [...value, option.value])
  }
  const handleKeyDown = (event: BoxKeyEvent) => {
    if (list.handleKey(event)) return
    if (event.key === 'Backspace' && !list.text && isMultiple && canClear) takeKey(event, takeLast)
    else treeKey(event, lines, { hasText: Boolean(list.text), choose })
  }
  const words = !isMultiple && value[0] !== undefined ? wordsOf(value[0]) : ''
  return (
    <>
      <Box
        ref={list.box}
        disabled={disabled}
        isInvalid={props['aria-invalid']}
        title={list.isOpen ? undefined : words || undefined}
        onMouseDown={list.handlePress}
      >
        <Chips
          values={isMultiple ? value : []}
          wordsOf={wordsOf}
          labelOf={props.labelOf}
          room={room}
          disabled={disabled}
          onRemove={(one) => onChange(value.filter((other) => other !== one))}
        >
          <BoxInput
            list={list}
            text={words}
            popup="tree"
            at={at}
            words={props}
            disabled={disabled}
            placeholder={value.length === 0 ? placeholder : undefined}
            onKeyDown={handleKeyDown}
          />
        </Chips>
        {canClear && <ClearButton onClear={() => onChange([])} />}
        <Mark isLoading={list.isOpen && source?.isLoading === true} />
      </Box>
      {list.isOpen && (
        <ListPopup list={list}>
          <TreeLines list={list} lines={lines} isMultiple={isMultiple} chosen={new Set(value)} onChoose={choose} />
          <ListState isEmpty={rows.length === 0} isSearched={list.typed !== ''} source={source} none={props.none} />
        </ListPopup>
      )}
    </>
  )
}
