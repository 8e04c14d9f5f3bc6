import { SearchIcon, XIcon } from 'lucide-react'
import { useRef, useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { Input, type InputProps } from './Input.tsx'

interface SearchInputProps extends Omit<InputProps, 'type' | 'start' | 'end' | 'value' | 'defaultValue' | 'onEnter'> {
  /** Unless given, the box keeps what is typed by itself. */
  value?: string
  /** Enter, or a click on the glass; and '' when the box is emptied by its button. */
  onSearch?: (text: string) => void
  isSearching?: boolean
}

/** A search text, as it is typed (`onChange`) or when it is sent (`onSearch`). Escape clears it. */
export function SearchInput({ value, onChange, onSearch, isSearching, ...props }: SearchInputProps) {
  const [own, setOwn] = useState('')
  const box = useRef<HTMLInputElement>(null)
  const text = value ?? own
  const write = (next: string) => {
    setOwn(next)
    onChange?.(next)
  }
  const empty = () => {
    write('')
    onSearch?.('')
    box.current?.focus()
  }
  const glass = isSearching ? <span className="spinner" aria-hidden="true" /> : <SearchIcon aria-hidden="true" />
  return (
    <Input
      enterKeyHint="search"
      {...props}
      ref={box}
      type="search"
      aria-busy={isSearching || undefined}
      value={text}
      onChange={write}
      onEnter={onSearch && (() => onSearch(text))}
      onKeyDown={(event) => {
        props.onKeyDown?.(event)
        if (event.key !== 'Escape' || !text || props.whyDisabled || event.nativeEvent.isComposing) return
        // The dialog around it stays.
        event.stopPropagation()
        event.preventDefault()
        empty()
      }}
      start={
        onSearch ? (
          // By keys it is Enter.
          <button
            type="button"
            tabIndex={-1}
            title={t('Search')}
            disabled={props.disabled || props.whyDisabled !== undefined}
            onClick={() => onSearch(text)}
          >
            {glass}
          </button>
        ) : (
          glass
        )
      }
      end={
        text && !props.disabled && !props.whyDisabled ? (
          <button type="button" tabIndex={-1} aria-label={t('Clear')} title={t('Clear')} onClick={empty}>
            <XIcon />
          </button>
        ) : undefined
      }
    />
  )
}
