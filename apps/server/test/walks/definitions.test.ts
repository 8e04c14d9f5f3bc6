import type { Field, ResourceDefinition } from '@sallyport/contract/define.ts'
import { resources } from '@sallyport/contract/resources/all-fixture.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { resourcesOf } from '../../src/kernel/resource/registry.ts'
import { type Answer, openTestServer, type TestServer } from '../server.ts'
import { isWrittenByPeople, makeOneOfEach, type OneOfEach, ofOrganizations, type Row } from './one-of-each.ts'

let server: TestServer
/** A row of every resource that belongs to an organization. */
let rows: OneOfEach

beforeAll(async () => {
  server = await openTestServer()
  rows = await makeOneOfEach(server, server.admin)
  rows.user = (await server.admin.get(`/api/v1/users/users/${(await server.aPerson('somebody')).id}/`)).body
})
afterAll(() => server?.close())

test('all defined resources are mounted, and all mounted ones are defined', () => {
  const mounted = resourcesOf(server.kernel)
    .all()
    .map(({ definition }) => definition.name)
  expect(mounted.toSorted()).toEqual(
    resources.flatMap(({ name }) => (HAND_WRITTEN.includes(name) ? [] : [name])).toSorted(),
  )
})

/** Lists answered by routes of their own, whose definition only describes the rows. */
const HAND_WRITTEN = ['granted_application', 'granted_asset']

/**
 * Route parameters of nested resources name nothing: their lists are empty and their creates
 * refused, which is walked as well.
 */
const pathOf = ({ path }: ResourceDefinition) => path.replaceAll(/:\w+/g, '00000000-0000-4000-8000-000000000001')

test.each(resources.filter(({ fields }) => fields.priority && !fields.priority.readOnly))(
  '[B9.22] a priority of $name is a number from 1 to 100',
  async (definition) => {
    const toldAbout = async (priority: number) =>
      'priority' in (await server.admin.post(pathOf(definition), { priority })).body
    expect([await toldAbout(0), await toldAbout(1), await toldAbout(100), await toldAbout(101)]).toEqual([
      true,
      false,
      false,
      true,
    ])
  },
)

/** Wrong in type, size, form or spirit; each for a field of each kind in turn. */
const HOSTILE: readonly unknown[] = [
  null,
  '',
  ' ',
  0,
  -1,
  1.5,
  9e15,
  true,
  [],
  [[]],
  {},
  { id: {} },
  'x'.repeat(100_000),
  'a\u0000b',
  '\ud800',
  '../../etc/passwd',
  "'; DROP TABLE users_user; --",
  '<script>',
  '=1+1',
  ['\u0000'],
  [null],
  [1, 'two', {}],
  'NaN',
  '2026-99-99',
  '\u202e',
]

/** Also for a field whose rules are those of another: what its resource makes of them may differ. */
const HOSTILE_TO_ITSELF: readonly unknown[] = [null, '', -1, [], {}, 'a\u0000b', '=1+1', [null]]

/** Values of a query, as they are sent. */
const ODD = [
  ...['', '1', '-1', 'true', 'x', "'", '%', '%00', '%F0%9F%92%A9', '2026-01-01'],
  ...['00000000-0000-4000-8000-000000000001', '9'.repeat(30)],
]

