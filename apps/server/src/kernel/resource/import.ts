import type { Field, ResourceDefinition } from '@sallyport/contract/define.ts'
import { FORMER_LABELS } from '@sallyport/contract/former-labels.ts'
import type { Call } from '../access/call.ts'
import { AppError } from '../errors/app-error.ts'
import { ENCODINGS, type Encoding } from '../files/csv-text.ts'
import { restoreFormula } from '../files/formula.ts'
import { type Cell, readSpreadsheet, type SpreadsheetType, UnsureText } from '../files/spreadsheet.ts'
import { translate } from '../i18n/translate.ts'
import type { ReadContext } from './mount.ts'
import type { MountedResource } from './registry.ts'

export interface ImportPreview {
  /** Column title and field name. */
  title: [string, string][]
  data: Record<string, unknown>[]
  /** Titles of columns that no field has, where there are any; they are not imported. */
  ignored?: string[]
}

/** Beginnings of workbooks, of now and of old. */
const WORKBOOKS = [Buffer.from('PK\x03\x04'), Buffer.from([0xd0, 0xcf, 0x11, 0xe0])]

/**
 * The type of an upload, as clients send them (B7.44). Systems call CSV a workbook where a
 * program for those is installed, so the content decides between the two.
 */
function typeOf(file: Buffer, contentType = ''): SpreadsheetType {
  if (WORKBOOKS.some((beginning) => file.subarray(0, 4).equals(beginning))) return 'xlsx'
  return /xlsx|openxmlformats/i.test(contentType) ? 'xlsx' : 'csv'
}

/**
 * POST {list}render-to-json/: the file's rows with values as the create call takes them. Stores
 * nothing.
 */
export async function renderImport(
  { definition }: MountedResource,
  file: Buffer,
  contentType: string | undefined,
  { call, query }: ReadContext,
): Promise<ImportPreview> {
  const encoding = query.encoding ? encodingOf(query.encoding) : undefined
  if (query.encoding && !encoding) throw unusable(translate(call.language, 'This encoding is not known here.'))
  const read = (wanted?: Encoding) => readSpreadsheet(file, typeOf(file, contentType), wanted)
  const [header, ...rows] = await read(encoding)
    .catch((error: unknown) => {
      const known = error instanceof UnsureText ? encodingOfTitles(definition, error) : undefined
      if (known) return read(known)
      throw error
    })
    .catch((error: unknown) => {
      if (error instanceof UnsureText) throw unsure(error, call)
      if (error instanceof AppError && error.code === 'too_many_rows')
        throw unusable(translate(call.language, error.message))
      throw error
    })
  if (!header || !rows.length) throw unusable(translate(call.language, 'The file holds no rows.'))
  const columns = header.map((title) => fieldOfTitle(definition, String(title ?? '')))
  const known = columns.flatMap((name, index) => (name ? [{ name, index }] : []))
  if (!known.length)
    throw unusable(
      translate(call.language, 'No column of the file is known. Its first row must hold the titles of the template.'),
    )
  const ignored = header
    .map((title) => String(title ?? '').trim())
    .filter((title, index) => title !== '' && !columns[index])
  return {
    title: known.map(({ name }) => [translate(call.language, definition.fields[name]?.label ?? name), name]),
    ...(ignored.length ? { ignored } : {}),
    data: rows.map((row) =>
      Object.fromEntries(
        known.map(({ name, index }) => [name, cellValue(definition.fields[name] as Field, row[index] ?? null)]),
      ),
    ),
  }
}

/** By any of its names in the Encoding Standard. Undefined for one that no CSV is read in. */
function encodingOf(text: string): Encoding | undefined {
  try {
    const { encoding } = new TextDecoder(text)
    const name = encoding === 'gbk' ? 'gb18030' : encoding
    return Object.hasOwn(ENCODINGS, name) ? (name as Encoding) : undefined
  } catch {
    return undefined
  }
}

/** The encoding in which a title with letters beyond ASCII is that of a field: no other has it. */
function encodingOfTitles(definition: ResourceDefinition, { readings }: UnsureText): Encoding | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they begin ASCII
  const isKnown = (title: string) => /[^\x00-\x7f]/.test(title) && fieldOfTitle(definition, title) !== undefined
  return readings.find(({ titles }) => titles.some(isKnown))?.encoding
}

/** Which encodings the file may be of, with what it says in each; the next call names one. */
function unsure({ message, readings }: UnsureText, { language }: Call): AppError {
  const encodings = readings.map(({ encoding, sample }) => ({
    encoding,
    label: translate(language, ENCODINGS[encoding]),
    sample,
  }))
  return new AppError(400, 'bad_request', message, { body: { error: translate(language, message), encodings } })
}

const unusable = (error: string) => new AppError(400, 'bad_request', error, { body: { error } })

/**
 * The field of a title: its label in either language, its name, or both as exports write them where
 * labels repeat (`Name (name_display)`); a star in front is for people alone.
 */
function fieldOfTitle(definition: ResourceDefinition, title: string): string | undefined {
  const bare = title.trim().replace(/^\*/, '').trim()
  const named = /\((\w+)\)$/.exec(bare)?.[1] ?? bare
  if (Object.hasOwn(definition.fields, named)) return named
  const fields = Object.entries(definition.fields)
  const candidates = [isLabel, isFormerLabel].map((is) => fields.filter(([, { label }]) => is(label, bare)))
  const [first] = candidates.filter(({ length }) => length > 0)

  // A value and its display may share a label: the writable one is meant.
  return (first?.find(([, field]) => !field.readOnly) ?? first?.[0])?.[0]
}

/**
 * A cell as a value of its field. What can't be read stays text, so that the create call reports
 * the error.
 */
function cellValue(field: Field, cell: Cell): unknown {
  if (cell === null) return field.type === 'boolean' || field.type === 'choice' ? undefined : ''
  if (typeof cell !== 'string') return isText(field) ? String(cell) : isList(field) ? [String(cell)] : cell
  const text = restoreFormula(cell).trim()
  if (field.type === 'multichoice')
    return listOf(text).map((one) => (typeof one === 'string' ? choiceOf(field, one) : one))
  if (isList(field)) return listOf(text)
  if (field.type === 'object') return jsonOf(text) ?? text
  if (field.type === 'choice') return choiceOf(field, text)
  return text
}

const isText = ({ type }: Field) => ['string', 'text', 'email', 'url', 'uuid'].includes(type)
const isList = ({ type }: Field) => ['strings', 'refs', 'multichoice', 'list'].includes(type)

function listOf(text: string): unknown[] {
  if (!text) return []
  const json = jsonOf(text)
  return Array.isArray(json)
    ? json
    : text
        .split(/[,，;；\n]/)
        .map((part) => part.trim())
        .filter(Boolean)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A choice by its value, or by its label in either language. */
function choiceOf({ choices = {} }: Field, text: string): string {
  if (Object.hasOwn(choices, text)) return text
  const meant = ([, label]: [string, string]) => isLabel(label, text) || isFormerLabel(label, text)
  return Object.entries(choices).find(meant)?.[0] ?? text
}

const isLabel = (label: string, text: string) => label === text || translate('cn', label) === text

/** As it was when an older file was exported. */
const isFormerLabel = (label: string, text: string) => FORMER_LABELS[label]?.includes(text) === true
