import { RefreshCwIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { t } from '../../lib/i18n.ts'
import type { TreeItems } from './use-tree-items.ts'

interface TreeFrameProps {
  top: TreeItems['top']
  onRefresh: () => Promise<void>
  /** Before Refresh. */
  tools?: ReactNode
  children: ReactNode
}

/** A tree under its tools; or that it is read, could not be, or has nothing in it. */
export function TreeFrame({ top, onRefresh, tools, children }: TreeFrameProps) {
  return (
    <div className="node-tree">
      <div className="tree-head">
        {tools}
        <button
          type="button"
          className="icon-button"
          aria-label={t('Refresh')}
          title={t('Refresh')}
          onClick={() => void onRefresh()}
        >
          <RefreshCwIcon className={top.isFetching ? 'turning' : ''} />
        </button>
      </div>
      {top.isError && <p role="alert">{t('Get failed')}</p>}
      {top.isPending && <span className="loading">{t('Loading')}</span>}
      {children}
      {top.data?.length === 0 && <span className="nothing">{t('Empty')}</span>}
    </div>
  )
}
