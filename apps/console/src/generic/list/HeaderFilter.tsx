import { Dropdown } from 'antd'
import { ListFilterIcon } from 'lucide-react'
import { useState } from 'react'
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
 * One value of a column to narrow the list to, chosen in its head (contract/console-shell.yaml
 * header_filter).
 */
export function HeaderFilter({ title, choices, value, onChange }: HeaderFilterProps) {
  const [open, setOpen] = useState(false)
  return (
    <Dropdown
      open={open}
      onOpenChange={setOpen}
      trigger={['click']}
      autoFocus
      menu={{
        selectable: true,
        selectedKeys: [value ?? ALL],
        items: [
          { key: ALL, label: t('All') },
          ...choices.map((choice) => ({ key: String(choice.value), label: choice.display_name })),
        ],
        onClick: ({ key }) => {
          setOpen(false)
          onChange(key === ALL ? undefined : key)
        },
      }}
    >
      <button
        type="button"
        className={value === undefined ? 'head-filter' : 'head-filter on'}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={t('Filter by {{name}}', { name: title })}
      >
        <ListFilterIcon />
      </button>
    </Dropdown>
  )
}
