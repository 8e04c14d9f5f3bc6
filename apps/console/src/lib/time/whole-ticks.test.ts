import { expect, test } from 'vitest'
import { wholeTicks } from './whole-ticks.ts'

test.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [2, [0, 1, 2]],
  [4, [0, 2, 4]],
  [13, [0, 5, 10, 15]],
  [60, [0, 20, 40, 60]],
  [999, [0, 500, 1000]],
])('the axis of values up to %i has whole numbers', (highest, ticks) => {
  expect(wholeTicks(highest)).toEqual(ticks)
})
