import { Zip, ZipDeflate } from 'fflate'

/** What programs open of a sheet (ECMA-376 has no bounds; those of Excel are taken by all others). */
const SHEET_ROWS = 1_048_576
export const CELL_CHARACTERS = 32_767
/** Worth its time: a better one makes files a tenth smaller, and takes three times as long. */
const LEVEL = 1

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const PART = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/**
 * A workbook (ECMA-376) that is written while its rows come, of which nothing is kept. Rows that do
 * not fit into a sheet go on in another, under the same header.
 */
export class WorkbookStream {
  readonly #zip: Zip
  readonly #header: readonly string[]
  /** The letters of its columns. */
  readonly #letters: readonly string[]
  #sheet: ZipDeflate | undefined
  #sheets = 0
  #rows = 0
  #text = ''

  constructor(header: readonly string[], write: (bytes: Buffer) => void) {
    this.#header = header
    this.#letters = header.map((_, column) => lettersOf(column))
    this.#zip = new Zip((error, bytes) => {
      if (error) throw error
      write(Buffer.from(bytes))
    })
    this.#begin()
  }

  row(cells: readonly (string | number | null)[]): void {
    if (this.#rows === SHEET_ROWS) {
      this.#finish()
      this.#begin()
    }
    this.#add(cells)
  }

  /** Sends everything that is written so far. */
  flush(): void {
    if (this.#text) this.#sheet?.push(Buffer.from(this.#text))
    this.#text = ''
  }

  /** Characters that wait for `flush`. */
  get waiting(): number {
    return this.#text.length
  }

  end(): void {
    this.#finish()
    for (const [name, text] of Object.entries(partsOf(this.#sheets))) this.#entry(name).push(Buffer.from(text), true)
    this.#zip.end()
  }

  #begin(): void {
    this.#rows = 0
    this.#sheet = this.#entry(`xl/worksheets/sheet${++this.#sheets}.xml`)
    this.#text = `${HEAD}<worksheet xmlns="${MAIN}"><sheetData>`
    this.#add(this.#header)
  }

  #add(cells: readonly (string | number | null)[]): void {
    const row = ++this.#rows
    this.#text += `<row r="${row}">${cells.map((value, at) => cellOf(value, `${this.#letters[at]}${row}`)).join('')}</row>`
  }

  #finish(): void {
    this.#sheet?.push(Buffer.from(`${this.#text}</sheetData></worksheet>`), true)
    this.#text = ''
  }

  #entry(name: string): ZipDeflate {
    const entry = new ZipDeflate(name, { level: LEVEL })
    this.#zip.add(entry)
    return entry
  }
}

function cellOf(value: string | number | null, place: string): string {
  if (value === null) return ''
  if (typeof value === 'number') return `<c r="${place}"><v>${value}</v></c>`
  return `<c r="${place}" t="inlineStr"><is><t xml:space="preserve">${escaped(value)}</t></is></c>`
}

/** A, B … Z, AA … */
const lettersOf = (column: number): string =>
  (column < 26 ? '' : lettersOf(Math.floor(column / 26) - 1)) + String.fromCharCode(65 + (column % 26))

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
/** Characters that XML has no way to write are written as programs do (ECMA-376 §22.9.2.19). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const SPECIAL = /[&<>\x00-\x08\x0b-\x1f\ufffe\uffff]|\p{Cs}|_(?=x[0-9a-f]{4}_)/giu

const escaped = (text: string) =>
  text.replace(SPECIAL, (one) => ENTITIES[one] ?? `_x${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)

/** The files of a workbook beside its sheets. */
function partsOf(sheets: number): Record<string, string> {
  const each = (one: (number: number) => string) => Array.from({ length: sheets }, (_, at) => one(at + 1)).join('')
  return {
    '[Content_Types].xml': `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${PART}.sheet.main+xml"/>${each((n) => `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="${PART}.worksheet+xml"/>`)}</Types>`,
    '_rels/.rels': `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${each((n) => `<sheet name="Rows ${n}" sheetId="${n}" r:id="rId${n}"/>`)}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${each((n) => `<Relationship Id="rId${n}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${n}.xml"/>`)}</Relationships>`,
  }
}
