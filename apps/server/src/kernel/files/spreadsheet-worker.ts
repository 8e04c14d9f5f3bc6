/**
 * The thread behind spreadsheet.ts: reads or writes one file at a time. It loads only the libraries
 * that its files need: all of them take longer to load than a small file to read.
 */
import { serveTasks } from '../threads.ts'
import { type Delimiter, delimited, type Encoding, readText } from './csv-text.ts'
import { defuseFormula } from './formula.ts'
import { MAX_IMPORT_ROWS } from './import-rows.ts'
import type { Cell, ReadAnswer, Refusal, Sheet, SpreadsheetTask } from './spreadsheet.ts'

/** As many rows as one import accepts, of the widest resource. */
const MAX_CELLS = 3_000_000
/** Limit of a row: several times the columns of the widest resource. */
const MAX_COLUMNS = 500
/** Delimiters of one line of a table; a cell may hold a list of ids. */
const MAX_DELIMITERS = 100_000
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
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
/** An XLSX file is a ZIP archive. */
const ZIP = Buffer.from('PK')
/** The container of Microsoft of old: XLS, or a workbook with a password. */
const OLD_WORKBOOK = Buffer.from([0xd0, 0xcf, 0x11, 0xe0])
/** The address of a row or a cell, as all programs write it; the parser would make a number of anything. */
const ADDRESS = /^([A-Za-z]{0,8})(\d{1,12})$/
const ADDRESS_ATTRIBUTE = /(?<![\w:.-])r\s*=\s*(?:"([^"]*)"|'([^']*)')/g
/** Elements that are skipped whole, by their beginning. */
const SKIPPED = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const
const LETTERS = 26
/** Programs take names of sheets of at most 31 characters, without these. */
const NOT_IN_SHEET_NAMES = /[\\/?*[\]:]/g

/** Why a file is not read. Its code chooses the words that a person sees. */
class Refused extends Error {
  readonly code: Refusal
  constructor(code: Refusal, message: string) {
    super(message)
    this.code = code
  }
}

const tooLarge = (message: string) => new Refused('size', message)
const tooManyRows = () => new Refused('rows', 'too many rows')
const foreignWorkbook = () => new Refused('workbook', 'a workbook that other programs than ours read')

serveTasks<SpreadsheetTask>((task) => (task.task === 'read' ? read(task) : writeSheets(task.sheets)))

async function read({ file, type, encoding }: SpreadsheetTask & { task: 'read' }): Promise<ReadAnswer> {
  const answer = type === 'csv' ? await readCsv(Buffer.from(file), encoding) : await readXlsx(Buffer.from(file))
  if ('readings' in answer) return answer
  if (answer.rows.reduce((cells, row) => cells + row.length, 0) > MAX_CELLS) throw tooLarge('too many cells')
  const rows = answer.rows.filter((row) => row.some((cell) => cell !== null && cell !== ''))
  if (rows.length > MAX_IMPORT_ROWS + 1) throw tooManyRows()
  return { rows }
}

/** Refused as soon as it is out of bounds: a few megabytes of commas would take seconds. */
async function readCsv(file: Buffer, encoding: Encoding | undefined): Promise<ReadAnswer> {
  const text = readText(file, encoding)
  if (typeof text !== 'string') return { readings: text }
  const { delimiter, rows: table } = delimited(text)
  refuseLongLines(table, delimiter)
  const { parse } = await import('csv-parse/sync')
  let count = 0
  let cells = 0
  const rows: Cell[][] = parse(table, {
    delimiter,
    relax_column_count: true,
    skip_empty_lines: true,
    relax_quotes: true,
    on_record(record: string[]) {
      // Titles are no row.
      if (count++ > MAX_IMPORT_ROWS) throw tooManyRows()
      cells += record.length
      if (record.length > MAX_COLUMNS || cells > MAX_CELLS) throw tooLarge('too many cells')
      return record
    },
  })
  return { rows }
}

/** The parser tells of a row when it has read all of it. */
function refuseLongLines(text: string, delimiter: Delimiter): void {
  const sign = delimiter.charCodeAt(0)
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === sign) count++
    else if (code === LINE_FEED || code === CARRIAGE_RETURN) count = 0
    if (count > MAX_DELIMITERS) throw tooLarge('a line has too many cells')
  }
}

async function readXlsx(file: Buffer): Promise<ReadAnswer> {
  if (!file.subarray(0, 2).equals(ZIP)) throw file.subarray(0, 4).equals(OLD_WORKBOOK) ? foreignWorkbook() : new Error()
  const { workbook, sheet } = await boundedWorkbook(file)
  const { readSheet } = await import('read-excel-file/node')
  const rows = await readSheet(workbook, sheet)
  let length = 0
  for (const row of rows) for (const cell of row) if (typeof cell === 'string') length += cell.length
  if (length > MAX_TEXT) throw tooLarge('the workbook has too much text')
  return {
    rows: rows.map((row) =>
      row.map((cell) => ((cell as unknown) instanceof Date ? shownTime(cell as unknown as Date) : (cell as Cell))),
    ),
  }
}

