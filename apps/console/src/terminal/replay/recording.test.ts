import { expect, test } from 'vitest'
import { kept } from './kept.ts'
import { clock, olderRecording, partAt, readEvents, seekTarget, sizeOf, wholeRecording } from './recording.ts'

const cast =
  '{"version":2,"width":80,"height":24,"timestamp":1700000000}\n[0.5,"o","a"]\n[1.5,"o","b"]\n[101.5,"r","90x30"]\n[102.5,"o","d"]\n'

test('[A1.10] a recording tells its start, its length and its size', async () => {
  const recording = wholeRecording(cast)
  expect(recording).toMatchObject({ start: 1_700_000_000, duration: 102.5, parts: [{ time: 0, cols: 80, rows: 24 }] })
  expect(await recording.piece(0)).toEqual([
    { time: 0.5, code: 'o', data: 'a' },
    { time: 1.5, code: 'o', data: 'b' },
    { time: 101.5, code: 'r', data: '90x30' },
    { time: 102.5, code: 'o', data: 'd' },
  ])
})

test('[A1.10] a recording cut off in the middle of a line plays up to it', () => {
  expect(wholeRecording(`${cast}[103.5,"o","half a wo`).duration).toBe(102.5)
})

test('[A1.10] a file that is no recording, or an empty one, says so', () => {
  for (const text of ['<html>', '', '{"version":1}\n', 'null\n']) expect(() => wholeRecording(text)).toThrow('damaged')
  expect(() => wholeRecording('{"version":2,"width":80,"height":24}\n')).toThrow('empty')
  expect(() => olderRecording('<html>')).toThrow('damaged')
  expect(() => olderRecording('{}')).toThrow('empty')
})

test('[A1.10] recordings of the older kind play in the order of their times', async () => {
  const recording = olderRecording('{"10.5":"b","2.25":"a","x":"?"}')
  expect((await recording.piece(0)).map(({ time, data }) => [time, data])).toEqual([
    [2.25, 'a'],
    [10.5, 'b'],
  ])
})

test('times never go back, damaged lines are passed over, absurd sizes are held within reason', () => {
  const events = readEvents(
    '[5,"o","a"]\n[3,"o","b"]\n[6,"i","typed"]\nrubbish\n[1e400,"o","x"]\n[7,"r","99999x99999"]\n',
    4,
  )
  expect(events.map(({ time }) => time)).toEqual([5, 5, 7])
  expect(sizeOf({ time: 7, code: 'r', data: '99999x99999' })).toEqual({ cols: 1000, rows: 500 })
  expect(sizeOf({ time: 7, code: 'r', data: '0x0' })).toEqual({ cols: 2, rows: 1 })
  expect(sizeOf({ time: 7, code: 'r', data: 'x' })).toBeUndefined()
})

test('the piece that holds a moment', () => {
  const parts = [0, 30, 60, 60.5].map((time) => ({ time, cols: 80, rows: 24 }))
  expect([0, 29.9, 30, 60, 60.4, 1000].map((moment) => partAt(parts, moment))).toEqual([0, 0, 1, 2, 2, 3])
  expect(partAt(parts.slice(0, 1), 5)).toBe(0)
})

test('the last pieces are kept, and one that failed is asked for again', async () => {
  const asked: number[] = []
  const piece = kept(async (n) => {
    asked.push(n)
    if (asked.length === 1) throw new Error('away')
    return n
  }, 2)
  await expect(piece(1)).rejects.toThrow('away')
  expect(await Promise.all([piece(1), piece(1), piece(2), piece(3)])).toEqual([1, 1, 2, 3])
  await piece(2)
  await piece(1)
  expect(asked).toEqual([1, 1, 2, 3, 1])
})

test('[A1.10] a command is shown from five seconds before it', () => {
  expect(seekTarget(42)).toBe(37)
  expect(seekTarget(3)).toBe(0)
  expect(clock(3723)).toBe('1:02:03')
  expect(clock(65.9)).toBe('01:05')
})

test('[A1.10] a recording of the older kind whose session broke plays up to there', async () => {
  for (const rest of ['', '"2.5":"never', '"2.5"', '"2'])
    expect(await olderRecording(`{"0.5":"a\\r\\n","1.5":"\\"b\\u001b[0m",${rest}`).piece(0)).toEqual([
      { time: 0.5, code: 'o', data: 'a\r\n' },
      { time: 1.5, code: 'o', data: '"b\x1b[0m' },
    ])
  for (const none of ['', '{', '{"0.5":', 'no recording']) expect(() => olderRecording(none)).toThrow()
})
