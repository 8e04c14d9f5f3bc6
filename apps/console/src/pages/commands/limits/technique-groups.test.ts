import { expect, test } from 'vitest'
import { GROUPS } from './technique-groups.ts'
import tried from './techniques.json'

test('each group of techniques has words that are translated, and none is left over', () => {
  expect(tried.groups.map(({ group }) => group)).toEqual(Object.keys(GROUPS))
})
