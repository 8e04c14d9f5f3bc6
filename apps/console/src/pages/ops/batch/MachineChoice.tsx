import { ServerIcon } from 'lucide-react'
import { useRef, useState } from 'react'
import { EmptyState } from '../../../design/EmptyState.tsx'
import { SearchInput } from '../../../design/inputs/SearchInput.tsx'
import { LoadFailed } from '../../../design/LoadFailed.tsx'
import { Skeleton } from '../../../design/Skeleton.tsx'
import { Splitter } from '../../../design/Splitter.tsx'
import type { TreeItem } from '../../../generic/tree/node-items.ts'
import { Tree } from '../../../generic/tree/Tree.tsx'
import { t } from '../../../lib/i18n.ts'
import styles from './batch-command.module.css'
import { isMachine, type useMachines } from './use-machines.ts'

const NONE: ReadonlySet<string> = new Set()

interface MachineChoiceProps {
  words: string
  onWords: (words: string) => void
  machines: ReturnType<typeof useMachines>
}

/** The tree in which machines are ticked, by branches or one by one. */
export function MachineChoice({ words, onWords, machines }: MachineChoiceProps) {
  const { tree, rows, tickOf, tick, toggle } = machines
  const [width, setWidth] = useState(keptWidth)
  const aside = useRef<HTMLElement>(null)
  return (
    <>
      <aside
        ref={aside}
        className={styles.batchMachines}
        style={{ flexBasis: width }}
        aria-label={t('Assets')}
        aria-busy={tree.isPending}
      >
        <SearchInput
          placeholder={t('Name or address')}
          aria-label={t('Name or address')}
          value={words}
          onChange={onWords}
        />
        {tree.isPending && <Skeleton />}
        {tree.isLoadingError && <LoadFailed error={tree.error} onRetry={() => void tree.refetch()} />}
        {tree.isSuccess && rows.length > 0 && (
          <Tree
            label={t('Assets')}
            rows={rows}
            reading={NONE}
            chosen={undefined}
            tickOf={tickOf}
            insteadOfName={nameAndAddress}
            onChoose={tick}
            onToggle={toggle}
          />
        )}
        {tree.isSuccess && rows.length === 0 && (
          <EmptyState icon={<ServerIcon />} title={t('No assets')}>
            {words
              ? t('You may use no asset with this name or address.')
              : t('You may use no SSH asset with this system user.')}
          </EmptyState>
        )}
      </aside>
      <Splitter
        className={styles.batchEdge}
        aria-label={t('Width of the tree')}
        value={width}
        min={WIDTH.min}
        max={widest()}
        step={20}
        valueAt={({ x }) => x - (aside.current?.getBoundingClientRect().left ?? 0)}
        onChange={(px) => {
          localStorage.setItem(WIDTH_KEY, String(px))
          setWidth(px)
        }}
      />
    </>
  )
}

/** A machine by name and address; all else by its name alone. */
const nameAndAddress = (item: TreeItem) =>
  isMachine(item) && (
    <>
      <span className="tree-name" title={`${item.name} ${item.title}`}>
        {item.name}
      </span>
      <small className={styles.batchAddress}>{item.title}</small>
    </>
  )

const WIDTH_KEY = 'sallyport.batch.tree'
/** Room for names and addresses below a few nodes. */
const WIDTH = { min: 220, usual: 360 } as const
const widest = () => Math.max(WIDTH.min, Math.round(innerWidth * 0.6))

/** The width the person left it at in this browser. */
function keptWidth(): number {
  const kept = Number(localStorage.getItem(WIDTH_KEY)) || WIDTH.usual
  return Math.max(WIDTH.min, Math.min(kept, widest()))
}
