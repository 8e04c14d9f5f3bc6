import { expect, test } from 'vitest'
import { isInIpGroup } from './ip-group.ts'
import { isInPeriods, isTimePeriod } from './time-period.ts'

test.each([
  ['10.1.1.5', ['*'], true],
  ['10.1.1.5', ['nothing', '*'], true],
  ['10.1.1.5', ['10.1.1.5'], true],
  ['10.1.1.5', ['10.1.1.50'], false],
  ['10.1.1.5', ['10.1.1.0/24'], true],
  ['10.1.2.5', ['10.1.1.0/24'], false],
  ['10.1.1.5', ['10.1.1.1-10.1.1.20'], true],
  ['10.1.1.5', ['10.1.1.20-10.1.1.1'], true],
  ['10.1.1.21', ['10.1.1.20-10.1.1.1'], false],
  ['10.1.1.1', ['10.1.1.1-10.1.1.20'], true],
  ['10.1.1.20', ['10.1.1.1-10.1.1.20'], true],
  ['10.1.1.5', ['10.1.1.1-2001:db8::1'], false],
  ['10.1.1.5', ['::-10.1.1.20'], false],
  ['::ffff:10.1.1.5', ['10.1.1.0/24'], true],
  ['10.1.1.5', ['::/0'], false],
  ['2001:db8::5', ['2001:db8::/32'], true],
  ['2001:db8::5', ['2001:0db8:0::5'], true],
  ['2001:db8::5', ['10.0.0.1-10.0.0.9'], false],
  ['10.1.1.5', [], false],
  ['10.1.1.5', ['10.1.1', '10.1.1.0/99', '-', '10.1.1.1-', ''], false],
  ['db.example.com', ['db.example.com'], true],
  ['db.example.com', ['10.0.0.0/8', 'DB.example.com'], false],
])('[A3.19] address %s in %j: %s', (address, group, holds) => {
  expect(isInIpGroup(address, group)).toBe(holds)
})

/** Monday, 2026-11-23, in the zone of the server. */
const monday = (hour: number, minute: number) => new Date(2026, 10, 23, hour, minute, 59)

test.each([
  [[{ id: 1, value: '09:00~18:00' }], monday(9, 0), true],
  [[{ id: 1, value: '09:00~18:00' }], monday(18, 0), true],
  [[{ id: 1, value: '09:00~18:00' }], monday(18, 1), false],
  [[{ id: 1, value: '09:00~18:00' }], monday(8, 59), false],
  [[{ id: 1, value: '09:00~12:00、13:00~18:00' }], monday(12, 30), false],
  [[{ id: 1, value: '09:00~12:00、13:00~18:00' }], monday(13, 30), true],
  [[{ id: 1, value: '00:00~00:00' }], monday(23, 59), true],
  [[{ id: 1, value: '20:00~00:00' }], monday(23, 59), true],
  [[{ id: 2, value: '00:00~00:00' }], monday(12, 0), false],
  [
    [
      { id: 1, value: '' },
      { id: 2, value: '09:00~18:00' },
    ],
    monday(12, 0),
    false,
  ],
  // No time at all is no limit.
  [[{ id: 1, value: '' }], monday(12, 0), true],
  [[], monday(12, 0), true],
])('[A3.19] times %j at %s: %s', (periods, now, holds) => {
  expect(isInPeriods(periods, now)).toBe(holds)
})

test.each([
  ['', true],
  ['20:00~24:00', true],
  ['20:00~24:01', false],
  ['20:00~00:00', true],
  ['00:00~00:01、09:00~12:00', true],
  ['09:00~09:00', false],
  ['18:00~09:00', false],
  ['9:00~12:00', false],
  ['09:00~12:00、later', false],
])('[A3.19] %j is a time of a day: %s', (value, isOne) => {
  expect(isTimePeriod(value)).toBe(isOne)
})
