import { ListFilterIcon, SearchIcon, XIcon } from 'lucide-react'
import { type KeyboardEvent, type RefObject, useRef, useState } from 'react'
import { isEnter } from '../../design/inputs/enter.ts'
import { type MenuItem, useMenu } from '../../design/popups/menu.tsx'
import { t } from '../../lib/i18n.ts'
import type { SearchField } from './search-fields.ts'

interface Searched {
  search: readonly string[]
  filters: Readonly<Record<string, string>>
}

interface SearchBoxProps extends Searched {
  fields: readonly SearchField[]
  onChange: (change: Searched) => void
}

/**
 * Words and field filters as tags. Enter or leaving the box makes a tag; every free word is its
 * own; a field has one tag, which a new value replaces; a click on a text tag puts it back into the
 * box.
 */
export function SearchBox(props: SearchBoxProps) {
  const { fields, search, filters } = props
  const input = useRef<HTMLInputElement>(null)
  const { typed, setTyped, picked, tags, commit, drop, edit, chooseKey, handleKeyDown } = useTyping(props, input)
  const menu = useMenu({ items: () => fieldItems(fields), onChoose: chooseKey })
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the click only helps the pointer find the input inside
    <div
      className="search-box"
      onClick={({ target, currentTarget }) => target === currentTarget && input.current?.focus()}
    >
      <SearchIcon className="search-icon" />
      {tags.map(({ name, field, value, shown }) => (
        <Tag
          key={name}
          text={`${field.label}: ${shown}`}
          onEdit={field.choices ? undefined : () => edit(value, field)}
          onClose={(byKey) => {
            drop(name)
            if (byKey) input.current?.focus()
          }}
        />
      ))}
      {search.map((word) => {
        const without = { search: search.filter((other) => other !== word), filters }
        return (
          <Tag
            key={word}
            text={word}
            onEdit={() => {
              props.onChange(without)
              edit(word)
            }}
            onClose={(byKey) => {
              props.onChange(without)
              if (byKey) input.current?.focus()
            }}
          />
        )
      })}
      {picked && <span className="picked">{picked.label}:</span>}
      <input
        ref={input}
        value={typed}
        aria-label={t('Search')}
        placeholder={picked ? t('Press enter to search') : tags.length + search.length === 0 ? t('Search') : ''}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={commit}
        onKeyDown={handleKeyDown}
      />
      {fields.length > 0 && (
        <button
          {...menu.trigger}
          type="button"
          className="icon-button"
          aria-label={t('Filter by field')}
          title={t('Filter by field')}
        >
          <ListFilterIcon />
        </button>
      )}
      {menu.popup}
    </div>
  )
}

/** The text being typed, perhaps for a field that was picked, and how it becomes words and filters. */
function useTyping({ fields, search, filters, onChange }: SearchBoxProps, input: RefObject<HTMLInputElement | null>) {
  const [typed, setTyped] = useState('')
  const [picked, setPicked] = useState<SearchField>()
  const tags = filterTags(fields, filters)
  const commit = () => {
    const text = typed.trim()
    if (text === '') return
    setTyped('')
    setPicked(undefined)
    if (picked) onChange({ search, filters: { ...filters, [picked.name]: text } })
    else onChange({ search: [...new Set([...search, ...wordsOf(text)])], filters })
  }
  const drop = (name: string) => {
    const { [name]: _, ...rest } = filters
    onChange({ search, filters: rest })
  }
  const edit = (text: string, field?: SearchField) => {
    setTyped(text)
    setPicked(field)
    input.current?.focus()
  }
  /** A field to type a value for, or `field=value`. */
  const chooseKey = (key: string) => {
    const at = key.indexOf('=')
    if (at > 0) onChange({ search, filters: { ...filters, [key.slice(0, at)]: key.slice(at + 1) } })
    else
      edit(
        '',
        fields.find(({ name }) => name === key),
      )
  }
  const handleKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (isEnter(event)) commit()
    else if (event.key === 'Escape') edit('')
    else if (event.key === 'Backspace' && typed === '') {
      if (picked) setPicked(undefined)
      else if (search.length > 0) onChange({ search: search.slice(0, -1), filters })
      else if (tags.length > 0) drop(tags[tags.length - 1]?.name ?? '')
    }
  }
  return { typed, setTyped, picked, tags, commit, drop, edit, chooseKey, handleKeyDown }
}

const wordsOf = (text: string) =>
  text
    .split(/[,，]/)
    .map((word) => word.trim())
    .filter(Boolean)

/** The filters that are set, of fields that are offered, with their values in words. */
const filterTags = (fields: readonly SearchField[], filters: Searched['filters']) =>
  Object.entries(filters).flatMap(([name, value]) => {
    const field = fields.find((one) => one.name === name)
    if (!field) return []
    const choice = field.choices?.find((one) => String(one.value) === value)
    return [{ name, field, value, shown: choice?.display_name ?? value }]
  })

const fieldItems = (fields: readonly SearchField[]): MenuItem[] =>
  fields.map(({ name, label, choices }) => ({
    key: name,
    label,
    ...(choices
      ? { items: choices.map((choice) => ({ key: `${name}=${choice.value}`, label: choice.display_name })) }
      : {}),
  }))

interface TagProps {
  text: string
  onEdit?: (() => void) | undefined
  /** Told whether it was a key: the focus goes with the button then. */
  onClose: (byKey: boolean) => void
}

function Tag({ text, onEdit, onClose }: TagProps) {
  return (
    <span className="tag">
      {onEdit ? (
        <button type="button" onClick={onEdit} title={t('Edit')}>
          {text}
        </button>
      ) : (
        text
      )}
      <button
        type="button"
        aria-label={t('Remove filter {{name}}', { name: text })}
        onClick={({ detail }) => onClose(detail === 0)}
      >
        <XIcon />
      </button>
    </span>
  )
}
