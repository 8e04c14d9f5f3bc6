import '../dialogs-body.css'
import { useEffect, useRef, useState } from 'react'
import { DialogButtons } from '../../design/dialogs/DialogButtons.tsx'
import { showSuccess } from '../../design/dialogs/feedback.tsx'
import { LazyDialog } from '../../design/dialogs/lazy-dialog.tsx'
import { download, errorText } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { saveFile } from '../../lib/save-file.ts'
import { selectionReference } from '../rows/selection-reference.ts'
import {
  type ExportRange,
  enabledRanges,
  firstRange,
  hasDateRange,
  type ListedRows,
  rangeQuery,
} from './export-range.ts'
import { RangeChoice } from './RangeChoice.tsx'

export interface ExportDialogProps {
  listed: ListedRows
  onClose: () => void
}

/** Chooses file type and range, then waits for the file (docs/rules/import-export.md#export). */
export function ExportDialog({ listed, onClose }: ExportDialogProps) {
  const [type, setType] = useState<FileType>('csv')
  const [range, setRange] = useState<ExportRange>(() => firstRange(listed))
  const { bytes, error, run } = useExport(listed, onClose)
  const enabled = enabledRanges(listed)
  const busy = bytes !== undefined
  return (
    <LazyDialog
      title={t('Export')}
      width={560}
      onClose={onClose}
      error={error}
      foot={
        <DialogButtons okText={t('Confirm')} isPending={busy} onCancel={onClose} onOk={() => void run(type, range)} />
      }
    >
      <RangeChoice
        label={t('File type')}
        value={type}
        onChange={setType}
        disabled={busy}
        options={[
          { value: 'csv', label: 'CSV' },
          { value: 'xlsx', label: 'XLSX' },
        ]}
      />
      <RangeChoice
        label={t('Export range')}
        value={range}
        onChange={setRange}
        disabled={busy}
        options={[
          { value: 'all', label: t('Export all'), disabled: !enabled.all },
          { value: 'selected', label: t('Export only selected items'), disabled: !enabled.selected },
          { value: 'filtered', label: t('Export only filtered'), disabled: !enabled.filtered },
        ]}
        help={
          range !== 'selected' && hasDateRange(listed)
            ? t('Only rows within the chosen time span are in the file.')
            : enabled.all
              ? undefined
              : t('Clear the search and filters to export everything.')
        }
      />
      {bytes !== undefined && <ExportProgress bytes={bytes} />}
    </LazyDialog>
  )
}

type FileType = 'csv' | 'xlsx'

/** Asks for the file and saves it; leaving the dialog ends that. */
function useExport(listed: ListedRows, onDone: () => void) {
  /** Bytes that have come, while the file is made and sent. */
  const [bytes, setBytes] = useState<number>()
  const [error, setError] = useState<string>()
  const underWay = useRef<AbortController>(undefined)
  useEffect(() => () => underWay.current?.abort(), [])
  const run = async (type: FileType, range: ExportRange) => {
    const { signal } = (underWay.current = new AbortController())
    setBytes(0)
    setError(undefined)
    try {
      const query = { ...(await rangeQuery(listed, range, selectionReference)), format: type }
      const { blob, name } = await download(listed.path, { query, signal, quiet: true, onBytes: setBytes })
      if (signal.aborted) return
      saveFile(blob, name)
      showSuccess(t('{{name}} is downloaded', { name }))
      onDone()
    } catch (failure) {
      if (signal.aborted) return
      setError(errorText(failure))
      setBytes(undefined)
    }
  }
  return { bytes, error, run }
}

function ExportProgress({ bytes }: { bytes: number }) {
  return (
    <div className="file-progress" role="status">
      <progress aria-label={t('Export')} />
      <span>
        {bytes === 0 ? t('Preparing the file…') : t('{{size}} MB received', { size: (bytes / 2 ** 20).toFixed(1) })}
      </span>
    </div>
  )
}
