import { expect, test } from 'vitest'
import { formErrors } from './form-errors.ts'

const shown = [{ name: 'name' }, { name: 'actions' }, { name: 'meta', label: 'Meta', children: [{ name: 'port' }] }]

test('[A5.29 B5.09] texts and lists of texts go under their field, joined with a semicolon and each said once', () => {
  expect(formErrors({ name: ['is taken', 'is short', 'is taken'], actions: 'is unknown' }, shown)).toEqual({
    fields: [
      { path: ['name'], text: 'is taken; is short' },
      { path: ['actions'], text: 'is unknown' },
    ],
    others: [],
  })
})

test('[A5.29] nested keys go under nested fields; a nested key without a field is a message', () => {
  expect(formErrors({ meta: { port: ['is closed'], host: ['is gone'] } }, shown)).toEqual({
    fields: [{ path: ['meta', 'port'], text: 'is closed' }],
    others: ['Meta: host: is gone'],
  })
})

test('[A5.29] a text for a whole group of fields, a key without a field and texts of no field are messages', () => {
  expect(formErrors({ meta: ['is required'], org_id: ['is unknown'], non_field_errors: ['no'] }, shown)).toEqual({
    fields: [],
    others: ['Meta: is required', 'org_id: is unknown', 'no'],
  })
})

test('[B5.09] lists aligned with items are written out under the field of the list', () => {
  expect(formErrors({ actions: { 1: ['is unknown'] }, name: [{}, ['is empty']] }, shown).fields).toEqual([
    { path: ['actions'], text: 'is unknown' },
    { path: ['name'], text: 'is empty' },
  ])
})

test('[B5.09] messages for items of a list that are forms of their own go under the fields of that item', () => {
  const fields = [{ name: 'rules', label: 'Rules', items: [{ name: 'assignees' }] }]
  expect(formErrors({ rules: [{}, { assignees: ['is empty'], level: ['is odd'] }] }, fields)).toEqual({
    fields: [{ path: ['rules', 1, 'assignees'], text: 'is empty' }],
    others: ['Rules: level: is odd'],
  })
  expect(formErrors({ rules: { assignees: ['is empty'] } }, fields)).toEqual({
    fields: [],
    others: ['Rules: assignees: is empty'],
  })
})
