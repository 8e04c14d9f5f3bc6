import { type ClipboardEvent, type KeyboardEvent, useRef, useState } from 'react'
import { isEnter } from '../inputs/enter.ts'
import { Box, Chips, useChipRoom } from './box-parts.tsx'
import type { InputWords } from './options.ts'
import styles from './Select.module.css'

export interface TagsInputProps extends InputWords {
  value: readonly string[]
  onChange: (value: string[]) => void
  placeholder?: string | undefined
  disabled?: boolean | undefined
}

const SEPARATORS = /[,\s]+/

/**
 * Words that are typed or pasted, each a chip. Enter, a comma or a space ends one; Backspace in the
 * empty box takes the last one away.
 */
export function TagsInput({ value, onChange, placeholder, disabled = false, ...words }: TagsInputProps) {
  const input = useRef<HTMLInputElement>(null)
  const room = useChipRoom()
  const [typed, setTyped] = useState('')
  /** Words that end before the last separator are chips; what follows is still being typed. */
  const add = (text: string) => {
    const next = text.split(SEPARATORS).filter(Boolean)
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
  const handlePaste = (event: ClipboardEvent) => {
    const text = event.clipboardData.getData('text')
    if (!SEPARATORS.test(text.trim())) return
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
          onChange={({ target, nativeEvent }) => {
            const isComposing = (nativeEvent as InputEvent).isComposing
            if (!isComposing && SEPARATORS.test(target.value)) add(target.value)
            else setTyped(target.value)
          }}
          onCompositionEnd={({ currentTarget }) => {
            if (SEPARATORS.test(currentTarget.value)) add(currentTarget.value)
          }}
          onKeyDown={handleKeyDown}
          onPaste={handlePaste}
          onBlur={() => add(typed)}
        />
      </Chips>
    </Box>
  )
}
