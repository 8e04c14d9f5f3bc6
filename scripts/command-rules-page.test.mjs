import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { commandRulesPage, PAGE } from './command-rules-page.mjs'

test('docs/command-rules.md is current: node_modules/.bin/node scripts/command-rules-page.mjs', () => {
  const page = readFileSync(PAGE, 'utf8')
  expect(page).toBe(commandRulesPage(page))
})
