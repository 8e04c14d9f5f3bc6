import { type AsCodeError, type AsCodeRequest, MOST_ROWS } from '@sallyport/contract/as-code.ts'
import type { Fields } from '@sallyport/contract/define.ts'
import { z } from 'zod'
import { refused } from '../../kernel/errors/app-error.ts'
import { type Language, translate } from '../../kernel/i18n/translate.ts'
import { isId } from '../../kernel/resource/conditions.ts'
import { childFields } from './current-rows.ts'
import { asForm, type Form, fieldsInside, fieldsOf, isGivenOnce, textOf } from './form.ts'
import { KINDS, type Kind, kindNamed } from './kinds.ts'
import { cleanPath, TOP } from './names.ts'

/** The body of a plan, and of what carries it out. */
export const requestBody = z.object({
  documents: z.record(z.string().max(64), z.array(z.unknown())),
  prune: z.boolean().default(false),
  set_secrets: z.boolean().default(false),
  digest: z.string().max(128).default(''),
})

/** A row that a file wants. */
export interface Desired {
  /** Among the rows of its kind; null for a level of a path that is only implied. */
  index: number | null
  /** As it is called in what people read, and as rows are told apart. */
  name: string
  key: string
  /** Where a name does not tell it apart. */
  id: string | undefined
  form: Form
  /** Values that are set once: secrets, or their place where they were not sent. */
  given: Form
  children: readonly Form[]
}

const tooManyRows = () => refused('too_large', 'One call takes at most 20000 rows.')

export interface Documents {
  rows: ReadonlyMap<Kind, readonly Desired[]>
  errors: AsCodeError[]
}

/** Rows that are read at a time, so that the event loop is free in between. */
const SLICE = 500
/** Levels of a path. */
const MOST_LEVELS = 64

/** Rows that are called alike have the same text. */
export const keyOf = ({ key }: Kind, form: Form): string => JSON.stringify(key.map((name) => textOf(form[name])))

export const nameOf = ({ key }: Kind, form: Form): string => key.map((name) => textOf(form[name])).join(':')

/**
 * Reads what was sent, by the kinds' order. Errors of rows by themselves are reported for all rows at
 * once. Throws 400 for more rows than one call takes, the levels of paths among them.
 */
export async function readDocuments({ documents }: AsCodeRequest, language: Language): Promise<Documents> {
  const errors: AsCodeError[] = []
  const rows = new Map<Kind, Desired[]>()
  const count = Object.values(documents).reduce((sum, some) => sum + some.length, 0)
  if (count > MOST_ROWS) throw tooManyRows()
  for (const name of Object.keys(documents))
    if (!kindNamed(name))
      errors.push({
        kind: name.slice(0, 64),
        index: null,
        name: '',
        field: '',
        message: translate(language, 'There is no such kind: {{kinds}}', {
          kinds: KINDS.map((one) => one.name).join(', '),
        }),
      })
  for (const kind of KINDS) {
    const some = documents[kind.name]
    if (!some || !Object.hasOwn(documents, kind.name)) continue
    rows.set(kind, await readRows(kind, some, errors, language))
  }
  return { rows, errors }
}

async function readRows(
  kind: Kind,
  some: readonly unknown[],
  errors: AsCodeError[],
  language: Language,
): Promise<Desired[]> {
  const wanted: Desired[] = []
  const seen = new Set<string>()
  for (const [index, one] of some.entries()) {
    if (index % SLICE === SLICE - 1) await new Promise(setImmediate)
    const reader = { kind, index, errors, language, name: '' }
    const row = readRow(one, reader)
    if (!row) continue
    const place = row.id ?? row.key
    if (seen.has(place)) say(reader, kind.isTree ? 'path' : (kind.key[0] ?? ''), 'This is in the files twice.')
    else {
      seen.add(place)
      wanted.push(row)
    }
  }
  return kind.isTree ? withLevels(kind, wanted) : wanted
}

interface Reader {
  kind: Kind
  index: number
  errors: AsCodeError[]
  language: Language
  name: string
}

const say = ({ kind, index, errors, language, name }: Reader, field: string, message: string) =>
  void errors.push({ kind: kind.name, index, name, field, message: translate(language, message) })

