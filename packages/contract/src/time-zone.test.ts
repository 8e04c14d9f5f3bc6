import { expect, test } from 'vitest'
import { readPosixZone, readTimeZone } from './time-zone.ts'

/** Hours that a zone is ahead of UTC on a day in January. */
function hoursAhead(zone: string): number {
  const words = new Date('2026-01-15T12:00:00Z').toLocaleString('en', { timeZone: zone, timeZoneName: 'longOffset' })
  const [, sign, hours = '0', minutes = '0'] = /GMT(?:([+-])(\d\d):(\d\d))?$/.exec(words) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) + Number(minutes) / 60)
}

test.each([
  ['Asia/Shanghai', 'Asia/Shanghai', 8],
  ['asia/shanghai', 'Asia/Shanghai', 8],
  ['US/Pacific-New', 'America/Los_Angeles', -8],
  ['PST8PDT', 'America/Los_Angeles', -8],
  ['Etc/GMT-8', 'Etc/GMT-8', 8],
  ['UTC', 'UTC', 0],
  ['Z', 'UTC', 0],
  ['+0800', 'Etc/GMT-8', 8],
  ['+08:00', 'Etc/GMT-8', 8],
  ['+8', 'Etc/GMT-8', 8],
  ['UTC+8', 'Etc/GMT-8', 8],
  ['GMT-03', 'Etc/GMT+3', -3],
  ['+05:30', '+05:30', 5.5],
  ['-0330', '-03:30', -3.5],
  ['-13', '-13:00', -13],
  ['CST-8', 'Etc/GMT-8', 8],
  ['EST5', 'Etc/GMT+5', -5],
])('the zone %s is %s, %d hours ahead of UTC', (text, zone, hours) => {
  expect(readTimeZone(text)).toBe(zone)
  // Asked twice, as what is known of a name is kept.
  expect(readTimeZone(text)).toBe(zone)
  expect(hoursAhead(zone)).toBe(hours)
})

test.each([
  '',
  'Etc/Unknown',
  'Factory',
  'SystemV/PST8',
  'Mars/Olympus',
  '+24',
  '+08:60',
  'undefined',
  'CST-25',
  'x'.repeat(65),
  ' ',
])('%j is no zone', (text) => {
  expect(readTimeZone(text)).toBeUndefined()
  expect(readPosixZone(text)).toBeUndefined()
})

test('in the variable TZ a sign counts as POSIX has it', () => {
  const zones = ['UTC+8', 'CST-8', 'UTC0', '<+0530>-5:30', 'EST5EDT', 'Asia/Shanghai'].map(readPosixZone)
  expect(zones).toEqual(['Etc/GMT+8', 'Etc/GMT-8', 'UTC', '+05:30', 'America/New_York', 'Asia/Shanghai'])
})
