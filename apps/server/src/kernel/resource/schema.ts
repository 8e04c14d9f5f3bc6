import type { Field, ResourceDefinition } from '@sallyport/contract/define.ts'
import type { FieldErrors } from '@sallyport/contract/errors.ts'
import { z } from 'zod'
import { invalid } from '../errors/app-error.ts'
import { type Language, translate } from '../i18n/translate.ts'
import { readBoolean } from './conditions.ts'
import { parseDateTime } from './datetime.ts'

export type WriteMode = 'create' | 'update' | 'patch'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
type Readers = ReadonlyMap<string, z.ZodType>
const cache = new Map<string, Readers>()

export interface ReadBody {
  /**
   * Values to store, by field: dates as Date, one-line text trimmed, integers sent as text as
   * numbers. Fields that were not sent are missing.
   */
  values: Record<string, unknown>
  /** Messages by dotted path, in the language given. */
  errors: FieldErrors
}

/**
 * The fields of a body; none without a body. Throws 400 for a list, a text or a number, which would
 * look like "nothing to change".
 */
export function readObject(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof (body ?? {}) !== 'object' || Array.isArray(body))
    throw invalid({ non_field_errors: 'Invalid data. Expected an object.' })
  return (body ?? {}) as Record<string, unknown>
}

/**
 * Reads a client's values for a resource's writable fields; drops unknown keys. A PATCH gets no
 * defaults: changing the comment must not enable a disabled row again.
 */
export function readBody(
  definition: Pick<ResourceDefinition, 'name' | 'fields'>,
  mode: WriteMode,
  language: Language,
  body: Readonly<Record<string, unknown>>,
): ReadBody {
  const key = `${definition.name} ${mode} ${language}`
  let readers = cache.get(key)
  if (!readers) {
    readers = readersOf(definition.fields, mode, language)
    cache.set(key, readers)
  }
  return readWith(readers, body)
}

function readWith(readers: Readers, body: Readonly<Record<string, unknown>>): ReadBody {
  const values: Record<string, unknown> = {}
  const errors: FieldErrors = {}
  for (const [name, reader] of readers) {
    // An empty id means none: an import file may have the column without values.
    const sent = name === 'id' && (body.id === null || body.id === '') ? undefined : body[name]
    const read = reader.safeParse(sent)
    if (!read.success)
      for (const { path, message } of read.error.issues) (errors[[name, ...path].join('.')] ??= []).push(message)
    else if (read.data !== undefined) values[name] = read.data
  }
  return { values, errors }
}

function readersOf(fields: Readonly<Record<string, Field>>, mode: WriteMode, language: Language): Readers {
  // An id may be sent on create, which the import of updates relies on (docs/rules/api.md#writes).
  // Objects with shapes are read once their shape is known, see shapes.ts.
  const writable = Object.entries(fields).filter(
    ([name, field]) => !field.readOnly && !field.shapeBy && (name !== 'id' || mode === 'create'),
  )
  return new Map(writable.map(([name, field]) => [name, fieldSchema(field, mode, language)]))
}

/** A JSON object with these fields; errors have their path inside it. */
function objectSchema(fields: Readonly<Record<string, Field>>, language: Language): z.ZodType {
  const readers = readersOf(fields, 'create', language)
  return z.unknown().transform((input, context) => {
    if (typeof input !== 'object' || input === null || Array.isArray(input))
      return issue(context, translate(language, 'Invalid data. Expected an object.'))
    const { values, errors } = readWith(readers, input as Record<string, unknown>)
    for (const [path, messages] of Object.entries(errors))
      for (const message of messages) context.addIssue({ code: 'custom', message, path: path.split('.') })
    return values
  })
}

function fieldSchema(field: Field, mode: WriteMode, language: Language): z.ZodType {
  const say = (text: string, values?: Record<string, unknown>) => translate(language, text, values)
  const value = valueSchema(field, language)
  return z.unknown().transform((input, context) => {
    const fail = (message: string) => {
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }
    if (input === undefined) {
      if (mode === 'patch') return undefined
      if (field.default !== undefined) return defaultOf(field)
      return field.required ? fail(say('This field is required.')) : undefined
    }
    // Forms send an empty text for no value.
    const empty = input === '' && !['string', 'text', 'email', 'url'].includes(field.type)
    if (input === null || empty) {
      if (field.nullable) return null
      if (!field.required && !isList(field))
        return field.default === undefined ? (isText(field) ? '' : null) : defaultOf(field)
      return fail(say('This field may not be null.'))
    }
    const parsed = value.safeParse(input)
    if (parsed.success) return parsed.data
    for (const issue of parsed.error.issues)
      context.addIssue({ code: 'custom', message: issue.message, path: [...issue.path] })
    return z.NEVER
  })
}

