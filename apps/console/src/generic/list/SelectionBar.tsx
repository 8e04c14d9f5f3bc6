import { XIcon } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { ask } from '../../design/feedback.tsx'
import { t } from '../../lib/i18n.ts'
import { type BulkAction, whyNot } from '../view/actions.ts'
import type { ListedRows } from './use-listed-rows.ts'
import type { RowsWork } from './use-rows-work.ts'

/** No call changes more rows than these (the server's bound of one call). */
const MAX_ROWS = 10_000

interface SelectionBarProps {
  listed: ListedRows
  work: RowsWork
  /** The selection is gone, and this bar with it. */
  onCleared: () => void
}

/**
 * At the foot of the list while rows are ticked, over it as long as it goes on below the screen: how
 * many, the rest of them, and what can be done to all, harmless first. Search and tools stay where
 * they are.
 */
export function SelectionBar({ listed, work, onCleared }: SelectionBarProps) {
  const { selected, setSelected, context, bulkActions } = work
  const { count = 0, seen, rows } = listed
  const [reading, setReading] = useState(false)
  const ids = [...selected]
  const known = ids.flatMap((id) => seen.get(id) ?? [])
  const clear = () => {
    setSelected(new Set())
    onCleared()
  }
  const selectAll = async () => {
    setReading(true)
    try {
      setSelected(new Set([...selected, ...(await listed.readIds(MAX_ROWS))]))
    } catch {
      // The call has shown why; the rows stay ticked.
    } finally {
      setReading(false)
    }
  }
  const run = async (action: BulkAction) => {
    // More than one can see: say how many before anything is done.
    const isOutOfSight = ids.some((id) => !rows.some((row) => row.id === id))
    if (isOutOfSight && !action.asks && !(await ask(questionFor(action, ids.length)))) return
    const refresh = async () => {
      if (action.takesAway) setSelected(new Set())
      await context.refresh()
    }
    await action.run(ids, known, { ...context, refresh })
  }
  return (
    <div className="selection-bar" role="toolbar" aria-label={t('Selected rows')}>
      <span className="selected-count" aria-live="polite">
        {t('{{count}} selected', { count: selected.size })}
      </span>
      {listed.canReadIds && count > rows.length && selected.size < Math.min(count, MAX_ROWS) && (
        <Button size="small" type="text" loading={reading} onClick={() => void selectAll()}>
          {count > MAX_ROWS
            ? t('Select the first {{count}}', { count: MAX_ROWS })
            : t('Select all {{count}}', { count })}
        </Button>
      )}
      <div className="selection-actions">
        {bulkActions.map((action) => (
          <Button
            key={action.name}
            whyDisabled={whyNot(action.can?.(known))}
            size="small"
            danger={action.danger === true}
            onClick={() => void run(action)}
          >
            {t(action.title)}
          </Button>
        ))}
      </div>
      <Button size="small" type="text" icon={<XIcon />} onClick={clear}>
        {t('Clear')}
      </Button>
    </div>
  )
}

const questionFor = (action: BulkAction, count: number) => ({
  title: t(action.title),
  content: t('This applies to {{count}} rows, including those on other pages.', { count }),
  okText: t(action.title),
})
