import { expect, test } from 'vitest'
import { ROW_FILES } from './row-files.ts'

test('in a file of JSON no column takes the place of another, whatever they are called', () => {
  const pieces: Buffer[] = []
  const columns = ['a', 'a', 'a_2', 'a', '__proto__'].map((name) => ({ name, isNumber: true }))
  const file = ROW_FILES.json(columns, (bytes) => pieces.push(bytes))
  file.row(['1', '2', '3', '4', '5'].map((text) => ({ text, isCut: false })))
  file.end()
  expect(Object.entries(JSON.parse(Buffer.concat(pieces).toString())[0])).toEqual([
    ['a', 1],
    ['a_3', 2],
    ['a_2', 3],
    ['a_4', 4],
    ['__proto__', 5],
  ])
})
