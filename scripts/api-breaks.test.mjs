import { expect, test } from 'vitest'
import { breaksBetween, unnamed } from './api-breaks.mjs'
import { shapeOf, shapeOfApi } from './api-shape.mjs'

/** A small API: a list of machines, and how one is made. */
function anApi({ row = {}, draft = {}, required = ['hostname'], call = {}, gone = [] } = {}) {
  const document = {
    info: { version: '1.0.0' },
    paths: {
      '/machines/': {
        parameters: [{ $ref: '#/components/parameters/organization' }],
        get: {
          parameters: [{ $ref: '#/components/parameters/search' }, { name: 'ip', in: 'query' }],
          responses: { 200: inJson({ type: 'array', items: { $ref: '#/components/schemas/machine' } }), default: {} },
        },
        post: {
          requestBody: inJson({ $ref: '#/components/schemas/machine_draft' }),
          responses: { 201: inJson({ $ref: '#/components/schemas/machine' }) },
          ...call,
        },
      },
    },
    components: {
      schemas: {
        machine: {
          type: 'object',
          properties: { hostname: { type: 'string' }, port: { type: ['integer', 'null'] }, ...row },
        },
        machine_draft: {
          type: 'object',
          properties: {
            hostname: { type: 'string', maxLength: 128 },
            protocol: { type: 'string', enum: ['ssh', 'rdp'] },
            port: { type: ['integer', 'null'], minimum: 1, maximum: 65535 },
            ...draft,
          },
          required,
        },
      },
    },
  }
  for (const [holder, name] of gone) delete holder(document)[name]
  return shapeOfApi(document)
}
const inJson = (schema) => ({ content: { 'application/json': { schema } } })
const breaks = (now) => breaksBetween(anApi(), anApi(now)).map(([what, why]) => `${what}: ${why}`)

test('additions to the API break nobody', () => {
  expect(breaks()).toEqual([])
  expect(
    breaks({
      row: { ip: { type: 'string' }, port: { type: 'integer' } },
      draft: { comment: { type: 'string' }, hostname: { type: 'string', maxLength: 256 } },
      required: [],
    }),
  ).toEqual([])
})

test('a call, a query, a field of an answer or a field of a body that is gone is found', () => {
  expect(breaks({ gone: [[({ paths }) => paths, '/machines/']] })).toEqual([
    'GET /machines/: is gone',
    'POST /machines/: is gone',
  ])
  expect(breaks({ gone: [[({ paths }) => paths['/machines/'].get, 'parameters']] })).toEqual([
    'GET /machines/ ?search: is no longer asked for',
    'GET /machines/ ?ip: is no longer asked for',
  ])
  expect(breaks({ gone: [[({ components }) => components.schemas.machine.properties, 'hostname']] })).toEqual([
    'machine.hostname: is gone',
  ])
  expect(breaks({ gone: [[({ components }) => components.schemas.machine_draft.properties, 'port']] })).toEqual([
    'machine_draft.port: is gone',
  ])
})

test.each([
  ['another type in an answer', { row: { hostname: { type: 'integer' } } }, 'machine.hostname: was string, is integer'],
  [
    'an answer that may now be null',
    { row: { hostname: { type: ['string', 'null'] } } },
    'machine.hostname: was string, is string?',
  ],
  ['fewer choices', { draft: { protocol: { enum: ['ssh'] } } }, 'machine_draft.protocol: no longer takes rdp'],
  [
    'a shorter text',
    { draft: { hostname: { type: 'string', maxLength: 64 } } },
    'machine_draft.hostname: was string≤128, is string≤64',
  ],
  [
    'no null any more',
    { draft: { port: { type: 'integer', minimum: 1, maximum: 65535 } } },
    'machine_draft.port: was integer[1..65535]?, is integer[1..65535]',
  ],
  ['a field that must be sent', { required: ['hostname', 'port'] }, 'machine_draft.port: must be sent'],
  [
    'a new field that must be sent',
    { draft: { site: { type: 'string' } }, required: ['hostname', 'site'] },
    'machine_draft.site: must be sent',
  ],
  [
    'another status',
    { call: { responses: { 200: inJson({ $ref: '#/components/schemas/machine' }) } } },
    'POST /machines/: answers 200, not 201',
  ],
  [
    'another body',
    { call: { requestBody: inJson({ type: 'array', items: { type: 'string' } }) } },
    'POST /machines/ body: was "@machine_draft", is ["string"]',
  ],
])('%s breaks clients', (_what, now, found) => expect(breaks(now)).toEqual([found]))

test('a union takes what each of its forms took, and answers no further form', () => {
  const either = (...forms) => ({
    paths: {},
    schemas: { a_draft: shapeOf({ anyOf: forms }), a: shapeOf({ anyOf: forms }) },
  })
  const [one, list, text] = [
    { type: 'object', properties: { id: { type: 'string' } } },
    { type: 'array', items: { type: 'string' } },
    { type: 'string' },
  ]
  expect(breaksBetween(either(one, list), either(one, list))).toEqual([])
  expect(breaksBetween(either(one, list), either(one, list, text)).map(([what]) => what)).toEqual(['a'])
  expect(breaksBetween(either(one, list, text), either(one, list)).map(([what]) => what)).toEqual(['a_draft'])
})

test('a change that breaks clients is allowed once the newest release in the changes names it', () => {
  const changes =
    '# Changes\n\n## 1.1.0\n\n- `machine.hostname` is `name` now.\n\n## 1.0.0\n\n- `machine.port` was there.\n'
  const all = [
    ['machine.hostname', 'is gone'],
    ['machine.port', 'is gone'],
  ]
  expect(unnamed(all, changes)).toEqual([['machine.port', 'is gone']])
})
