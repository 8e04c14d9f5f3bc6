/**
 * An import as a state machine: which rows wait, went in or failed, and what the button does next
 * (A4.17 to A4.22, docs/rules/import-export.md#import).
 */
export type TaskState = 'pending' | 'started' | 'stopped' | 'done'
export type RowStatus = 'pending' | 'ok' | 'error'

export interface ImportRow {
  /** Place in the file, from 0. */
  index: number
  values: Readonly<Record<string, unknown>>
  status: RowStatus
  /** Field name → what is wrong; the empty name holds what belongs to no field. */
  errors: Readonly<Record<string, string>>
}

/** What became of a row that was sent; without errors it is stored. */
export interface RowAnswer {
  index: number
  errors: ImportRow['errors'] | undefined
}

export interface ImportTask {
  state: TaskState
  rows: readonly ImportRow[]
  /** The row whose answer is awaited; it cannot be edited, since its values are on their way. */
  sending: number | undefined
}

export type ImportEvent =
  | { type: 'run' }
  | { type: 'stop' }
  | { type: 'sending'; index: number }
  | { type: 'ok'; index: number }
  | { type: 'failed'; index: number; errors: ImportRow['errors'] }
  | { type: 'answered'; answers: readonly RowAnswer[] }
  | { type: 'edit'; index: number; field: string; value: unknown }

export function newTask(data: readonly ImportRow['values'][]): ImportTask {
  return {
    state: 'pending',
    rows: data.map((values, index) => ({ index, values, status: 'pending', errors: {} })),
    sending: undefined,
  }
}

export function importTask(task: ImportTask, event: ImportEvent): ImportTask {
  switch (event.type) {
    case 'run':
      return run(task)
    case 'stop':
      return task.state === 'started' ? { ...task, state: 'stopped' } : task
    case 'sending':
      return { ...task, sending: event.index }
    case 'ok':
      return settled(task, [{ index: event.index, errors: undefined }])
    case 'failed':
      return settled(task, [event])
    case 'answered':
      return settled(task, event.answers)
    case 'edit':
      return edited(task, event)
  }
}

/**
 * Import and Continue. After everything was tried, the failed rows are tried again; after a stop
 * only what waits (A4.19).
 */
function run(task: ImportTask): ImportTask {
  if (task.state === 'started') return task
  const rows =
    task.state === 'done'
      ? task.rows.map((row) => (row.status === 'error' ? { ...row, status: 'pending' as const, errors: {} } : row))
      : task.rows
  return { ...task, rows, state: rows.some(isPending) ? 'started' : 'done' }
}

/** The answers for rows that were sent count after a stop too: the server has them. */
function settled(task: ImportTask, answers: readonly RowAnswer[]): ImportTask {
  const rows = [...task.rows]
  for (const { index, errors } of answers) {
    const row = rows[index]
    if (row) rows[index] = { ...row, status: errors ? 'error' : 'ok', errors: errors ?? {} }
  }
  return { rows, sending: undefined, state: rows.some(isPending) ? task.state : 'done' }
}

function edited(task: ImportTask, { index, field, value }: Extract<ImportEvent, { type: 'edit' }>): ImportTask {
  if (index === task.sending) return task
  const rows = task.rows.map((row) =>
    row.index === index
      ? { ...row, values: { ...row.values, [field]: value }, status: 'pending' as const, errors: {} }
      : row,
  )
  return { ...task, rows }
}

export const isPending = ({ status }: ImportRow) => status === 'pending'

/** The row to send next, in the order of the file. */
export function nextRow({ state, rows }: ImportTask): ImportRow | undefined {
  return state === 'started' ? rows.find(isPending) : undefined
}

export interface Counts {
  total: number
  ok: number
  error: number
  pending: number
}

export function countRows(rows: readonly ImportRow[]): Counts {
  const counts: Counts = { total: rows.length, ok: 0, error: 0, pending: 0 }
  for (const { status } of rows) counts[status] += 1
  return counts
}

export type ButtonLabel = 'Import' | 'Stop' | 'Continue' | 'Finished'

/** Word of the one button (A4.20). */
export function buttonLabel({ state, rows }: ImportTask): ButtonLabel {
  if (state === 'started') return 'Stop'
  if (rows.length > 0 && rows.every(({ status }) => status === 'ok')) return 'Finished'
  return state === 'pending' ? 'Import' : 'Continue'
}
