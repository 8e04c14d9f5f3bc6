import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js'
import { expect, test } from 'vitest'
import { spreadsheetFile } from '../../../test/spreadsheet-file.ts'
import { defuseFormula, restoreFormula } from './formula.ts'
import { readSpreadsheet, type UnsureText } from './spreadsheet.ts'

const text = (value: string) => new TextEncoder().encode(value)

/** By the compression of Node's own: in JavaScript, hundreds of megabytes take ten seconds. */
async function zip(parts: Record<string, Uint8Array>): Promise<Buffer> {
  const file = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false })
  for (const [name, content] of Object.entries(parts)) await file.add(name, new Uint8ArrayReader(content))
  return Buffer.from(await file.close())
}

/** A workbook with this XML as its only sheet, and one text that its cells may refer to. */
const workbook = (sheet: Uint8Array, shared = '', more: Record<string, Uint8Array> = {}) =>
  zip({
    '[Content_Types].xml': text(
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>',
    ),
    'xl/workbook.xml': text(
      '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="a" sheetId="1" r:id="r1"/></sheets></workbook>',
    ),
    'xl/_rels/workbook.xml.rels': text(
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r9" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="r2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet2.xml"/><Relationship Id="r3" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>',
    ),
    'xl/sharedStrings.xml': text(
      `<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>${shared}</t></si></sst>`,
    ),
    'xl/worksheets/sheet1.xml': sheet,
    ...more,
  })

const sheet = (rows: string) =>
  text(
    `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${rows}</sheetData></worksheet>`,
  )

const CELL = (at: string) => `<row r="${at.replace(/\D/g, '')}"><c r="${at}"><v>1</v></c></row>`

const SHARED = (row: number) => `<row r="${row}"><c r="A${row}" t="s"><v>0</v></c></row>`

test('a workbook is read as it is', async () => {
  const file = await workbook(
    sheet('<row r="1"><c r="A1" t="inlineStr"><is><t>name</t></is></c><c r="B1"><v>7</v></c></row>'),
  )
  expect(await readSpreadsheet(file, 'xlsx')).toEqual([['name', 7]])
})

test('the first visible sheet of a workbook is read', async () => {
  const parts = {
    'xl/workbook.xml': text(
      '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="lists" sheetId="1" state="veryHidden" r:id="r2"/><sheet name="more" sheetId="2" state="hidden" r:id="r2"/><sheet name="a" sheetId="3" r:id="r1"/></sheets></workbook>',
    ),
    'xl/worksheets/sheet2.xml': sheet('<row r="1"><c r="A1"><v>1</v></c></row>'),
  }
  expect(
    await readSpreadsheet(await workbook(sheet('<row r="1"><c r="A1"><v>7</v></c></row>'), '', parts), 'xlsx'),
  ).toEqual([[7]])
})

test('a date is read as its cell shows it, without a zone', async () => {
  const parts = {
    'xl/styles.xml': text(
      '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><cellXfs><xf numFmtId="0"/><xf numFmtId="22"/></cellXfs></styleSheet>',
    ),
  }
  // 2027-03-14: the day is number 46460; 04:30:15 is 0.18767… of it.
  const cells = '<row r="1"><c r="A1" s="1"><v>46460</v></c><c r="B1" s="1"><v>46460.187673611</v></c></row>'
  expect(await readSpreadsheet(await workbook(sheet(cells), '', parts), 'xlsx')).toEqual([
    ['2027-03-14', '2027-03-14 04:30:15'],
  ])
})

test.each([
  ['of OpenDocument', () => zip({ mimetype: text('application/vnd.oasis.opendocument.spreadsheet') })],
  ['in binary', () => zip({ 'xl/workbook.bin': text('x') })],
  ['with a password, or an old one', () => Buffer.concat([Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), Buffer.alloc(512)])],
])('a workbook %s is told to be one, and what to save it as', async (_, file) => {
  await expect(readSpreadsheet(await file(), 'xlsx')).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('save it as XLSX'),
  })
})

test.each([
  ['windows-1252', 'name\nM\xfcller\n', 'Müller'],
  ['windows-1250', 'name\n\xa3ukasz \xa3\xf3d\x9f\n', 'Łukasz Łódź'],
  ['windows-1251', 'name\n\xcf\xf0\xe8\xe2\xe5\xf2\n', 'Привет'],
  ['macintosh', 'name\nM\x9fller\n', 'Müller'],
  ['big5', 'name\n\xb4\xfa\xb8\xd5\n', '測試'],
  ['shift_jis', 'name\n\x83e\x83X\x83g\n', 'テスト'],
  ['euc-kr', 'name\n\xc7\xd1\xb1\xdb\n', '한글'],
  ['gb18030', 'name\n\x95\x34\xb2\x35\n', '𠮷'],
] as const)('text in %s is not guessed but shown, and read once it is said', async (encoding, bytes, meant) => {
  const file = Buffer.from(bytes, 'latin1')
  const { readings } = await readSpreadsheet(file, 'csv').then(
    () => ({ readings: [] }),
    (error: UnsureText) => error,
  )
  expect(readings.find((one) => one.encoding === encoding)?.sample).toEqual([meant])
  expect(await readSpreadsheet(file, 'csv', encoding)).toEqual([['name'], [meant]])
  // Each shows something else: nobody is asked to choose between the same.
  expect(new Set(readings.map(({ sample }) => sample.join())).size).toBe(readings.length)
})

