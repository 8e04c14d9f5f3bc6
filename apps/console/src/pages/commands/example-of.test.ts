import { expect, test } from 'vitest'
import { exampleOf } from './example-of.ts'

const of = (type: 'command' | 'regex', content: string, pattern = content, ignore_case = false) =>
  exampleOf({ type, content, pattern, ignore_case })

test('[A2.17] a rule that names commands is tried with the first of them', () => {
  expect(of('command', '\n  \nreboot\r\nrm -rf', '\\breboot\\b|\\brm\\s+-rf\\b')).toBe('reboot')
})

test.each([
  ['^rm\\s+-rf', 'rm -rf'],
  ['\\breboot\\b$', 'reboot'],
  ['mkfs\\.ext4', 'mkfs.ext4'],
  ['rm\\s', ''],
])('[A2.17] an expression for exactly one text is tried with that, if it finds it there: %s', (content, example) => {
  expect(of('regex', content)).toBe(example)
})

test('[A2.17] an expression that would have to be solved, or is none, fills in nothing', () => {
  expect(of('regex', '^(rm|dd)')).toBe('')
  expect(of('regex', 'rm -\\w*[rf]')).toBe('')
  expect(of('regex', '(')).toBe('')
  expect(of('regex', '')).toBe('')
})

test('[A2.17] whether a rule ignores case decides whether its example is found by it', () => {
  expect(of('regex', 'REBOOT', 'reboot')).toBe('')
  expect(of('regex', 'REBOOT', 'reboot', true)).toBe('REBOOT')
})
