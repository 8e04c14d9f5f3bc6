/**
 * The thread behind spreadsheet.ts: reads or writes one file, then ends. It loads only the library
 * that this file needs: all of them take longer to load than a small file to read.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { defuseFormula } from './formula.ts'
import type { Cell, Sheet, SpreadsheetType } from './spreadsheet.ts'

/** As many rows as one import accepts, of the widest resource. */
const MAX_CELLS = 3_000_000
/** Bytes of a workbook when inflated: its XML has about 60 for a cell. */
const MAX_INFLATED = 192 * 1024 * 1024
/**
 * Characters in all cells of a workbook. Many cells may refer to one text, which each of them holds
 * once the sheet leaves this thread.
 */
const MAX_TEXT = 64 * 1024 * 1024
/** Tags in a workbook's XML; a cell with a value has four. */
const MAX_TAGS = 4 * MAX_CELLS + 100_000

const TAG = '<'.charCodeAt(0)
/** A row, or a cell; the last is a slash where it holds nothing. */
const PLACE = /<(?:\w+:)?(?:row|c)\b(?=[^<>]*?\sr\s*=\s*["']([A-Za-z]{0,8})(\d{1,12}))[^<>]*?(\/?)>/g
const LETTERS = 26
/** Programs take names of sheets of at most 31 characters, without these. */
const NOT_IN_SHEET_NAMES = /[\\/?*[\]:]/g

/** A file beyond the bounds, which may be whole all the same. */
class TooLarge extends Error {}

type Task =
  | { task: 'read'; type: SpreadsheetType; file: Uint8Array }
  | { task: 'write'; type: SpreadsheetType; rows: Cell[][] }
  | { task: 'workbook'; sheets: Sheet[] }

try {
  const task = workerData as Task
  const result =
    task.task === 'read'
      ? await read(task.file, task.type)
      : task.task === 'write'
        ? await write(task.rows, task.type)
        : await writeSheets(task.sheets)
  parentPort?.postMessage({ result })
} catch (error) {
  parentPort?.postMessage({ isTooLarge: error instanceof TooLarge })
}

async function read(file: Uint8Array, type: SpreadsheetType): Promise<Cell[][]> {
  const rows = type === 'csv' ? await readCsv(Buffer.from(file)) : await readXlsx(Buffer.from(file))
  if (rows.reduce((cells, row) => cells + row.length, 0) > MAX_CELLS) throw new TooLarge('too many cells')
  return rows.filter((row) => row.some((cell) => cell !== null && cell !== ''))
}

async function readCsv(file: Buffer): Promise<Cell[][]> {
  const { parse } = await import('csv-parse/sync')
  return parse(decode(file), { bom: true, relax_column_count: true, skip_empty_lines: true, relax_quotes: true })
}

/** UTF-8 if valid, else GBK, as spreadsheet programs in China save it. */
function decode(file: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(file)
  } catch {
    return new TextDecoder('gbk').decode(file)
  }
}

async function readXlsx(file: Buffer): Promise<Cell[][]> {
  const bounded = await boundedWorkbook(file)
  const { readSheet } = await import('read-excel-file/node')
  const rows = await readSheet(bounded)
  let length = 0
  for (const row of rows) for (const cell of row) if (typeof cell === 'string') length += cell.length
  if (length > MAX_TEXT) throw new TooLarge('the workbook has too much text')
  return rows.map((row) =>
    row.map((cell) => ((cell as unknown) instanceof Date ? (cell as unknown as Date).toISOString() : (cell as Cell))),
  )
}

/**
 * The same workbook, inflated once within bounds and repacked without compression: a few kilobytes
 * may contain gigabytes of XML, or a sheet whose empty rows take minutes to read. Throws when it is
 * too large.
 */
async function boundedWorkbook(file: Buffer): Promise<Buffer> {
  const { unzipSync, zipSync } = await import('fflate')
  let inflated = 0
  const parts = unzipSync(file, {
    filter({ originalSize }) {
      inflated += originalSize
      if (inflated > MAX_INFLATED) throw new TooLarge('the workbook is too large')
      return true
    },
  })
  let tags = 0
  for (const part of Object.values(parts)) tags += countTags(part)
  if (tags > MAX_TAGS) throw new TooLarge('the workbook has too many cells')
  for (const part of Object.values(parts)) {
    const xml = Buffer.from(part.buffer, part.byteOffset, part.length)
    // Wherever the workbook says that its sheets are.
    if (xml.includes('sheetData') && cellsAround(xml.toString('latin1')) > MAX_CELLS)
      throw new TooLarge('the workbook has too many cells')
  }
  return Buffer.from(zipSync(parts, { level: 0 }))
}

/**
 * How many cells are made of a sheet: all up to its last row and column that hold something, and in
 * each row those before its last. Two cells far apart stand for as many as a full sheet has.
 */
function cellsAround(xml: string): number {
  let cells = 0
  let at = { row: 0, column: 0 }
  let last = { row: 0, column: 0 }
  for (const [, letters = '', digits = '', isEmpty] of xml.matchAll(PLACE)) {
    const row = Number(digits)
    const column = [...letters.toUpperCase()].reduce((sum, one) => sum * LETTERS + one.charCodeAt(0) - 64, 0)
    if (row !== at.row) {
      cells += Math.max(row - at.row, 0)
      at = { row, column: 0 }
    }
    cells += Math.max(column - at.column, 0)
    at.column = Math.max(column, at.column)
    if (column && !isEmpty) last = { row: Math.max(row, last.row), column: Math.max(column, last.column) }
  }
  return Math.max(cells, last.row * last.column)
}

function countTags(xml: Uint8Array): number {
  let count = 0
  for (const byte of xml) if (byte === TAG) count++
  return count
}

async function write(rows: Cell[][], type: SpreadsheetType): Promise<Uint8Array> {
  const safe = rows.map((row) => row.map(defuseFormula))
  // Booleans are written as words: the library would leave `false` empty, which an import would
  // take for the field's default.
  if (type === 'xlsx') {
    const { default: writeXlsxFile } = await import('write-excel-file/node')
    return writeXlsxFile(cellsOf(safe)).toBuffer()
  }
  const { stringify } = await import('csv-stringify/sync')
  return Buffer.from(`\uFEFF${stringify(safe, { cast: { boolean: String } })}`)
}

async function writeSheets(sheets: readonly Sheet[]): Promise<Uint8Array> {
  const { default: writeXlsxFile } = await import('write-excel-file/node')
  return writeXlsxFile(
    sheets.map(({ name, rows }) => ({
      sheet: name.replace(NOT_IN_SHEET_NAMES, ' ').slice(0, 31),
      data: cellsOf(rows.map((row) => row.map(defuseFormula))),
    })),
  ).toBuffer()
}

function cellsOf(rows: readonly (readonly Cell[])[]) {
  return rows.map((row) => row.map((value) => (value === null ? null : { value: String(value), type: String })))
}
