import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PAGE, triedPage } from './tried-page.mjs'

test('the page of products that were tried says what the forms say (else run scripts/tried-page.mjs)', () => {
  const page = readFileSync(PAGE, 'utf8')
  expect(page).toContain('| OpenStack | stand-in |')
  expect(page).not.toContain('undefined')
  expect(page).toBe(triedPage(page))
})
