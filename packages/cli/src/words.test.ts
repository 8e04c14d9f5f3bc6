import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
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
