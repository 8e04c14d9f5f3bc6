import { expect, test } from 'vitest'
import { formatDateTime, parseDateTime } from './datetime.ts'

test.each([
  // Clocks go forward: New York skips 02:00 to 03:00.
  ['America/New_York', '2027-03-14 01:59:59', '2027/03/14 01:59:59 -0500'],
  ['America/New_York', '2027-03-14 03:00:00', '2027/03/14 03:00:00 -0400'],
  ['America/New_York', '2027-03-14 04:00:00', '2027/03/14 04:00:00 -0400'],
  ['America/New_York', '2027-03-14 06:59', '2027/03/14 06:59:00 -0400'],
  // Clocks go back: the hour from 01:00 comes twice, and the first is meant.
  ['America/New_York', '2027-11-07 00:30', '2027/11/07 00:30:00 -0400'],
  ['America/New_York', '2027-11-07 01:30', '2027/11/07 01:30:00 -0400'],
  ['America/New_York', '2027-11-07 02:00', '2027/11/07 02:00:00 -0500'],
  ['Europe/Berlin', '2027-03-28 01:30', '2027/03/28 01:30:00 +0100'],
  ['Europe/Berlin', '2027-03-28 03:00', '2027/03/28 03:00:00 +0200'],
  ['Europe/Berlin', '2027-10-31 01:30', '2027/10/31 01:30:00 +0200'],
  ['Europe/Berlin', '2027-10-31 02:30', '2027/10/31 02:30:00 +0200'],
  ['Europe/Berlin', '2027-10-31 03:00', '2027/10/31 03:00:00 +0100'],
  // Half an hour, a quarter of an hour, and the far side of the world.
  ['Australia/Lord_Howe', '2027-04-04 01:45', '2027/04/04 01:45:00 +1100'],
  ['Australia/Lord_Howe', '2027-04-04 02:00', '2027/04/04 02:00:00 +1030'],
  ['Asia/Kathmandu', '2027-04-04 02:00', '2027/04/04 02:00:00 +0545'],
  ['Pacific/Auckland', '2027-09-26 03:00', '2027/09/26 03:00:00 +1300'],
  ['Pacific/Auckland', '2027-09-25 12:00', '2027/09/25 12:00:00 +1200'],
  // Where midnight itself is skipped or comes twice.
  ['America/Santiago', '2027-09-04', '2027/09/04 00:00:00 -0400'],
  ['Africa/Cairo', '2027-10-28 23:30', '2027/10/28 23:30:00 +0300'],
])('in %s, %s is %s', (zone, local, meant) => {
  const moment = parseDateTime(local, zone)
  expect(moment && formatDateTime(moment, zone)).toBe(meant)
})

test.each([
  ['America/New_York', '2027-03-14 02:30', '2027/03/14 03:30:00 -0400'],
  ['Europe/Berlin', '2027-03-28 02:00', '2027/03/28 03:00:00 +0200'],
  ['America/Santiago', '2027-09-05', '2027/09/05 01:00:00 -0300'],
  // A whole day was skipped.
  ['Pacific/Apia', '2011-12-30 12:00', '2011/12/31 12:00:00 +1400'],
])('in %s no clock shows %s, which counts on from the hour before: %s', (zone, local, meant) => {
  const moment = parseDateTime(local, zone)
  expect(moment && formatDateTime(moment, zone)).toBe(meant)
})

test('each time that a clock shows is read as it is written, through all changes of a year', () => {
  const HALF_HOUR = 1_800_000
  for (const zone of ['America/New_York', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/Santiago', 'Asia/Shanghai'])
    for (let at = Date.UTC(2027, 0); at < Date.UTC(2028, 0); at += HALF_HOUR) {
      const shown = formatDateTime(new Date(at), zone)
      const back = parseDateTime(shown.slice(0, 19), zone)
      expect(back && formatDateTime(back, zone).slice(0, 19)).toBe(shown.slice(0, 19))
      // A difference means the second of two moments with the same text.
      expect(at - Number(back)).toBeOneOf([0, HALF_HOUR, 2 * HALF_HOUR])
    }
})

test.each([
  '2027-03-14 10:00:60',
  '2027-03-14 10:00 +99:00',
  '2027-03-14 10:00 +10:60',
  '2027-02-29',
  '2027-03-14 24:00',
])('%j is no time', (text) => expect(parseDateTime(text, 'UTC')).toBeUndefined())
