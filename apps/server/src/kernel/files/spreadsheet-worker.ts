/** The thread behind spreadsheet.ts: one file in or out, then it ends. */
import { parentPort, workerData } from 'node:worker_threads'
import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import { readSheet } from 'read-excel-file/node'
import writeXlsxFile from 'write-excel-file/node'
import type { Cell, SpreadsheetType } from './spreadsheet.ts'

const MAX_CELLS = 5_000_000

type Task = { task: 'read'; type: SpreadsheetType; file: Uint8Array } | { task: 'write'; type: SpreadsheetType; rows: Cell[][] }

try {
  const task = workerData as Task
  const result = task.task === 'read' ? await read(task.file, task.type) : await write(task.rows, task.type)
  parentPort?.postMessage({ result })
} catch (error) {
  parentPort?.postMessage({ error: String(error) })
}

async function read(file: Uint8Array, type: SpreadsheetType): Promise<Cell[][]> {
  const rows = type === 'csv' ? readCsv(Buffer.from(file)) : await readXlsx(Buffer.from(file))
  if (rows.reduce((cells, row) => cells + row.length, 0) > MAX_CELLS) throw new Error('too many cells')
  return rows.filter((row) => row.some((cell) => cell !== null && cell !== ''))
}

function readCsv(file: Buffer): Cell[][] {
  return parse(decode(file), { bom: true, relax_column_count: true, skip_empty_lines: true, relax_quotes: true })
}

/** UTF-8 where it is valid, else GBK, which spreadsheet programs in China save. */
function decode(file: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(file)
  } catch {
    return new TextDecoder('gbk').decode(file)
  }
}

async function readXlsx(file: Buffer): Promise<Cell[][]> {
  const rows = await readSheet(file)
  return rows.map((row) =>
    row.map((cell) => ((cell as unknown) instanceof Date ? (cell as unknown as Date).toISOString() : (cell as Cell))),
  )
}

async function write(rows: Cell[][], type: SpreadsheetType): Promise<Uint8Array> {
  const safe = rows.map((row) => row.map(defuse))
  // Booleans in words: the library would leave `false` empty, and an import would take that for the field's default.
  if (type === 'csv') return Buffer.from(`\uFEFF${stringify(safe, { cast: { boolean: String } })}`)
  return writeXlsxFile(safe.map((row) => row.map((value) => (value === null ? null : { value: String(value), type: String })))).toBuffer()
}

/** A cell that starts like a formula is run by spreadsheet programs, with whatever a user once typed as a name: put a quote before it. */
function defuse(cell: Cell): Cell {
  return typeof cell === 'string' && /^[=+\-@\t\r]/.test(cell) && !/^[+-]?\d+(\.\d+)?$/.test(cell) ? `'${cell}` : cell
}