/**
 * A date as its cell shows it: a workbook knows no zones, so it is in the zone of its author. Days
 * are counted as fractions, which miss a second by a little.
 */
function shownTime(date: Date): string {
  const [day = '', time = ''] = new Date(Math.round(date.getTime() / 1000) * 1000).toISOString().slice(0, 19).split('T')
  return time === '00:00:00' ? day : `${day} ${time}`
}

/**
 * The same workbook, inflated once within bounds and repacked without compression: a few kilobytes
 * may contain gigabytes of XML, or a sheet whose empty rows take minutes to read. Throws when it is
 * too large.
 */
async function boundedWorkbook(file: Buffer): Promise<{ workbook: Buffer; sheet: number }> {
  const { unzipSync, zipSync } = await import('fflate')
  let inflated = 0
  const parts = unzipSync(file, {
    filter({ originalSize }) {
      inflated += originalSize
      if (inflated > MAX_INFLATED) throw tooLarge('the workbook is too large')
      return true
    },
  })
  let tags = 0
  for (const part of Object.values(parts)) tags += countTags(part)
  if (tags > MAX_TAGS) throw tooLarge('the workbook has too many cells')
  for (const part of Object.values(parts)) {
    const xml = Buffer.from(part.buffer, part.byteOffset, part.length)
    // Wherever the workbook says that its sheets are.
    if (xml.includes('sheetData') && cellsAround(xml.toString('latin1')) > MAX_CELLS)
      throw tooLarge('the workbook has too many cells')
  }
  return { workbook: Buffer.from(zipSync(parts, { level: 0 })), sheet: shownSheetOf(parts) }
}

/** The number of the first sheet that is not hidden, from 1. Throws for a workbook of another kind. */
function shownSheetOf(parts: Readonly<Record<string, Uint8Array>>): number {
  const path = Object.keys(parts).find((name) => /^xl\/workbook\d*\.xml$/i.test(name))
  if (!path) {
    const isForeign = 'mimetype' in parts || Object.keys(parts).some((name) => /workbook\.bin$|^Index\//.test(name))
    if (isForeign) throw foreignWorkbook()
    return 1
  }
  const sheets = [...tagsOf(Buffer.from(parts[path] ?? []).toString())].filter(({ name }) => name === 'sheet')
  const shown = sheets.findIndex(({ text }) => !/\sstate\s*=\s*["'](?:hidden|veryHidden)["']/.test(text))
  return Math.max(shown, 0) + 1
}

/**
 * Number of cells that a sheet is expanded to: all up to its last row and column with content, and
 * in each row those before its last. Two cells far apart count as many as a full sheet. Throws for
 * an invalid address: one of nine letters makes the parser fill all memory.
 */
function cellsAround(xml: string): number {
  let cells = 0
  let at = { row: 0, column: 0 }
  let last = { row: 0, column: 0 }
  for (const { name, text } of tagsOf(xml)) {
    if (name !== 'row' && name !== 'c') continue
    const [found, ...more] = text.matchAll(ADDRESS_ATTRIBUTE)
    if (!found) continue
    const [, letters = '', digits = ''] = ADDRESS.exec(found[1] ?? found[2] ?? '') ?? []
    if (!digits || more.length) throw new Error('an address of a cell is none')
    const row = Number(digits)
    const column = [...letters.toUpperCase()].reduce((sum, one) => sum * LETTERS + one.charCodeAt(0) - 64, 0)
    if (row !== at.row) {
      cells += Math.max(row - at.row, 0)
      at = { row, column: 0 }
    }
    cells += Math.max(column - at.column, 0)
    at.column = Math.max(column, at.column)
    if (column && !text.endsWith('/')) last = { row: Math.max(row, last.row), column: Math.max(column, last.column) }
  }
  return Math.max(cells, last.row * last.column)
}

/** Opening tags, by their name without a prefix and with the text between `<` and `>`. */
function* tagsOf(xml: string): Generator<{ name: string; text: string }> {
  for (let at = xml.indexOf('<'); at >= 0; at = xml.indexOf('<', at)) {
    const skipped = SKIPPED.find(([begin]) => xml.startsWith(begin, at))
    const end = skipped ? xml.indexOf(skipped[1], at) : endOfTag(xml, at + 1)
    if (end < 0) return
    if (!skipped && xml[at + 1] !== '/') {
      const text = xml.slice(at + 1, end)
      const [name = ''] = /^[^\s/]*/.exec(text) ?? []
      yield { name: name.slice(name.indexOf(':') + 1), text }
    }
    at = end + 1
  }
}

/** Where the `>` is that is not in a quoted value; -1 where there is none. */
function endOfTag(xml: string, from: number): number {
  for (let at = from; at >= 0 && at < xml.length; at++) {
    const sign = xml[at]
    if (sign === '>') return at
    if (sign === '"' || sign === "'") at = xml.indexOf(sign, at + 1)
    if (at < 0) return -1
  }
  return -1
}

function countTags(xml: Uint8Array): number {
  let count = 0
  for (const byte of xml) if (byte === TAG) count++
  return count
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
