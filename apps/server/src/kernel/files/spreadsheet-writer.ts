import { stringify } from 'csv-stringify/sync'
import { defuseFormula } from './formula.ts'
import type { Cell, SpreadsheetType } from './spreadsheet.ts'
import { WorkbookStream } from './workbook-stream.ts'

/** Spreadsheet programs take a file that begins so for UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF'

/** A file that is written while its rows come; nothing of what has gone out is kept. */
export interface SpreadsheetWriter {
  rows(rows: readonly (readonly Cell[])[]): void
  end(): void
}

/**
 * Begins a file with those titles; `write` gets its bytes. Text that a spreadsheet program would run
 * as a formula is quoted.
 */
export function spreadsheetWriter(
  type: SpreadsheetType,
  titles: readonly string[],
  write: (bytes: Buffer) => void,
): SpreadsheetWriter {
  return type === 'csv' ? csvWriter(titles, write) : workbookWriter(titles, write)
}

// Booleans are written as words: both libraries would leave `false` empty, which an import would
// take for the field's default.
function csvWriter(titles: readonly string[], write: (bytes: Buffer) => void): SpreadsheetWriter {
  const add = (rows: readonly (readonly Cell[])[], before = '') =>
    write(
      Buffer.from(
        before +
          stringify(
            rows.map((row) => row.map(defuseFormula)),
            { cast: { boolean: String } },
          ),
      ),
    )
  add([titles], BYTE_ORDER_MARK)
  return { rows: (rows) => add(rows), end() {} }
}

function workbookWriter(titles: readonly string[], write: (bytes: Buffer) => void): SpreadsheetWriter {
  const textOf = (cell: Cell) => (cell === null || cell === '' ? null : String(defuseFormula(cell)))
  const book = new WorkbookStream(
    titles.map((title) => String(defuseFormula(title))),
    write,
  )
  return {
    rows(rows) {
      for (const row of rows) book.row(row.map(textOf))
      book.flush()
    },
    end: () => book.end(),
  }
}
