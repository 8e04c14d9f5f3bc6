/** The calls of an import (B7.43 to B7.45, docs/rules/import-export.md#import). */
import { IMPORT_HEADER } from '@sallyport/contract/resources/audits/undo.ts'
import { noteChange } from '../../design/dialogs/last-change.ts'
import { ApiError, api, errorText } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import type { ChangeCall } from '../change-preview/change.ts'
import { formErrors } from '../view/form-errors.ts'
import type { FileType } from './check-file.ts'
import type { ImportRow, RowAnswer } from './import-task.ts'

export type ImportMode = 'create' | 'update'
type Values = ImportRow['values']

/** What render-to-json makes of a file; `title` holds label and field name of each column. */
export interface RenderedFile {
  title: (readonly [string, string])[]
  data: Values[]
  /** Titles of columns that the resource does not have. */
  ignored?: string[]
}

/** A large file takes longer to send and to read than an ordinary call. */
const LONG_TIMEOUT_MS = 180_000
const POLL_MS = 500
/** Polls that may find no server in a row before an import is given up; it goes on all the same. */
const POLL_FAILURES = 60
/** Results in one answer of the server; a full one has more behind it. */
const RESULTS = 1000
/** Rows in one upload, of which the server takes sixteen megabytes. */
const ROWS_AT_ONCE = 5000
/** No server, or a proxy without one behind it. */
const NO_SERVER = [0, 502, 503, 504]
/** Without a server, a sign-in or permission, every further row would fail as well. */
const STOPS_ALL = [...NO_SERVER, 401, 403]

/** An encoding that a file may be of; `label` is translated, `sample` some of its lines in it. */
export interface EncodingOffer {
  encoding: string
  label: string
  sample: readonly string[]
}

/** `encoding`: one of those that the server offered for this file. */
export function renderFile(path: string, file: File, type: FileType, encoding?: string): Promise<RenderedFile> {
  const headers = { 'Content-Type': `text/${type}` }
  const options = { headers, query: { encoding }, quiet: true, timeout: LONG_TIMEOUT_MS }
  return api.post<RenderedFile>(`${path}render-to-json/`, file, options)
}

/** The server's question when a file could be of several encodings; undefined for any other failure. */
export function offeredEncodings(failure: unknown): readonly EncodingOffer[] | undefined {
  const body = failure instanceof ApiError ? (failure.body as { encodings?: EncodingOffer[] } | undefined) : undefined
  return Array.isArray(body?.encodings) ? body.encodings : undefined
}

/**
 * A row as it is sent. On create an empty cell means "as when nothing is said", so that defaults
 * apply; an update takes it as emptied.
 */
export function bodyOf(mode: ImportMode, values: Values): Values {
  if (mode === 'update') return values
  const hasText = ([, value]: [string, unknown]) =>
    value !== '' && value !== undefined && !(Array.isArray(value) && value.length === 0)
  return Object.fromEntries(Object.entries(values).filter(hasText))
}

/**
 * Field name → "label: what is wrong"; under the empty name what belongs to no field (B8.12).
 */
export function rowErrors(error: ApiError, labels: Readonly<Record<string, string>>): Record<string, string> {
  if (!error.fields) return { '': errorText(error) }
  const { fields, others } = formErrors(
    error.fields,
    Object.entries(labels).map(([name, label]) => ({ name, label })),
  )
  const errors: Record<string, string> = {}
  for (const { path, text } of fields) errors[path[0] ?? ''] = `${labels[path[0] ?? ''] ?? path[0]}: ${text}`
  if (others.length > 0) errors[''] = others.join('; ')
  return Object.keys(errors).length > 0 ? errors : { '': errorText(error) }
}

export interface RowCalls {
  /** Sends one row; `halt` says that the next ones would fare no better. */
  send(row: ImportRow): Promise<RowAnswer & { halt?: boolean }>
  /**
   * Sends all rows at once and tells the answers as they come, until the end or until the signal
   * stops it. Returns how it ended.
   * @throws ApiError when the server does not take them
   */
  sendAll(
    rows: readonly ImportRow[],
    tell: (answers: RowAnswer[]) => void,
    signal: AbortSignal,
  ): Promise<'done' | 'stopped' | 'interrupted'>
}