describe.each(resources.map((definition) => [definition.name, definition] as const))('%s', (_name, definition) => {
  const has = (operation: ResourceDefinition['operations'][number]) => definition.operations.includes(operation)

  const hasRow = definition.name === 'user' || ofOrganizations.includes(definition)

  test('[B7.27 A3.09] metadata names every field with label and type', async () => {
    const { status, body } = await server.admin.options(pathOf(definition))
    expect(status).toBe(200)
    const { GET: shown = body.actions.POST } = body.actions
    expect(Object.keys(definition.fields).filter((name) => !shown[name]?.label || !shown[name]?.type)).toEqual([])
  })

  if (has('list'))
    test('[B7.28] lists with odd queries answer, and never with a fault', async () => {
      const filters = definition.filters.map((filter) => (typeof filter === 'string' ? filter : filter.name))
      const written = resourcesOf(server.kernel)
        .all()
        .find(({ definition: { name } }) => name === definition.name)
      // The engine's own filters differ only in their columns, whose types are tried together. The others may ask
      // questions of their own, which a filter beside them could spare them; and a wrong page is refused before all.
      const alone = written ? Object.keys(written.mount.filters ?? {}) : [...filters, 'limit', 'offset']
      const together = [...filters, 'search', 'fields', 'fields_size']
      for (const names of [together, ...[...alone, 'search', 'order', 'ids', 'spm'].map((name) => [name])])
        for (const value of ODD) {
          const query = names.map((name) => `${name}=${value}`).join('&')
          const answer = await server.admin.get(`${pathOf(definition)}?${query}&limit=2`)
          expect(`${query}: ${answer.status < 500 ? 'fine' : answer.status}`).toBe(`${query}: fine`)
        }
    })

  if (has('create'))
    test('hostile values are refused or stored harmlessly, and never end in a fault', async () => {
      const seen = new Set<string>()
      for (const [name, field] of Object.entries(definition.fields as Record<string, Field>)) {
        if (field.readOnly) continue
        const { label: _label, helpText: _helpText, ...rules } = field
        const isNew = !seen.has(JSON.stringify(rules))
        seen.add(JSON.stringify(rules))
        for (const value of isNew ? HOSTILE : HOSTILE_TO_ITSELF) {
          const answer: Answer = await server.admin.post(pathOf(definition), {
            ...plausible(definition),
            [name]: value,
          })
          expect(
            `${name} = ${JSON.stringify(value)?.slice(0, 40)}: ${answer.status < 500 ? 'fine' : JSON.stringify(answer.body)}`,
          ).toBe(`${name} = ${JSON.stringify(value)?.slice(0, 40)}: fine`)
        }
      }
      for (const body of [[], [null], 'text', 7, [[{}]], { a: 1 }])
        expect((await server.admin.post(pathOf(definition), body)).status).toBeLessThan(500)
      if (has('bulk_update'))
        for (const body of [{}, [{}], [{ id: 'x' }], [{ id: null }], [{ pk: {} }]])
          expect((await server.admin.patch(pathOf(definition), body)).status).toBeLessThan(500)
    })

  if (hasRow && has('retrieve') && has('partial_update') && isWrittenByPeople(definition))
    test('a PATCH of nothing changes nothing', async () => {
      const address = `${definition.path}${rows[definition.name]?.id}/`
      const before = (await server.admin.get(address)).body
      const { status, body } = await server.admin.patch(address, {})
      expect({ status, row: unmoving(body) }).toEqual({ status: 200, row: unmoving(before) })
      expect(unmoving((await server.admin.get(address)).body)).toEqual(unmoving(before))
    })

  if (has('list'))
    test('write-only values come back neither in lists nor in exports, whose titles are all different', async () => {
      const secret = Object.entries(definition.fields as Record<string, Field>).flatMap(([name, field]) =>
        field.writeOnly ? [name] : [],
      )
      const { body } = await server.admin.get(`${pathOf(definition)}?limit=100`)
      for (const row of body.results ?? []) expect(Object.keys(row).filter((name) => secret.includes(name))).toEqual([])
      if (!has('export')) return
      const { body: csv } = await server.admin.get(`${pathOf(definition)}?format=csv`)
      const header = String(csv).split('\n')[0] ?? ''
      const titles = header.trim().split(',')
      expect(titles).toEqual([...new Set(titles)])
      const readable = new Set(
        Object.values(definition.fields as Record<string, Field>).flatMap((field) =>
          field.writeOnly ? [] : [field.label],
        ),
      )
      for (const name of secret) {
        const { label } = definition.fields[name] as Field
        if (!readable.has(label)) expect(header.replace('\ufeff', '').split(',')).not.toContain(label)
      }
    })
})

/** A row without the moment of its last write. */
const unmoving = ({ date_updated: _, ...row }: Row) => row

/** Values that each field would take, so that only the hostile one is wrong. */
function plausible({ fields }: ResourceDefinition): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields as Record<string, Field>).flatMap(([name, field]): [string, unknown][] => {
      if (field.readOnly || !field.required) return []
      if (field.type === 'email') return [[name, `${crypto.randomUUID()}@example.com`]]
      if (field.type === 'integer' || field.type === 'float') return [[name, field.min ?? 1]]
      if (field.type === 'choice') return [[name, Object.keys(field.choices ?? {})[0]]]
      if (field.to === 'platform') return [[name, 'Linux']]
      if (field.type === 'ref') return [[name, '00000000-0000-4000-8000-000000000001']]
      return [[name, crypto.randomUUID().slice(0, Math.min(field.maxLength ?? 36, 36))]]
    }),
  )
}
