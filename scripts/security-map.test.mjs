import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const FOLDER = 'e2e/security/'
const map = readFileSync(`${ROOT}${FOLDER}README.md`, 'utf8')
const entries = [...map.matchAll(/^- `([^`]+)`: (.+)$/gm)].map(([, file, title]) => ({ file, title }))
const families = readdirSync(ROOT + FOLDER).filter((name) => name.endsWith('.spec.ts'))

test('every test that is named as the proof of a bug class is there', () => {
  expect(entries.length).toBeGreaterThan(50)
  const gone = entries.filter(
    ({ file, title }) => !existsSync(ROOT + file) || !titlesOf(file).some((one) => one.includes(title)),
  )
  expect(gone).toEqual([])
})

test('every family says which class it is of and is on the map', () => {
  for (const name of families) {
    const number = Number(name.slice(0, 2))
    expect(readFileSync(ROOT + FOLDER + name, 'utf8').split('\n')[0]).toMatch(new RegExp(`^// Class ${number}: `))
    const section = map.split(/^## /m).find((text) => text.startsWith(`${number} `)) ?? ''
    expect(section).toContain(FOLDER + name)
  }
})

/** Titles of tests only: a name that merely is in a comment proves nothing. */
function titlesOf(file) {
  const text = readFileSync(ROOT + file, 'utf8')
  const titles = /\b(?:test|it)(?:\.\w+(?:\([\s\S]*?\))?)*\s*\(\s*(['"`])([\s\S]*?)\1/g
  /** After a table of cases, whose type may come before it. */
  const titlesOfTables = /\]\)\(\s*(['"`])([\s\S]*?)\1/g
  return [titles, titlesOfTables].flatMap((pattern) => [...text.matchAll(pattern)].map(([, , title]) => title))
}
