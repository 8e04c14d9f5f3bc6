import { type ReactNode, useId } from 'react'
import { Chips, ClearButton, Mark, useChipRoom } from './box-parts.tsx'
import { ListPopup, ListState, nameOf } from './OptionList.tsx'
import type { InputWords, OptionSource } from './options.ts'
import styles from './Select.module.css'
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
  /** What a chosen one is called outside of the tree, with the names above it. */
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
  // Of several the last one goes: not while there are more than anybody sees.
  const takeLast = () => {
    if (value.length <= room.size) onChange(value.slice(0, -1))
  }
  const list = useSearchBox({ disabled, onDelete: canClear ? takeLast : undefined })
  const { box, input, isOpen, typed } = list
  const lines = useTreeLines(tree, typed?.trim() ?? '')
  const { rows, at, setAt, unfold } = lines
  const id = useId()

  const choose = ({ option }: TreeOptionRow) => {
    if (!isMultiple) {
      onChange([option.value])
      return list.close()
    }
    onChange(value.includes(option.value) ? value.filter((one) => one !== option.value) : [...value, option.value])
  }
  const handleKeyDown = (event: BoxKeyEvent) => {
    if (list.handleKey(event)) return
    if (event.key === 'Backspace' && !typed && isMultiple && canClear) takeKey(event, takeLast)
    else treeKey(event, lines, { hasText: Boolean(typed), choose })
  }
  const words = !isMultiple && value[0] !== undefined ? wordsOf(value[0]) : ''
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of its input */}
      <div
        ref={box}
        className={styles.box}
        data-disabled={disabled || undefined}
        data-invalid={props['aria-invalid'] || undefined}
        title={isOpen ? undefined : words || undefined}
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
          <input
            ref={input}
            id={props.id}
            className={styles.input}
            role="combobox"
            autoComplete="off"
            spellCheck={false}
            disabled={disabled}
            placeholder={value.length === 0 ? placeholder : undefined}
            aria-label={props['aria-label']}
            aria-required={props['aria-required']}
            aria-invalid={props['aria-invalid']}
            aria-describedby={props['aria-describedby']}
            aria-autocomplete="list"
            aria-haspopup="tree"
            aria-expanded={isOpen}
            aria-controls={isOpen ? id : undefined}
            aria-activedescendant={isOpen && rows[at] ? `${id}-${at}` : undefined}
            value={typed ?? words}
            onChange={({ target }) => {
              list.type(target.value)
              setAt(-1)
            }}
            onKeyDown={handleKeyDown}
            onClick={({ currentTarget }) => typed === undefined && currentTarget.select()}
          />
        </Chips>
        {canClear && <ClearButton onClear={() => onChange([])} />}
        <Mark isLoading={isOpen && source?.isLoading === true} />
      </div>
      {isOpen && box.current && (
        <ListPopup anchor={box.current} input={input.current} onClose={list.close}>
          <TreeLines
            id={id}
            label={nameOf(input.current)}
            {...{ rows, at, isMultiple }}
            chosen={new Set(value)}
            onChoose={choose}
            onUnfold={(row) => unfold(row, !row.isOpen)}
            onPoint={setAt}
          />
          <ListState
            isEmpty={rows.length === 0}
            isSearched={Boolean(typed?.trim())}
            source={source}
            none={props.none}
          />
        </ListPopup>
      )}
    </>
  )
}
