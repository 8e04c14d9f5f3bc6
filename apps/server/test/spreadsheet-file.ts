/** A file as people upload it, written as exports are. */
import type { Cell, SpreadsheetType } from '../src/kernel/files/spreadsheet.ts'
import { spreadsheetWriter } from '../src/kernel/files/spreadsheet-writer.ts'

export function spreadsheetFile([titles = [], ...rows]: readonly (readonly Cell[])[], type: SpreadsheetType): Buffer {
  const pieces: Buffer[] = []
  const file = spreadsheetWriter(type, titles.map(String), (bytes) => void pieces.push(bytes))
  file.rows(rows)
  file.end()
  return Buffer.concat(pieces)
}
