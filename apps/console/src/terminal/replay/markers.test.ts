import { expect, test } from 'vitest'
import { markerNear, markerOf, mergeMarkers } from './markers.ts'

const marker = (time: number, label = `at ${time}`, isDangerous = false) => ({ time, label, isDangerous })

test('commands at the same place of the line are one mark that names the first few', () => {
  const merged = mergeMarkers([marker(0), marker(1, 'rm', true), marker(2), marker(3), marker(2000)], 3600)
  expect(merged).toEqual([marker(0, 'at 0\nrm\nat 2\n…', true), marker(2000)])
})

test('thousands of commands are hundreds of marks; what is outside the recording is none', () => {
  const many = Array.from({ length: 5000 }, (_, n) => marker(n))
  expect(mergeMarkers(many, 4999).length).toBeLessThanOrEqual(301)
  expect(mergeMarkers([marker(-1), marker(11), marker(Number.NaN)], 10)).toEqual([])
  expect(mergeMarkers([marker(0), marker(0)], 0)).toHaveLength(1)
})

test('the pointer names the nearest mark within reach', () => {
  const markers = [marker(10), marker(20)]
  expect(markerNear(markers, 16, 5)?.time).toBe(20)
  expect(markerNear(markers, 14, 5)?.time).toBe(10)
  expect(markerNear(markers, 30, 5)).toBeUndefined()
})

test('keys of one place are one number, below the other events there, and never crowd them out', () => {
  const keys = (time: number, count: number) => markerOf({ time, kind: 'keys', count })
  const merged = mergeMarkers([keys(1, 3), keys(2, 4), marker(3), keys(500, 9), keys(501, 1)], 3600)
  expect(merged).toEqual([
    { time: 3, label: 'at 3\n7 keys pressed', isDangerous: false },
    { time: 500, label: '10 keys pressed', isDangerous: false, keys: 10 },
  ])
})

test('the first line of a stored clipboard is shown', () => {
  const copy = { time: 1, kind: 'copy', characters: 9 } as const
  expect(markerOf({ ...copy, text: 'one\r\ntwo' }).label).toBe('Copied from the desktop: 9 characters: one…')
  expect(markerOf(copy).label).toBe('Copied from the desktop: 9 characters')
})
