import '../dialogs-body.css'
import { Button, Modal } from 'antd'
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { ask, showError, showSuccess } from '../../design/feedback.tsx'
import { errorText } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { useLeaveQuestion } from '../../navigation/use-leave-question.ts'
import { session } from '../../session/session.ts'
import type { ListedRows } from '../export/export-range.ts'
import { RangeChoice } from '../export/RangeChoice.tsx'
import { useMetadata } from '../view/metadata.ts'
import type { FileType } from './check-file.ts'
import { DropZone } from './DropZone.tsx'
import { ImportPreview } from './ImportPreview.tsx'
import { type ImportRun, openRun } from './import-run.ts'
import { buttonLabel, countRows } from './import-task.ts'
import { type ImportMode, type RenderedFile, renderFile, rowCalls } from './row-calls.ts'
import { TemplateLinks } from './TemplateLinks.tsx'

/** MB, where the server does not say (spec B9.04). */
const USUAL_LIMIT = 30

const TITLES = { create: msg('Import and create'), update: msg('Import and update') }
const WORDS = { Import: msg('Import'), Stop: msg('Stop'), Continue: msg('Continue'), Finished: msg('Finished@@import') }

export interface ImportDialogProps {
  listed: ListedRows
  /** Offered ways, at least one. */
  modes: readonly ImportMode[]
  /** `changed`: rows were stored. */
  onClose: (changed: boolean) => void
}

interface Preview {
  file: RenderedFile
  name: string
  run: ImportRun
}

/**
 * From a file to stored rows: choose, look through, mend, import (spec A4.17 to A4.22,
 * contract/console-shell.yaml import).
 */
export function ImportDialogBody({ listed, modes, onClose }: ImportDialogProps) {
  const { path } = listed
  const [mode, setMode] = useState<ImportMode>(modes[0] ?? 'create')
  const [preview, setPreview] = useState<Preview>()
  const [reading, setReading] = useState(false)
  const [error, setError] = useState<string>()
  /** Rows of an earlier preview may have been stored too. */
  const changed = useRef(false)
  const metadata = useMetadata(path)
  const fields = metadata.data?.actions.POST ?? metadata.data?.actions.PUT
  const isSecret = useCallback((field: string) => fields?.[field]?.write_only === true, [fields])
  const task = useSyncExternalStore(preview?.run.subscribe ?? neverChanges, () => preview?.run.state().task)
  const onServer = useSyncExternalStore(
    preview?.run.subscribe ?? neverChanges,
    () => preview?.run.state().onServer === true,
  )

  const running = task?.state === 'started'
  const { setDirty } = useLeaveQuestion()
  useEffect(() => setDirty(running), [running, setDirty])
  useEffect(() => () => preview?.run.stop(), [preview])
  if (task?.rows.some(({ status }) => status === 'ok')) changed.current = true
  useOutcome(task?.state === 'done' ? countRows(task.rows) : undefined)

  const limit = Number(session().settings.IMPORT_FILE_LIMIT_MB) || USUAL_LIMIT
  const read = async (file: File, type: FileType) => {
    setReading(true)
    try {
      const rendered = await renderFile(path, file, type)
      const labels = Object.fromEntries(
        Object.entries({ ...metadata.data?.actions.GET, ...fields }).map(([name, { label }]) => [name, label]),
      )
      for (const [label, name] of rendered.title) labels[name] = label
      setPreview({ file: rendered, name: file.name, run: openRun(rendered.data, rowCalls(path, mode, labels)) })
    } catch (failure) {
      setError(errorText(failure))
    } finally {
      setReading(false)
    }
  }
  const close = async () => {
    if (preview && (running || task?.state === 'stopped')) {
      // Cancel stops at once; what is already stored stays (spec A4.18).
      preview.run.stop()
      const { ok, pending } = countRows(preview.run.state().task.rows)
      const question = {
        title: t('Close the import?'),
        content: t(
          '{{ok|row is|rows are}} stored already. {{pending|row still waits and is|rows still wait and are}} not imported.',
          {
            ok,
            pending,
          },
        ),
        okText: t('Close'),
        cancelText: t('Stay'),
      }
      if (pending > 0 && !(await ask(question))) return
    }
    onClose(changed.current)
  }
  const label = task ? buttonLabel(task) : 'Import'
  const press = () => {
    if (label === 'Finished') onClose(changed.current)
    else if (label === 'Stop') preview?.run.stop()
    else void preview?.run.start('here')
  }
  return (
    <Modal
      open
      title={t(TITLES[mode])}
      width="80%"
      style={{ top: 40 }}
      className="import-dialog"
      mask={{ closable: false }}
      onCancel={() => void close()}
      footer={[
        <Button key="cancel" onClick={() => void close()}>
          {t('Cancel')}
        </Button>,
        <Button key="run" type="primary" disabled={!task} loading={onServer && !running} onClick={press}>
          {t(WORDS[label])}
        </Button>,
      ]}
    >
      <RangeChoice
        label={t('Import mode')}
        value={mode}
        disabled={running || onServer || reading}
        onChange={(next) => {
          setMode(next)
          setPreview(undefined)
          setError(undefined)
        }}
        choices={modes.map((value) => ({ value, label: value === 'create' ? t('Create') : t('Update') }))}
      />
      {preview ? (
        <>
          <div className="file-choice">
            <span>{t('File')}</span>
            <div>
              {preview.name}
              <button
                type="button"
                className="link"
                disabled={running || onServer}
                onClick={() => setPreview(undefined)}
              >
                {t('Choose another file')}
              </button>
            </div>
          </div>
          <ImportPreview file={preview.file} name={preview.name} run={preview.run} isSecret={isSecret} />
        </>
      ) : (
        <>
          <TemplateLinks key={mode} mode={mode} listed={listed} />
          <DropZone
            limit={limit}
            busy={reading}
            onFile={(file, type) => void read(file, type)}
            onChoose={() => setError(undefined)}
          />
          {error && (
            <p className="file-error" role="alert">
              {error}
            </p>
          )}
        </>
      )}
    </Modal>
  )
}

const neverChanges = () => () => {}

/** Says once how an import ended (spec B8.12). */
function useOutcome(counts: { ok: number; error: number } | undefined): void {
  const ended = counts !== undefined
  const last = useRef(counts)
  last.current = counts
  useEffect(() => {
    if (!ended || !last.current) return
    const { ok, error } = last.current
    if (error > 0) showError(t('Some rows failed to import. Read why in the table, mend the cells, and continue.'))
    else showSuccess(t('{{count|row is|rows are}} imported', { count: ok }))
  }, [ended])
}
