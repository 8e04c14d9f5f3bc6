// @vitest-environment node
import { globSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { expect, test } from 'vitest'

const src = resolve(import.meta.dirname, '..')

/** `t('…')` and `msg('…')` with a literal text, in single quotes, double quotes or backticks. Both branches of `t(a ? 'x' : 'y')` are read too. */
const CALL =
  /\b(?:t|msg)\(\s*((?:[^()'"`]*\?\s*)?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(?:\s*:\s*(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))?)/g
const LITERAL = /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/g

function textsIn(source: string): string[] {
  return [...source.replace(/\/\*[\s\S]*?\*\//g, '').matchAll(CALL)].flatMap(([, args = '']) =>
    [...args.replace(/^[^?'"]*\?/, '').matchAll(LITERAL)].map(([, single, double]) => (single ?? double ?? '').replace(/\\(.)/g, '$1')),
  )
}

const sources = globSync('**/*.{ts,tsx}', { cwd: src }).filter((file) => !/\.test\.tsx?$/.test(file))
const used = new Map<string, string>()
for (const file of sources) for (const text of textsIn(readFileSync(resolve(src, file), 'utf8'))) used.set(text, file)

const areas = globSync('cn/*.json', { cwd: import.meta.dirname }).map((file) => ({
  name: basename(file, '.json'),
  entries: JSON.parse(readFileSync(resolve(import.meta.dirname, file), 'utf8')) as Record<string, string>,
}))
const translated = new Map(areas.flatMap(({ entries }) => Object.entries(entries)))

test('the scan finds texts and declared titles, and both branches of a choice', () => {
  expect(textsIn(`t('A') msg('B\\'s') t(one ? 'C' : 'D', { count }) t(name) format('E')`)).toEqual(['A', "B's", 'C', 'D'])
})

test('[A1.19 B9.30] every text of the console has its Chinese', () => {
  expect([...used].filter(([text]) => !translated.has(text)).map(([text, file]) => `${file}: ${text}`)).toEqual([])
})

test('no Chinese text is left that nothing shows', () => {
  expect([...translated.keys()].filter((text) => !used.has(text))).toEqual([])
})

test('no text has two different translations, and placeholders are the same in both languages', () => {
  const doubled = areas.flatMap(({ name, entries }, at) =>
    Object.keys(entries).flatMap((text) =>
      areas
        .slice(at + 1)
        .flatMap((other) =>
          other.entries[text] !== undefined && other.entries[text] !== entries[text] ? [`${text}: ${name} and ${other.name}`] : [],
        ),
    ),
  )
  const placeholders = (text: string) => [...text.matchAll(/\{\{(\w+)/g)].map(([, name]) => name).sort()
  const differing = [...translated]
    .filter(([text, chinese]) => placeholders(text).join() !== placeholders(chinese).join())
    .map(([text]) => text)
  expect({ doubled, differing }).toEqual({ doubled: [], differing: [] })
})
