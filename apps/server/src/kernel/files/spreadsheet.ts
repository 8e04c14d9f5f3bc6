import { AppError } from '../errors/app-error.ts'
import { ThreadLost, Threads } from '../threads.ts'
import type { Encoding, Reading } from './csv-text.ts'

export type SpreadsheetType = 'csv' | 'xlsx'
export type Cell = string | number | boolean | null

/** A file that takes more of a processor is given up: a hostile one must not occupy a thread for ever. */
const PROCESSOR_MS = 30_000
/** By the clock, on a machine that does much else. */
const TIMEOUT_MS = 5 * 60_000
/** A thread may not grow past this, whatever the file claims. */
const MEMORY_MB = 768
/** Files read or written at a time on this node, and those that may wait. */
const MAX_RUNNING = 2
const MAX_WAITING = 32

const threads = new Threads<SpreadsheetTask>(
  new URL('./spreadsheet-worker.ts', import.meta.url),
  {
    size: MAX_RUNNING,
    maxWaiting: MAX_WAITING,
    timeoutMs: TIMEOUT_MS,
    processorMs: PROCESSOR_MS,
    memoryMb: MEMORY_MB,
  },
  () => new AppError(429, 'too_many_requests', 'Many files are being read at the moment: try again in a minute.'),
)

/**
 * Rows of cells of an uploaded file; of a workbook, the first sheet that is not hidden, with dates as
 * they are shown. CSV may be UTF-8 or UTF-16, or of the encoding that is said; its cells may lie
 * between commas, tabs or semicolons. Runs in a thread, since a large sheet would block all
 * requests for seconds. Throws 400 when the file can't be read, and says so when it has too many rows
 * or cells; `UnsureText` when its letters could be several.
 */
export async function readSpreadsheet(file: Buffer, type: SpreadsheetType, encoding?: Encoding): Promise<Cell[][]> {
  const answer = await inThread<ReadAnswer>({ task: 'read', type, file, ...(encoding ? { encoding } : {}) })
  if ('readings' in answer) throw new UnsureText(answer.readings)
  return answer.rows
}

/** A CSV file that is no Unicode, and in which of several encodings it was saved nobody can tell. */
export class UnsureText extends AppError {
  readonly readings: readonly Reading[]
  constructor(readings: readonly Reading[]) {
    super(400, 'bad_request', 'The file can be read in several ways: choose the one that shows the right letters.')
    this.readings = readings
  }
}

/** One sheet of a workbook. */
export interface Sheet {
  name: string
  rows: readonly (readonly Cell[])[]
}

/** A workbook of several sheets; their names are cut to what such files can hold. */
export async function writeWorkbook(sheets: readonly Sheet[]): Promise<Buffer> {
  return Buffer.from(await inThread<Uint8Array>({ task: 'workbook', sheets }))
}

/** The work of a thread with one file. */
export type SpreadsheetTask =
  | { task: 'read'; type: SpreadsheetType; file: Uint8Array; encoding?: Encoding }
  | { task: 'workbook'; sheets: readonly Sheet[] }

/** The rows of a file, or the ways in which its letters can be read. */
export type ReadAnswer = { rows: Cell[][] } | { readings: readonly Reading[] }

/** Why a file is not read: the code of the thread's error. */
export type Refusal = 'rows' | 'size' | 'workbook' | 'unreadable'

const REFUSALS: Readonly<Record<Refusal, string>> = {
  rows: 'A file holds at most 50000 rows: split it.',
  size: 'The file has too many rows, columns or cells: divide it into several.',
  workbook:
    'This is a workbook of another kind (.xls, .xlsb, .ods), or one with a password: save it as XLSX without a password, or as CSV.',
  unreadable: 'The file cannot be read. Is it a complete CSV or XLSX file?',
}

/** Throws 429 when too many are waiting. */
async function inThread<T>(task: SpreadsheetTask): Promise<T> {
  try {
    return (await threads.run(task)) as T
  } catch (error) {
    if (error instanceof AppError) throw error
    const { code } = error as { code?: string }
    const refusal = error instanceof ThreadLost ? 'size' : code && code in REFUSALS ? (code as Refusal) : 'unreadable'
    throw new AppError(400, refusal === 'rows' ? 'too_many_rows' : 'bad_request', REFUSALS[refusal])
  }
}
