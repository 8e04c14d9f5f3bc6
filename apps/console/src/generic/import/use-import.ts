import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { showError, showSuccess } from '../../design/dialogs/feedback.tsx'
import { errorText } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { useLeaveQuestion } from '../../navigation/use-leave-question.ts'
import { useMetadata } from '../view/metadata.ts'
import type { FileType } from './check-file.ts'
import { type ImportRun, openRun } from './import-run.ts'
import { countRows } from './import-task.ts'
import {
  type EncodingOffer,
  type ImportMode,
  offeredEncodings,
  type RenderedFile,
  renderFile,
  rowCalls,
} from './row-calls.ts'
import { rowFaults } from './row-faults.ts'

interface Preview {
  file: RenderedFile
  name: string
  run: ImportRun
}

/** A file whose letters could be several. */
interface UnsureFile {
  file: File
  type: FileType
  offers: readonly EncodingOffer[]
}

/** A file on its way to stored rows: read by the server, then looked through and imported. */
export function useImport(path: string, firstMode: ImportMode) {
  const [mode, setMode] = useState(firstMode)
  const [preview, setPreview] = useState<Preview>()
  const [reading, setReading] = useState(false)
  const [error, setError] = useState<string>()
  const [unsure, setUnsure] = useState<UnsureFile>()
  /** Rows of an earlier preview may have been stored too. */
  const changed = useRef(false)
  const metadata = useMetadata(path)
  const fields = metadata.data?.actions.POST ?? metadata.data?.actions.PUT
  const faultsOf = useMemo(() => rowFaults(fields ?? {}, mode), [fields, mode])
  const isSecret = useCallback((field: string) => fields?.[field]?.write_only === true, [fields])
  const subscribe = preview?.run.subscribe ?? neverChanges
  const task = useSyncExternalStore(subscribe, () => preview?.run.state().task)
  const onServer = useSyncExternalStore(subscribe, () => preview?.run.state().onServer === true)
  const running = task?.state === 'started'
  const { setDirty } = useLeaveQuestion()
  useEffect(() => setDirty(running), [running, setDirty])
  useEffect(() => () => preview?.run.stop(), [preview])
  if (task?.rows.some(({ status }) => status === 'ok')) changed.current = true
  useOutcome(task?.state === 'done' ? countRows(task.rows) : undefined)

  const read = async (file: File, type: FileType, encoding?: string) => {
    setReading(true)
    try {
      const rendered = await renderFile(path, file, type, encoding)
      setUnsure(undefined)
      const labels = Object.fromEntries(
        Object.entries({ ...metadata.data?.actions.GET, ...fields }).map(([name, { label }]) => [name, label]),
      )
      for (const [label, name] of rendered.title) labels[name] = label
      setPreview({ file: rendered, name: file.name, run: openRun(rendered.data, rowCalls(path, mode, labels)) })
    } catch (failure) {
      const offers = offeredEncodings(failure)
      setUnsure(offers && { file, type, offers })
      if (!offers) setError(errorText(failure))
    } finally {
      setReading(false)
    }
  }
  return {
    mode,
    /** Another mode begins with another file. */
    setMode: (next: ImportMode) => {
      setMode(next)
      setPreview(undefined)
      setError(undefined)
      setUnsure(undefined)
    },
    preview,
    leavePreview: () => setPreview(undefined),
    task,
    running,
    /** The server goes on with the rows by itself. */
    onServer,
    reading,
    read,
    /** Why the file could not be read. */
    error,
    /** The file that needs a choice of encoding. */
    unsure,
    /** A new try: what was said about the last file is over. */
    forgetError: () => {
      setError(undefined)
      setUnsure(undefined)
    },
    isSecret,
    /** What would be refused of a row that waits. */
    faultsOf,
    /** Whether rows were stored. */
    hasChanged: () => changed.current,
  }
}

export type Import = ReturnType<typeof useImport>

const neverChanges = () => () => {}

/** Says once how an import ended (B8.12). */
function useOutcome(counts: { ok: number; error: number } | undefined): void {
  const ended = counts !== undefined
  const last = useRef(counts)
  last.current = counts
  useEffect(() => {
    if (!ended || !last.current) return
    const { ok, error } = last.current
    if (error > 0) showError(t('Some rows failed to import. See why in the table, correct the cells and continue.'))
    else showSuccess(t('{{count|row is|rows are}} imported', { count: ok }))
  }, [ended])
}
