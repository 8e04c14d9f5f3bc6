import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { isInPeriods } from '../domains/acls/time-period.ts'
import { nextTime } from './jobs/cron.ts'
import { serverZone, zoneOfVariable } from './server-zone.ts'

const SOURCE = join(import.meta.dirname, '..')
const TZ = process.env.TZ

afterEach(() => {
  if (TZ === undefined) delete process.env.TZ
  else process.env.TZ = TZ
})

test.each([
  ['Asia/Shanghai', 'Asia/Shanghai'],
  [':Asia/Shanghai', 'Asia/Shanghai'],
  ['/usr/share/zoneinfo/Asia/Shanghai', 'Asia/Shanghai'],
  [' America/New_York ', 'America/New_York'],
  ['US/Pacific-New', 'America/Los_Angeles'],
  ['CST-8', 'Etc/GMT-8'],
  ['UTC+8', 'Etc/GMT+8'],
  ['IST-5:30', '+05:30'],
  ['CST6CDT,M3.2.0,M11.1.0', 'America/Chicago'],
  ['', undefined],
  ['Etc/Unknown', undefined],
  ['Mars/Olympus', undefined],
  ['/no/such/file', undefined],
])('a server whose TZ is %j goes by the clocks of %s', (text, zone) => {
  expect(zoneOfVariable(text)).toBe(zone)
})

test('a server that is set to ask its machine uses the machine’s clock, and one whose TZ is no zone uses UTC', () => {
  delete process.env.TZ
  const machine = serverZone()
  process.env.TZ = ':/etc/localtime'
  expect(serverZone()).toBe(machine)
  for (const text of ['', 'Etc/Unknown', 'Mars/Olympus']) {
    process.env.TZ = text
    expect(serverZone()).toBe('UTC')
  }
})

test('[A3.19] rules and plans go by the clocks of a TZ that is written as an offset', () => {
  process.env.TZ = 'IST-5:30'
  // 09:15 on a Monday, which in UTC is not nine yet.
  const now = new Date('2026-11-23T03:45:00Z')
  expect(isInPeriods([{ id: 1, value: '09:00~18:00' }], now)).toBe(true)
  expect(nextTime('0 10 * * *', serverZone(), now)?.toISOString()).toBe('2026-11-23T04:30:00.000Z')
})

test('no SQL is handed the name of a zone, as PostgreSQL knows others', () => {
  const handing = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .filter((name) => /time zone \$\{|timezone\(\s*\$\{/i.test(readFileSync(join(SOURCE, name), 'utf8')))
  expect(handing).toEqual([])
})
