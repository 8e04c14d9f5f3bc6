/**
 * `npm run test:cost [filter …]`: runs the tests, or those of files with these words in their path, and prints what
 * they cost: a table by project and the forty dearest files (`TEST_COST_FILES=100` for more).
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildConsole, fail, findProgram, ROOT } from './prepare.mjs'
import { installSystemPackages, SYSTEM_PACKAGES } from './system-packages.mjs'

installSystemPackages(Object.keys(SYSTEM_PACKAGES), 'The tests need')
const node = process.execPath
if (!buildConsole(node)) fail('The console could not be built.')
const results = join(ROOT, 'test-results')
mkdirSync(results, { recursive: true })
const written = join(results, 'cost.jsonl')
rmSync(written, { force: true })
const reporters = ['--reporter=default', `--reporter=${join(ROOT, 'scripts/test-cost/reporter.mjs')}`]
const { status } = spawnSync(node, [findProgram('vitest'), 'run', ...reporters, ...process.argv.slice(2)], {
  cwd: ROOT,
  stdio: 'inherit',
  env: { NODE_COMPILE_CACHE: join(results, 'compile-cache'), ...process.env, TEST_COST_FILE: written },
})
process.exitCode = status ?? 1
