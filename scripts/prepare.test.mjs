import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { consoleSources, ROOT } from './prepare.mjs'

test('what tests put beside the console asks for no new build, which would take away the files that browsers read', () => {
  const before = consoleSources()
  mkdirSync(join(ROOT, 'apps/console/test-results'), { recursive: true })
  const folder = mkdtempSync(join(ROOT, 'apps/console/test-results/prepare-'))
  writeFileSync(join(folder, 'main.tsx'), 'tried')
  const beside = consoleSources()
  rmSync(folder, { recursive: true })
  expect(beside).toBe(before)
})