const isText = ({ type }: Field) => type === 'string' || type === 'text' || type === 'email' || type === 'url'
const isList = ({ type }: Field) => type === 'refs' || type === 'strings' || type === 'multichoice' || type === 'list'

/** A copy of the default; `now` and `now+<days>` become moments. */
export function defaultOf(field: Field): unknown {
  if (field.type === 'datetime' && typeof field.default === 'string') {
    const days = Number(/^now\+(\d+)$/.exec(field.default)?.[1] ?? 0)
    return new Date(Date.now() + days * 86_400_000)
  }
  return structuredClone(field.default)
}

function valueSchema(field: Field, language: Language): z.ZodType {
  const say = (text: string, values?: Record<string, unknown>) => translate(language, text, values)
  switch (field.type) {
    case 'string':
    case 'text':
    case 'email':
    case 'url':
      return textSchema(field, say)
    case 'uuid':
      return z.string(say('Must be a valid UUID.')).regex(UUID, say('Must be a valid UUID.'))
    case 'integer':
    case 'float':
      return numberSchema(field, say)
    case 'boolean':
      return z.unknown().transform((input, context) => {
        const value = typeof input === 'object' ? undefined : readBoolean(input)
        return value ?? issue(context, say('Must be a valid boolean.'))
      })
    case 'datetime':
      // A text without an offset is in the client's zone, which this schema does not know: it stays
      // text for now.
      return z.unknown().transform((input, context) => {
        const date = typeof input === 'string' && input.length <= 64 ? parseDateTime(input, 'UTC') : undefined
        if (!date || Number.isNaN(date.getTime())) return issue(context, say('Datetime has wrong format.'))
        return /(Z|[+-]\d{2}:?\d{2})$/.test((input as string).trim().slice(10)) ? date : (input as string).trim()
      })
    case 'choice':
      return z
        .unknown()
        .transform(
          (input, context) =>
            choiceValue(field, unwrapChoice(input)) ??
            issue(context, say('"{{value}}" is not a valid choice.', { value: shown(input) })),
        )
    case 'multichoice':
      return listSchema(
        field,
        say,
        (input) => choiceValue(field, unwrapChoice(input)),
        '"{{value}}" is not a valid choice.',
      )
    case 'strings':
      return listSchema(
        field,
        say,
        (input) =>
          typeof input === 'string' && !input.includes('\0') && input.length <= 1024 ? input.trim() : undefined,
        'Not a valid string.',
      )
    case 'ref':
      return z
        .unknown()
        .transform((input, context) => refValue(input) ?? issue(context, say('Incorrect type. Expected an id.')))
    case 'refs':
      return listSchema(field, say, refValue, 'Incorrect type. Expected an id.')
    case 'object':
      return field.fields
        ? objectSchema(field.fields, language)
        : z.record(z.string(), z.json(), say('Invalid data. Expected an object.'))
    case 'list':
      return itemsSchema(field, say).pipe(
        z.array(field.fields ? objectSchema(field.fields, language) : z.record(z.string(), z.json())),
      )
    default:
      return field.type satisfies never
  }
}

/** Whether a text is an address of mail as forms take it. */
export const isEmail = (text: string): boolean => z.email().safeParse(text).success

type Say = (text: string, values?: Record<string, unknown>) => string

/**
 * A text, or a number that can be one. Half a character would be stored as another one, and of
 * a long number the last digits are lost before we see it: what is kept would not be what was sent.
 */
const isKeptAsSent = (input: unknown): input is string | number =>
  typeof input === 'string'
    ? input.isWellFormed()
    : typeof input === 'number' && Math.abs(input) <= Number.MAX_SAFE_INTEGER

