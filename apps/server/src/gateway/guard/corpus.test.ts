import { expect, test } from 'vitest'
import { CORPUS } from './corpus.ts'

test.each(CORPUS.map((one) => [one.technique, one] as const))('%s', (_, { outcome, expected }) => {
  expect(outcome).toEqual(expected)
})

test('at least 80 techniques are known, and those that are not caught say why', () => {
  expect(CORPUS.length).toBeGreaterThan(80)
  for (const { technique, expected, why } of CORPUS)
    if (Object.values(expected).includes('known')) expect(why, technique).toBeTruthy()
})
