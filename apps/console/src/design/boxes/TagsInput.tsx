import { type ChangeEvent, type ClipboardEvent, type KeyboardEvent, useId, useRef, useState } from 'react'
import { isEnter } from '../inputs/enter.ts'
import { Box, Chips, useChipRoom } from './box-parts.tsx'
import type { InputWords } from './options.ts'
import styles from './Select.module.css'

export interface TagsInputProps extends InputWords {
  value: readonly string[]
  onChange: (value: string[]) => void
  placeholder?: string | undefined
  disabled?: boolean | undefined
  /** Whether spaces are part of a word, as in names. */
  hasSpaces?: boolean
  /** Words that are offered while somebody types, with more about each; others may be typed. */
  suggestions?: readonly Suggestion[] | undefined
  /** Gets what is typed, to look for suggestions. */
  onSearch?: ((typed: string) => void) | undefined
}

export interface Suggestion {
  value: string
  more?: string | undefined
}

const SEPARATORS = /[,，\s]+/
const COMMAS = /[,，\n]+/

/**
 * Words that are typed, pasted or taken from those that are offered, each a chip. Enter, a comma or a
 * space ends one; Backspace in the empty box takes the last one away.
 */
export function TagsInput(props: TagsInputProps) {
  const { value, onChange, placeholder, disabled = false, hasSpaces = false, suggestions, onSearch, ...words } = props
  const input = useRef<HTMLInputElement>(null)
  const room = useChipRoom()
  const list = useId()
  const [typed, setText] = useState('')
  const separators = hasSpaces ? COMMAS : SEPARATORS
  const setTyped = (text: string) => {
    setText(text)
    onSearch?.(text)
  }
  /** Words that end before the last separator are chips; what follows is still being typed. */
  const add = (text: string) => {
    const next = text
      .split(separators)
      .map((one) => one.trim())
      .filter(Boolean)
    setTyped('')
    if (next.length > 0) onChange([...new Set([...value, ...next])])
  }
  const handleKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (isEnter(event) && typed.trim()) {
      // It ends the word, not the form.
      event.preventDefault()
      add(typed)
    } else if (event.key === 'Backspace' && typed === '' && value.length <= room.size) {
      event.preventDefault()
      onChange(value.slice(0, -1))
    }
  }
  const handleChange = ({ target, nativeEvent }: ChangeEvent<HTMLInputElement>) => {
    const { isComposing, inputType } = nativeEvent as InputEvent
    const isTaken = isOffered(inputType) && suggestions?.some((one) => one.value === target.value)
    if (isTaken || (!isComposing && separators.test(target.value))) add(target.value)
    else setTyped(target.value)
  }
  const handlePaste = (event: ClipboardEvent) => {
    const text = event.clipboardData.getData('text')
    if (!separators.test(text.trim())) return
    event.preventDefault()
    add(typed + text)
  }
  return (
    <Box
      disabled={disabled}
      isInvalid={words['aria-invalid']}
      onMouseDown={(event) => {
        if (event.target === input.current || (event.target as Element).closest('button')) return
        event.preventDefault()
        input.current?.focus()
      }}
    >
      <Chips
        values={value}
        wordsOf={(one) => one}
        room={room}
        disabled={disabled}
        onRemove={(one) => onChange(value.filter((other) => other !== one))}
      >
        <input
          {...words}
          ref={input}
          className={styles.input}
          autoComplete="off"
          disabled={disabled}
          placeholder={value.length === 0 ? placeholder : undefined}
          value={typed}
          list={suggestions && list}
          onChange={handleChange}
          onCompositionEnd={({ currentTarget }) => {
            if (separators.test(currentTarget.value)) add(currentTarget.value)
          }}
          onKeyDown={handleKeyDown}
          onPaste={handlePaste}
          onBlur={() => add(typed)}
        />
        {suggestions && (
          <datalist id={list}>
            {suggestions.map((one) => (
              <option key={one.value} value={one.value}>
                {one.more}
              </option>
            ))}
          </datalist>
        )}
      </Chips>
    </Box>
  )
}

/** Whether a change came from the list of what is offered: browsers say so, or say nothing. */
const isOffered = (inputType: string | undefined) => !inputType || inputType === 'insertReplacementText'