function textSchema(field: Field, say: Say): z.ZodType {
  return z.unknown().transform((input, context) => {
    if (!isKeptAsSent(input)) return issue(context, say('Not a valid string.'))
    // Passwords, keys and code are not trimmed (notes on A5.27), nor the inside of longer texts.
    const text = field.writeOnly ? String(input) : String(input).trim()
    if (text.includes('\0')) return issue(context, say('Null characters are not allowed.'))
    if (!text && field.required && !field.blank) return issue(context, say('This field may not be blank.'))
    if (field.maxLength !== undefined && text.length > field.maxLength)
      return issue(
        context,
        say('Ensure this field has no more than {{max|character|characters}}.', { max: field.maxLength }),
      )
    if (text && field.minLength !== undefined && text.length < field.minLength)
      return issue(
        context,
        say('Ensure this field has at least {{min|character|characters}}.', { min: field.minLength }),
      )
    if (text && field.type === 'email' && !isEmail(text)) return issue(context, say('Enter a valid email address.'))
    if (text && field.type === 'url' && !URL.canParse(text)) return issue(context, say('Enter a valid URL.'))
    if (text && field.pattern && !new RegExp(field.pattern).test(text))
      return issue(context, say('This value does not match the required pattern.'))
    return text
  })
}

function numberSchema(field: Field, say: Say): z.ZodType {
  const whole = field.type === 'integer'
  return z.unknown().transform((input, context) => {
    const value =
      typeof input === 'number'
        ? input
        : typeof input === 'string' && /^-?\d+(\.\d+)?$/.test(input.trim())
          ? Number(input)
          : Number.NaN
    if (!Number.isFinite(value) || (whole && !Number.isSafeInteger(value)))
      return issue(context, say(whole ? 'A valid integer is required.' : 'A valid number is required.'))
    const max = field.max ?? (whole ? 2_147_483_647 : Number.MAX_VALUE)
    if (value > max) return issue(context, say('Ensure this value is less than or equal to {{max}}.', { max }))
    const min = field.min ?? (whole ? -2_147_483_648 : -Number.MAX_VALUE)
    if (value < min) return issue(context, say('Ensure this value is greater than or equal to {{min}}.', { min }))
    return value
  })
}

/** Limit of lists that state none of their own. */
const MAX_ITEMS = 100_000

/** A list that has as many items as the field allows, whatever they are. */
function itemsSchema({ minItems = 0, maxItems = MAX_ITEMS }: Field, say: Say) {
  return z.unknown().transform((input, context): unknown[] => {
    if (!Array.isArray(input)) return issue(context, say('Expected a list of items.'))
    if (input.length > maxItems)
      return issue(context, say('Ensure this list has no more than {{max|item|items}}.', { max: maxItems }))
    if (input.length < minItems) return issue(context, say('This list may not be empty.'))
    return input
  })
}

function listSchema(field: Field, say: Say, read: (input: unknown) => unknown, message: string): z.ZodType {
  return itemsSchema(field, say).transform((input, context) => {
    const values = input.map(read)
    if (field.ignoresUnknown) return [...new Set(values.filter((value) => value !== undefined))]
    values.forEach((value, index) => {
      if (value === undefined)
        context.addIssue({ code: 'custom', message: say(message, { value: shown(input[index]) }), path: [index] })
    })
    return [...new Set(values)]
  })
}

function issue(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message })
  return z.NEVER
}

/** Clients that work from metadata may send the whole choice. */
const unwrapChoice = (input: unknown) =>
  typeof input === 'object' && input !== null && 'value' in input ? input.value : input

function choiceValue(field: Field, input: unknown): string | number | undefined {
  if (typeof input !== 'string' && typeof input !== 'number') return undefined
  if (!Object.hasOwn(field.choices ?? {}, String(input))) return undefined
  return field.integer ? Number(input) : String(input)
}

/** An id as text, sent by itself or inside an object (`id` or `pk`). */
function refValue(input: unknown): string | undefined {
  const value =
    typeof input === 'object' && input !== null
      ? ((input as Record<string, unknown>).id ?? (input as Record<string, unknown>).pk)
      : input
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
  return typeof value === 'string' && value !== '' && value.length <= 256 && !value.includes('\0') ? value : undefined
}

const shown = (input: unknown) =>
  typeof input === 'string' || typeof input === 'number' ? String(input).slice(0, 64) : typeof input
