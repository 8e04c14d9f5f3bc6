import { XIcon } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { ask } from '../../design/dialogs/feedback.tsx'
import { formatNumber } from '../../lib/format.ts'
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
 * many, on this page and on others, the rest of them, and what can be done to all, harmless first.
 * What it says is what actions are done to, whichever page one is on. Search and tools stay where
 * they are.
 */
export function SelectionBar({ listed, work, onCleared }: SelectionBarProps) {
  const { selected, setSelected, context, bulkActions } = work
  const { count = 0, seen, rows, state } = listed
  const [reading, setReading] = useState(false)
  const ids = [...selected]
  const known = ids.flatMap((id) => seen.get(id) ?? [])
  const here = rows.filter(({ id }) => selected.has(id)).length
  const elsewhere = ids.length - here
  const isNarrowed = state.search.length > 0 || Object.keys(state.filters).length > 0
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
    if (elsewhere > 0 && !action.asks && !(await ask(questionFor(action, here, elsewhere)))) return
    const refresh = async () => {
      if (action.takesAway) setSelected(new Set())
      await context.refresh()
    }
    await action.run(ids, known, { ...context, refresh })
  }
  return (
    <div className="selection-bar" role="toolbar" aria-label={t('Selected rows')}>
      <span className="selected-count" aria-live="polite">
        <b>{t('{{count}} selected', { count: formatNumber(selected.size) })}</b>
        {elsewhere > 0 && (
          <small>
            {here > 0
              ? t('{{here}} on this page, {{others}} on others', places(here, elsewhere))
              : t('none on this page')}
          </small>
        )}
      </span>
      {listed.canReadIds && count > rows.length && selected.size < Math.min(count, MAX_ROWS) && (
        <Button size="small" type="text" loading={reading} onClick={() => void selectAll()}>
          {selectAllWords(count, isNarrowed)}
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

const places = (here: number, elsewhere: number) => ({ here: formatNumber(here), others: formatNumber(elsewhere) })

function selectAllWords(count: number, isNarrowed: boolean): string {
  if (count > MAX_ROWS) return t('Select the first {{count}}', { count: formatNumber(MAX_ROWS) })
  const values = { count: formatNumber(count) }
  return isNarrowed ? t('Select all {{count}} that match', values) : t('Select all {{count}}', values)
}

const questionFor = (action: BulkAction, here: number, elsewhere: number) => ({
  title: t('{{action}}: {{count|row|rows}}', { action: t(action.title), count: here + elsewhere }),
  content: t('{{here}} on this page and {{others}} on other pages.', places(here, elsewhere)),
  okText: t(action.title),
})
