import type { ExportFormat } from '@sallyport/contract/socket/workbench.ts'
import { fileStem } from '../../lib/file-names.ts'

/** Length of each part of a name. */
const PART_LETTERS = 24

/** What names no table: comments, and texts between single quotes. */
const ASIDE = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'/g
const TABLE = /\b(?:from|update|into)\s+((?:"[^"]+"|`[^`]+`|\[[^\]]+\]|[\p{L}_][\p{L}\p{N}_$]*|\s*\.\s*)+)/iu

/** After which rows are called: the first table of a statement, else how it begins. */
function whatOf(statement: string): string {
  const text = statement.replace(ASIDE, ' ').trim()
  return TABLE.exec(text)?.[1]?.replace(/["`[\]]/g, '') ?? text
}

const two = (value: number) => String(value).padStart(2, '0')

/** As exported lists have it. */
const stampOf = (at: Date) =>
  `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}_${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join('-')}`

/** Name of a file of rows: their database, the question, and the time. */
export function rowsFileName(of: { application: string; statement: string; format: ExportFormat; at?: Date }): string {
  const { application, statement, format, at = new Date() } = of
  const parts = [application, whatOf(statement) || 'rows'].map((part) => fileStem(part, PART_LETTERS))
  return `${[...parts, stampOf(at)].join('_')}.${format}`
}
