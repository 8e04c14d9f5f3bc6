import { Combobox } from '@base-ui/react/combobox'
import type { ReactNode } from 'react'
import { ClearButton, Mark } from './box-parts.tsx'
import { OptionList } from './OptionList.tsx'
import { type OptionValue, type SelectBaseProps, wordsOf } from './options.ts'
import styles from './Select.module.css'
import { useOptionList } from './use-option-list.ts'

/** Of so few options none is looked for by typing: a telephone shows no keyboard. */
const FEW = 8

interface OneOfManyProps<V extends OptionValue> extends SelectBaseProps<V> {
  value: V | null | undefined
  /** Before the text of the box. */
  icon?: ReactNode
  /** Enter while the list is closed, instead of opening it. */
  onEnter?: () => void
}

export type SelectProps<V extends OptionValue> = OneOfManyProps<V> &
  (
    | { isClearable?: false | undefined; onChange: (value: V) => void }
    | { isClearable: boolean; onChange: (value: V | null) => void }
  )

/**
 * One of many, found by typing. The box holds the words of the chosen option; what is typed in it
 * chooses nothing until an option is taken.
 */
export function Select<V extends OptionValue = string>(props: SelectProps<V>) {
  const { options, optionOf, source, value, placeholder, size, className, disabled = false, icon } = props
  // Null comes only where it may.
  const change = props.onChange as (value: V | null) => void
  const chosen =
    value === null || value === undefined
      ? undefined
      : (options.find((option) => option.value === value) ?? optionOf?.(value) ?? { value, label: String(value) })
  const canClear = props.isClearable === true && chosen !== undefined && !disabled
  const list = useOptionList({
    options,
    chosen: chosen?.value,
    source,
    disabled,
    onEnter: props.onEnter,
    onDelete: canClear ? () => change(null) : undefined,
  })
  const { box, input, isOpen, typed, shown } = list
  const words = chosen ? wordsOf(chosen) : ''
  return (
    <Combobox.Root
      inline
      items={shown.map((option) => option.value)}
      filter={null}
      autoHighlight
      open={isOpen}
      onOpenChange={(next) => list.open(next)}
      value={chosen?.value ?? null}
      onValueChange={(next) => {
        if (next !== null && next !== value) change(next)
      }}
      inputValue={isOpen ? (typed ?? words) : words}
      onInputValueChange={(text, { reason }) => reason === 'input-change' && list.type(text)}
      disabled={disabled}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of its input */}
      <div
        ref={box}
        className={[styles.box, className].filter(Boolean).join(' ')}
        title={isOpen ? undefined : words}
        data-size={size}
        data-disabled={disabled || undefined}
        data-invalid={props['aria-invalid'] || undefined}
        onMouseDown={list.handlePress}
      >
        {icon}
        <Combobox.Input
          ref={input}
          id={props.id}
          className={styles.input}
          placeholder={placeholder}
          inputMode={options.length <= FEW && !source?.onSearch ? 'none' : undefined}
          aria-label={props['aria-label']}
          aria-required={props['aria-required']}
          aria-invalid={props['aria-invalid']}
          aria-describedby={props['aria-describedby']}
          aria-expanded={isOpen}
          onKeyDown={list.handleKeyDown}
          // What is typed takes the place of the words.
          onClick={({ currentTarget }) => typed === undefined && currentTarget.select()}
        />
        {canClear && <ClearButton onClear={() => change(null)} />}
        <Mark isLoading={isOpen && source?.isLoading === true} />
      </div>
      {isOpen && box.current && (
        <OptionList
          anchor={box.current}
          input={input.current}
          options={shown}
          isSearched={Boolean(typed?.trim())}
          source={source}
          none={props.none}
          footer={props.footer}
          onScroll={list.handleScroll}
          onClose={list.close}
        />
      )}
    </Combobox.Root>
  )
}
