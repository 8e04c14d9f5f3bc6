import type { KeyboardEvent } from 'react'
import { explained } from '../tip.ts'
import type { InputWords } from './options.ts'
import styles from './Select.module.css'
import type { SearchBox } from './use-search-box.ts'

interface BoxInputProps {
  list: SearchBox
  /** Words of the box while nothing is typed. */
  text: string
  popup: 'listbox' | 'tree'
  /** The line that the keys are at; -1 for none. */
  at: number
  /** Names and state of the input. */
  words: InputWords
  disabled: boolean
  whyDisabled?: string | undefined
  placeholder?: string | undefined
  /** Nothing is looked for by typing: a telephone shows no keyboard. */
  isShort?: boolean
  onKeyDown: (event: KeyboardEvent<HTMLInputElement>) => void
}

/** The input of a box with a list: it says what is chosen, and searches the list by what is typed. */
export function BoxInput(props: BoxInputProps) {
  const { list, text, popup, at, words, disabled, whyDisabled, placeholder, isShort } = props
  const onKeyDown = whyDisabled ? undefined : props.onKeyDown
  const { listId, input, isOpen } = list
  return (
    <input
      ref={input}
      id={words.id}
      className={styles.input}
      role="combobox"
      autoComplete="off"
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      disabled={disabled}
      placeholder={placeholder}
      inputMode={isShort ? 'none' : undefined}
      aria-label={words['aria-label']}
      aria-required={words['aria-required']}
      aria-invalid={words['aria-invalid']}
      aria-describedby={words['aria-describedby']}
      aria-autocomplete="list"
      aria-haspopup={popup}
      aria-expanded={isOpen}
      aria-controls={isOpen ? listId : undefined}
      aria-activedescendant={isOpen && at >= 0 ? `${listId}-${at}` : undefined}
      value={list.text ?? text}
      onChange={({ target }) => list.type(target.value)}
      {...list.composition}
      onKeyDown={onKeyDown}
      // Typed text takes the place of the words.
      onClick={({ currentTarget }) => list.text === undefined && currentTarget.select()}
      {...(whyDisabled ? { readOnly: true, ...explained(whyDisabled) } : {})}
    />
  )
}
