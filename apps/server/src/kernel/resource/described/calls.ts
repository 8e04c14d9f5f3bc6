/** The calls of every resource: bodies and answers, for OPTIONS and the API document. */
import type { Fields, ResourceDefinition } from '@sallyport/contract/define.ts'
import type { FastifyContextConfig } from 'fastify'
import { plainFields } from '../plain-fields.ts'

/** Kinds of calls. */
export type Described =
  | 'answers a list'
  | 'answers a row'
  | 'creates'
  | 'takes a row'
  | 'takes rows'
  | 'takes a file'
  | 'imports'
  | 'progress'
  | 'stops'
  | 'deletes'
  | 'metadata'

/** Calls that may be previewed where rows bear rights. */
export const CHANGES: readonly Described[] = ['creates', 'takes a row', 'takes rows', 'imports', 'deletes']
/** Calls with large bodies. */
export const TAKES_MANY: readonly Described[] = ['creates', 'takes rows', 'imports']

const IMPORT: Fields = {
  mode: { type: 'choice', label: 'Mode', required: true, choices: { create: 'Create', update: 'Update' } },
  rows: { type: 'list', label: 'Rows', required: true },
}
const PROGRESS_FIELDS: Fields = {
  ...plainFields({ id: 'uuid', mode: 'string', status: 'string', finished: 'boolean' }),
  ...plainFields({ total: 'integer', succeeded: 'integer', failed: 'integer' }),
  results: {
    type: 'list',
    label: 'Results',
    readOnly: true,
    fields: plainFields({ index: 'integer', errors: 'object' }),
  },
}

const PROGRESS = { fields: PROGRESS_FIELDS }
const FILE = { fields: plainFields({ title: 'list', data: 'list', ignored: 'strings' }) }
const BEGUN = { fields: plainFields({ id: 'uuid', change: 'uuid' }) }

/** What every resource has has a name in the API document, by which it is written once there. */
export const NAMED_ANSWERS: ReadonlyMap<object, string> = new Map<object, string>([
  [FILE, 'ImportFile'],
  [BEGUN, 'ImportBegun'],
  [PROGRESS, 'ImportProgress'],
])

/** The part of a route's `config` that says it. */
export const DESCRIBED: Readonly<Record<Described, (rows: ResourceDefinition) => FastifyContextConfig>> = {
  'answers a list': (rows) => ({ rows, answers: 'rows or page' }),
  'answers a row': (rows) => ({ rows, answers: 'row' }),
  creates: (rows) => ({ rows, takes: rows, sends: 'row or rows', answers: 'row or rows', answerStatus: 201 }),
  'takes a row': (rows) => ({ rows, takes: rows, answers: 'row' }),
  'takes rows': (rows) => ({ rows, takes: rows, sends: 'rows', answers: 'rows' }),
  'takes a file': () => ({ takesFile: true, answers: FILE }),
  imports: () => ({
    takes: { fields: IMPORT },
    answers: BEGUN,
    answerStatus: 202,
  }),
  progress: () => ({ answers: PROGRESS }),
  stops: () => ({ answers: 'nothing' }),
  deletes: () => ({ answers: 'nothing' }),
  metadata: () => ({ answers: 'metadata' }),
}
