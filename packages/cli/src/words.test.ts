import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { harmless } from './harmless.ts'
import { splitTarget } from './targets.ts'
import chinese from './words.cn.json' with { type: 'json' }
import { languageOf, sayIn } from './words.ts'

test('every sentence of the command line is there in Chinese, and none that nothing says', () => {
  const texts = globSync('**/*.ts', { cwd: import.meta.dirname })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => readFileSync(`${import.meta.dirname}/${file}`, 'utf8'))
    .join('\n')
  const found = [...texts.matchAll(/(?:\bsay\(|\bdoes: )\s*(?:'((?:[^'\\]|\\.)*)'|"([^"]*)")/g)].map(
    ([, a, b]) => a ?? b ?? '',
  )
  const head = [...(/const HEAD = \[([^\]]*)\]/.exec(texts)?.[1]?.matchAll(/'([^']+)'/g) ?? [])].map(
    ([, word]) => word ?? '',
  )
  const english = new Set([...found, ...head])
  expect(english.size).toBeGreaterThan(80)
  expect([...english].filter((text) => !(text in chinese))).toEqual([])
  expect(Object.keys(chinese).filter((text) => !english.has(text))).toEqual([])
  const places = (text: string) => [...text.matchAll(/\{\{\w+\}\}/g)].map(([place]) => place).sort()
  for (const [text, other] of Object.entries(chinese)) expect(places(other), text).toEqual(places(text))
})

test('the language is that of the environment', () => {
  expect(languageOf({ LANG: 'zh_CN.UTF-8' })).toBe('cn')
  expect(languageOf({ LANG: 'zh_CN.UTF-8', LC_ALL: 'C' })).toBe('en')
  expect(languageOf({})).toBe('en')
  expect(sayIn('cn')('Signed out of {{url}}', { url: 'x' })).toBe('已退出 x')
})

test('an account is written before the target', () => {
  expect(splitTarget('web-1')).toEqual({ account: undefined, target: 'web-1' })
  expect(splitTarget('svc@corp@web-1')).toEqual({ account: 'svc@corp', target: 'web-1' })
})

test.each([
  ['text and colors', '\x1b[1;31mred\x1b[0m\r\n', '\x1b[1;31mred\x1b[0m\r\n'],
  ['the other screen', '\x1b[?1049hvi\x1b[2;5H', '\x1b[?1049hvi\x1b[2;5H'],
  ['questions to the terminal', 'a\x1b[6n\x1b[c\x1b[>c\x1b[?1$p\x05b', 'ab'],
  ['the clipboard and titles', 'a\x1b]52;c;ZXZpbA==\x07\x1b]0;title\x1b\\b', 'ab'],
  ['device strings', 'a\x1bP$q"p\x1b\\\x1b_Gi=1;AAAA\x1b\\b', 'ab'],
  ['modes of mouse and keyboard', 'a\x1b[?1003h\x1b[?2004h\x1b[>4;2m\x1b[=1ub', 'ab'],
  ['windows, printers and rebounding keys', 'a\x1b[8;999;999t\x1b[5i\x1b[?1;2hb', 'ab'],
  ['absurd numbers', 'a\x1b[2147483647bb', 'ab'],
  ['controls of eight bits', 'a\x9b6n\x90x\x9cb', 'a6nxb'],
])('a replay plays %s as a terminal may take it', (_what, recorded, shown) => {
  expect(harmless()(recorded)).toBe(shown)
  // However it is cut.
  const piecewise = harmless()
  expect([...recorded].map((one) => piecewise(one)).join('')).toBe(shown)
})
