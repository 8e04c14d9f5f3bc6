import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { Field, ResourceDefinition } from '../define.ts'
import { resources } from './all-fixture.ts'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))

/** Stored columns that order a list without being fields. */
const HIDDEN_COLUMNS = [
  'favorite_asset id',
  'node parent_key',
  'change_auth_plan_subtask place',
  'app_change_auth_plan_subtask place',
]

/** What `check` complains about, over all resources. */
function complaints(check: (definition: ResourceDefinition) => string[]): string[] {
  return resources.flatMap((definition) => check(definition).map((complaint) => `${definition.name}: ${complaint}`))
}

const unknown = (definition: ResourceDefinition, names: readonly string[] = []) =>
  names.filter((name) => !(name in definition.fields))
const twice = (values: readonly string[]) => values.filter((value, index) => values.indexOf(value) !== index)
const allFields = (fields: Readonly<Record<string, Field>>, prefix = ''): [string, Field][] =>
  Object.entries(fields).flatMap(([name, field]) => [
    [prefix + name, field],
    ...allFields(field.fields ?? {}, `${prefix}${name}.`),
    ...Object.values(field.shapes ?? {}).flatMap((shape) => allFields(shape, `${prefix}${name}.`)),
  ])

test('[B7.27] every definition written is registered', () => {
  const written = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .flatMap((path) =>
      [...readFileSync(FOLDER + path, 'utf8').matchAll(/defineResource\(\{\s*name: '(\w+)'/g)].map((match) => match[1]),
    )
  expect(written.length).toBeGreaterThan(30)
  expect(resources.map(({ name }) => name).sort()).toEqual(written.sort())
})

test('[B7.27] names and addresses of resources are unique and well formed', () => {
  expect(twice(resources.map(({ name }) => name))).toEqual([])
  expect(twice(resources.map(({ path }) => path))).toEqual([])
  expect(resources.map(({ name }) => name).filter((name) => !/^[a-z]+(_[a-z]+)*$/.test(name))).toEqual([])
  expect(resources.map(({ path }) => path).filter((path) => !/^\/api\/v1\/(:?[\w-]+\/)+$/.test(path))).toEqual([])
})

test('[B7.27] search, short rows, orders and columns name fields that exist', () => {
  expect(complaints((definition) => unknown(definition, definition.search))).toEqual([])
  expect(complaints((definition) => unknown(definition, definition.mini))).toEqual([])
  expect(complaints((definition) => unknown(definition, definition.small))).toEqual([])
  expect(
    complaints((definition) => (definition.ordering === '*' ? [] : unknown(definition, definition.ordering))),
  ).toEqual([])
  const orders = (definition: ResourceDefinition) =>
    unknown(
      definition,
      definition.defaultOrder.map((name) => name.replace(/^-/, '')),
    ).filter((name) => !HIDDEN_COLUMNS.includes(`${definition.name} ${name}`))
  expect(complaints(orders)).toEqual([])
  expect(complaints((definition) => unknown(definition, definition.exportColumns))).toEqual([])
  expect(
    complaints((definition) =>
      (definition.importColumns ?? []).filter((name) => definition.fields[name]?.readOnly !== undefined),
    ),
  ).toEqual([])
  expect(complaints((definition) => twice([...(definition.exportColumns ?? [])]))).toEqual([])
})

test('[B7.27] secrets are in no search, short row or export', () => {
  const secret = (definition: ResourceDefinition, names: readonly string[] = []) =>
    names.filter((name) => definition.fields[name]?.writeOnly && !['protocol', 'port'].includes(name))
  expect(
    complaints((definition) => [
      ...secret(definition, definition.search),
      ...secret(definition, definition.mini),
      ...secret(definition, definition.small),
      ...secret(definition, definition.exportColumns),
    ]),
  ).toEqual([])
})

test('[B7.27] a filter is a field, or a rule beside the resource that people can read', () => {
  const wrong = (definition: ResourceDefinition) =>
    definition.filters.flatMap((filter) => {
      if (typeof filter === 'string') return filter in definition.fields ? [] : [`${filter} is no field`]
      if (filter.match !== 'custom') return filter.name in definition.fields ? [] : [`${filter.name} is no field`]
      return filter.hidden || filter.label || filter.name in definition.fields ? [] : [`${filter.name} has no label`]
    })
  expect(complaints(wrong)).toEqual([])
  expect(
    complaints(({ filters }) => twice(filters.map((filter) => (typeof filter === 'string' ? filter : filter.name)))),
  ).toEqual([])
})

test('[B7.27] references name resources that exist', () => {
  const names = new Set(resources.map(({ name }) => name))
  const wrong = (definition: ResourceDefinition) =>
    allFields(definition.fields).flatMap(([name, field]) => {
      const isReference = field.type === 'ref' || field.type === 'refs'
      if (isReference !== (field.to !== undefined)) return [`${name} and its target do not fit`]
      return field.to && !names.has(field.to) ? [`${name} refers to ${field.to}`] : []
    })
  expect(complaints(wrong)).toEqual([])
})

test('[B7.27] the metadata of a field is consistent', () => {
  const wrong = (definition: ResourceDefinition) =>
    allFields(definition.fields).flatMap(([name, field]) => {
      const isChoice = field.type === 'choice' || field.type === 'multichoice'
      const defaults = (Array.isArray(field.default) ? field.default : [field.default]).filter(
        (value) => value !== undefined,
      )
      return [
        isChoice !== (field.choices !== undefined) && `${name}: choices`,
        field.readOnly && (field.required || field.writeOnly) && `${name}: read-only, yet written`,
        field.required && field.default !== undefined && `${name}: required, yet with a default`,
        field.integer &&
          Object.keys(field.choices ?? {}).some((value) => !/^-?\d+$/.test(value)) &&
          `${name}: choices are no integers`,
        isChoice &&
          defaults.some((value) => !Object.hasOwn(field.choices ?? {}, String(value))) &&
          `${name}: default is no choice`,
        field.pattern !== undefined && !new RegExp(field.pattern) && `${name}: pattern`,
      ].filter((complaint) => complaint !== false && complaint !== undefined)
    })
  expect(complaints(wrong)).toEqual([])
})

test('an object has its shapes by a choice of the same resource, and no dates in them', () => {
  const wrong = (definition: ResourceDefinition) =>
    Object.entries(definition.fields).flatMap(([name, { type, shapeBy, shapes = {} }]) => {
      const choices = definition.fields[shapeBy ?? '']?.choices ?? {}
      return [
        ...(shapeBy === undefined || type === 'object' ? [] : [`${name} is no object`]),
        ...Object.keys(shapes).flatMap((chosen) =>
          Object.hasOwn(choices, chosen) ? [] : [`${name} has a shape for ${chosen}`],
        ),
        ...Object.values(shapes).flatMap((fields) =>
          allFields(fields).flatMap(([key, field]) => (field.type === 'datetime' ? [`${name}.${key}`] : [])),
        ),
      ]
    })
  expect(complaints(wrong)).toEqual([])
})

test('[A6.15] nothing is written without somebody who may, and no secret goes to everybody', () => {
  const writing = [
    'create',
    'update',
    'partial_update',
    'destroy',
    'bulk_create',
    'bulk_update',
    'bulk_destroy',
    'import',
  ]
  const nobody = ({ operations, permission }: ResourceDefinition) =>
    operations.some((operation) => writing.includes(operation)) &&
    ![permission.write, permission.create, permission.update, permission.destroy].some((access) => access?.length)
      ? ['writes, but nobody may']
      : []
  expect(complaints(nobody)).toEqual([])
  const open = ({ permission }: ResourceDefinition) =>
    Object.entries(permission)
      .filter(([, access]) => access?.includes('anonymous'))
      .map(([name]) => `${name} is open to anybody`)
  expect(complaints(open)).toEqual([])
  const ownOnly = ({ scope, permission }: ResourceDefinition) =>
    scope !== 'self' && [...permission.list, ...permission.write].includes('authenticated')
      ? ['open to every user']
      : []
  expect(complaints(ownOnly)).toEqual([])
})

test('keys, passphrases and times of a schedule say beside their field what they take', () => {
  const explained = /^(private_key|passphrase|crontab)$/
  const missing = complaints(({ fields, operations }) =>
    operations.includes('create')
      ? allFields(fields).flatMap(([path, field]) =>
          explained.test(path) && !field.readOnly && !field.helpText ? [path] : [],
        )
      : [],
  )
  expect(missing).toEqual([])
})
