import { ChevronDownIcon, FolderTreeIcon, PanelLeftCloseIcon, RefreshCwIcon, XIcon } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import { t } from '../../lib/i18n.ts'
import { useNarrow } from '../../navigation/use-narrow.ts'
import { bareName, type TreeItem } from './node-items.ts'
import type { TreeItems } from './use-tree-items.ts'

interface TreeFrameProps {
  /** Title of the tree and of all its items; already translated. Nodes when absent. */
  label?: string
  all?: string
  top: TreeItems['top']
  chosen: TreeItem | undefined
  onRefresh: () => Promise<void>
  /** Where the tree can make room for the list. */
  onHide?: (() => void) | undefined
  /** Above the tree. */
  search: ReactNode
  /** Before Refresh. */
  tools?: ReactNode
  children: ReactNode
}

/**
 * A tree under its search and tools; or that it is read, could not be, or has nothing in it. Where
 * there is no room beside the list, it slides over it from a button that names what is chosen.
 */
export function TreeFrame(props: TreeFrameProps) {
  const { chosen, label = t('Nodes'), all = t('All nodes') } = props
  const narrow = useNarrow()
  const [isOpen, setOpen] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)
  const chosenId = chosen?.id
  // biome-ignore lint/correctness/useExhaustiveDependencies: another choice closes it
  useEffect(() => setOpen(false), [chosenId])
  if (!narrow) return <Panel {...props} />
  const close = () => {
    setOpen(false)
    opener.current?.focus()
  }
  return (
    <>
      <Button
        ref={opener}
        block
        className="tree-opener"
        icon={<FolderTreeIcon />}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      >
        <span className="tree-name">{chosen ? bareName(chosen.name) : all}</span>
        <ChevronDownIcon />
      </Button>
      {isOpen && (
        <Drawer label={label} onClose={close}>
          <Panel {...props} onHide={undefined} />
        </Drawer>
      )}
    </>
  )
}

function Panel({ top, onRefresh, onHide, search, tools, children }: TreeFrameProps) {
  return (
    <div className="node-tree">
      <div className="tree-head">
        {search}
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
        {onHide && (
          <button
            type="button"
            className="icon-button"
            aria-label={t('Hide the tree')}
            title={t('Hide the tree')}
            onClick={onHide}
          >
            <PanelLeftCloseIcon />
          </button>
        )}
      </div>
      {top.isError && !top.data && <LoadFailed error={top.error} onRetry={() => void top.refetch()} />}
      {top.isPending && <Skeleton lines={6} />}
      {children}
      {top.data?.length === 0 && <span className="find-nothing">{t('Empty')}</span>}
    </div>
  )
}

/** From the left edge over the page, until Escape or a press beside it. */
function Drawer({ label, onClose, children }: { label: string; onClose: () => void; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => box.current?.focus(), [])
  return (
    <>
      <div className="shade" aria-hidden="true" onClick={onClose} />
      {/* A dialog of its own, as the sidebar slides in. */}
      <div
        ref={box}
        className="tree-drawer"
        role="dialog"
        aria-modal="true"
        aria-label={label}
        tabIndex={-1}
        onKeyDown={(event) => event.key === 'Escape' && onClose()}
      >
        <div className="tree-drawer-head">
          <h2>{label}</h2>
          <button type="button" className="icon-button" aria-label={t('Close')} onClick={onClose}>
            <XIcon />
          </button>
        </div>
        {children}
      </div>
    </>
  )
}
