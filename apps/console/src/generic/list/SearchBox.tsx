import { CloseOutlined, FilterOutlined, SearchOutlined } from '@ant-design/icons'
import { Dropdown } from 'antd'
import { useRef, useState } from 'react'
import { t } from '../../lib/i18n.ts'
import type { SearchOption } from '../view/define-pages.ts'
import { kindOf, type RemoteChoice, type RemoteField } from '../view/metadata.ts'

/** A filter the box offers. */
export interface SearchField {
  name: string
  label: string
  choices?: readonly RemoteChoice[]
}

/**
 * Fields that the metadata lets filter, and the page's own. Booleans and choices bring their
 * values, others take typed text.
 */
export function searchFields(
  fields: Readonly<Record<string, RemoteField>>,
  hide: readonly string[] = [],
  extra: readonly SearchOption[] = [],
): SearchField[] {
  const own = extra.map((option) => ({ ...option, label: t(option.label) }))
  const taken = new Set([...hide, ...own.map(({ name }) => name)])
  const offered = Object.entries(fields).flatMap(([name, field]): SearchField[] => {
    if (!field.filter || taken.has(name)) return []
    if (kindOf(field) === 'boolean')
      return [
        {
          name,
          label: field.label,
          choices: [
            { value: 'true', display_name: t('Yes') },
            { value: 'false', display_name: t('No') },
          ],
        },
      ]
    return [field.choices?.length ? { name, label: field.label, choices: field.choices } : { name, label: field.label }]
  })
  return [...offered, ...own]
}

interface SearchBoxProps {
  fields: readonly SearchField[]
  search: readonly string[]
  filters: Readonly<Record<string, string>>
  onChange: (change: { search: readonly string[]; filters: Readonly<Record<string, string>> }) => void
}

/**
 * Words and field filters as tags. Enter or leaving the box makes a tag; every free word is its
 * own; a field has one tag, which a new value replaces; a click on a text tag puts it back into the
 * box.
 */
export function SearchBox({ fields, search, filters, onChange }: SearchBoxProps) {
  const [typed, setTyped] = useState('')
  const [picked, setPicked] = useState<SearchField>()
  const input = useRef<HTMLInputElement>(null)

  const commit = () => {
    const text = typed.trim()
    if (text === '') return
    setTyped('')
    setPicked(undefined)
    if (picked) onChange({ search, filters: { ...filters, [picked.name]: text } })
    else
      onChange({
        search: [
          ...new Set([
            ...search,
            ...text
              .split(/[,，]/)
              .map((word) => word.trim())
              .filter(Boolean),
          ]),
        ],
        filters,
      })
  }
  const drop = (name: string) => {
    const { [name]: _, ...rest } = filters
    onChange({ search, filters: rest })
  }
  const tags = Object.entries(filters).flatMap(([name, value]) => {
    const field = fields.find((one) => one.name === name)
    return field
      ? [
          {
            name,
            field,
            value,
            shown: field.choices?.find((choice) => String(choice.value) === value)?.display_name ?? value,
          },
        ]
      : []
  })
  const edit = (text: string, field?: SearchField) => {
    setTyped(text)
    setPicked(field)
    input.current?.focus()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the click only helps the pointer find the input inside
    <div
      className="search-box"
      onClick={({ target, currentTarget }) => target === currentTarget && input.current?.focus()}
    >
      {fields.length > 0 ? (
        <Dropdown
          trigger={['click']}
          autoFocus
          menu={{
            items: fields.map(({ name, label, choices }) => ({
              key: name,
              label,
              ...(choices
                ? {
                    children: choices.map((choice) => ({ key: `${name}=${choice.value}`, label: choice.display_name })),
                  }
                : {}),
            })),
            onClick: ({ key }) => {
              const at = key.indexOf('=')
              if (at > 0) onChange({ search, filters: { ...filters, [key.slice(0, at)]: key.slice(at + 1) } })
              else
                edit(
                  '',
                  fields.find(({ name }) => name === key),
                )
            },
          }}
        >
          <button type="button" className="icon-button" aria-label={t('Filter by field')}>
            <FilterOutlined />
          </button>
        </Dropdown>
      ) : (
        <SearchOutlined className="search-icon" />
      )}
      {tags.map(({ name, field, value, shown }) => (
        <Tag
          key={name}
          text={`${field.label}: ${shown}`}
          onEdit={field.choices ? undefined : () => edit(value, field)}
          onClose={() => drop(name)}
        />
      ))}
      {search.map((word) => {
        const without = { search: search.filter((other) => other !== word), filters }
        return (
          <Tag
            key={word}
            text={word}
            onEdit={() => {
              onChange(without)
              edit(word)
            }}
            onClose={() => onChange(without)}
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
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Enter') commit()
          else if (event.key === 'Escape') edit('')
          else if (event.key === 'Backspace' && typed === '') {
            if (picked) setPicked(undefined)
            else if (search.length > 0) onChange({ search: search.slice(0, -1), filters })
            else if (tags.length > 0) drop(tags[tags.length - 1]?.name ?? '')
          }
        }}
      />
    </div>
  )
}

function Tag({ text, onEdit, onClose }: { text: string; onEdit?: (() => void) | undefined; onClose: () => void }) {
  return (
    <span className="tag">
      {onEdit ? (
        <button type="button" onClick={onEdit} title={t('Edit')}>
          {text}
        </button>
      ) : (
        text
      )}
      <button type="button" aria-label={t('Remove filter {{name}}', { name: text })} onClick={onClose}>
        <CloseOutlined />
      </button>
    </span>
  )
}
