import { expect, test } from 'vitest'
import { compareRatios, expectationsOf } from './bench-ratios.mjs'

const speed = (ratio) => ({ name: 'of the hop', ratio, better: 'more' })
const time = (ratio) => ({ name: 'of an empty answer', ratio, better: 'less' })

test('a ratio is expected as the middle of its runs, with the farthest of them as its spread', () => {
  const expected = expectationsOf([[speed(0.8)], [speed(0.6)], [speed(0.7)]], 'today')
  expect(expected).toEqual({ 'of the hop': { ratio: 0.7, spread: 0.1, better: 'more', runs: 3, measured: 'today' } })
  expect(expectationsOf([[speed(0.5)], [speed(0.5)]], '')['of the hop'].spread, 'a tenth at least').toBe(0.05)
  expect(expectationsOf([[speed(0.5)]], '')['of the hop'].spread, 'a fifth of a single run').toBe(0.1)
})

test('a ratio that fell by more than its spread is a fault, in the direction that is worse', () => {
  const expected = expectationsOf([[speed(0.5), time(10)]], '')
  expect(compareRatios(expected, [speed(0.41), time(11.9)])).toEqual({ faults: [], notes: [] })
  expect(compareRatios(expected, [speed(0.39), time(12.1)]).faults).toEqual([
    'of the hop: 0.39 instead of 0.5 (spread 0.1)',
    'of an empty answer: 12.1 instead of 10 (spread 2)',
  ])
  const { faults, notes } = compareRatios(expected, [speed(0.61), time(7.9)])
  expect([faults.length, notes.length]).toEqual([0, 2])
  expect(compareRatios(expected, [speed(Number.NaN), time(10)]).faults).toHaveLength(1)
})

test('a ratio that is measured no longer is a fault, a new one is named', () => {
  const expected = expectationsOf([[speed(0.5)]], '')
  expect(compareRatios(expected, []).faults).toEqual(['of the hop: measured no longer'])
  expect(compareRatios(expected, [speed(0.5), time(10)])).toEqual({
    faults: [],
    notes: ['of an empty answer: 10, of which nothing is expected yet'],
  })
})
