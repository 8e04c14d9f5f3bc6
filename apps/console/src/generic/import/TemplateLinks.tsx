import { useState } from 'react'
import { download, errorText, type Query } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { saveFile } from '../../lib/save-file.ts'
import { type ExportRange, enabledRanges, type ListedRows, rangeQuery } from '../export/export-range.ts'
import { RangeChoice } from '../export/RangeChoice.tsx'
import { selectionReference } from '../rows/selection-reference.ts'
import type { FileType } from './check-file.ts'
import type { ImportMode } from './row-calls.ts'

/** `one`: a single row that shows how the file is filled in. */
type TemplateRange = ExportRange | 'one'

/** Files to fill in; those for updates hold the rows that are to be changed (B7.43). */
export function TemplateLinks({ mode, listed }: { mode: ImportMode; listed: ListedRows }) {
  const enabled = enabledRanges(listed)
  const [range, setRange] = useState<TemplateRange>(enabled.selected ? 'selected' : 'one')
  const [busy, setBusy] = useState<FileType>()
  const [error, setError] = useState<string>()
  const fetchTemplate = async (type: FileType) => {
    if (busy) return
    setBusy(type)
    setError(undefined)
    try {
      const query =
        mode === 'create' ? { template: 'import', limit: 1 } : { template: 'update', ...(await rowsOf(listed, range)) }
      const { blob, name } = await download(listed.path, { query: { ...query, format: type }, quiet: true })
      saveFile(blob, name)
    } catch (failure) {
      setError(errorText(failure))
    } finally {
      setBusy(undefined)
    }
  }
  return (
    <>
      {mode === 'update' && (
        <RangeChoice
          label={t('Rows of the template')}
          value={range}
          onChange={setRange}
          options={[
            { value: 'one', label: t('One row as a sample') },
            { value: 'all', label: t('All rows'), disabled: !enabled.all },
            { value: 'selected', label: t('Only selected items'), disabled: !enabled.selected },
            { value: 'filtered', label: t('Only filtered'), disabled: !enabled.filtered },
          ]}
        />
      )}
      <div className="file-choice">
        <span>{t('Template')}</span>
        <div>
          {(['csv', 'xlsx'] as const).map((type) => (
            <button
              key={type}
              type="button"
              className="link"
              aria-busy={busy === type}
              onClick={() => void fetchTemplate(type)}
            >
              {mode === 'create'
                ? t('Download {{type}} template', { type: type.toUpperCase() })
                : t('Download {{type}} with rows', { type: type.toUpperCase() })}
            </button>
          ))}
          {error && (
            <p className="file-error" role="alert">
              {error}
            </p>
          )}
        </div>
      </div>
    </>
  )
}

async function rowsOf(listed: ListedRows, range: TemplateRange): Promise<Query> {
  return range === 'one' ? { ...listed.fixed, limit: 1 } : rangeQuery(listed, range, selectionReference)
}
