import { useMemo, useState, useSyncExternalStore } from 'react'
import { Button } from '../../design/Button.tsx'
import { t } from '../../lib/i18n.ts'
import { saveFile } from '../../lib/save-file.ts'
import { AskedChange } from '../change-preview/AskedChange.tsx'
import type { ChangeCall } from '../change-preview/change.ts'
import { lastPage } from '../rows/list-state.ts'
import { Pager } from '../rows/Pager.tsx'
import { failedRowsFile } from './failed-rows-file.ts'
import type { ImportRun } from './import-run.ts'
import { buttonLabel, countRows, type ImportRow, isPending, type RowStatus } from './import-task.ts'
import { PreviewTable, previewColumns } from './PreviewTable.tsx'
import type { RenderedFile } from './row-calls.ts'
import type { FaultsOf } from './row-faults.ts'
import { useFaultyRows } from './use-faulty-rows.ts'

/** Rows of one page (B9.05). */
const PAGE = 10
/** From here on one by one takes minutes: the server is offered to do it alone. */
const MANY_ROWS = 500
const SECONDS_PER_ROW = 0.15

const TABS = ['total', 'ok', 'error', 'pending'] as const

interface ImportPreviewProps {
  file: RenderedFile
  /** Name of the file. */
  name: string
  run: ImportRun
  /** Fields whose values are not shown. */
  isSecret: (field: string) => boolean
  /** What would be refused of a row that waits, by field. */
  faultsOf: FaultsOf
  /** The call that imports rows at once, where they decide who may do what. */
  change: ((rows: readonly ImportRow[]) => ChangeCall) | undefined
}

/**
 * Counts, progress, and the rows of the file with what became of them
 * (docs/rules/import-export.md#import).
 */
export function ImportPreview({ file, name, run, isSecret, faultsOf, change }: ImportPreviewProps) {
  const { task, onServer, failure } = useSyncExternalStore(run.subscribe, run.state)
  const [status, setStatus] = useState<RowStatus | 'total'>('total')
  const [page, setPage] = useState(1)
  const columns = useMemo(() => previewColumns(file.title, file.data, isSecret), [file, isSecret])
  // Our own column in the file of failed rows is for people.
  const ignored = file.ignored?.filter((title) => title !== t('Reason')) ?? []
  const counts = countRows(task.rows)
  const isRunning = task.state === 'started'
  const faulty = useFaultyRows(task.rows, faultsOf, isRunning)
  const shown = status === 'total' ? task.rows : task.rows.filter((row) => row.status === status)
  // Rows leave a tab while it is looked at.
  const at = Math.min(page, lastPage(shown.length, PAGE))
  const done = counts.total - counts.pending
  const label = buttonLabel(task)
  const left = label === 'Continue' && task.state === 'done' ? counts.error : counts.pending
  return (
    <div className="import-preview">
      <div className="import-bar">
        <StatusTabs
          chosen={status}
          counts={counts}
          onChoose={(tab) => {
            setStatus(tab)
            setPage(1)
          }}
        />
        {counts.error > 0 && task.state !== 'started' && (
          <Button
            size="small"
            onClick={() =>
              saveFile(
                new Blob([failedRowsFile(file.title, task.rows, t('Reason'))], { type: 'text/csv' }),
                `failed_${name.replace(/\.\w+$/, '')}.csv`,
              )
            }
          >
            {t('Download failed rows')}
          </Button>
        )}
      </div>
      <div className="file-progress" role="status">
        <progress aria-label={t('Progress')} max={counts.total} value={done} />
        <span>{Math.floor((done / counts.total) * 100)}%</span>
        {onServer && (
          <span>{task.state === 'started' ? t('The server imports the rows.') : t('The server is stopping…')}</span>
        )}
      </div>
      {ignored.length > 0 && (
        <p className="file-note" role="status">
          {t('Columns that are not recognized and not imported: {{titles}}', { titles: ignored.join(', ') })}
        </p>
      )}
      {!isRunning && counts.pending > 0 && (
        <p className={faulty ? 'file-error' : 'file-note'} role="status">
          {faulty === undefined && t('Checking the rows…')}
          {faulty !== undefined &&
            (faulty > 0
              ? t('{{count|row|rows}} would be refused: correct the marked cells.', { count: faulty })
              : t('Checked: nothing is missing in these rows.'))}
        </p>
      )}
      {failure && (
        <p className="file-error" role="alert">
          {failure}
        </p>
      )}
      {left > MANY_ROWS && task.state !== 'started' && !onServer && (
        <ServerOffer rows={left} onAccept={() => void run.start('server')} />
      )}
      {change && !isRunning && !onServer && counts.pending > 0 && (
        <AskedChange call={() => change(task.rows.filter(isPending))} />
      )}
      <PreviewTable
        columns={columns}
        rows={shown
          .slice((at - 1) * PAGE, at * PAGE)
          .map((row) => (isPending(row) && !isRunning ? { ...row, errors: faultsOf(row.values) } : row))}
        canEdit={({ index }) => !onServer && index !== task.sending}
        onEdit={run.edit}
      />
      <Pager count={shown.length} page={at} size={PAGE} label={t('Pages of the file')} onPage={setPage} />
    </div>
  )
}

type Tab = (typeof TABS)[number]

interface StatusTabsProps {
  chosen: Tab
  counts: Readonly<Record<Tab, number>>
  onChoose: (tab: Tab) => void
}

function StatusTabs({ chosen, counts, onChoose }: StatusTabsProps) {
  const titles = { total: t('Total'), ok: t('Success'), error: t('Failed'), pending: t('Pending') }
  return (
    <fieldset className="status-tabs" aria-label={t('Status')}>
      {TABS.map((tab) => (
        <button key={tab} type="button" aria-pressed={chosen === tab} onClick={() => onChoose(tab)}>
          {titles[tab]} <b>{counts[tab]}</b>
        </button>
      ))}
    </fieldset>
  )
}

function ServerOffer({ rows, onAccept }: { rows: number; onAccept: () => void }) {
  return (
    <div className="server-offer">
      <p>
        {t(
          'Importing {{count}} rows from this page takes about {{minutes}} minutes, and the page must stay open. The server can do it alone, and faster.',
          { count: rows, minutes: Math.ceil((rows * SECONDS_PER_ROW) / 60) },
        )}
      </p>
      <Button onClick={onAccept}>{t('Import on the server')}</Button>
    </div>
  )
}
