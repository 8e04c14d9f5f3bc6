import { RefreshCwIcon } from 'lucide-react'
import { Button } from '../../design/Button.tsx'
import { t } from '../../lib/i18n.ts'

interface TreeTitleProps {
  /** Already translated, as is the name of its button for those who hear it. */
  title: string
  refreshName: string
  onRefresh: () => void
}

/** What stands over a tree of what a person may connect to. */
export function TreeTitle({ title, refreshName, onRefresh }: TreeTitleProps) {
  return (
    <div className="wt-tree-title">
      <span>{title}</span>
      <Button
        type="text"
        size="small"
        icon={<RefreshCwIcon />}
        title={t('Force refresh')}
        aria-label={refreshName}
        onClick={onRefresh}
      />
    </div>
  )
}