test('cells that hold nothing, though they are far out, are no reason to refuse a sheet', async () => {
  const rows = Array.from({ length: 200 }, (_, n) => CELL(`B${n + 2}`)).join('')
  const file = await workbook(sheet(`<row r="1"><c r="A1"><v>7</v></c><c r="XFD1" s="1"/></row>${rows}`))
  expect((await readSpreadsheet(file, 'xlsx')).slice(0, 2)).toEqual([
    [7, null],
    [null, 1],
  ])
})

test.each([
  ['gigabytes of blanks', () => workbook(new Uint8Array(260 * 1024 * 1024).fill(0x20))],
  ['millions of cells', () => workbook(sheet('<row><c/></row>'.repeat(5_000_000)))],
  ['two cells far apart', () => workbook(sheet(`${CELL('A1')}${CELL('XFD1048576')}`))],
  ['a cell beyond all sheets', () => workbook(sheet(CELL('A9999999999')))],
  [
    'one long text in each of its cells',
    () => workbook(sheet(Array.from({ length: 3000 }, (_, n) => SHARED(n + 1)).join('')), 'a'.repeat(30_000)),
  ],
])('a small file that holds %s is refused before it is read, and told to be too large', async (_, file) => {
  const bytes = await file()
  expect(bytes.length).toBeLessThan(1024 * 1024)
  await expect(readSpreadsheet(bytes, 'xlsx')).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('too many'),
  })
})

test.each([
  ['one row of commas', ','.repeat(5_000_000)],
  ['rows of a thousand commas', `${','.repeat(1000)}\n`.repeat(5000)],
  ['a text that nowhere ends, and commas', `a"${','.repeat(5_000_000)}`],
  ['rows of one letter', 'a\n'.repeat(2_000_000)],
])('a table of %s is refused at the cost of looking through it, and told to be too large', async (_, table) => {
  const cost = async (text: string) => {
    const before = process.cpuUsage()
    const answer = await readSpreadsheet(Buffer.from(text), 'csv').catch((error: Error) => error.message)
    const { user, system } = process.cpuUsage(before)
    return { answer, spent: user + system }
  }
  // The same bytes as one cell.
  const plain = await cost(`"${'a'.repeat(table.length)}"`)
  const { answer, spent } = await cost(table)
  expect(answer).toContain(table.startsWith('a\n') ? 'at most 50000 rows' : 'too many rows, columns or cells')
  expect(spent).toBeLessThan(4 * plain.spent)
})

const PLACED = (attributes: string) => sheet(`<row r="1"><c ${attributes}><v>1</v></c></row>`)

test.each([
  ['nine letters', 'r="ZZZZZZZZZ1"'],
  ['signs', 'r="\u4e00\u4e00\u4e00\u4e00\u4e00\u4e001"'],
  ['letters that are written as numbers', `r="${'&#90;'.repeat(9)}1"`],
  ['nine letters behind a bracket in quotes', 'a=">" r="ZZZZZZZZZ1"'],
  ['nine letters behind a right one', 'r="A1" r="ZZZZZZZZZ1"'],
  ['nine letters behind half a comment', '/><!-- " --><c r="ZZZZZZZZZ1" a="'],
])('a workbook with a cell whose address is of %s is refused, and the server goes on', async (_, attributes) => {
  await expect(readSpreadsheet(await workbook(PLACED(attributes)), 'xlsx')).rejects.toMatchObject({ status: 400 })
})

test('a file that is no workbook is refused as unreadable', async () => {
  await expect(readSpreadsheet(Buffer.from('PK, and no more'), 'xlsx')).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('cannot be read'),
  })
})

test('more files than can wait are refused, and the others are all read', async () => {
  const file = Buffer.from('a,b\n1,2\n')
  const answers = await Promise.allSettled(Array.from({ length: 40 }, () => readSpreadsheet(file, 'csv')))
  const refused = answers.filter((answer) => answer.status === 'rejected')
  expect(refused).toHaveLength(6)
  for (const { reason } of refused) expect(reason).toMatchObject({ status: 429, code: 'too_many_requests' })
  expect(await readSpreadsheet(file, 'csv')).toEqual([
    ['a', 'b'],
    ['1', '2'],
  ])
})

test.each([
  '=1',
  '+a',
  '-a',
  '@a',
  '\t=1',
  '\r1',
  '＝1',
  '＋1',
  '－1',
  '＠a',
  ' =1',
  '\u200B=1',
  '\uFEFF=1',
  '\u2060 ＝1',
  '\u3164=1',
  '\u034F\uFE0F=1',
  '\uFE66 1',
  "'=1",
  "''=1",
])('the formula %j is defused and read back as it was', (formula) => {
  expect(defuseFormula(formula)).toBe(`'${formula}`)
  expect(restoreFormula(`'${formula}`)).toBe(formula)
})

test.each(['-5', '+5.5', '-1e-05', '-2.5E+20', 'a=1', "o'clock", "'quoted'", '中文', ''])(
  '%j is no formula',
  (value) => {
    expect(defuseFormula(value)).toBe(value)
    expect(restoreFormula(value)).toBe(value)
  },
)

test.each(['csv', 'xlsx'] as const)('an exported %s file holds no cell that runs', async (type) => {
  const file = spreadsheetFile(
    [
      ['a', 'b', 'c'],
      ['＝cmd|calc', '\u200B=1+1', -5],
    ],
    type,
  )
  const [, row] = await readSpreadsheet(file, type)
  expect(row?.slice(0, 2)).toEqual(["'＝cmd|calc", "'\u200B=1+1"])
})
