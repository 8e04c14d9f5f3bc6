import { expect, test } from 'vitest'
import { expressionOf } from './expression.ts'
import { stepsFor } from './matching-steps.ts'

const literals = (pattern: string) => expressionOf(pattern, false)?.literals
const steps = (pattern: string, length: number) => {
  const { steps: growth } = expressionOf(pattern, false) ?? {}
  return growth ? stepsFor(growth, length) : Number.NaN
}

test('a text that is part of everything an expression finds is read off it', () => {
  expect(literals('\\brm\\b')).toEqual(['rm'])
  expect(literals('^(rm|mkfs|dd)( |$)')).toEqual(['rm', 'mkfs', 'dd'])
  expect(literals('\\bsudo\\s+-u\\s+web1\\b|SHUTDOWN')).toEqual(['sudo', 'shutdown'])
  expect(literals('(ab)+c?')).toEqual(['ab'])
  expect(literals('ab.c\\dd[ef]g')).toEqual(['ab'])
  expect(literals('(?=x)y(?!zzz)')).toEqual(['y'])
  expect(literals('\\/etc\\/passwd')).toEqual(['/etc/passwd'])
})

test('nothing is said about an expression that may find texts without a word of its own', () => {
  for (const pattern of ['.*', '[a-z]+', 'a?', '(rm)*', 'rm|', '(rm|\\d)', '中文', '\\1(a)?', '(?<!a)'])
    expect(literals(pattern), pattern).toBe(undefined)
})

test('searching for words takes steps by the length of the text, for what repeats by its powers', () => {
  expect(steps('rm', 1000)).toBeLessThan(10_000)
  expect(steps('.*', 1000)).toBeLessThan(4_000_000)
  expect(steps('a*a*b', 100)).toBeGreaterThan(100 ** 3)
  expect(steps('(a{0,9}){9}b', 10)).toBeGreaterThan(9 ** 9)
})

test('an expression that repeats something that can be divided in several ways has no bound', () => {
  for (const pattern of ['(a+)+$', '(a|b)*', '(a?){1,}', '((ab)*c?)+', '(?=(a*)*b)'])
    expect(steps(pattern, 1), pattern).toBe(Number.POSITIVE_INFINITY)
})

test('a text that can not be compiled is no expression, and one too deep to be read is without bound', () => {
  expect(expressionOf('(', false)).toBe(undefined)
  const deep = `${'(?:'.repeat(3000)}a${')'.repeat(3000)}`
  expect(expressionOf(deep, false)?.regexp.test('a')).toBe(true)
})
