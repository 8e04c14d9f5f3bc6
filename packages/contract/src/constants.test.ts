import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PRODUCT_VERSION } from './constants.ts'

test('[A1.21] the version that pages show is that of the package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
  expect(PRODUCT_VERSION).toBe(version)
})
