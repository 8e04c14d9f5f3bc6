import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Suggestion, TagsInput } from '../../design/boxes/TagsInput.tsx'
import { CheckboxGroup } from '../../design/inputs/CheckboxGroup.tsx'
import { Segmented } from '../../design/inputs/Segmented.tsx'
import type { WidgetProps } from '../../generic/view/form-view.ts'
import { Unusable } from '../../generic/widgets/unusable.ts'
import { api, type ListPage, type Row } from '../../lib/api.ts'
import { useSettled } from '../../lib/hooks/use-settled.ts'
import { t } from '../../lib/i18n.ts'
import { keys } from '../../lib/query.ts'
import styles from './WholeNames.module.css'

const ALL = '*'
const OFFERED = 10

type Names = string[] | Unusable

interface Choice {
  /** Instead of naming any. Marked with `msg`. */
  any: string
  /** Rows whose names are offered while somebody types. */
  from?: { path: string; name: (row: Row) => string; more: (row: Row) => string }
  /** All there are, where they are few. */
  few?: readonly string[]
}

/** A list of whole names of a rule (`*` on the wire for all), as a widget of its form. */
export const wholeNames =
  (choice: Choice) =>
  ({ value, onChange, id, disabled, field, context: _, ...aria }: WidgetProps<Names>) => {
    const names = value instanceof Unusable ? [] : (value ?? [])
    const isAny = names.includes(ALL)
    const write = (next: readonly string[]) =>
      onChange?.(next.length > 0 ? [...next] : new Unusable(t('Name at least one, or choose all')))
    return (
      <div className={styles.names}>
        <Segmented
          {...aria}
          id={isAny ? id : undefined}
          aria-label={t(field.label)}
          disabled={disabled}
          options={[
            { value: true, label: t(choice.any) },
            { value: false, label: t('Only these') },
          ]}
          value={isAny}
          onChange={(next) => write(next ? [ALL] : [])}
        />
        {!isAny &&
          (choice.few ? (
            <CheckboxGroup
              aria-label={t(field.label)}
              disabled={disabled}
              options={choice.few.map((one) => ({ value: one, label: one.toUpperCase() }))}
              value={names}
              onChange={write}
            />
          ) : (
            <Named {...{ id, disabled, field, names, write }} from={choice.from} />
          ))}
      </div>
    )
  }

interface NamedProps extends Pick<WidgetProps, 'id' | 'disabled' | 'field'> {
  names: readonly string[]
  write: (names: readonly string[]) => void
  from: Choice['from']
}

/** Names as chips, and a box that offers those there are; others may be typed, for what is to come. */
function Named({ id, disabled, field, names, write, from }: NamedProps) {
  const [typed, setTyped] = useState('')
  return (
    <TagsInput
      id={id}
      disabled={disabled}
      aria-label={t(field.label)}
      placeholder={field.placeholder}
      hasSpaces
      value={names}
      suggestions={useOffered(from, typed)}
      onSearch={setTyped}
      onChange={write}
    />
  )
}

/** The first of those that there are, by what is typed. */
function useOffered(from: Choice['from'], typed: string): readonly Suggestion[] {
  const search = useSettled(typed)
  const query = { search, limit: OFFERED, offset: 0, fields_size: 'mini' }
  const rows = useQuery({
    queryKey: keys.list(from?.path ?? '', query),
    queryFn: ({ signal }) => api.get<ListPage<Row>>(from?.path ?? '', { query, signal, quiet: true }),
    enabled: from !== undefined,
    placeholderData: (before) => before,
  })
  return from ? (rows.data?.results ?? []).map((row) => ({ value: from.name(row), more: from.more(row) })) : []
}
