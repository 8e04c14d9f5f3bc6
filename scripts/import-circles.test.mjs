import { expect, test } from 'vitest'
import { importCircles } from './import-circles.mjs'

test('arrows that run down form no circle', () => {
  expect(
    importCircles([
      ['a/main.ts', 'a/one.ts'],
      ['a/main.ts', 'a/low/two.ts'],
      ['a/one.ts', 'a/low/two.ts'],
      ['a/low/two.ts', 'a/low/three.ts'],
    ]),
  ).toEqual([])
})

test('two files that import each other are reported, with both imports', () => {
  expect(
    importCircles([
      ['a/one.ts', 'a/two.ts'],
      ['a/two.ts', 'a/one.ts'],
    ]),
  ).toEqual(['a: one.ts → two.ts → one.ts\n    a/one.ts imports a/two.ts\n    a/two.ts imports a/one.ts'])
})

test('folders form a circle though no files of them do', () => {
  const [circle, ...more] = importCircles([
    ['a/x/one.ts', 'a/y/two.ts'],
    ['a/y/three.ts', 'a/z/four.ts'],
    ['a/z/five.ts', 'a/x/six.ts'],
  ])
  expect(circle).toContain('a: x → y → z → x')
  expect(more).toEqual([])
})

test('a folder and a file beside it form a circle', () => {
  expect(
    importCircles([
      ['a/index.ts', 'a/x/one.ts'],
      ['a/x/two.ts', 'a/index.ts'],
    ]),
  ).toHaveLength(1)
})

test('circles of different folders are reported each', () => {
  expect(
    importCircles([
      ['a/x/one.ts', 'a/x/two.ts'],
      ['a/x/two.ts', 'a/x/one.ts'],
      ['a/y/one.ts', 'a/y/two.ts'],
      ['a/y/two.ts', 'a/y/one.ts'],
    ]).map((circle) => circle.slice(0, 4)),
  ).toEqual(['a/x:', 'a/y:'])
})
