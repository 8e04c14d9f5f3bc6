import { ServerIcon } from 'lucide-react'
import { EmptyState } from '../../../design/EmptyState.tsx'
import { LoadFailed } from '../../../design/LoadFailed.tsx'
import { Skeleton } from '../../../design/Skeleton.tsx'
import { Tree } from '../../../generic/tree/Tree.tsx'
import { Input } from '../../../generic/widgets/inputs.tsx'
import { t } from '../../../lib/i18n.ts'
import type { useMachines } from './use-machines.ts'

const NONE: ReadonlySet<string> = new Set()

interface MachineChoiceProps {
  words: string
  onWords: (words: string) => void
  machines: ReturnType<typeof useMachines>
}

/** The tree in which machines are ticked, by branches or one by one. */
export function MachineChoice({ words, onWords, machines }: MachineChoiceProps) {
  const { tree, rows, tickOf, tick, toggle } = machines
  return (
    <aside className="batch-machines" aria-label={t('Assets')} aria-busy={tree.isPending}>
      <Input
        type="search"
        placeholder={t('Name or address')}
        aria-label={t('Name or address')}
        value={words}
        onChange={({ target }) => onWords(target.value)}
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
  )
}
