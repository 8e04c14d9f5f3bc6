import { scimError } from './scim-error.ts'

export const CORE_USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const CORE_GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const ENTERPRISE_USER = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

/** Characters of a text, and entries of a list other than members. */
const MAX_TEXT = 512
const MAX_ENTRIES = 20

/** A value of a text or boolean, of several named ones, or a list of such. */
export type Kind =
  | { is: 'text'; required?: true; exact?: true }
  | { is: 'boolean' }
  | { is: 'complex'; parts: Readonly<Record<string, Kind>> }
  | { is: 'list'; parts: Readonly<Record<string, Kind>>; max: number }
/** Attributes of a resource by name. */
export type Schema = Readonly<Record<string, Kind>>

export type Value = string | boolean | Parts | Parts[]
export interface Parts {
  [name: string]: string | boolean
}
/** Known attributes of a resource, by the names of RFC 7643. */
export interface Attributes {
  [name: string]: Value
}

const TEXT = { is: 'text' } as const
const EXACT = { is: 'text', exact: true } as const
const BOOLEAN = { is: 'boolean' } as const
const ENTRY = { value: TEXT, type: TEXT, display: TEXT, primary: BOOLEAN }

/** The kept attributes of a person (RFC 7643 §4.1, §4.3); others are ignored, passwords among them. */
export const USER: Schema = {
  externalId: EXACT,
  userName: { is: 'text', required: true },
  displayName: TEXT,
  nickName: TEXT,
  title: TEXT,
  userType: TEXT,
  preferredLanguage: TEXT,
  locale: TEXT,
  timezone: TEXT,
  active: BOOLEAN,
  name: {
    is: 'complex',
    parts: {
      formatted: TEXT,
      familyName: TEXT,
      givenName: TEXT,
      middleName: TEXT,
      honorificPrefix: TEXT,
      honorificSuffix: TEXT,
    },
  },
  emails: { is: 'list', parts: ENTRY, max: MAX_ENTRIES },
  phoneNumbers: { is: 'list', parts: ENTRY, max: MAX_ENTRIES },
  [ENTERPRISE_USER]: {
    is: 'complex',
    parts: { employeeNumber: TEXT, costCenter: TEXT, organization: TEXT, division: TEXT, department: TEXT },
  },
}

/** Members of a group that one call may name; as many rows as any call may write. */
export const MAX_MEMBERS = 10_000

export const GROUP: Schema = {
  externalId: EXACT,
  displayName: { is: 'text', required: true },
  members: { is: 'list', parts: { value: EXACT, type: TEXT, display: TEXT }, max: MAX_MEMBERS },
}

/** The attribute as the schema writes it: names are the same in any case (RFC 7643 §2.1). */
export function nameIn(schema: Schema, name: string): string | undefined {
  const wanted = name.toLowerCase()
  return Object.keys(schema).find((known) => known.toLowerCase() === wanted)
}

/** Known attributes of a body. Throws 400 for values of a wrong type, and for required ones that lack. */
export function readAttributes(schema: Schema, body: unknown): Attributes {
  if (!isObject(body)) throw scimError(400, 'invalidSyntax', 'Expected an object')
  const attributes: Attributes = {}
  for (const [sent, value] of Object.entries(body)) {
    const name = nameIn(schema, sent)
    const kind = name === undefined ? undefined : schema[name]
    const read = kind && readValue(kind, value, sent)
    if (name !== undefined && read !== undefined) attributes[name] = read
  }
  checkRequired(schema, attributes)
  return attributes
}

export function checkRequired(schema: Schema, attributes: Attributes): void {
  for (const [name, kind] of Object.entries(schema))
    if (kind.is === 'text' && kind.required && !attributes[name])
      throw scimError(400, 'invalidValue', `${name} is required`)
}

/** Undefined for null and for nothing, which both mean that there is no value (RFC 7643 §2.5). */
export function readValue(kind: Kind, value: unknown, name: string): Value | undefined {
  if (value === null || value === undefined) return undefined
  switch (kind.is) {
    case 'text':
      return readText(value, name)
    case 'boolean':
      return readBoolean(value, name)
    case 'complex':
      return readParts(kind.parts, value, name)
    case 'list': {
      const entries = Array.isArray(value) ? value : [value]
      if (entries.length > kind.max) throw scimError(400, 'tooMany', `${name} has more than ${kind.max} entries`)
      const read = entries.flatMap((entry) => {
        const parts = readParts(kind.parts, isObject(entry) ? entry : { value: entry }, name)
        return parts ? [parts] : []
      })
      return read.length ? read : undefined
    }
  }
}

function readParts(parts: Readonly<Record<string, Kind>>, value: unknown, name: string): Parts | undefined {
  if (!isObject(value)) throw scimError(400, 'invalidValue', `${name} must be an object`)
  const read: Parts = {}
  for (const [sent, part] of Object.entries(value)) {
    const known = nameIn(parts, sent)
    const kind = known === undefined ? undefined : parts[known]
    const one = kind && readValue(kind, part, `${name}.${sent}`)
    if (known !== undefined && one !== undefined) read[known] = one as string | boolean
  }
  return Object.keys(read).length ? read : undefined
}

function readText(value: unknown, name: string): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number')
    throw scimError(400, 'invalidValue', `${name} must be a text`)
  const text = String(value)
  if (text.length > MAX_TEXT || text.includes('\0'))
    throw scimError(400, 'invalidValue', `${name} is longer than ${MAX_TEXT} characters, or has a NUL`)
  return text === '' ? undefined : text
}

/** Entra ID sends `"False"`. */
function readBoolean(value: unknown, name: string): boolean {
  if (typeof value === 'boolean') return value
  const text = typeof value === 'string' ? value.toLowerCase() : ''
  if (text !== 'true' && text !== 'false') throw scimError(400, 'invalidValue', `${name} must be true or false`)
  return text === 'true'
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