interface Progress {
  status: 'waiting' | 'running' | 'done' | 'stopped' | 'interrupted'
  finished: boolean
  results: { index: number; errors: unknown }[]
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Any UUID; browsers offer theirs only over HTTPS. */
const newImport = () =>
  '10000000-1000-4000-8000-100000000000'.replace(/[018]/g, (digit) =>
    (Number(digit) ^ ((crypto.getRandomValues(new Uint8Array(1))[0] ?? 0) & (15 >> (Number(digit) / 4)))).toString(16),
  )

/** The calls for one list; `labels` name the fields in messages. */
export function rowCalls(path: string, mode: ImportMode, labels: Readonly<Record<string, string>>): RowCalls {
  // All rows of the file are taken back together.
  const headers = { [IMPORT_HEADER]: newImport() }
  return {
    async send({ index, values }) {
      try {
        const body = bodyOf(mode, values)
        if (mode === 'create') await api.post(path, body, { quiet: true, headers })
        else {
          const id = String(values.id ?? '').trim()
          if (id === '') throw new ApiError(400, { id: [t('This field is required')] }, '')
          await api.put(`${path}${encodeURIComponent(id)}/`, body, { quiet: true, headers })
        }
        return { index, errors: undefined }
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        return { index, errors: rowErrors(error, labels), halt: STOPS_ALL.includes(error.status) }
      }
    },
    async sendAll(rows, tell, signal) {
      for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
        const end = await followJob(path, mode, rows.slice(start, start + ROWS_AT_ONCE), labels, tell, signal, headers)
        if (end !== 'done') return end
      }
      return 'done'
    },
  }
}

const jobsOf = (path: string) => `${path}import-jobs/`
const jobBody = (mode: ImportMode, rows: readonly ImportRow[]) => ({
  mode,
  rows: rows.map(({ values }) => bodyOf(mode, values)),
})

/** The call that has the server import these rows, of which a preview can be asked. */
export const importCall = (path: string, mode: ImportMode, rows: readonly ImportRow[]): ChangeCall => ({
  method: 'POST',
  address: jobsOf(path),
  body: jobBody(mode, rows),
})

/** One upload, and its answers to the end. */
async function followJob(
  path: string,
  mode: ImportMode,
  rows: readonly ImportRow[],
  labels: Readonly<Record<string, string>>,
  tell: (answers: RowAnswer[]) => void,
  signal: AbortSignal,
  headers: Record<string, string>,
): Promise<'done' | 'stopped' | 'interrupted'> {
  const { id, change } = await api.post<{ id: string; change?: string }>(jobsOf(path), jobBody(mode, rows), {
    quiet: true,
    timeout: LONG_TIMEOUT_MS,
    headers,
  })
  const job = `${jobsOf(path)}${id}/`
  let after = -1
  let stopped = false
  for (let failures = 0; ; ) {
    try {
      if (signal.aborted && !stopped) {
        await api.delete(job, { quiet: true })
        stopped = true
      }
      const { status, finished, results } = await api.get<Progress>(job, { query: { after }, quiet: true })
      failures = 0
      after = results.at(-1)?.index ?? after
      if (results.length > 0) tell(answersOf(rows, results, labels))
      if (finished && results.length < RESULTS) noteChange(change ?? null)
      if (finished && results.length < RESULTS)
        return status === 'done' || status === 'stopped' ? status : 'interrupted'
      if (results.length < RESULTS) await wait(POLL_MS)
    } catch (error) {
      if (!(error instanceof ApiError) || !NO_SERVER.includes(error.status) || ++failures > POLL_FAILURES) throw error
      await wait(POLL_MS)
    }
  }
}

/** The server counts the rows that it was sent; a row's own index counts those of the file. */
function answersOf(
  rows: readonly ImportRow[],
  results: Progress['results'],
  labels: Readonly<Record<string, string>>,
): RowAnswer[] {
  return results.flatMap(({ index, errors }) => {
    const row = rows[index]
    return row
      ? [{ index: row.index, errors: errors === null ? undefined : rowErrors(new ApiError(400, errors, ''), labels) }]
      : []
  })
}
