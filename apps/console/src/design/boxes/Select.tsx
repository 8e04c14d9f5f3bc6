import type { ReactNode } from 'react'
import { BoxInput } from './BoxInput.tsx'
import { Box, ClearButton, Mark } from './box-parts.tsx'
import { OptionList } from './OptionList.tsx'
import { type OptionValue, type SelectBaseProps, wordsOf } from './options.ts'
import { useOptionList } from './use-option-list.ts'

/** So few options need no search by typing: a telephone shows no keyboard. */
const FEW = 8

interface OneOfManyProps<V extends OptionValue> extends SelectBaseProps<V> {
  value: V | null | undefined
  /** Before the text of the box. */
  icon?: ReactNode
  /** Why nothing can be chosen now; see `Button`. */
  whyDisabled?: string | undefined
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
  const { options, optionOf, source, value, placeholder, size, className, whyDisabled, icon } = props
  const disabled = props.disabled === true || whyDisabled !== undefined
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
    onChoose: (option) => {
      list.close()
      if (option.value !== value) change(option.value)
    },
  })
  const words = chosen ? wordsOf(chosen) : ''
  return (
    <>
      <Box
        ref={list.box}
        className={className}
        title={list.isOpen ? undefined : words}
        size={size}
        disabled={disabled}
        isInvalid={props['aria-invalid']}
        onMouseDown={list.handlePress}
      >
        {icon}
        <BoxInput
          list={list}
          text={words}
          popup="listbox"
          at={list.at}
          words={props}
          disabled={disabled}
          whyDisabled={whyDisabled}
          placeholder={placeholder}
          isShort={options.length <= FEW && !source?.onSearch}
          onKeyDown={list.handleKeyDown}
        />
        {canClear && <ClearButton onClear={() => change(null)} />}
        <Mark isLoading={list.isOpen && source?.isLoading === true} />
      </Box>
      {list.isOpen && (
        <OptionList
          list={list}
          chosen={new Set(chosen ? [chosen.value] : [])}
          source={source}
          none={props.none}
          footer={props.footer}
        />
      )}
    </>
  )
}
