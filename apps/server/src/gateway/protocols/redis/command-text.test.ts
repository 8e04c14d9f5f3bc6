import { expect, test } from 'vitest'
import { commandText, plainText } from './command-text.ts'
import { inlineArguments } from './inline-command.ts'

test.for([
  ['bytes', [Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))]],
  ['signs that are not shown', [Buffer.from('soft\u00adhyphen'), Buffer.from('next\u0085line\u2028\u{e0001}')]],
  ['quotes and backslashes', [Buffer.from('a"b\\\'c'), Buffer.from('\\x41'), Buffer.from('\\')]],
  ['nothing, blanks and words', [Buffer.alloc(0), Buffer.from(' '), Buffer.from('钥匙'), Buffer.from('GET')]],
] as const)('%s are shown as they can be typed', ([, parts]) => {
  expect(inlineArguments(Buffer.from(commandText(parts)))).toEqual(parts)
})

test('quoted text is read without its escapes', () => {
  expect(plainText('EVAL "a\\n\\"b\\"\\\\ \\x00\\xe9\\xzz" 0 \\x41')).toBe('EVAL a\n"b"\\ \0\u00e9xzz 0 \\x41')
  expect(plainText('GET key')).toBeUndefined()
})
