import { expect, test } from 'vitest'
import type { FormField } from '../view/form-groups.ts'
import { NotJson } from '../widgets/code/not-json.ts'
import { fieldFault } from './check-field.ts'

const fault = (field: Partial<FormField>, value: unknown, required = false) =>
  fieldFault({ name: 'thing', type: 'string', label: 'Thing', ...field } as FormField, required, value, {})

test.each([undefined, null, '', '   ', []])('[A5.01 A5.21 B5.04] %j does not fill a required field', (value) => {
  expect(fault({}, value, true)).toBe('This field is required')
  expect(fault({}, value)).toBeUndefined()
})

test('[A5.01] no and zero are answers', () => {
  expect(fault({ type: 'boolean' }, false, true)).toBeUndefined()
  expect(fault({ type: 'integer' }, 0, true)).toBeUndefined()
})

test('[A5.02 B5.04] an address without a domain is no email, by type and by name', () => {
  expect(fault({ type: 'email' }, 'ada@lovelace')).toBe('Please enter your email address')
  expect(fault({ name: 'email' }, 'ada')).toBe('Please enter your email address')
  expect(fault({ name: 'email' }, ' ada@example.com ')).toBeUndefined()
})

test('[A5.03 B5.04] text that is not JSON is refused', () => {
  expect(fault({ type: 'nested object' }, new NotJson('{'))).toBe('Not a valid json format')
})

test('[A5.06 B5.05] numbers stay within the bounds of the metadata', () => {
  const priority = { type: 'integer', min_value: 1, max_value: 100 }
  expect([0, 1, 100, 101, 1.5].map((value) => fault(priority, value))).toEqual([
    'At least 1',
    undefined,
    undefined,
    'At most 100',
    'Enter a whole number',
  ])
})

test('[A5.07 B5.04] a port is a whole number from 1 to 65535', () => {
  const port = { name: 'port', type: 'integer' }
  expect([0, 1, 65_535, 65_536, 2.5].map((value) => fault(port, value))).toEqual([
    'Port Error, please check',
    undefined,
    undefined,
    'Port Error, please check',
    'Port Error, please check',
  ])
})

test('lengths count what will be sent: outer blanks of text do not count, those of secrets do', () => {
  expect(fault({ max_length: 3 }, ' abc ')).toBeUndefined()
  expect(fault({ max_length: 3, write_only: true }, ' abc ')).toBe('At most 3 characters')
  expect(fault({ min_length: 3 }, ' ab ')).toBe('At least 3 characters')
})

test('a phone number, a web address and a pattern are checked before they are sent', () => {
  expect(fault({ pattern: '^1[356789]\\d{9}$' }, '12345')).toBe('This value is not in the expected format')
  expect(fault({ pattern: '^1[356789]\\d{9}$' }, '13800138000')).toBeUndefined()
  expect(fault({ type: 'url' }, 'example.com')).toBe('Enter a full address, such as https://example.com')
})

test('[A5.31] a bound that nothing else says is the one of the metadata', () => {
  expect(fault({ max_length: 4 }, 'fives')).toBe('At most 4 characters')
  expect(fault({ max_length: 4 }, 'four')).toBeUndefined()
  expect(fault({ type: 'integer', max_value: 7 }, 8)).toBe('At most 7')
  // Without one there is none.
  expect(fault({}, 'x'.repeat(5000))).toBeUndefined()
})
