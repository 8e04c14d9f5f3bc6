import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { commandRulesPage, PAGE, TECHNIQUES, techniques } from './command-rules-page.mjs'

test('docs/command-rules.md is current: node_modules/.bin/node scripts/command-rules-page.mjs', () => {
  const page = readFileSync(PAGE, 'utf8')
  expect(page).toBe(commandRulesPage(page))
})

test('the console shows every technique with its outcome: the same command writes them', () => {
  expect(JSON.parse(readFileSync(TECHNIQUES, 'utf8'))).toEqual(techniques())
})
