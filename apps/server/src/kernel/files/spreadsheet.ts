import { Worker } from 'node:worker_threads'
import { AppError } from '../errors/app-error.ts'

export type SpreadsheetType = 'csv' | 'xlsx'
export type Cell = string | number | boolean | null

/** A file that decompresses to more than this many cells is refused: a small XLSX can hold a huge sheet. */
export const MAX_CELLS = 5_000_000
/** Parsing is given up after this; a hostile file must not hold a thread for ever. */
const TIMEOUT_MS = 120_000
/** The worker may not grow past this, whatever the file claims. */
const MEMORY_MB = 1024

/**
 * Rows of cells of an uploaded file; the first sheet of a workbook. CSV may be UTF-8 with or without BOM, or GBK.
 * Runs in a worker thread, since a large sheet would block everybody's requests for seconds. Throws 400 when the file can't be read.
 */
export async function readSpreadsheet(file: Buffer, type: SpreadsheetType): Promise<Cell[][]> {
  return inWorker<Cell[][]>({ task: 'read', type, file })
}

/** A file of rows, header first. Text that a spreadsheet program would take for a formula is defused. */
export async function writeSpreadsheet(rows: readonly (readonly Cell[])[], type: SpreadsheetType): Promise<Buffer> {
  return Buffer.from(await inWorker<Uint8Array>({ task: 'write', type, rows }))
}

function inWorker<T>(workerData: unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./spreadsheet-worker.ts', import.meta.url), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    })
    const unreadable = () => reject(new AppError(400, 'bad_request', 'The file cannot be read. Is it a complete CSV or XLSX file?'))
    const timer = setTimeout(() => {
      void worker.terminate()
      unreadable()
    }, TIMEOUT_MS)
    worker.once('message', (answer: { result: T } | { error: string }) => ('result' in answer ? resolve(answer.result) : unreadable()))
    worker.once('error', unreadable)
    worker.once('exit', () => {
      clearTimeout(timer)
      unreadable() // no effect when the message came first
    })
  })
}
