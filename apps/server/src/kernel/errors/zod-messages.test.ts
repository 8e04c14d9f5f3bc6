import { expect, test } from 'vitest'
import { z } from 'zod'
import type { AppError } from './app-error.ts'
import { translateError } from './translate-error.ts'

const shape = z.object({
  missing: z.string(),
  none: z.string(),
  text: z.string(),
  blank: z.string().min(1),
  long: z.string().max(3),
  few: z.array(z.string()).min(1),
  id: z.guid(),
  choice: z.enum(['a', 'b']),
  flag: z.boolean(),
  number: z.number().max(5),
  nested: z.object({ list: z.array(z.number()) }),
})
const bad = {
  none: null,
  text: 1,
  blank: '',
  long: 'four',
  few: [],
  id: 'x',
  choice: 'c',
  flag: 'x',
  number: 6,
  nested: { list: ['x'] },
}

function fieldsIn(language: 'en' | 'cn') {
  const { error } = shape.safeParse(bad)
  return (translateError(error, language) as AppError).fields ?? {}
}

test('[B5.09 A1.19] fields that a hand-written call refuses are named in the words of all others, in both languages', () => {
  expect(fieldsIn('en')).toEqual({
    missing: ['This field is required.'],
    none: ['This field may not be null.'],
    text: ['Not a valid string.'],
    blank: ['This field may not be blank.'],
    long: ['Ensure this field has no more than 3 characters.'],
    few: ['This list may not be empty.'],
    id: ['Must be a valid UUID.'],
    choice: ['Not a valid choice.'],
    flag: ['Must be a valid boolean.'],
    number: ['Ensure this value is less than or equal to 5.'],
    'nested.list.0': ['A valid number is required.'],
  })
  const chinese = Object.values(fieldsIn('cn')).flat()
  expect(chinese.filter((text) => !/[\u4e00-\u9fff]/.test(text) || text.includes('{{'))).toEqual([])
})
