import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { configurePage, PAGE } from './configure-page.mjs'

test('the settings page tells what config.ts reads (else run scripts/configure-page.mjs)', () => {
  const page = readFileSync(PAGE, 'utf8')
  expect(page).toContain('SALLYPORT_DATA_DIR')
  expect(page).toBe(configurePage(page))
})
