import { Input } from 'antd'
import { t } from '../../lib/i18n.ts'
import { bareName, type TreeItem } from './node-items.ts'

interface NodeNameProps {
  item: TreeItem
  /** The name is a box to type in; `onName` is told what it holds when it is left. */
  isRenaming: boolean
  onName: (name: string) => void
  onCancel: () => void
}

/** The name of a node in the tree. */
export function NodeName({ item, isRenaming, onName, onCancel }: NodeNameProps) {
  if (!isRenaming) return <span title={item.title}>{item.name}</span>
  return (
    <Input
      size="small"
      autoFocus
      aria-label={t('Name')}
      defaultValue={bareName(item.name)}
      onFocus={(event) => {
        // The tree would take the focus for its own and scroll to a row that is being redrawn.
        event.stopPropagation()
        event.target.select()
      }}
      onClick={(event) => event.stopPropagation()}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onCancel()
      }}
      onPressEnter={(event) => event.currentTarget.blur()}
      onBlur={(event) => onName(event.target.value)}
    />
  )
}
