import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { WORDS } from './vocabulary.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const pages = ['*.md', 'docs/**/*.md']
  .flatMap((pattern) => globSync(pattern, { cwd: root }))
  .filter((page) => page !== 'CHANGELOG.md')

const WIDTH = 100

/** A page's lines of text: neither code, nor generated, nor of a table. */
function linesOf(page) {
  let isCode = false
  let isGenerated = false
  const text = readFileSync(`${root}${page}`, 'utf8').split('\n')
  return text.flatMap((line, at) => {
    if (/^\s*```/.test(line)) isCode = !isCode
    if (/^<!-- .*made by/.test(line)) isGenerated = true
    if (/^<!-- end of/.test(line)) isGenerated = false
    const isOther = isCode || isGenerated || /^\s*(?:```|\||<!--)/.test(line)
    return isOther ? [] : [{ at: `${page}:${at + 1}`, line }]
  })
}

const lines = pages.flatMap(linesOf)
/** Without code and links, which can be in words and lengths that are not ours. */
const prose = ({ line }) => line.replace(/`[^`]*`|\]\([^)]*\)/g, '`')

test('lines of the documents have at most 100 columns, but for tables and code', () => {
  expect(lines.length).toBeGreaterThan(1000)
  const long = lines.filter(({ line }) => line.length > WIDTH)
  expect(long.map(({ at, line }) => `${at} has ${line.length} columns`)).toEqual([])
})

test('the documents are in American spelling and plain words', () => {
  const found = lines.flatMap((one) =>
    WORDS.flatMap(([word, better]) => {
      const [words] = prose(one).match(word) ?? []
      return words ? [`${one.at} has "${words.trim()}": take ${better}`] : []
    }),
  )
  expect(found).toEqual([])
})
