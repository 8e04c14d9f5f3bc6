import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const SOURCE = fileURLToPath(new URL('../src/', import.meta.url))
const CATALOGS = `${SOURCE}locales/cn/`

const sources = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !/\.test\.ts$|fixture/.test(path))
  .map((path) => ({ path, text: readFileSync(SOURCE + path, 'utf8') }))

const catalogs = readdirSync(CATALOGS).map((file) => ({
  file,
  entries: JSON.parse(readFileSync(CATALOGS + file, 'utf8')) as Record<string, string>,
}))
const known = new Set(catalogs.flatMap(({ entries }) => Object.keys(entries)))

/** One string literal in single or double quotes, with what it says. */
const LITERAL = String.raw`(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)")`
/** Where sentences for people are written: what they are given to. */
const SENTENCES = [
  new RegExp(String.raw`\b(?:forbidden|say)\(\s*${LITERAL}`, 'g'),
  new RegExp(String.raw`\brefused\(\s*'[\w]+',\s*${LITERAL}`, 'g'),
  new RegExp(String.raw`\btranslate\(\s*[\w.]+,\s*${LITERAL}`, 'g'),
  new RegExp(String.raw`\bnew AppError\(\s*\d+,\s*'[\w]+',\s*${LITERAL}`, 'g'),
  new RegExp(String.raw`\bnew SessionRefusal\(\s*${LITERAL}`, 'g'),
  new RegExp(String.raw`\bnew ImportRefusal\(\s*${LITERAL}`, 'g'),
  new RegExp(String.raw`\bnotice\(\s*'\w+',\s*${LITERAL}`, 'g'),
  new RegExp(String.raw`\binvalid\(\{\s*[\w'.]+:\s*${LITERAL}`, 'g'),
]

function sentences(): { path: string; text: string }[] {
  return sources.flatMap(({ path, text }) =>
    SENTENCES.flatMap((pattern) =>
      [...text.matchAll(pattern)].map((match) => ({ path, text: unquoted(match[1] ?? match[2] ?? '') })),
    ),
  )
}

const unquoted = (literal: string) => literal.replace(/\\(.)/g, '$1')

test('[A1.19] every sentence that the server says to people has its Chinese', () => {
  const found = sentences()
  expect(found.length).toBeGreaterThan(30)
  expect(found.filter(({ text }) => text && !known.has(text)).map(({ path, text }) => `${path}: ${text}`)).toEqual([])
})

test('[A1.19] no Chinese without its sentence, and none written twice', () => {
  const all = sources.map(({ text }) => unquoted(text)).join('\n')
  expect([...known].filter((english) => !all.includes(english))).toEqual([])
  const twice = catalogs
    .flatMap(({ file, entries }) => Object.keys(entries).map((key) => ({ file, key })))
    .filter(({ key }, index, list) => list.findIndex((one) => one.key === key) !== index)
  expect(twice).toEqual([])
})
