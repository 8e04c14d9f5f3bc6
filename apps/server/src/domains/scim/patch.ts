import { filter as matches } from 'scim2-parse-filter'
import {
  type Attributes,
  CORE_GROUP,
  CORE_USER,
  checkRequired,
  isObject,
  type Kind,
  nameIn,
  type Parts,
  readValue,
  type Schema,
  type Value,
} from './attributes.ts'
import { readFilter } from './filter.ts'
import { scimError } from './scim-error.ts'

/** Operations of one request. */
const MAX_OPERATIONS = 200

type Verb = 'add' | 'replace' | 'remove'
interface Place {
  name: string
  kind: Kind
  /** The entries of a list that are meant; all of them if undefined. */
  among?: string | undefined
  part?: string | undefined
}

/**
 * The attributes after the operations of RFC 7644 §3.5.2, in the dialects of Okta and Entra ID:
 * verbs in any case, `"False"`, names with dots as keys, members to remove as a value. Only known
 * attributes are touched, so no name that a client chooses is ever a key of an object here; unknown
 * ones are ignored, as in other bodies. Throws 400.
 */
export function patched(schema: Schema, attributes: Attributes, body: unknown): Attributes {
  const operations = isObject(body) ? (body.Operations ?? body.operations) : undefined
  if (!Array.isArray(operations) || !operations.length || operations.length > MAX_OPERATIONS)
    throw scimError(400, 'invalidSyntax', `Operations must be a list of 1 to ${MAX_OPERATIONS}`)
  const after: Attributes = structuredClone(attributes)
  for (const operation of operations) {
    if (!isObject(operation)) throw scimError(400, 'invalidSyntax', 'An operation must be an object')
    const verb = verbOf(operation.op)
    const { path, value } = operation
    if (path !== undefined && path !== null && typeof path !== 'string')
      throw scimError(400, 'invalidPath', 'path must be a text')
    if (path) apply(schema, after, verb, path, value)
    else if (verb === 'remove') throw scimError(400, 'invalidPath', 'remove needs a path')
    else if (!isObject(value)) throw scimError(400, 'invalidValue', 'Without a path the value must be an object')
    else for (const [name, one] of Object.entries(value)) apply(schema, after, verb, name, one)
  }
  checkRequired(schema, after)
  return after
}

function verbOf(op: unknown): Verb {
  const verb = typeof op === 'string' ? op.toLowerCase() : ''
  if (verb !== 'add' && verb !== 'replace' && verb !== 'remove')
    throw scimError(400, 'invalidSyntax', 'op must be add, replace or remove')
  return verb
}

const PATH = /^([\w$-]+)(?:\[(.*)\])?(?:\.([\w$-]+))?$/s

/** Undefined for attributes that are not known. Throws 400 where it is no path. */
function placeOf(schema: Schema, path: string): Place | undefined {
  for (const core of [CORE_USER, CORE_GROUP])
    if (path.toLowerCase().startsWith(`${core.toLowerCase()}:`)) return placeOf(schema, path.slice(core.length + 1))
  // An extension: its own name is the attribute.
  const extension = Object.keys(schema).find(
    (name) => name.includes(':') && path.toLowerCase().startsWith(name.toLowerCase()),
  )
  const rest = extension === undefined ? '' : path.slice(extension.length)
  const found =
    extension === undefined ? PATH.exec(path) : ([path, extension, undefined, rest.slice(1) || undefined] as const)
  if (!found) {
    if (path.startsWith('urn:')) return undefined
    throw scimError(400, 'invalidPath', `${path.slice(0, 80)} is no path`)
  }
  const [, attribute = '', among, part] = found
  const name = nameIn(schema, attribute)
  const kind = name === undefined ? undefined : schema[name]
  if (name === undefined || !kind) return undefined
  const parts = kind.is === 'complex' || kind.is === 'list' ? kind.parts : {}
  const known = part === undefined ? undefined : nameIn(parts, part)
  if (part !== undefined && known === undefined) return undefined
  return { name, kind, among, part: known }
}

