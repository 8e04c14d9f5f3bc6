import { BoxInput } from './BoxInput.tsx'
import { Box, type ChipRoom, Chips, ClearButton, Mark, useChipRoom } from './box-parts.tsx'
import { OptionList } from './OptionList.tsx'
import { type Option, type OptionValue, type SelectBaseProps, wordsOf } from './options.ts'
import { useOptionList } from './use-option-list.ts'
import type { BoxKeyEvent } from './use-search-box.ts'

export interface MultiSelectProps<V extends OptionValue> extends SelectBaseProps<V> {
  value: readonly V[]
  onChange: (value: V[]) => void
  isClearable?: boolean
  /** Typed text stays when an option is taken: others of the same search can be taken too. */
  keepsTyped?: boolean
  /** Choices that can't be taken away here. */
  kept?: readonly V[]
  /** The chips that are drawn, for who must know what they are called. */
  room?: ChipRoom
}

/** Several of many, found by typing, each a chip in the box. */
export function MultiSelect<V extends OptionValue = string>(props: MultiSelectProps<V>) {
  const { options, optionOf, source, value, onChange, placeholder, size, className, disabled = false } = props
  const ownRoom = useChipRoom()
  const room = props.room ?? ownRoom
  const chosen = new Set(value)
  const list = useOptionList({
    options,
    source,
    disabled,
    onChoose: (option) => {
      if (chosen.has(option.value)) remove(option.value)
      else onChange([...value, option.value])
      if (!props.keepsTyped && list.text) list.reset()
    },
  })
  const isKept = (one: V) => props.kept?.includes(one) ?? false
  const remove = (one: V) => !isKept(one) && onChange(value.filter((other) => other !== one))
  const free = value.filter((one) => !isKept(one))
  const named = new Map(options.map((option) => [option.value, option]))
  const chipOf = (one: V): Pick<Option<V>, 'label' | 'text'> =>
    named.get(one) ?? optionOf?.(one) ?? { label: String(one) }
  const handleKeyDown = (event: BoxKeyEvent) => {
    // The last one goes: not while there are more than anybody sees.
    if (event.key === 'Backspace' && !list.text && value.length <= room.size) {
      const last = free.at(-1)
      if (last !== undefined) remove(last)
    } else list.handleKeyDown(event)
  }
  return (
    <>
      <Box
        ref={list.box}
        className={className}
        size={size}
        disabled={disabled}
        isInvalid={props['aria-invalid']}
        onMouseDown={list.handlePress}
      >
        <Chips
          values={value}
          wordsOf={(one) => wordsOf(chipOf(one))}
          labelOf={(one) => chipOf(one).label}
          room={room}
          disabled={disabled}
          isKept={isKept}
          onRemove={remove}
        >
          <BoxInput
            list={list}
            text=""
            popup="listbox"
            at={list.at}
            words={props}
            disabled={disabled}
            placeholder={value.length === 0 ? placeholder : undefined}
            onKeyDown={handleKeyDown}
          />
        </Chips>
        {props.isClearable && free.length > 0 && !disabled && (
          <ClearButton onClear={() => onChange(value.filter(isKept))} />
        )}
        <Mark isLoading={list.isOpen && source?.isLoading === true} />
      </Box>
      {list.isOpen && (
        <OptionList list={list} chosen={chosen} isMultiple source={source} none={props.none} footer={props.footer} />
      )}
    </>
  )
}
