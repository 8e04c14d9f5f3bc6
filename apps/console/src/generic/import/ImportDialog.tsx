import '../dialogs-body.css'
import { Button } from '../../design/Button.tsx'
import { Dialog } from '../../design/dialogs/Dialog.tsx'
import { ask } from '../../design/dialogs/feedback.tsx'
import { msg, t } from '../../lib/i18n.ts'
import { session } from '../../session/session.ts'
import type { ListedRows } from '../export/export-range.ts'
import { RangeChoice } from '../export/RangeChoice.tsx'
import { DropZone } from './DropZone.tsx'
import { EncodingChoice } from './EncodingChoice.tsx'
import { ImportPreview } from './ImportPreview.tsx'
import { buttonLabel, countRows } from './import-task.ts'
import { type ImportMode, importCall } from './row-calls.ts'
import { TemplateLinks } from './TemplateLinks.tsx'
import { type Import, useImport } from './use-import.ts'

/** MB, where the server does not say (B9.04). */
const USUAL_LIMIT = 30

const TITLES = { create: msg('Import and create'), update: msg('Import and update') }
const WORDS = { Import: msg('Import'), Stop: msg('Stop'), Continue: msg('Continue'), Finished: msg('Finished@@import') }

export interface ImportDialogProps {
  listed: ListedRows
  /** Offered ways, at least one. */
  modes: readonly ImportMode[]
  /** Whether the rows decide who may do what, so that a file can be asked what it changes. */
  bearsRights?: boolean
  /** `changed`: rows were stored. */
  onClose: (changed: boolean) => void
}

/**
 * From a file to stored rows: choose, look through, mend, import (A4.17 to A4.22,
 * docs/rules/import-export.md#import).
 */
export function ImportDialog({ listed, modes, bearsRights = false, onClose }: ImportDialogProps) {
  const work = useImport(listed.path, modes[0] ?? 'create')
  const { mode, preview, task, running, onServer, hasChanged } = work
  const close = async () => {
    if (await mayClose(work)) onClose(hasChanged())
  }
  const label = task ? buttonLabel(task) : 'Import'
  const press = () => {
    if (label === 'Finished') onClose(hasChanged())
    else if (label === 'Stop') preview?.run.stop()
    else void preview?.run.start('here')
  }
  return (
    <Dialog
      title={t(TITLES[mode])}
      width={1200}
      onClose={() => void close()}
      foot={
        <>
          {/* Stored rows stay: where the work is over, nothing can be cancelled any more. */}
          {label !== 'Finished' && (
            <Button onClick={() => void close()}>{task?.state === 'done' ? t('Done@@import') : t('Cancel')}</Button>
          )}
          <Button type="primary" disabled={!task} loading={onServer && !running} onClick={press}>
            {t(WORDS[label])}
          </Button>
        </>
      }
    >
      <RangeChoice
        label={t('Import mode')}
        value={mode}
        disabled={running || onServer || work.reading}
        onChange={work.setMode}
        options={modes.map((value) => ({ value, label: value === 'create' ? t('Create') : t('Update') }))}
      />
      {preview ? (
        <>
          <div className="file-choice">
            <span>{t('File')}</span>
            <div>
              {preview.name}
              <button type="button" className="link" disabled={running || onServer} onClick={work.leavePreview}>
                {t('Choose another file')}
              </button>
            </div>
          </div>
          <ImportPreview
            file={preview.file}
            name={preview.name}
            run={preview.run}
            isSecret={work.isSecret}
            faultsOf={work.faultsOf}
            change={bearsRights ? (rows) => importCall(listed.path, mode, rows) : undefined}
          />
        </>
      ) : (
        <FileChoice listed={listed} work={work} />
      )}
    </Dialog>
  )
}

/** The templates, and where a file is put. */
function FileChoice({
  listed,
  work: { mode, reading, read, error, unsure, forgetError },
}: {
  listed: ListedRows
  work: Import
}) {
  const limit = Number(session().settings.IMPORT_FILE_LIMIT_MB) || USUAL_LIMIT
  return (
    <>
      <TemplateLinks key={mode} mode={mode} listed={listed} />
      <DropZone limit={limit} busy={reading} onFile={(file, type) => void read(file, type)} onChoose={forgetError} />
      {unsure && (
        <EncodingChoice
          key={unsure.file.name}
          name={unsure.file.name}
          offers={unsure.offers}
          busy={reading}
          onChoose={(encoding) => void read(unsure.file, unsure.type, encoding)}
        />
      )}
      {error && (
        <p className="file-error" role="alert">
          {error}
        </p>
      )}
    </>
  )
}

/** Stops an import that goes on, and asks when rows would be left behind. */
async function mayClose({ preview, task, running }: Import): Promise<boolean> {
  if (!preview || !(running || task?.state === 'stopped')) return true
  // Cancel stops at once; what is already stored stays (A4.18).
  preview.run.stop()
  const { ok, pending } = countRows(preview.run.state().task.rows)
  if (pending === 0) return true
  return ask({
    title: t('Close the import?'),
    content: t(
      '{{ok|row is|rows are}} stored already. {{pending|row still waits and is|rows still wait and are}} not imported.',
      { ok, pending },
    ),
    okText: t('Close'),
    cancelText: t('Stay'),
  })
}
