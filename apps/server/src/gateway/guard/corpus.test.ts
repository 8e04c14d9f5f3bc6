import { expect, test } from 'vitest'
import { CORPUS, outcomesOf } from './corpus.ts'

const LINES = CORPUS.filter((one) => !('keys' in one))

test.each(LINES.map((one) => [one.technique, one] as const))('%s', (_, one) => {
  expect(outcomesOf(one)).toEqual(one.expected)
})

test('at least 80 techniques are known, and those that are not caught say why', () => {
  expect(CORPUS.length).toBeGreaterThan(80)
  for (const { technique, expected, why } of CORPUS)
    if (Object.values(expected).includes('known')) expect(why, technique).toBeTruthy()
})
