import type { ExportFormat } from '@sallyport/contract/socket/workbench.ts'
import { defuseFormula } from '../../kernel/files/formula.ts'
import { CELL_CHARACTERS, WorkbookStream } from '../../kernel/files/workbook-stream.ts'
import type { Column, Row } from '../repl/output/result.ts'

/** A file that is written row by row, in pieces; nothing of what has gone out is kept. */
export interface RowFile {
  /** Answers how many values are longer than the file can hold. */
  row(values: Row): number
  end(): void
}

/** So much goes out at a time. */
const CHUNK_CHARACTERS = 64 * 1024
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/
/** Spreadsheet programs take a file that begins so for UTF-8. */
const BYTE_ORDER_MARK = '\ufeff'

/** How a file with those columns is begun, by the format. */
export const ROW_FILES = {
  csv(columns, write) {
    const text = chunked(write)
    text.add(BYTE_ORDER_MARK + csvLine(columns.map(({ name }) => name)))
    return {
      row(values) {
        text.add(csvLine(values.map((value) => value?.text)))
        return 0
      },
      end: text.flush,
    }
  },
  json(columns, write) {
    const text = chunked(write)
    const names = distinct(columns.map(({ name }) => name))
    let rows = 0
    text.add('[')
    return {
      row(values) {
        const entries = values.map((value, at) => [names[at], plainValue(value?.text, columns[at])])
        text.add(`${rows++ === 0 ? '\n' : ',\n'}${JSON.stringify(Object.fromEntries(entries))}`)
        return 0
      },
      end() {
        text.add('\n]\n')
        text.flush()
      },
    }
  },
  xlsx(columns, write) {
    const book = new WorkbookStream(
      columns.map(({ name }) => String(defuseFormula(name))),
      write,
    )
    return {
      row(values) {
        let cut = 0
        const cells = values.map((value, at) => {
          const plain = plainValue(value?.text, columns[at])
          if (typeof plain !== 'string') return plain
          const safe = String(defuseFormula(plain))
          if (safe.length > CELL_CHARACTERS && !value?.isCut) cut++
          return safe.slice(0, CELL_CHARACTERS)
        })
        book.row(cells)
        if (book.waiting >= CHUNK_CHARACTERS) book.flush()
        return cut
      },
      end: () => book.end(),
    }
  },
} as const satisfies Readonly<
  Record<ExportFormat, (columns: readonly Column[], write: (bytes: Buffer) => void) => RowFile>
>

function chunked(write: (bytes: Buffer) => void) {
  let text = ''
  const flush = () => {
    if (text) write(Buffer.from(text))
    text = ''
  }
  return {
    add(more: string) {
      text += more
      if (text.length >= CHUNK_CHARACTERS) flush()
    },
    flush,
  }
}

/** As RFC 4180 has it; NULL is an empty field, an empty text a quoted one. */
const csvLine = (values: readonly (string | undefined)[]): string => `${values.map(csvField).join(',')}\r\n`

function csvField(value: string | undefined): string {
  if (value === undefined) return ''
  const text = String(defuseFormula(value))
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A number that JavaScript would change stays a text. */
function plainValue(text: string | undefined, column: Column | undefined): string | number | null {
  if (text === undefined) return null
  return column?.isNumber && NUMBER.test(text) && String(Number(text)) === text ? Number(text) : text
}

/** Columns of one name would take each other's place. */
export function distinct(names: readonly string[]): string[] {
  const taken = new Set(names)
  const seen = new Set<string>()
  /** Thousands of columns may have the same name. */
  const next = new Map<string, number>()
  return names.map((name) => {
    let own = name
    let times = next.get(name) ?? 2
    // Nor that of another which is called so.
    for (; seen.has(own) || (own !== name && taken.has(own)); times++) own = `${name}_${times}`
    next.set(name, times)
    seen.add(own)
    return own
  })
}
