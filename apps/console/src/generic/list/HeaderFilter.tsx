import { ListFilterIcon } from 'lucide-react'
import { useMenu } from '../../design/popups/menu.tsx'
import { t } from '../../lib/i18n.ts'
import type { RemoteChoice } from '../view/metadata.ts'

interface HeaderFilterProps {
  title: string
  choices: readonly RemoteChoice[]
  /** The value that the list is narrowed to, if any. */
  value: string | undefined
  /** Undefined: all rows again. */
  onChange: (value: string | undefined) => void
}

const ALL = '*'

/**
 * One value of a column to narrow the list to, chosen in its head
 * (docs/rules/lists-and-forms.md#header_filter).
 */
export function HeaderFilter({ title, choices, value, onChange }: HeaderFilterProps) {
  const { trigger, popup } = useMenu({
    items: () => [
      { key: ALL, label: t('All') },
      ...choices.map((choice) => ({ key: String(choice.value), label: choice.display_name })),
    ],
    chosen: [value ?? ALL],
    onChoose: (key) => onChange(key === ALL ? undefined : key),
  })
  return (
    <>
      <button
        {...trigger}
        type="button"
        className={value === undefined ? 'head-filter' : 'head-filter on'}
        aria-label={t('Filter by {{name}}', { name: title })}
      >
        <ListFilterIcon />
      </button>
      {popup}
    </>
  )
}