function apply(schema: Schema, attributes: Attributes, verb: Verb, path: string, value: unknown): void {
  const place = placeOf(schema, path)
  if (!place) return
  const { name, kind, part } = place
  const now = attributes[name]
  const after =
    kind.is === 'list'
      ? changedList(kind, (now ?? []) as Parts[], verb, place, value)
      : kind.is === 'complex'
        ? changedParts(kind, (now ?? {}) as Parts, verb, part, value, name)
        : verb === 'remove'
          ? undefined
          : readValue(kind, value, name)
  if (after === undefined || (isObject(after) && !Object.keys(after).length)) delete attributes[name]
  else attributes[name] = after
}

type Several = Extract<Kind, { parts: unknown }>

/** Parts that are not named stay as they are. */
function changedParts(
  { parts }: Several,
  now: Parts,
  verb: Verb,
  part: string | undefined,
  value: unknown,
  name: string,
): Value | undefined {
  if (part === undefined) {
    if (verb === 'remove') return undefined
    return { ...now, ...((readValue({ is: 'complex', parts }, value, name) ?? {}) as Parts) }
  }
  const after = { ...now }
  delete after[part]
  const kind = parts[part]
  const read = verb === 'remove' || !kind ? undefined : (readValue(kind, value, `${name}.${part}`) as string | boolean)
  return read === undefined ? after : { ...after, [part]: read }
}

function changedList(
  kind: Extract<Kind, { is: 'list' }>,
  now: Parts[],
  verb: Verb,
  place: Place,
  value: unknown,
): Value | undefined {
  const { name, among, part } = place
  if (among === undefined && part === undefined) {
    const sent = (readValue(kind, value, name) ?? []) as Parts[]
    if (verb === 'replace') return listOf(kind, sent, name)
    if (verb === 'add') return listOf(kind, joined(now, sent), name)
    // Entra ID names members to remove as a value.
    const gone = new Set(sent.map((entry) => entry.value))
    return sent.length
      ? listOf(
          kind,
          now.filter((entry) => !gone.has(entry.value)),
          name,
        )
      : undefined
  }
  const isMeant = among === undefined ? () => true : conditionOf(among)
  if (verb === 'remove' && part === undefined)
    return listOf(
      kind,
      now.filter((entry) => !isMeant(entry)),
      name,
    )
  const changed = now.map((entry) =>
    isMeant(entry) ? (changedParts(kind, entry, verb, part, value, name) as Parts) : entry,
  )
  if (verb === 'remove' || now.some(isMeant)) return listOf(kind, changed, name)
  // Providers set `emails[type eq "work"].value` where there is no such address yet.
  const begun = among === undefined ? {} : equalityOf(kind, among)
  if (!begun) throw scimError(400, 'invalidPath', `Nothing in ${name} is ${among}`)
  return listOf(kind, [...now, changedParts(kind, begun, verb, part, value, name) as Parts], name)
}

/** New entries replace those of the same value, and only the last primary one stays it. */
function joined(now: readonly Parts[], added: readonly Parts[]): Parts[] {
  const values = new Set(added.map((entry) => entry.value))
  const isPrimaryNew = added.some((entry) => entry.primary === true)
  const kept = now.filter((entry) => entry.value === undefined || !values.has(entry.value))
  return [...kept.map((entry) => (isPrimaryNew && entry.primary ? { ...entry, primary: false } : entry)), ...added]
}

function listOf(kind: Extract<Kind, { is: 'list' }>, entries: Parts[], name: string): Parts[] | undefined {
  const kept = entries.filter((entry) => Object.keys(entry).length)
  if (kept.length > kind.max) throw scimError(400, 'tooMany', `${name} has more than ${kind.max} entries`)
  return kept.length ? kept : undefined
}

function conditionOf(among: string): (entry: Parts) => boolean {
  const isMatch = matches(readFilter(among))
  return (entry) => isMatch(entry)
}

/** `type eq "work"` as the entry that it asks for. */
function equalityOf({ parts }: Several, among: string): Parts | undefined {
  const wanted = readFilter(among)
  if (wanted.op !== 'eq' || !('compValue' in wanted) || wanted.compValue === null) return undefined
  const name = nameIn(parts, wanted.attrPath)
  return name === undefined ? undefined : { [name]: wanted.compValue as string | boolean }
}
