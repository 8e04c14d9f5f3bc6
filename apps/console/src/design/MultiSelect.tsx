import { Combobox } from '@base-ui/react/combobox'
import { type ChipRoom, Chips, ClearButton, Mark, useChipRoom } from './box-parts.tsx'
import { OptionList } from './OptionList.tsx'
import { type Option, type OptionValue, type SelectBaseProps, wordsOf } from './options.ts'
import styles from './Select.module.css'
import { useOptionList } from './use-option-list.ts'

export interface MultiSelectProps<V extends OptionValue> extends SelectBaseProps<V> {
  value: readonly V[]
  onChange: (value: V[]) => void
  isClearable?: boolean
  /** What is typed stays when an option is taken, so that others of the same search can be taken too. */
  keepsTyped?: boolean
  /** The chips that are drawn, for who must know what they are called. */
  room?: ChipRoom
}

/** Several of many, found by typing, each a chip in the box. */
export function MultiSelect<V extends OptionValue = string>(props: MultiSelectProps<V>) {
  const { options, optionOf, source, value, onChange, placeholder, size, className, disabled = false } = props
  const ownRoom = useChipRoom()
  const room = props.room ?? ownRoom
  const list = useOptionList({ options, source, disabled })
  const { box, input, isOpen, typed, shown } = list
  const remove = (one: V) => onChange(value.filter((other) => other !== one))
  const named = new Map(options.map((option) => [option.value, option]))
  const chipOf = (one: V): Pick<Option<V>, 'label' | 'text'> =>
    named.get(one) ?? optionOf?.(one) ?? { label: String(one) }
  return (
    <Combobox.Root
      inline
      multiple
      items={shown.map((option) => option.value)}
      filter={null}
      autoHighlight
      open={isOpen}
      // An option that is taken leaves the list open.
      onOpenChange={(next) => next && list.open(true)}
      value={value}
      onValueChange={(next) => onChange(next)}
      inputValue={typed ?? ''}
      onInputValueChange={(text, { reason }) => {
        if (reason === 'input-change') list.type(text)
        else if (!props.keepsTyped && reason === 'input-clear' && typed) list.search('')
      }}
      disabled={disabled}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of its input */}
      <div
        ref={box}
        className={[styles.box, className].filter(Boolean).join(' ')}
        data-size={size}
        data-disabled={disabled || undefined}
        data-invalid={props['aria-invalid'] || undefined}
        onMouseDown={list.handlePress}
      >
        <Chips
          values={value}
          wordsOf={(one) => wordsOf(chipOf(one))}
          labelOf={(one) => chipOf(one).label}
          room={room}
          disabled={disabled}
          onRemove={remove}
        >
          <Combobox.Input
            ref={input}
            id={props.id}
            className={styles.input}
            placeholder={value.length === 0 ? placeholder : undefined}
            aria-label={props['aria-label']}
            aria-required={props['aria-required']}
            aria-invalid={props['aria-invalid']}
            aria-describedby={props['aria-describedby']}
            aria-expanded={isOpen}
            onKeyDown={(event) => {
              list.handleKeyDown(event)
              // The last one goes: not while there are more than anybody sees.
              if (event.key === 'Backspace' && !typed && value.length <= room.size) onChange(value.slice(0, -1))
            }}
          />
        </Chips>
        {props.isClearable && value.length > 0 && !disabled && <ClearButton onClear={() => onChange([])} />}
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
