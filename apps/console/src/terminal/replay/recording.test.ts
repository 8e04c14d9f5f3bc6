import { expect, test } from 'vitest'
import { clock, playerTime, readCast, readJsonReplay, seekTarget, sessionTime } from './recording.ts'

const cast = '{"version":2,"width":80,"height":24,"timestamp":1700000000}\n[0.5,"o","a"]\n[1.5,"o","b"]\n[101.5,"o","c"]\n[102.5,"o","d"]\n'

test('[A1.10] a recording tells its start and the times of its events', () => {
  const { start, times } = readCast(cast)
  expect(start).toBe(1_700_000_000)
  expect([...times]).toEqual([0.5, 1.5, 101.5, 102.5])
})

test('[A1.10] a recording cut off in the middle of a line plays up to it', () => {
  const { times, cast: kept } = readCast(`${cast}[103.5,"o","half a wo`)
  expect(times).toHaveLength(4)
  expect(kept.endsWith('"d"]')).toBe(true)
})

test('[A1.10] what is no recording, or an empty one, says so', () => {
  expect(() => readCast('<html>')).toThrow('damaged')
  expect(() => readCast('{"version":1}')).toThrow('damaged')
  expect(() => readCast('{"version":2,"width":80,"height":24}\n')).toThrow('empty')
})

test('[A1.10] recordings of the older kind play in the order of their times', () => {
  expect([...readJsonReplay('{"10.5":"b","2.25":"a"}').times]).toEqual([2.25, 10.5])
})

test('[A1.10] with idle time skipped, a moment of the session and the player’s clock translate into each other', () => {
  const { times } = readCast(cast)
  expect(playerTime(times, 101.5, false)).toBe(101.5)
  // The pause of 100 s is shown as 2 s.
  expect(playerTime(times, 101.5, true)).toBe(3.5)
  expect(playerTime(times, 1, true)).toBe(1)
  expect(playerTime(times, 50, true)).toBe(3.5)
  expect(playerTime(times, 200, true)).toBe(4.5)
  for (const moment of [0, 0.7, 1.5, 3, 101.5, 102.2]) expect(sessionTime(times, playerTime(times, moment, true), true)).toBeCloseTo(moment)
})

test('[A1.10] a command is shown from five seconds before it', () => {
  expect(seekTarget(42)).toBe(37)
  expect(seekTarget(3)).toBe(0)
  expect(clock(3723)).toBe('1:02:03')
  expect(clock(65.9)).toBe('01:05')
})