function readRow(one: unknown, reader: Reader): Desired | undefined {
  const { kind, index } = reader
  const [first = '', ...others] = kind.key
  const given = typeof one === 'string' && !others.length ? { [kind.isTree ? 'path' : first]: one } : one
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    say(reader, '', 'A row has fields, or is a name alone.')
    return undefined
  }
  const { id, ...sent } = asForm(given) as Record<string, unknown>
  if (kind.isTree) {
    const { path } = sent
    if (typeof path === 'string' && path.split('/', MOST_LEVELS + 2).length > MOST_LEVELS + 1) {
      say(reader, 'path', 'This path has too many levels.')
      return undefined
    }
    if (typeof path === 'string') sent.full_value = cleanPath(path)
    else delete sent.full_value
    delete sent.path
  }
  const before = reader.errors.length
  reader.name = nameOf(kind, sent).slice(0, 200)
  for (const name of kind.key)
    if (!['string', 'number'].includes(typeof sent[name]) || String(sent[name]).trim() === '')
      say(reader, kind.isTree ? 'path' : name, 'This field is required.')
    else if (String(sent[name]).includes('\0'))
      say(reader, kind.isTree ? 'path' : name, 'Null characters are not allowed.')
  if (id !== undefined && !isId(kind.definition, String(id))) say(reader, 'id', 'Must be a valid UUID.')
  const { children } = kind
  const own: Record<string, unknown> = { ...sent }
  if (children) delete own[children.field]
  const fields = fieldsOf(kind)
  refuseUnknown(fields, own, '', reader)
  const below = children ? readChildren(kind, sent[children.field], reader) : []
  if (reader.errors.length > before) return undefined
  for (const name of kind.key) own[name] = String(own[name]).trim()
  const [form, once] = split(fields, own)
  const name = nameOf(kind, form)
  return {
    index,
    name,
    key: keyOf(kind, form),
    id: id === undefined ? undefined : String(id).toLowerCase(),
    form,
    given: once,
    children: below,
  }
}

function readChildren(kind: Kind, sent: unknown, reader: Reader): Form[] {
  const field = kind.children?.field ?? ''
  if (sent === undefined || sent === null) return []
  if (!Array.isArray(sent)) {
    say(reader, field, 'Expected a list of items.')
    return []
  }
  return sent.map((one, at) => {
    if (typeof one !== 'object' || one === null || Array.isArray(one))
      say(reader, `${field}.${at}`, 'Invalid data. Expected an object.')
    refuseUnknown(childFields(kind), asForm(one), `${field}.${at}.`, reader)
    return split(childFields(kind), asForm(one))[0]
  })
}

/** A field that nobody knows is a slip of the pen: left alone it would look as if it had been set. */
function refuseUnknown(fields: Fields, row: Form, at: string, reader: Reader): void {
  for (const [name, value] of Object.entries(row)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (!field || field.readOnly) {
      say(reader, at + name.slice(0, 64), 'There is no such field.')
      continue
    }
    if (field.type === 'datetime' && typeof value === 'string' && !/(Z|[+-]\d{2}:?\d{2})$/.test(value.trim()))
      say(reader, at + name, 'Write a time with its zone, such as 2027-01-31T18:00:00Z.')
    const inside = fieldsInside(field, row)
    if (!inside || typeof value !== 'object') continue
    if (!Array.isArray(value)) refuseUnknown(inside, asForm(value), `${at}${name}.`, reader)
    else
      for (const [index, one] of value.entries()) refuseUnknown(inside, asForm(one), `${at}${name}.${index}.`, reader)
  }
}

/** The values of a row, and apart from them those that are set once, with the path of their object. */
function split(fields: Fields, row: Form): [form: Form, once: Form] {
  const form: Record<string, unknown> = {}
  const once: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(row)) {
    const field = fields[name]
    if (!field || value === undefined) continue
    if (isGivenOnce(field)) {
      if (value !== null) once[name] = value
      continue
    }
    // Nothing after the colon: as if the line were not there, unless nothing is a value.
    if (value === null && !field.nullable) continue
    const inside = fieldsInside(field, row)
    if (inside && typeof value === 'object' && !Array.isArray(value)) {
      const [inner, secrets] = split(inside, asForm(value))
      form[name] = inner
      for (const [key, secret] of Object.entries(secrets)) once[`${name}.${key}`] = secret
    } else form[name] = value
  }
  return [form, once]
}

/** A path needs all levels above it: they are rows as well. */
function withLevels(kind: Kind, wanted: readonly Desired[]): Desired[] {
  const all = new Map(wanted.map((row) => [row.name, row]))
  for (const { name } of wanted)
    for (let path = above(name); path && !all.has(path); path = above(path)) {
      if (all.size >= MOST_ROWS) throw tooManyRows()
      const form = { full_value: path }
      all.set(path, { index: null, name: path, key: keyOf(kind, form), id: undefined, form, given: {}, children: [] })
    }
  all.delete(TOP)
  const byDepth = Map.groupBy(all.values(), ({ name }) => name.split('/').length)
  return [...byDepth.keys()].toSorted((one, other) => one - other).flatMap((depth) => byDepth.get(depth) ?? [])
}

/** The path of the level above; empty for the top ones. */
const above = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))
