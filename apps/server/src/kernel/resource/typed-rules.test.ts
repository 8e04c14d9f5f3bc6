/**
 * The promises of the types to authors of rules, tested by `tsc`: each marked line must not
 * compile.
 */
import { defineResource } from '@sallyport/contract/define.ts'
import { integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { expect, test } from 'vitest'
import { dateTime, id, sealed } from '../database/columns.ts'
import type { Kernel } from '../kernel.ts'
import type { Computed, DeleteContext, StoredRow, WriteContext, WrittenContext } from './mount.ts'
import { mountResource } from './routes.ts'

const lamp = defineResource({
  name: 'lamp',
  path: '/api/v1/test/lamps/',
  label: 'Lamp',
  scope: 'global',
  operations: ['list'],
  permission: { list: ['org_admin'], write: [] },
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    name: { type: 'string', label: 'Name', required: true },
    color: { type: 'choice', label: 'Color', choices: { red: 'Red', green: 'Green' }, default: 'red' },
    watts: { type: 'integer', label: 'Watts' },
    bought: { type: 'datetime', label: 'Bought', nullable: true },
    days: { type: 'multichoice', label: 'Days', choices: { mon: 'Monday', sun: 'Sunday' } },
    rooms: { type: 'refs', label: 'Rooms', to: 'room' },
    key: { type: 'string', label: 'Key', writeOnly: true },
    state: { type: 'string', label: 'State', readOnly: true },
    timer: {
      type: 'list',
      label: 'Timer',
      fields: { at: { type: 'string', label: 'At', required: true }, minutes: { type: 'integer', label: 'Minutes' } },
    },
  },
  search: ['name'],
  filters: ['name', { name: 'lit_since', match: 'custom' }],
  ordering: ['name'],
  defaultOrder: ['name'],
})

const testLamp = pgTable('test_lamp', {
  id: id(),
  name: text('name').notNull(),
  color: text('color').notNull(),
  watts: integer('watts'),
  bought: dateTime('bought'),
  /** One bit a day. */
  days: integer('days').notNull(),
  key_sealed: sealed('key_sealed'),
  room: uuid('room'),
})

type Writing = WriteContext<typeof lamp, typeof testLamp>

/** Says that a value has the type, and nothing else. */
const is = <T>(_value: T): void => {}

function rule({ draft, row, body }: Writing): void {
  is<'red' | 'green' | undefined>(draft.color)
  is<string | undefined>(draft.name)
  is<number | null | undefined>(draft.watts)
  is<Date | null | undefined>(draft.bought)
  is<string[] | undefined>(draft.rooms)
  is<string | undefined>(draft.key)
  is<string | null | undefined>(draft.room)
  is<string | undefined>(draft.timer?.[0]?.at)
  is<number | null | undefined>(draft.timer?.[0]?.minutes)
  is<unknown>(body.anything)
  is<Date | null | undefined>(row?.bought)
  draft.days = 3
  draft.days = ['mon']

  // @ts-expect-error no such field
  draft.watt = 3
  // @ts-expect-error a field that clients only read has no column to write to
  draft.state = 'on'
  // @ts-expect-error no such choice
  draft.color = 'blue'
  // @ts-expect-error no such day
  draft.days = ['tue']
  // @ts-expect-error a PATCH may leave it out
  is<string>(draft.name)
  // @ts-expect-error an empty number is null
  is<number | undefined>(draft.watts)
  // @ts-expect-error dates are read into dates
  is<string | null | undefined>(draft.bought)
  // @ts-expect-error secrets are never part of a stored row
  is<unknown>(row?.key_sealed)
  // @ts-expect-error a new row has no row before it
  is<StoredRow<typeof testLamp>>(row)
  // @ts-expect-error what a client sent is not known to be anything
  is<string>(body.name)
}

function written({ stored }: WrittenContext<typeof lamp, typeof testLamp>): void {
  is<string>(stored.id)
  // @ts-expect-error no such column
  is<unknown>(stored.watt)
}

function deleted({ rows }: DeleteContext<typeof testLamp>): void {
  is<string | undefined>(rows[0]?.name)
  // @ts-expect-error no such column
  is<unknown>(rows[0]?.state)
}

/** A rule that serves any resource. */
function general({ draft, row }: WriteContext): void {
  is<unknown>(draft.anything)
  is<Record<string, unknown> | undefined>(row)
}

/** Worked out for any resource: the others of the mount stay typed beside it. */
const named: Computed<'name'> = { fields: ['name'], load: async (rows) => rows.map(({ name }) => ({ name })) }

/** Never called: a mount that would not compile is what this is about. */
export function mounts(kernel: Kernel): void {
  const mounted = mountResource(kernel, lamp, {
    table: testLamp,
    relations: { rooms: { table: testLamp, owner: testLamp.id, target: testLamp.room } },
    sealed: ['key'],
    filters: { lit_since: () => undefined, name: () => undefined },
    computed: [
      named,
      {
        fields: ['state'],
        load: async (rows) => rows.map(({ watts }) => ({ state: (watts ?? 0) > 0 ? 'on' : 'off' })),
      },
    ],
    rules: { beforeWrite: [rule, general], afterWrite: [written], beforeDelete: [deleted] },
    present: (row, stored) => ({ ...row, name: `${row.name} of ${stored.watts?.toFixed(0)} W` }),
  })
  is<typeof testLamp>(mounted.mount.table)
  // @ts-expect-error no such field
  mountResource(kernel, lamp, { table: testLamp, sealed: ['kee'] })
  // @ts-expect-error no such filter
  mountResource(kernel, lamp, { table: testLamp, filters: { roms: () => undefined } })
  // @ts-expect-error a field that lists are not filtered by
  mountResource(kernel, lamp, { table: testLamp, filters: { watts: () => undefined } })
  // @ts-expect-error no such field to compute
  mountResource(kernel, lamp, { table: testLamp, computed: [{ fields: ['stat'], load: async () => [] }] })
  mountResource(kernel, lamp, {
    table: testLamp,
    // @ts-expect-error another field than the one that it says it computes
    computed: [{ fields: ['state'], load: async (rows) => rows.map(() => ({ stat: 'on' })) }],
  })
  // @ts-expect-error no such field
  mountResource(kernel, lamp, { table: testLamp, keepOnPut: ['colors'] })
  mountResource(kernel, lamp, {
    table: testLamp,
    // @ts-expect-error no such column
    computed: [{ fields: [], load: async (rows) => rows.map(({ watt }) => ({ watt })) }],
  })
  // @ts-expect-error a rule of another table
  mountResource(kernel, lamp, { table: pgTable('test_other', { id: id() }), rules: { afterWrite: [written] } })
}

test('rules are typed from the definition and the table', () => {
  expect([rule, written, deleted, general, mounts]).toHaveLength(5)
})
